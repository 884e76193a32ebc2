// Snapshot: all that a recorder knows of its world at one frame, as plain data that knows no world:
// the entities that some kept frame mentions, where they are, and what leads from an empty
// world to the frame. What a history file has beside the frames.
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
    // An entity that is no part of the history, but may be named by components that are.
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
    // are out as outsides, and all states. An unborn one has the makeup with which it is born;
    // the outer of one that is yet to be added, for the first time, has the parent.
    Delta whole;
};

}  // namespace revenant
