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
    insertSorted(signature_.mustHave, WorldCore::of(world_).components().require(component).id);
    return *this;
}

Query& Query::without(std::string_view component) {
    insertSorted(signature_.without, WorldCore::of(world_).components().require(component).id);
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

std::vector<Entity> Query::matches() const {
    if (signature_.mustHave.empty())
        fail(ErrorCode::BadArgument,
             "query: name at least one component with `with`; for all entities there is "
             "getAllManagedEntities");
    if (const auto rows = WorldCore::of(world_).observer<ViewTables>().findRows(
            signature_.mustHave, signature_.without)) {
        std::vector<Entity> entities;
        for (std::size_t row = 0; row < rows->count(); ++row)
            entities.emplace_back(world_, rows->idOf(row));
        return entities;
    }
    return matchesInStorage(signature_);
}

std::vector<Entity> Query::matchesInStorage(const ViewSignature& signature) const {
    const ComponentPool* rarest = nullptr;
    for (const ComponentTypeId type : signature.mustHave) {
        const ComponentPool& pool = WorldCore::of(world_).components().at(type).pool;
        if (!rarest || pool.live() < rarest->live()) rarest = &pool;
    }
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
    std::ranges::sort(found, {}, [](const EntityRecord* record) { return record->opening.label; });
    // A component that was removed and added again this frame has two slots until the reconcile.
    found.erase(std::unique(found.begin(), found.end()), found.end());
    std::vector<Entity> entities;
    for (const EntityRecord* record : found) entities.emplace_back(world_, record->id);
    return entities;
}

std::vector<Entity> Query::entities() const {
    std::vector<Entity> result;
    for (const Entity& entity : matches()) {
        if (!key_ && result.size() >= limit_) break;
        if (std::ranges::all_of(predicates_, [&](const Predicate& holds) { return holds(entity); }))
            result.push_back(entity);
    }
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

Query World::query() {
    return Query(*this);
}

}  // namespace revenant
