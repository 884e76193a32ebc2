// RegionBank: memory regions of worlds that have ended, kept mapped for worlds to come.
//
// A script may keep a reference into the components of a world that was freed. Reading or writing through it must not
// end the process, so the regions of such worlds are never unmapped: their contents go back to the system, their
// addresses wait here for the next world. Shared by all threads.
#pragma once

#include <cstddef>

namespace revenant {

class RegionBank {
public:
    // A region of exactly that size, aligned to it; null where none waits.
    static std::byte* take(std::size_t bytes) noexcept;
    // REQUIRES: made by operator new with an alignment of `bytes`, and owned by the caller.
    static void give(std::byte* region, std::size_t bytes) noexcept;
};

}  // namespace revenant
