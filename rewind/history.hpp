// History: the frames that are kept, in order, and what they weigh. Knows nothing of worlds.
#pragma once

#include <cstdint>
#include <deque>

#include "rewind/frame.hpp"

namespace revenant {

class History {
public:
    bool empty() const noexcept { return frames_.empty(); }
    std::int64_t oldest() const noexcept { return frames_.front().number; }
    std::int64_t newest() const noexcept { return frames_.back().number; }
    bool has(std::int64_t number) const noexcept {
        return !empty() && number >= oldest() && number <= newest();
    }
    // REQUIRES: has(number).
    Frame& at(std::int64_t number) noexcept {
        return frames_[static_cast<std::size_t>(number - oldest())];
    }
    const Frame& at(std::int64_t number) const noexcept {
        return frames_[static_cast<std::size_t>(number - oldest())];
    }
    void push(Frame frame);
    void popOldest();
    void popNewest();
    // To be called when a frame's weight changed.
    void reweigh(Frame& frame, std::size_t before) noexcept { bytes_ += frame.bytes() - before; }
    void clear() noexcept;

    std::size_t bytes() const noexcept { return bytes_; }
    double seconds() const noexcept;

private:
    std::deque<Frame> frames_;
    std::size_t bytes_ = 0;
};

}  // namespace revenant
