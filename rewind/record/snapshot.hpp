// Snapshot: all that a recorder knows of its world at one frame, as plain data without a world:
// the entities that some kept frame mentions, where they are, and the delta from an empty world
// to the frame. A history file holds it beside the frames.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rewind/history/delta.hpp"
#include "world/storage/component_pool.hpp"
#include "world/storage/string_table.hpp"

namespace revenant {

struct Snapshot {
    enum class Whereabouts : std::uint8_t { In, Zombie, Detached, Unborn };
    struct Known {
        EntityId id;
        EntityId parent;  // of an entity that is out: its parent, which is out, too
        StringId name;
        std::uint32_t serial = 0;
        Clock bornAt = 0;
        Whereabouts where = Whereabouts::In;
        bool rewindable = true;

        friend bool operator==(const Known&, const Known&) = default;
    };
    // An entity outside the history that components of the history may refer to.
    struct Stranger {
        EntityId id;
        std::uint32_t serial = 0;

        friend bool operator==(const Stranger&, const Stranger&) = default;
    };

    Clock clock = 0;
    // By slot: the generation of the entity that is known there, else of the next one; 0: retired.
    std::vector<std::uint32_t> generations;
    std::vector<Known> entities;  // one that hangs on another comes behind it
    std::vector<Stranger> strangers;
    std::vector<std::string> stateNames;
    // From nothing to the frame: entities that are in as arrivals in world order, the makeup of entities that
    // are out as outsides, and all states. An unborn entity has the makeup it is born with; the
    // outer of an entity that has yet to be added for the first time has its parent.
    Delta whole;
};

}  // namespace revenant
