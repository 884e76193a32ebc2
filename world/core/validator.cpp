// WorldCore::validate: walks the whole world and checks every invariant that the other files of
// world/ state. It trusts nothing but the records' addresses.
#include <algorithm>
#include <bit>

#include "world/core/world_core.hpp"

namespace revenant {

namespace {

class Validator {
public:
    Validator(const WorldCore& world, std::vector<std::string>& problems)
        : forest_(world.forest()),
          components_(world.components()),
          world_(world),
          problems_(problems) {}

    void run() {
        checkOrder();
        checkZombies();
        checkPending();
        for (std::uint32_t i = 0; i < forest_.pool.count(); ++i) checkRecord(forest_.pool.at(i), i);
        checkCounts();
        checkPools();
        checkNames();
    }

private:
    template <class... Parts>
    void expect(bool holds, const EntityRecord& record, const Parts&... parts) {
        if (!holds)
            problems_.push_back(sentence(describe(world_.entity(record.id)), " ", parts...));
    }

    void checkOrder() {
        const auto& nodes = forest_.order.nodes();
        std::uint64_t label = 0;
        for (const OrderNode& node : nodes) {
            const EntityRecord& record = forest_.recordOf(node);
            expect(node.linked && record.managed, record,
                   "is in the world's order, yet not managed");
            expect(&node == &*nodes.begin() || label < node.label, record,
                   "has an order label that does not grow");
            label = node.label;
        }
        // While changes are waiting the forest is ahead of the order.
        if (forest_.pending.empty()) checkOrderAgainstForest();
    }

    // The order is exactly a depth-first walk of the roots.
    void checkOrderAgainstForest() {
        auto node = forest_.order.nodes().begin();
        const auto end = forest_.order.nodes().end();
        auto take = [&](const OrderNode& wanted, const EntityRecord& record) {
            const bool right = node != end && &*node == &wanted;
            expect(right, record, "is not where the world's order should have it");
            if (right) ++node;
            return right;
        };
        while (node != end) {
            const EntityRecord& root = forest_.recordOf(*node);
            expect(root.parent == nullptr, root, "is in the world's order without its parent");
            const EntityRecord* at = &root;
            while (true) {
                if (!take(at->opening, *at)) return;
                if (!at->children().empty()) {
                    at = &at->children().front();
                    continue;
                }
                if (at->hasClosing && !take(at->rest->closing, *at)) return;
                while (at != &root && at == &at->parent->children().back()) {
                    at = at->parent;
                    if (!take(at->rest->closing, *at)) return;
                }
                if (at == &root) break;
                at = &*std::next(SiblingList::s_iterator_to(*at));
            }
        }
    }

    void checkZombies() {
        for (const OrderNode& node : forest_.zombies) {
            const EntityRecord& record = forest_.recordOf(node);
            expect(!node.closes && record.isOut() && record.removed, record,
                   "is listed as a zombie, which it is not");
            ++zombies_;
        }
    }

    void checkPending() {
        forest_.pending.forEach([this](const EntityRecord& record) {
            expect(record.isPending() && record.alive, record,
                   "is listed as pending, which it is not");
            ++pending_;
        });
    }

    void checkRecord(const EntityRecord& record, std::uint32_t index) {
        expect(record.id.index == index && record.id.generation > 0, record, "has a wrong handle");
        expect(!record.opening.closes &&
                   (!record.rest || (record.rest->closing.closes && record.rest->owner == &record)),
               record, "has wrong order nodes");
        expect(forest_.pool.idAt(index) == record.id, record, "has another generation elsewhere");
        if (record.exists()) checkFlags(record);
        if (record.unborn) return;  // a history's
        if (!record.alive) {
            expect(!record.opening.linked && !record.rest, record, "is destroyed, yet in a list");
            return;
        }
        ++alive_;
        managed_ += record.managed ? 1 : 0;
        removed_ += record.removed ? 1 : 0;
        pendingFlags_ += record.isPending() ? 1 : 0;
        expect(record.managed == record.opening.linked, record, "is managed, yet not in the order");
        expect((record.rest && record.rest->closing.linked) == record.hasClosing, record,
               "mistakes its closing node");
        expect((record.settledShape != nullptr) == record.managed, record,
               "has settled components that do not go with its state");
        expect((record.visibleShape != nullptr) == record.active, record,
               "is visible without being active, or the reverse");
        checkFamily(record);
        checkComponents(record);
    }

    // Whether the flags are a legal combination: the table at the top of entity_record.hpp. Those of a free slot
    // mean nothing.
    void checkFlags(const EntityRecord& record) {
        expect(!(record.alive && record.unborn), record, "is both alive and unborn");
        expect(!(record.managed && record.removed), record, "is both managed and a zombie");
        expect(!record.remembered || record.ownRefs > 0, record,
               "is remembered by a history without its reference");
        if (record.unborn)
            expect(!record.managed && !record.removed && !record.isPending() &&
                       record.intent == Intent::Detach,
                   record, "is unborn, yet in the world, a zombie, or asked for something");
        expect(record.isPending() || !record.isDeparting(), record,
               "is to leave, but not in the pending list");
        expect(record.isPending() || !record.isArriving(), record,
               "is to come in, but not in the pending list");
        expect(record.managed || (!record.active && !record.hasClosing), record,
               "is out, yet active or with a closing node");
        expect(!record.moved || (record.managed && record.isPending()), record,
               "has moved, but not in the pending list");
        expect(!record.toggled || (record.managed && record.isPending()), record,
               "was enabled or disabled, but not in the pending list");
        expect(!record.loosened || record.isPending(), record,
               "may have to be collected, but not in the pending list");
        expect(!record.inRoots || (forest_.keepsRoots && !record.parent), record,
               "is in the list of roots, though it is none");
        expect(!record.visited && !record.leaving && !record.gathered, record,
               "carries scratch flags of a reconcile");
    }

    void checkFamily(const EntityRecord& record) {
        if (const EntityRecord* parent = record.parent) {
            expect(parent->alive, record, "has a destroyed parent");
            expect(!record.wantsIn() || parent->wantsIn(), record,
                   "should be in without its parent");
            if (!record.isPending() && !parent->isPending())
                expect(record.managed == parent->managed && record.removed == parent->removed,
                       record, "is in another state than its parent, and no change is waiting");
        }
        if (forest_.pending.empty())
            expect(record.active == (record.managed && record.enabled &&
                                     (!record.parent || record.parent->active)),
                   record, "is active though it should not be, or the reverse");
        expect(record.hasChildren == !record.children().empty(), record,
               "does not know whether it has children");
        for (const EntityRecord& child : record.children())
            expect(child.parent == &record, child, "is among the children of another parent");
    }

    void checkComponents(const EntityRecord& record) {
        const auto& types = record.shape->types();
        expect(record.hasDisabled == (record.rest && record.rest->disabledComponents != 0), record,
               "does not know whether it has disabled components");
        expect(types.size() >= 64 || record.disabledComponents() >> types.size() == 0, record,
               "has disabled components that it does not have");
        expect(!record.parked || !record.managed, record,
               "is managed, yet its components are parked");
        for (std::size_t i = 0; i < types.size(); ++i) {
            const ComponentType& type = components_.at(types[i]);
            const ComponentPool::Place place = type.pool.findPlace(record.id.index);
            expect((place == ComponentPool::nowhere) == (record.parked != nullptr), record,
                   "has a '", type.schema.name, "' that is not where it should be");
            if (place == ComponentPool::nowhere) continue;
            const std::byte* slot = type.pool.at(place);
            expect(type.pool.isTaken(slot) && type.pool.ownerOf(slot) == record.id.index, record,
                   "has a '", type.schema.name, "' in a slot that is not its own");
            expect(reinterpret_cast<std::uintptr_t>(slot) % type.schema.alignment == 0, record,
                   "has a misaligned component");
            ++bound_;
        }
        if (record.parked) return;
        if (!record.isPending() && record.managed)
            expect(record.settledShape == record.shape, record,
                   "has components that no reconcile has settled");
    }

    void expectEqual(std::size_t counted, std::size_t noted, std::string_view what) {
        if (counted != noted)
            problems_.push_back(
                sentence("there are ", counted, " ", what, ", but ", noted, " are noted"));
    }

    void checkCounts() {
        expectEqual(alive_, forest_.pool.alive(), "living entities");
        expectEqual(managed_, forest_.managedCount, "managed entities");
        expectEqual(removed_, forest_.zombieCount, "zombies");
        expectEqual(zombies_, removed_, "listed zombies");
        expectEqual(pending_, pendingFlags_, "pending entities");
    }

    void checkPools() {
        std::size_t taken = 0;
        std::size_t places = 0;
        for (std::size_t i = 0; i < components_.count(); ++i) {
            const ComponentType& type = components_.at(static_cast<ComponentTypeId>(i));
            std::size_t live = 0;
            for (const ComponentPool::Page* page : type.pool.pages())
                for (std::uint32_t word = 0; word * 64 < type.pool.slotsPerPage(); ++word)
                    live += static_cast<std::size_t>(std::popcount(page->taken[word]));
            expectEqual(live, type.pool.live(), "slots in use");
            taken += live;
            places += type.pool.countPlaces();
        }
        expectEqual(places, bound_, "components whose places are known");
        expectEqual(taken, bound_ + components_.retired().size(), "component slots taken");
    }

    // Each entity counts for its name, whether it is alive or not born yet.
    void checkNames() {
        const StringTable& strings = components_.strings();
        std::vector<std::size_t> counted(strings.idLimit());
        for (std::uint32_t i = 0; i < forest_.pool.count(); ++i)
            if (const EntityRecord& record = forest_.pool.at(i); record.exists())
                ++counted[record.name.value];
        for (std::uint32_t id = 0; id < counted.size(); ++id)
            expectEqual(counted[id], strings.namesOf({id}), "entities of one name");
    }

    const Forest& forest_;
    const ComponentStore& components_;
    const WorldCore& world_;
    std::vector<std::string>& problems_;
    std::size_t alive_ = 0;
    std::size_t managed_ = 0;
    std::size_t removed_ = 0;
    std::size_t zombies_ = 0;
    std::size_t pending_ = 0;
    std::size_t pendingFlags_ = 0;
    std::size_t bound_ = 0;
};

}  // namespace

std::vector<std::string> WorldCore::validate() const {
    std::vector<std::string> problems;
    Validator(*this, problems).run();
    for (const auto& observer : observers_) observer->validate(problems);
    return problems;
}

}  // namespace revenant
