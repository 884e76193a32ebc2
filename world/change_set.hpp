// ChangeSet: what one reconcile changed, as observers (views, rewind) are told. It is valid
// during the call; lists, order and records are as of this reconcile, and nothing that left has
// been destroyed yet.
#pragma once

#include <string>
#include <vector>

#include "world/component_pool.hpp"
#include "world/entity_id.hpp"
#include "world/shape.hpp"
#include "world/string_table.hpp"

namespace revenant {

class World;
struct EntityRecord;

struct Change {
    EntityRecord* record = nullptr;
    EntityId id;
    StringId name;
    const Shape* settledBefore = nullptr;  // the components it had in the world; null: it was out
    const Shape* visibleBefore = nullptr;  // what views saw of it; null: nothing
    const Shape* settledAfter = nullptr;
    const Shape* visibleAfter = nullptr;
    std::uint64_t labelBefore = 0;  // its place in the order; void once it was relabelled
    bool activeBefore = false;
    bool activeAfter = false;
    bool resurrected = false;
    bool moved = false;    // its place in the world's order changed
    bool rebound = false;  // components were added, removed or replaced

    bool entered() const noexcept { return settledBefore == nullptr; }
};

struct ChangeSet {
    Tick tick = 0;
    std::uint64_t relabelledBefore = 0;  // OrderList::relabelled when the reconcile began
    std::vector<Change> left;     // no longer in the world
    std::vector<Change> changed;  // in the world; ascending in its order

    void clear() noexcept {
        left.clear();
        changed.clear();
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
    virtual void onReset() = 0;
    // Adds a sentence for each invariant that does not hold.
    virtual void validate(std::vector<std::string>& problems) const = 0;
};

}  // namespace revenant
