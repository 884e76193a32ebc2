// Ledger: the hash that each frame had when it was first recorded, and the frames at which the world was changed from
// outside: a run that resumes before such a frame need not repeat the frames after it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace soak {

class Ledger {
public:
    // The hash to expect of a frame that is recorded or shown; none where none is known.
    std::optional<std::uint64_t> expected(std::int64_t frame) const {
        if (!has(frame)) return std::nullopt;
        return entries_[place(frame)].hash;
    }
    // REQUIRES: the frame is known, or comes right behind those that are.
    void record(std::int64_t frame, std::uint64_t hash) {
        if (entries_.empty()) first_ = frame;
        if (!has(frame)) entries_.push_back({hash, meddled_});
        meddled_ = false;
    }
    // Something from outside is part of `frame`, which is recorded next, for the first time or again.
    void meddle(std::int64_t frame) {
        while (!entries_.empty() && end() > frame) entries_.pop_back();
        meddled_ = true;
    }
    // Play goes on from a frame: what follows it is to come again, as far as it followed from it.
    void resumeFrom(std::int64_t frame) {
        const std::int64_t last = lastFrom(frame);
        while (!entries_.empty() && end() > last + 1) entries_.pop_back();
    }
    void forgetBefore(std::int64_t frame) {
        while (!entries_.empty() && first_ < frame) {
            entries_.pop_front();
            ++first_;
        }
    }
    // The last frame that follows from `frame` by what is known.
    std::int64_t lastFrom(std::int64_t frame) const {
        std::int64_t last = frame;
        while (has(last + 1) && !entries_[place(last + 1)].meddled) ++last;
        return last;
    }
    void clear() { entries_.clear(); }

private:
    struct Entry {
        std::uint64_t hash;
        bool meddled;  // between the frame before and this one
    };

    bool has(std::int64_t frame) const {
        return !entries_.empty() && frame >= first_ && frame < end();
    }
    std::int64_t end() const { return first_ + static_cast<std::int64_t>(entries_.size()); }
    std::size_t place(std::int64_t frame) const { return static_cast<std::size_t>(frame - first_); }

    std::deque<Entry> entries_;
    std::int64_t first_ = 0;
    bool meddled_ = false;
};

}  // namespace soak
