// Frame: the state of a world at one tick, as the history remembers it: what cannot be worked out
// from elsewhere, and the delta that led to it from the frame before. Plain data; not changed
// once it is sealed, so that it can be read by another thread.
#pragma once

#include <cstdint>

#include "rewind/delta.hpp"
#include "world/world.hpp"

namespace revenant {

struct Frame {
    std::int64_t number = 0;
    Clock clock = 0;  // of the world, when it was recorded
    std::uint64_t hash = 0;
    World::Globals globals;
    Delta delta;
    // The components whose words change for the first time in a stretch, as they were before:
    // entity index, head (headOf), words. The packer needs values, not only differences.
    Words bases;

    std::size_t bytes() const noexcept {
        return sizeof(Frame) + delta.bytes() + bases.capacity() * sizeof(std::uint32_t);
    }
};

inline Frame withoutDelta(const Frame& frame) {
    Frame bare;
    bare.number = frame.number;
    bare.clock = frame.clock;
    bare.hash = frame.hash;
    bare.globals = frame.globals;
    return bare;
}

}  // namespace revenant
