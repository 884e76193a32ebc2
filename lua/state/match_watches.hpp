// MatchWatches: which entities match the views of systems with onEntityAdded or onEntityRemoved. As with
// lifecycles, calls follow from the difference to what was last reported.
//
// Owned by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "world/core/error_list.hpp"
#include "world/entity_id.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

class WorldLink;

class MatchWatches {
public:
    explicit MatchWatches(WorldLink& link) : link_(link) {}
    MatchWatches(const MatchWatches&) = delete;
    MatchWatches& operator=(const MatchWatches&) = delete;

    // From now on the Lua system of that number is notified; returns the entities that match already, in
    // world order.
    std::vector<EntityId> add(std::uint32_t system, std::vector<ComponentTypeId> with,
                              std::vector<ComponentTypeId> without);
    void remove(std::uint32_t system);
    void clear() noexcept {
        watches_.clear();
        candidates_.clear();
    }
    bool any() const noexcept { return !watches_.empty(); }

    void onReconcile(const ChangeSet& changes);
    void tell(ErrorList& errors);
    // As ScriptLifecycles::tellLeaving.
    void tellLeaving(EntityId id, ErrorList& errors);

private:
    struct Watch {
        std::uint32_t system = 0;
        std::vector<ComponentTypeId> with, without;
        std::unordered_set<EntityId> told;
        std::vector<std::int8_t> shapes;  // by shape id: whether it matches; -1: not known yet

        bool matches(const Shape* shape);
    };

    Watch* find(std::uint32_t system) noexcept;
    void tellOne(std::uint32_t system, const std::vector<EntityId>& candidates, ErrorList& errors);
    void callRemoved(std::uint32_t system, EntityId id, ErrorList& errors);
    void call(std::uint32_t system, const char* method, EntityId id, ErrorList& errors);

    WorldLink& link_;
    std::vector<Watch> watches_;
    std::vector<EntityId> candidates_;
};

}  // namespace revenant
