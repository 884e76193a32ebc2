// WorldStats: counters of a world, for tools and tests. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace revenant {

struct WorldStats {
    std::uint32_t managed = 0;
    std::uint32_t active = 0;
    std::uint32_t zombies = 0;
    std::uint32_t detached = 0;
    std::uint32_t pending = 0;
    std::uint32_t retiredSlots = 0;  // handle slots whose generations are used up
    std::uint64_t reconciles = 0;
    std::uint32_t lastLeft = 0;     // entities that left at the last reconcile
    std::uint32_t lastChanged = 0;  // that came in or changed
    std::uint64_t relabelled = 0;   // order labels rewritten, ever
    std::size_t componentTypes = 0;
    std::size_t shapes = 0;
    std::size_t strings = 0;
    std::size_t entityBytes = 0;
    std::size_t componentBytes = 0;      // of all pages
    std::size_t liveComponentBytes = 0;  // of the components in them
};

}  // namespace revenant
