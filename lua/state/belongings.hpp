// Belongings: what one Lua state brought to the process-wide world, and what leaves it when the state closes.
//
// If nothing else is in the world, it is reset. If the host uses it as well, the host's part stays.
//
// Kept by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "world/component_type_id.hpp"
#include "world/entity_id.hpp"

namespace revenant {

class System;
class World;
class WorldCore;

struct Belongings {
    std::vector<std::weak_ptr<System>> systems;  // histories included
    std::vector<ComponentTypeId> types;          // that the state defined
    std::vector<std::uint32_t> made;             // by index of an entity: its generation
    std::set<std::string> resources;

    void makeRoomFor(std::uint32_t index) {
        if (made.size() <= index) made.resize(index + std::size_t{1} + made.size() / 2);
    }
    void noteMade(EntityId id) {
        makeRoomFor(id.index);
        made[id.index] = id.generation;
    }
    bool hasMade(EntityId id) const noexcept {
        return id.index < made.size() && made[id.index] == id.generation;
    }
};

// Unregisters those of the systems that the world still has.
void unregisterAll(World& world, const std::vector<std::weak_ptr<System>>& systems);

// Whether the world holds anything but what the state brought. REQUIRES: the state's systems, listeners and its
// link are gone from it.
bool hasOthersThan(WorldCore& world, const Belongings& belongings);

// Takes them out of a world that others use as well; entities leave at the next reconcile.
void takeAway(WorldCore& world, const Belongings& belongings) noexcept;

}  // namespace revenant
