// The third part of History: moves over many frames at once.
#include <algorithm>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/history.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

constexpr std::size_t groupParts = 8;

}  // namespace

// Joins the next parts if there are enough of them. Returns whether there were.
template <class Parts>
bool History::formGroup(std::deque<Group>& groups, const Parts& parts) {
    const std::int64_t begin = groups.empty() ? oldest_ : groups.back().end;
    auto part =
        std::ranges::lower_bound(parts, begin, {}, [](const auto& each) { return each.from; });
    if (parts.end() - part < static_cast<std::ptrdiff_t>(groupParts)) return false;
    Group group;
    group.from = part->from;
    auto task = std::make_shared<PackingTask>();
    task->kind = PackingTask::Kind::Join;
    for (std::size_t i = 0; i < groupParts; ++i, ++part) {
        if (!part->net) return false;
        task->nets.push_back(part->net);
        group.end = part->last();
    }
    if (options_.inBackground)
        thread_.add(task);
    else
        tryToPerform(*task);
    group.task = std::move(task);
    groups.push_back(std::move(group));
    return true;
}

void History::formGroups() {
    while (formGroup(groups_[0], blocks_)) takeNets(groups_[0]);
    takeNets(groups_[0]);
    while (formGroup(groups_[1], groups_[0])) takeNets(groups_[1]);
    takeNets(groups_[1]);
}

void History::forget(Group& group) {
    if (group.net) bytes_ -= group.net->capacity();
    discard(std::move(group.task));
}

void History::takeNets(std::deque<Group>& groups, bool all) {
    // Groups that wait for their net delta are the last ones, unless memory ran out for one.
    for (auto group = groups.rbegin(); group != groups.rend() && (all || group->task); ++group) {
        if (!group->task || !group->task->isDone.load(std::memory_order_acquire)) continue;
        group->net = group->task->net;
        bytes_ += group->net->capacity();
        discard(std::move(group->task));
        group->task = nullptr;
    }
}

// The part ahead, if the move leads over all of it. Otherwise, if the move starts inside of a part, `target` becomes
// the end of that part.
template <class Parts>
std::optional<History::Leap> History::leapOver(const Parts& parts, std::int64_t shown,
                                               std::int64_t& target) const {
    const bool isBack = target < shown;
    const std::int64_t next = isBack ? shown : shown + 1;  // the first frame to be led over
    auto part =
        std::ranges::lower_bound(parts, next, {}, [](const auto& each) { return each.last(); });
    if (part == parts.end() || !part->net || part->from >= next || part->from < oldest_)
        return std::nullopt;
    const std::int64_t behind = isBack ? part->last() : part->from;
    const std::int64_t ahead = isBack ? part->from : part->last();
    const bool isBeyond = isBack ? target <= ahead : target >= ahead;
    auto isNearer = [&](std::int64_t frame) {
        return std::abs(frame - ahead) < std::abs(frame - behind);
    };
    if (shown == behind) {
        // Also beyond the target, if that is nearer to the part's other end.
        if (!isBeyond && !isNearer(target)) return std::nullopt;
        return Leap{part->from, part->last(), isBack, part->net};
    }
    if (isBeyond) target = isNearer(shown) ? ahead : behind;
    return std::nullopt;
}

// A move from inside of a part goes to its nearer end first, and from there over all of it: at either end, at most
// half a block is crossed frame by frame.
History::Leap History::leapFrom(std::int64_t shown, std::int64_t target) {
    for (auto groups = groups_.rbegin(); groups != groups_.rend(); ++groups)
        if (auto leap = leapOver(*groups, shown, target)) return *leap;
    if (auto leap = leapOver(blocks_, shown, target)) return *leap;
    const bool isBack = target < shown;
    const std::int64_t from = isBack ? before(shown) : shown;
    return {from, isBack ? shown : after(shown), isBack, nullptr};
}

Delta History::netOf(const Leap& leap) {
    return unpackDelta(*leap.net);
}

std::vector<Crossing> History::crossingsOf(const Leap& leap) const {
    std::vector<Crossing> crossings;
    std::int64_t frame = leap.from;
    while (frame < leap.last) {
        const Block& block = blockOf(after(frame));
        crossings.insert(crossings.end(), block.crossings.begin(), block.crossings.end());
        frame = block.last();
    }
    REVENANT_ASSERT(frame == leap.last, "a leap to frame ", leap.last, " ends within a block");
    return crossings;
}

}  // namespace revenant
