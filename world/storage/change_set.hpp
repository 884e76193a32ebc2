// ChangeSet: what one reconcile changed, as observers (views, rewind) get it. It is valid
// during the call; lists, order and records are as of this reconcile, and nothing that left has
// been destroyed yet.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "world/entity_id.hpp"
#include "world/storage/component_pool.hpp"
#include "world/storage/order_list.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

class ErrorList;
class World;
struct EntityRecord;
struct Value;

// What one entity was before; its record has what it is now. What every observer asks for is here,
// too: at 100 000 changes, fetching the records once more costs a tenth of a reconcile.
struct Change {
    EntityRecord* record = nullptr;
    EntityId id;
    const Shape* settledBefore = nullptr;  // the components it had in the world; null: it was out
    const Shape* visibleBefore = nullptr;  // what views saw of it; null: nothing
    const Shape* visible = nullptr;        // what views see of it now; null: nothing
    std::uint32_t labelBefore = 0;         // its place in the order
    std::uint32_t label = 0;               // its place now, if it has one
    bool activeBefore = false;
    bool resurrected = false;
    bool moved = false;     // its place in the world's order changed
    bool rebound = false;   // components were added, removed, enabled or disabled
    bool replaced = false;  // a component that it had was removed, and added again

    bool entered() const noexcept { return settledBefore == nullptr; }
};

// A slot whose component was removed, until views have stopped showing it.
struct RetiredSlot {
    std::uint32_t owner = 0;  // entity index
    ComponentTypeId type = 0;
    std::byte* slot = nullptr;
};

// Where an entity stands, or stood, among the others that a history knows of.
struct Placing {
    EntityRecord* record = nullptr;
    EntityRecord* parent = nullptr;    // null: it is a root
    EntityRecord* previous = nullptr;  // the sibling before it; null: it is the first
    bool resurrected = false;          // it was a zombie before it came
};

struct ChangeSet {
    Clock clock = 0;                         // of the world, at this reconcile
    std::vector<Change> left;                // no longer in the world
    std::vector<Change> changed;             // in the world; ascending in its order
    std::span<const LabelRange> relabelled;  // labels of others that were rewritten

    std::span<const RetiredSlot> retired;  // of components that were removed; still readable
    // Only for a history (Forest::keepsRoots): what stood where before, in that order, and is
    // not there any more; what stands where now, in this order, and was not there before.
    std::vector<Placing> departures;
    std::vector<Placing> arrivals;

    void clear() noexcept {
        left.clear();
        changed.clear();
        departures.clear();
        arrivals.clear();
    }
    bool empty() const noexcept { return left.empty() && changed.empty(); }
};

// What follows a world without the world knowing it. Owned by the world (World::observer).
class WorldObserver {
public:
    WorldObserver() = default;
    WorldObserver(const WorldObserver&) = delete;
    WorldObserver& operator=(const WorldObserver&) = delete;
    virtual ~WorldObserver() = default;

    virtual void onReconcile(const ChangeSet& changes) = 0;
    // A reconcile begins, be there changes or not: the world's clock was just raised.
    virtual void onClockRaised() {}
    // Where listeners are called: after a reconcile, and after the last one of a restore, with what they
    // ask for being for the next one. What is thrown goes to `errors`.
    virtual void onChangesTold(ErrorList& /*errors*/) {}
    // The same once entities were destroyed.
    virtual void onDestroyedTold(ErrorList& /*errors*/) {}
    // Whether these may do anything at all, as listeners may.
    virtual bool mayAct() const noexcept { return false; }
    // Listeners were called for an entity that left and is not born yet: it is unborn again.
    virtual void onUnborn(EntityRecord& /*record*/) {}
    // A managed entity is about to become rewindable, or to cease to be.
    virtual void onRescope(EntityRecord& /*record*/, bool /*rewindable*/) {}
    // All entities are about to be replaced by others (a save is loaded), and the resources that are rewound by these:
    // throws where the program could not use one of them.
    virtual void checkReplacement(const std::map<std::string, Value>& /*resources*/) {}
    // It is done: a history drops its frames.
    virtual void onReplace() {}
    virtual void onReset() = 0;
    // How much memory, at most, it may need for each entity while it follows a reconcile.
    virtual std::size_t bytesPerEntity() const noexcept { return 0; }
    // Adds a sentence for each invariant that does not hold.
    virtual void validate(std::vector<std::string>& problems) const = 0;
};

}  // namespace revenant
