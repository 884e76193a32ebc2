// WorldGlobals: the part of a world's state that belongs to no entity and is recorded in every frame. Plain
// data.
#pragma once

#include <array>
#include <cstdint>

#include "world/entity_id.hpp"

namespace revenant {

struct WorldGlobals {
    EntityId mainCharacter;
    EntityId mainCamera;
    double seconds = 0;
    std::uint64_t ticks = 0;
    std::array<std::uint64_t, 4> random{};
    std::uint64_t draws = 0;
    std::uint32_t lastSerial = 0;

    friend bool operator==(const WorldGlobals&, const WorldGlobals&) = default;
};

}  // namespace revenant
