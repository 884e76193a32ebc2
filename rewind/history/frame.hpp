// Frame: the state of a world at one tick, as the history remembers it: what cannot be worked out
// from elsewhere, and the delta that led to it from the frame before. Plain data; not changed
// once it is sealed, so that it can be read by another thread.
#pragma once

#include <cstdint>
#include <vector>

#include "rewind/history/delta.hpp"
#include "world/clock.hpp"
#include "world/core/world_globals.hpp"

namespace revenant {

// An entity that came or left with a frame. A summary of the steps of many frames: which entities
// they mention, and which of those came and left in between.
struct Crossing {
    enum class Kind : std::uint8_t {
        Birth,       // it came, and was detached or unborn before
        Return,      // it came back from the zombies, or became rewindable again
        Departure,   // it left, and is a zombie
        Detachment,  // it left, and is detached: it hangs on one that is out
        Request,     // the frame, or the one before, has a request for one that is out to come in
    };

    std::int64_t frame = 0;
    EntityId id;
    EntityId parent;  // where it came to; or, of one that left, on which it hangs since
    Kind kind = Kind::Birth;

    bool comes() const noexcept { return kind == Kind::Birth || kind == Kind::Return; }
    bool leaves() const noexcept { return kind == Kind::Departure || kind == Kind::Detachment; }

    friend bool operator==(const Crossing&, const Crossing&) noexcept = default;
};

struct Frame {
    std::int64_t number = 0;
    Clock clock = 0;  // of the world, when it was recorded
    std::uint64_t hash = 0;
    WorldGlobals globals;
    Delta delta;
    // The components whose words change for the first time in a stretch, as they were before:
    // entity index, head (headOf), words. The packer needs values, not only differences.
    Words bases;
    // Of a frame that leads over others, which were thinned out: the crossings of all of them.
    std::vector<Crossing> crossings;

    std::size_t bytes() const noexcept {
        return sizeof(Frame) + delta.bytes() + bases.capacity() * sizeof(std::uint32_t) +
               crossings.capacity() * sizeof(Crossing);
    }
};

// The header of a frame: the frame without its delta.
inline Frame withoutDelta(const Frame& frame) {
    Frame bare;
    bare.number = frame.number;
    bare.clock = frame.clock;
    bare.hash = frame.hash;
    bare.globals = frame.globals;
    return bare;
}

void appendCrossings(const Frame& frame, std::vector<Crossing>& crossings);

}  // namespace revenant
