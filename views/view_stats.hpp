// ViewStats: counters of one set of rows, since it was made: for tools and tests. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace revenant {

struct ViewStats {
    std::size_t rows = 0;
    std::uint64_t passes = 0;  // reconciles that changed it
    std::uint64_t rowsAdded = 0;
    std::uint64_t rowsDropped = 0;
    std::uint64_t rowsMoved = 0;  // rows that a pass moved to make or close gaps, or to spread them
    std::uint64_t nanoseconds = 0;   // spent in passes
    std::uint64_t rowsLookedAt = 0;  // to find out how they lie in memory
    std::size_t segments = 0;
    std::size_t contiguousRows = 0;  // in contiguous segments
    std::size_t bytes = 0;
};

}  // namespace revenant
