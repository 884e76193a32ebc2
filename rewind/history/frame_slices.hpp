// Divides the content of frames into slices, which are packed one at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rewind/history/frame.hpp"

namespace revenant {

// The part of the frames that belongs to one slice: some of the entities, each with all its components, so that a
// component can be predicted from another. Slices are packed one at a time: the memory that packing needs beside the
// frames depends on the slice, not on the number of entities, and stays in the caches.
struct Run {
    enum class Kind : std::uint8_t { Base, Difference, Arrival, Rebound };

    std::uint32_t frame;
    Kind kind;
    // In the frame's list of that kind; of differences, the group, and the component in it.
    WordCursor::Place begin;
    WordCursor::Place end;
};

// By slice, in the order of frames, and of kinds within a frame. There is one slice at least.
std::vector<std::vector<Run>> sliceFrames(std::span<const Frame> frames);

}  // namespace revenant
