// The fourth part of History: frames that wait to be packed are thinned where packing does not keep up.
#include <algorithm>
#include <map>
#include <utility>

#include "rewind/history/delta_pair.hpp"
#include "rewind/history/history.hpp"

namespace revenant {

namespace {

constexpr std::size_t fewFrames = 8;                          // in a stretch
constexpr std::size_t leastThinned = std::size_t{256} << 10;  // bytes, in a tick

// Leaves out entities that came and went between two kept frames and that nothing else tells of.
void dropPassing(std::vector<Crossing>& crossings,
                 const std::function<bool(EntityId, std::uint32_t)>& forgets) {
    using enum Crossing::Kind;
    struct Passing {
        std::uint32_t crossings = 0;
        bool isBorn = false;
        bool isGone = false;
    };
    if (crossings.empty() || !forgets) return;
    std::map<EntityId, Passing> all;
    for (const Crossing& crossing : crossings) {
        Passing& passing = all[crossing.id];
        if (passing.crossings++ == 0) passing.isBorn = crossing.kind == Birth;
        passing.isGone = crossing.kind == Departure;
    }
    std::erase_if(all, [&](const auto& each) {
        const Passing& passing = each.second;
        return !passing.isBorn || !passing.isGone || !forgets(each.first, passing.crossings);
    });
    std::erase_if(crossings, [&](const Crossing& each) { return all.contains(each.id); });
}

// The second frame leads over the first one then.
void joinFrames(Frame& first, Frame& second,
                const std::function<bool(EntityId, std::uint32_t)>& forgets) {
    std::vector<Crossing> crossings;
    appendCrossings(first, crossings);
    appendCrossings(second, crossings);
    dropPassing(crossings, forgets);
    second.delta = composePair(std::move(first.delta), second.delta);
    second.crossings = std::move(crossings);
    if (first.bases.empty()) return;
    first.bases.insert(first.bases.end(), second.bases.begin(), second.bases.end());
    second.bases = std::move(first.bases);
}

// Of a component that an earlier frame of the stretch has a base of, a later one is of no use. Those that are
// not found side by side stay: they do no harm.
void dropKnownBases(const Words& known, Words& bases) {
    Words left;
    std::size_t cursor = 0;
    for (std::size_t at = 0; at < bases.size();) {
        const std::size_t next = at + 2 + wordsOf(bases[at + 1]);
        const bool isKnown = cursor < known.size() && known[cursor] == bases[at] &&
                             known[cursor + 1] == bases[at + 1];
        if (cursor < known.size()) cursor += 2 + wordsOf(known[cursor + 1]);
        if (!isKnown)
            left.insert(left.end(), bases.begin() + static_cast<std::ptrdiff_t>(at),
                        bases.begin() + static_cast<std::ptrdiff_t>(next));
        at = next;
    }
    bases = std::move(left);
}

}  // namespace

std::size_t History::Stretch::positionOf(std::int64_t number) const noexcept {
    const std::int64_t offset = number - first;
    if (offsets.empty()) return std::min(static_cast<std::size_t>(offset), count() - 1);
    const auto behind = std::ranges::upper_bound(
        offsets, offset, {}, [](std::uint32_t each) { return std::int64_t{each}; });
    return static_cast<std::size_t>(behind - offsets.begin()) - 1;
}

std::int64_t History::keptAt(std::int64_t number) const noexcept {
    const Stretch& stretch = stretchOf(number);
    return stretch.numberAt(stretch.positionOf(number));
}

std::int64_t History::before(std::int64_t number) const noexcept {
    return keptAt(number - 1);
}

std::int64_t History::after(std::int64_t number) const noexcept {
    const Stretch& stretch = stretchOf(number);
    const std::size_t position = stretch.positionOf(number);
    if (position + 1 < stretch.count()) return stretch.numberAt(position + 1);
    return std::ranges::upper_bound(stretches_, number, {}, &Stretch::first)->first;
}

bool History::isCompleteFrom(std::int64_t number) const noexcept {
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        const std::int64_t from = std::max(number, stretch->first);
        if (stretch->last() < number) return false;
        if (stretch->numberAt(stretch->positionOf(from)) != from ||
            stretch->count() - stretch->positionOf(from) !=
                static_cast<std::size_t>(stretch->last() - from + 1))
            return false;
        if (stretch->first <= number) return true;
        if (auto older = std::next(stretch);
            older != stretches_.rend() && older->last() != stretch->first - 1)
            return false;
    }
    return false;
}

// What of a stretch follows from its frames.
void History::setNumbers(Stretch& stretch, const Frames& frames) {
    stretch.first = frames.front().number;
    stretch.hashes.clear();
    stretch.offsets.clear();
    stretch.crossings.clear();
    stretch.frameBytes = 0;
    bool isComplete = true;
    for (const Frame& frame : frames) {
        isComplete = isComplete && frame.number - stretch.first ==
                                       static_cast<std::int64_t>(stretch.hashes.size());
        stretch.hashes.push_back(frame.hash);
        stretch.offsets.push_back(static_cast<std::uint32_t>(frame.number - stretch.first));
        appendCrossings(frame, stretch.crossings);
        stretch.frameBytes += frame.bytes();
    }
    if (isComplete) stretch.offsets.clear();
    reweigh(stretch);
}

std::size_t History::waitingBytes() const noexcept {
    std::size_t bytes = 0;
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        if (stretch->block) break;
        if (isWaiting(*stretch)) bytes += stretch->frameBytes;
    }
    return bytes;
}

// The one whose frames are closest for their age: so the distance of frames grows with their age.
History::Stretch* History::findToThin(const ThinOptions& options) {
    Stretch* found = nullptr;
    double best = 0;
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        if (stretch->block) break;
        if (!isWaiting(*stretch) || stretch->last() >= options.completeFrom ||
            stretch->stride >= options.mostStride || stretch->count() < 2 ||
            (stretch->task && !thread_.isQueued(stretch->task)))
            continue;
        const auto age = static_cast<double>(newest() - stretch->last() + 1);
        const double closeness = stretch->thinned > 0 ? 1e18 : age / stretch->stride;
        if (closeness < best) continue;
        best = closeness;
        found = &*stretch;
    }
    return found;
}

// Returns how many bytes were worked on.
std::size_t History::thinPart(Stretch& stretch, Frames& frames, const ThinOptions& options,
                              std::size_t mostBytes) {
    std::size_t worked = 0;
    const std::size_t count = frames.size();
    // Pairs are counted from the end: the last frame stays, as the next stretch leads on from it.
    std::size_t read = stretch.thinned + (count - stretch.thinned) % 2;
    std::size_t write = read;
    auto keep = [&](std::size_t position) {
        if (write != position) frames[write] = std::move(frames[position]);
        ++write;
    };
    for (; read < count && worked < mostBytes; read += 2) {
        Frame& first = frames[read];
        const bool isKept =
            first.number <= oldest_ || std::ranges::binary_search(options.spared, first.number);
        if (isKept) {
            keep(read);
        } else {
            worked += first.bytes() + frames[read + 1].bytes();
            joinFrames(first, frames[read + 1], options.forgets);
        }
        keep(read + 1);
    }
    stretch.thinned = write;
    for (std::size_t position = read; position < count; ++position) keep(position);
    frames.resize(write);
    if (read < count) return worked;
    stretch.thinned = 0;
    stretch.stride *= 2;
    frames.shrink_to_fit();
    return worked + 1;
}

// So that stretches stay long enough to pack well.
void History::joinWithOlder(std::size_t position) {
    if (position == 0) return;
    Stretch& older = stretches_[position - 1];
    Stretch& younger = stretches_[position];
    if (!isWaiting(older) || older.stride != younger.stride || older.thinned > 0 ||
        older.count() + younger.count() > options_.stretchFrames ||
        (older.count() + younger.count() > fewFrames &&
         older.frameBytes + younger.frameBytes > options_.stretchBytes) ||
        (older.task && !thread_.isQueued(older.task)))
        return;
    auto& into = const_cast<Frames&>(*older.frames);
    auto& from = const_cast<Frames&>(*younger.frames);
    dropKnownBases(into.front().bases, from.front().bases);
    into.insert(into.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    older.end = std::move(younger.end);
    older.columns = std::max(older.columns, younger.columns);
    thread_.dropQueued(younger.task);
    bytes_ -= younger.weight;
    stretches_.erase(stretches_.begin() + static_cast<std::ptrdiff_t>(position));
    Stretch& joined = stretches_[position - 1];
    setNumbers(joined, into);
}

void History::thin(const ThinOptions& options) {
    if (waitingBytes() <= options.waitingBytes) return;
    // Until all is done, the thread begins with nothing that waits.
    const auto hold = thread_.tryToHold();
    if (!hold) return;
    std::size_t left = 4 * pushedBytes_ + leastThinned;
    while (left > 0 && waitingBytes() > options.waitingBytes) {
        Stretch* stretch = findToThin(options);
        if (!stretch) return;
        auto& frames = const_cast<Frames&>(*stretch->frames);  // nothing else looks at them
        const std::size_t worked = thinPart(*stretch, frames, options, left);
        left -= std::min(left, worked);
        setNumbers(*stretch, frames);
        if (stretch->thinned == 0)
            joinWithOlder(static_cast<std::size_t>(
                std::ranges::lower_bound(stretches_, stretch->first, {}, &Stretch::first) -
                stretches_.begin()));
        if (worked <= 1) return;
    }
}

HistoryStatistics History::statistics() const noexcept {
    HistoryStatistics all;
    if (empty()) return all;
    for (const Stretch& stretch : stretches_) {
        const std::size_t kept =
            stretch.count() - (stretch.first < oldest_ ? stretch.positionOf(oldest_) : 0);
        all.kept += kept;
        if (!isWaiting(stretch)) continue;
        all.waiting += kept;
        all.waitingBytes += stretch.frameBytes;
    }
    all.thinned = static_cast<std::size_t>(newest() - oldest_ + 1) - all.kept;
    all.dropped = dropped_;
    return all;
}

}  // namespace revenant
