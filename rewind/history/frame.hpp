// FrameHeader: when a frame was recorded, what its state hashes to, and the world's globals: all that a move
// needs to know of the frame that it leads to.
// Frame: a header, and the delta that led to it from the frame before. Plain data; not changed
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
        Detachment,  // it left, and is detached: its parent is out
        Request,  // the frame, or the one before, has a request that an entity that is out comes in; or it
                  // was attached to another, or became a zombie on it, without having been in
    };

    std::int64_t frame = 0;
    EntityId id;
    EntityId parent;  // its new parent; of an entity that left: its parent afterwards
    Kind kind = Kind::Birth;

    bool comes() const noexcept { return kind == Kind::Birth || kind == Kind::Return; }
    bool leaves() const noexcept { return kind == Kind::Departure || kind == Kind::Detachment; }

    friend bool operator==(const Crossing&, const Crossing&) noexcept = default;
};

struct FrameHeader {
    std::int64_t number = 0;
    Clock clock = 0;  // of the world, when it was recorded
    std::uint64_t hash = 0;
    WorldGlobals globals;
};

struct Frame : FrameHeader {
    Delta delta;
    // The components whose words change for the first time in a block, as they were before:
    // entity index, head (headOf), words. The packer needs values, not only differences.
    Words bases;
    // Where the frames before it were thinned out: the crossings of all of them and of this one.
    std::vector<Crossing> crossings;

    std::size_t bytes() const noexcept {
        return sizeof(Frame) + delta.bytes() + bases.capacity() * sizeof(std::uint32_t) +
               crossings.capacity() * sizeof(Crossing);
    }
};

inline const FrameHeader& headerOf(const Frame& frame) noexcept {
    return frame;
}

// Frees spare capacity where it is worth it: it counts as memory of the history.
inline void tighten(Words& words) {
    if (words.capacity() - words.size() > words.size() / 16) words.shrink_to_fit();
}

void appendCrossings(const Frame& frame, std::vector<Crossing>& crossings);

}  // namespace revenant
