// OutsideImage: the component data of every managed entity that the history leaves out, at one moment.
// To a repeated run this data is input: it must be the same again. Components with hooks are left out.
// Plain data.
#pragma once

#include <cstddef>
#include <vector>

#include "world/entity_id.hpp"
#include "world/storage/shape.hpp"

namespace revenant {

class WorldCore;

struct OutsideImage {
    struct Slot {
        EntityId id;
        ComponentTypeId type = 0;
        std::size_t offset = 0;  // in `bytes`
    };
    std::vector<Slot> slots;
    std::vector<std::byte> bytes;
};

OutsideImage takeOutsideImage(const WorldCore& world);
// Skips entities that are gone since, and components that were removed from them.
void putBack(const OutsideImage& image, WorldCore& world);

}  // namespace revenant
