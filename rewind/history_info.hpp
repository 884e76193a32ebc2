// What tools can ask of a history without looking into its frames. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace revenant {

// A block: consecutive frames that are packed together.
struct BlockInfo {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t bytes = 0;
    std::size_t frames = 0;  // that are kept of those from first to last
    std::size_t births = 0;
    std::size_t departures = 0;
    bool isPacked = false;
    // Its frames are in memory as they are: not packed yet, or unpacked again.
    bool isUnpacked = false;
    bool isWaiting = false;  // to be packed
};

// A frame with a name (TimeRewindSys::setCheckpoint).
struct Checkpoint {
    std::string name;
    std::int64_t frame = 0;
};

// How well packing keeps up, and what it costs where it does not.
struct HistoryStatistics {
    std::size_t kept = 0;          // frames
    std::size_t thinned = 0;       // frames between the oldest and the newest that are not kept
    std::size_t waiting = 0;       // frames that wait to be packed
    std::size_t waitingBytes = 0;  // that those take
    std::uint64_t dropped = 0;     // frames since the history was made, the oldest first
};

// How many entities came and went with a frame.
struct FrameMark {
    std::int64_t frame = 0;
    std::size_t births = 0;
    std::size_t returns = 0;  // of those that had been in before
    std::size_t departures = 0;
};

}  // namespace revenant
