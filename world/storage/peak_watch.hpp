// PeakWatch: says when memory that scratch vectors hold since a peak, such as a mass spawn, can be given back: when for a
// while they needed a fraction of it. Until then they keep it, so that what happens again and again does not allocate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

namespace revenant {

class PeakWatch {
public:
    // Below so many elements it does not pay to give memory back.
    static constexpr std::size_t worthwhile = 4096;

    std::size_t peak() const noexcept { return peak_; }
    // Notes how many elements were needed this time. True: the vectors have much more room than they need by now.
    bool note(std::size_t needed) noexcept {
        recent_ = std::max(recent_, needed);
        if (recent_ * fraction >= peak_ || peak_ < worthwhile) {
            peak_ = std::max(peak_, recent_);
            recent_ = 0;
            quiet_ = 0;
            return false;
        }
        if (++quiet_ < enoughQuiet) return false;
        peak_ = recent_;
        recent_ = 0;
        quiet_ = 0;
        return true;
    }

private:
    static constexpr std::size_t fraction = 4;
    static constexpr int enoughQuiet = 16;

    std::size_t peak_ = 0;    // what the vectors have room for
    std::size_t recent_ = 0;  // the most that was needed since that was last near the peak
    int quiet_ = 0;
};

// Gives the memory of vectors back in which there is nothing.
template <class... Vectors>
void giveBack(Vectors&... vectors) noexcept {
    auto giveOneBack = [](auto& vector) {
        if (vector.empty()) std::remove_reference_t<decltype(vector)>().swap(vector);
    };
    (giveOneBack(vectors), ...);
}

// Hands what was given back on to the system, where the allocator (glibc's) would keep it.
void trimMemory() noexcept;

}  // namespace revenant
