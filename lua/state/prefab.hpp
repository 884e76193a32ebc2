// Prefab: a template of an entity tree, with its components as bytes, from which instances are made
// at the speed of C++. Instances share nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "world/storage/fresh_components.hpp"
#include "world/world.hpp"

namespace revenant {

struct Prefab {
    struct Node {
        std::string name;
        int parent = -1;  // an earlier node; -1: the root
        bool enabled = true;
        bool rewindable = true;
        bool isOutside = false;  // it is not rewindable, or something above it is not
        FreshComponents components;
    };

    std::vector<Node> nodes;  // parents before children

    // Makes instances; `made` holds the ids of every node of every instance, instance by instance.
    void spawn(World& world, std::uint32_t count, bool addToWorld,
               std::vector<EntityId>& made) const;

    // Destroys trees with `count` members that were made when this was the last serial.
    static void undo(World& world, std::span<const EntityId> made, std::uint32_t count,
                     std::uint32_t lastSerial);

private:
    void makeOne(World& world, std::vector<EntityId>& made) const;
};

}  // namespace revenant
