// Replacement: puts another content into a running world: all entities, the rewindable resources and the
// globals. The new entities are made before, detached, so that what can fail fails while the old
// content is still there. Systems, listeners, views and other resources stay.
//
//     Replacement replacement(world);
//     for (...) replacement.add(world.newEntity(name));      // as many as there are, with components
//     replacement.apply();
//
// Unless it is applied, what was added is destroyed with it.
// REQUIRES: between ticks (WorldCore::callBetweenTicks).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "world/core/world_core.hpp"

namespace revenant {

class Replacement {
public:
    explicit Replacement(WorldCore& world)
        : world_(world), lastSerial_(world.getGlobals().lastSerial) {}
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    ~Replacement();

    // An entity of the new content, in world order: parents first.
    void add(EntityRecord& record) { added_.push_back(&record); }
    const std::vector<EntityRecord*>& added() const noexcept { return added_; }

    WorldGlobals globals;
    std::map<std::string, Value> resources;  // those that are rewound

    // Replaces the content; old handles are stale after it. Listeners hear of what left and came, then of
    // "worldLoaded"; throws what they throw when all is done.
    void apply();

private:
    void prepareOld();
    void destroyOld();

    WorldCore& world_;
    std::uint32_t lastSerial_;
    std::vector<EntityRecord*> added_;
    std::vector<EntityId> old_;
    bool isApplied_ = false;
};

}  // namespace revenant
