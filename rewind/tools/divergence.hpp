// WorldImage: the rewindable state of a world at one moment as values and texts, to compare two of them.
// States are compared by what they mean: entities by their serials, in world order; components field by
// field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rewind/divergence.hpp"

namespace revenant {

class WorldCore;

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
WorldImage imageOf(WorldCore& world);

std::optional<Divergence> firstDifference(const WorldImage& here, const WorldImage& there);
// All of them, so many at most: entities are compared by their serials, wherever they stand. One that
// only one side has is one difference, whose field is "the entity".
std::vector<Divergence> differences(const WorldImage& here, const WorldImage& there,
                                    std::size_t most);

}  // namespace revenant
