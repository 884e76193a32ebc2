#include "views/query.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "views/rows/view_tables.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

void insertSorted(std::vector<ComponentTypeId>& types, ComponentTypeId type) {
    auto place = std::ranges::lower_bound(types, type);
    if (place == types.end() || *place != type) types.insert(place, type);
}

}  // namespace

Query& Query::with(std::string_view component) {
    insertSorted(with_, WorldCore::of(world_).components().require(component).id);
    return *this;
}

Query& Query::without(std::string_view component) {
    insertSorted(without_, WorldCore::of(world_).components().require(component).id);
    return *this;
}

std::string_view Query::nameOfTied(std::size_t cppType) const {
    const ComponentType* type = WorldCore::of(world_).components().findTied(cppType);
    if (!type)
        fail(ErrorCode::UnknownComponent, "query: the C++ type is not a component of this world");
    return type->schema.name;
}

Query& Query::where(Predicate predicate) {
    if (!predicate) fail(ErrorCode::BadArgument, "query: where needs something to call");
    predicates_.push_back(std::move(predicate));
    return *this;
}

Query& Query::orderBy(Key key) {
    if (!key) fail(ErrorCode::BadArgument, "query: orderBy needs something to call");
    key_ = std::move(key);
    return *this;
}

Query& Query::limit(std::size_t most) {
    limit_ = most;
    return *this;
}

Query& Query::skip(std::size_t count) {
    skip_ = count;
    return *this;
}

template <class Visit>
void Query::forMatches(Visit visit) const {
    if (with_.empty())
        fail(ErrorCode::BadArgument,
             "query: name at least one component with `with`; for all entities there is "
             "getAllManagedEntities");
    if (const auto rows = WorldCore::of(world_).observer<ViewTables>().findRows(with_, without_)) {
        std::vector<EntityId> ids;  // what is called may change the rows
        const std::size_t most = key_ || !predicates_.empty() ? SIZE_MAX : limit_;
        for (std::size_t row = skip_; row < rows->count() && ids.size() < most; ++row)
            ids.push_back(rows->idOf(row));
        for (const EntityId id : ids)
            if (!visit(id)) return;
        return;
    }
    const std::size_t wanted = key_ || !predicates_.empty() ? SIZE_MAX : limit_;
    if (std::vector<EntityId> ids; findInOrder(wanted, ids)) {
        for (const EntityId id : ids)
            if (!visit(id)) return;
        return;
    }
    // The first few leave a heap one by one, which is cheaper than sorting all.
    const auto isLater = [](const EntityRecord* a, const EntityRecord* b) {
        return a->opening.label > b->opening.label;
    };
    std::vector<const EntityRecord*> found = matchesInStorage();
    std::vector<EntityId> ids;
    const std::size_t most = key_ || !predicates_.empty() ? SIZE_MAX : limit_;
    const bool isFew = most < found.size() / 8;
    if (isFew)
        std::ranges::make_heap(found, isLater);
    else
        std::ranges::sort(found, {},
                          [](const EntityRecord* record) { return record->opening.label; });
    const EntityRecord* last = nullptr;
    std::size_t passed = 0;
    for (std::size_t i = 0; i < found.size() && ids.size() < most; ++i) {
        const EntityRecord* next = found[i];
        if (isFew) {
            const auto end = found.end() - static_cast<std::ptrdiff_t>(i);
            std::pop_heap(found.begin(), end, isLater);
            next = *(end - 1);
        }
        // A component that was removed and added again this frame has two slots until the reconcile.
        if (next == last) continue;
        last = next;
        if (passed++ >= skip_) ids.push_back(next->id);
    }
    for (const EntityId id : ids)
        if (!visit(id)) return;
}

const ComponentPool& Query::rarestPool() const {
    const ComponentPool* rarest = nullptr;
    for (const ComponentTypeId type : with_) {
        const ComponentPool& pool = WorldCore::of(world_).components().at(type).pool;
        if (!rarest || pool.live() < rarest->live()) rarest = &pool;
    }
    return *rarest;
}

// Looks for the first few from the beginning of the world. False: they are too rare for that; going through all entities
// that have the rarest component costs little more.
bool Query::findInOrder(std::size_t most, std::vector<EntityId>& ids) const {
    const std::size_t live = rarestPool().live();
    if (most > live / 8 || skip_ > live / 8) return false;
    const ViewSignature signature{with_, {}, without_};
    const Forest& forest = WorldCore::of(world_).forest();
    std::size_t looks = live / 4;
    std::size_t passed = 0;
    for (const OrderNode& node : forest.order.nodes()) {
        if (ids.size() >= most) return true;
        if (looks-- == 0) return false;
        if (node.closes) continue;
        const EntityRecord& record = forest.recordOf(node);
        if (record.visibleShape && signature.matches(*record.visibleShape) && passed++ >= skip_)
            ids.push_back(record.id);
    }
    return true;
}

std::vector<const EntityRecord*> Query::matchesInStorage() const {
    const ViewSignature signature{with_, {}, without_};
    const ComponentPool* rarest = &rarestPool();
    std::vector<const EntityRecord*> found;
    for (const ComponentPool::Page* page : rarest->pages())
        for (std::uint32_t first = 0; first < rarest->slotsPerPage(); first += 64)
            for (std::uint64_t taken = page->taken[first / 64]; taken != 0; taken &= taken - 1) {
                const auto slot = first + static_cast<std::uint32_t>(std::countr_zero(taken));
                const EntityRecord& record =
                    WorldCore::of(world_).forest().pool.at(page->owners[slot]);
                if (record.visibleShape && signature.matches(*record.visibleShape))
                    found.push_back(&record);
            }
    return found;
}

std::vector<Entity> Query::entities() const {
    std::vector<Entity> result;
    forMatches([&](EntityId id) {
        if (!key_ && result.size() >= limit_) return false;
        const Entity entity(world_, id);
        if (std::ranges::all_of(predicates_, [&](const Predicate& holds) { return holds(entity); }))
            result.push_back(entity);
        return true;
    });
    if (key_) {
        std::vector<std::pair<double, Entity>> keyed;
        for (const Entity& entity : result) keyed.emplace_back(key_(entity), entity);
        // NaN has no order: such entities go last.
        std::ranges::stable_sort(
            keyed, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; },
            &std::pair<double, Entity>::first);
        result.clear();
        for (const auto& [key, entity] : keyed)
            if (result.size() < limit_) result.push_back(entity);
    }
    return result;
}

Entity Query::first() const {
    Query one = *this;
    const auto found = one.limit(std::min<std::size_t>(limit_, 1)).entities();
    return found.empty() ? Entity() : found.front();
}

Query World::query() const {
    return Query(core_->world());
}

}  // namespace revenant
