// EntityState: what an entity is to its world. Plain data.
#pragma once

#include <cstdint>

namespace revenant {

enum class EntityState : std::uint8_t {
    Detached,
    PendingAdd,
    Managed,
    PendingRemove,
    Zombie,
    Unborn,
    Destroyed,
};

}  // namespace revenant
