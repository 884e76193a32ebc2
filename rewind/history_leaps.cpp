// The third part of History: moves over many frames at once.
#include <algorithm>

#include "rewind/delta_bytes.hpp"
#include "rewind/history.hpp"

namespace revenant {

std::optional<History::Leap> History::leapFrom(std::int64_t shown, std::int64_t target) {
    const bool isBack = target < shown;
    const std::int64_t next = isBack ? shown : shown + 1;  // the first frame to be led over
    // Nothing that is kept leads to the oldest frame.
    auto leads = [&](std::int64_t first, std::int64_t last) {
        return first > oldest_ && (isBack ? last : first) == next;
    };
    auto group = std::ranges::lower_bound(groups_, next, {}, &Group::last);
    if (group != groups_.end() && leads(group->first, group->last) &&
        (isBack ? group->first > target : group->last <= target)) {
        takeNet(*group);
        if (group->net) return Leap{group->first, group->last, true};
    }
    const Stretch& stretch = stretchOf(next);
    const std::int64_t first = stretch.first;
    const std::int64_t last = stretch.last();
    if (!stretch.net || !leads(first, last)) return std::nullopt;
    // Over the stretch that the target is in, too, if that is nearer to its other end.
    const bool isWorth = isBack ? first > target || target - first < last - target
                                : last <= target || last - target < target - first;
    return isWorth ? std::optional(Leap{first, last, false}) : std::nullopt;
}

Delta History::netOf(const Leap& leap) const {
    if (!leap.isGroup) return unpackDelta(*stretchOf(leap.last).net);
    return unpackDelta(*std::ranges::lower_bound(groups_, leap.last, {}, &Group::last)->net);
}

std::vector<Crossing> History::crossingsOf(const Leap& leap) const {
    std::vector<Crossing> crossings;
    for (std::int64_t frame = leap.first; frame <= leap.last;) {
        const Stretch& stretch = stretchOf(frame);
        crossings.insert(crossings.end(), stretch.crossings.begin(), stretch.crossings.end());
        frame = stretch.last() + 1;
    }
    return crossings;
}

}  // namespace revenant
