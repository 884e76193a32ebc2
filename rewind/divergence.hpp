// Divergence: where two states that should be the same first differ: for finding out what makes a game
// play differently the second time. States are compared by what they mean: entities by their
// serials, in world order; components field by field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "world/component_store.hpp"

namespace revenant {

class World;

struct Divergence {
    std::int64_t frame = 0;
    std::string entity;     // its name and serial; empty: something of the whole world
    std::string component;  // or empty: the entity itself
    std::string field;      // or what differs: "parent", "random numbers", ...
    std::string here;
    std::string there;

    // "frame 12: 'walker' (serial 3), TransformCMP.x is 4.5 here and 4.25 there"
    std::string describe() const;
};

// What of a world is rewound, at one moment, as values and texts.
struct WorldImage {
    struct FieldImage {
        std::string component;
        std::string field;
        std::string value;
    };
    struct EntityImage {
        std::uint32_t serial = 0;
        std::string name;
        std::vector<FieldImage> fields;
    };
    std::vector<EntityImage> entities;  // in world order
    std::vector<FieldImage> globals;
};
WorldImage imageOf(World& world);

std::optional<Divergence> firstDifference(const WorldImage& here, const WorldImage& there);
// All of them, so many at most: entities are compared by their serials, wherever they stand. One that
// only one side has is one difference, whose field is "the entity".
std::vector<Divergence> differences(const WorldImage& here, const WorldImage& there,
                                    std::size_t most);

}  // namespace revenant
