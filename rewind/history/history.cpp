#include "rewind/history/history.hpp"

#include <algorithm>
#include <utility>

namespace revenant {

namespace {

constexpr std::size_t leastFrames = 4;  // of a stretch, unless the options say less

// The words whose columns begin with a frame.
std::size_t columnsOf(const Frame& frame) noexcept {
    std::size_t words = frame.bases.size();
    for (const Step& step : frame.delta.arrivals) words += step.makeup.image.size();
    for (const Rebinding& rebinding : frame.delta.rebindings) words += rebinding.after.size();
    return words;
}

}  // namespace

History::Stretch& History::stretchOf(std::int64_t number) {
    auto behind = std::ranges::upper_bound(stretches_, number, {}, &Stretch::first);
    return *std::prev(behind);
}

const History::Stretch& History::stretchOf(std::int64_t number) const {
    return const_cast<History*>(this)->stretchOf(number);
}

void History::reweigh(Stretch& stretch) {
    std::size_t weight = sizeof(Stretch) + stretch.hashes.capacity() * sizeof(std::uint64_t) +
                         stretch.crossings.capacity() * sizeof(Crossing);
    if (stretch.net) weight += stretch.net->capacity();
    if (stretch.block) weight += stretch.block->capacity();
    if (stretch.own) weight += (stretch.own->capacity() - stretch.own->size()) * sizeof(Frame);
    // What is on its way counts as if it were there.
    weight += stretch.offsets.capacity() * sizeof(std::uint32_t);
    const bool isFetched = stretch.task && stretch.task->kind == PackingTask::Kind::Unpack;
    if (stretch.unpacked() || isFetched) weight += stretch.frameBytes;
    bytes_ += weight - stretch.weight;
    stretch.weight = weight;
}

// Whoever still works for the stretch does so for nobody.
void History::forget(Stretch& stretch) {
    bytes_ -= stretch.weight;
    discard(std::exchange(stretch.task, nullptr));
    retire(std::exchange(stretch.frames, nullptr));
    std::erase(unpacked_, stretch.first);
}

bool History::push(Frame frame) {
    if (stretches_.empty()) {
        oldest_ = frame.number;
        oldestSeconds_ = frame.globals.seconds;
        // Nothing leads to the first frame.
        frame.delta = {};
        frame.bases = {};
    }
    if (stretches_.empty() || !stretches_.back().own) {
        Stretch& opened = stretches_.emplace_back();
        opened.first = frame.number;
        opened.from = frame.number - 1;
        opened.own = std::make_shared<Frames>();
    }
    Stretch& stretch = stretches_.back();
    stretch.hashes.push_back(frame.hash);
    if (!stretch.offsets.empty())
        stretch.offsets.push_back(static_cast<std::uint32_t>(frame.number - stretch.first));
    appendCrossings(frame, stretch.crossings);
    stretch.end = withoutDelta(frame);
    pushedBytes_ = frame.bytes();
    stretch.frameBytes += pushedBytes_;
    stretch.columns += columnsOf(frame);
    stretch.own->push_back(std::move(frame));
    reweigh(stretch);
    const std::size_t frames = stretch.own->size();
    // Where few of many change, and others in each frame, columns outgrow the frames.
    // Large frames, too, share what a stretch needs beside its changes; and can be thinned.
    const bool isFull =
        frames >= options_.stretchFrames ||
        (frames >= leastFrames &&
         (stretch.frameBytes >= options_.stretchBytes ||
          stretch.columns * frames * sizeof(std::uint32_t) >= options_.stretchBytes));
    if (isFull) seal(stretch);
    return isFull;
}

const Frame& History::at(std::int64_t number) {
    Stretch& stretch = stretchOf(number);
    return framesOf(stretch)[stretch.positionOf(number)];
}

const Frame& History::momentOf(std::int64_t number) {
    Stretch& stretch = stretchOf(number);
    if (number >= stretch.last()) return stretch.end;
    if (stretch.net && number == stretch.from) return begin_;
    return at(number);
}

std::int64_t History::frameAt(double seconds) {
    // Half a microsecond: sums of steps differ from differences of sums.
    const double target = seconds + 5e-7;
    auto stretch = std::ranges::lower_bound(
        stretches_, target, {}, [](const Stretch& each) { return each.end.globals.seconds; });
    if (stretch == stretches_.end()) return newest();
    const Frames& frames = framesOf(*stretch);
    auto behind = std::ranges::upper_bound(
        frames, target, {}, [](const Frame& frame) { return frame.globals.seconds; });
    if (behind == frames.begin())
        return stretch->first > oldest_ ? before(stretch->first) : oldest_;
    return std::max(oldest_, std::prev(behind)->number);
}

std::uint64_t History::hashOf(std::int64_t number) const {
    const Stretch& stretch = stretchOf(number);
    return stretch.hashes[stretch.positionOf(number)];
}

Frame& History::open() {
    return stretches_.back().own->back();
}

void History::reweighOpen() {
    Stretch& stretch = stretches_.back();
    const Frame& frame = stretch.own->back();
    stretch.hashes.back() = frame.hash;
    // Also those of frames that were thinned out: this one leads over them.
    const std::size_t count = stretch.own->size();
    const std::int64_t before = count > 1 ? (*stretch.own)[count - 2].number : INT64_MIN;
    std::erase_if(stretch.crossings, [=](const Crossing& each) { return each.frame > before; });
    appendCrossings(frame, stretch.crossings);
    stretch.end = withoutDelta(frame);
    stretch.frameBytes = 0;
    for (const Frame& each : *stretch.own) stretch.frameBytes += each.bytes();
    reweigh(stretch);
}

std::vector<Crossing> History::popOldest() {
    std::vector<Crossing> dropped;
    if (oldest_ == newest()) {
        clear();
        return dropped;
    }
    ++dropped_;
    const std::int64_t next = after(oldest_);
    Stretch& stretch = stretchOf(next);
    auto first = std::ranges::upper_bound(stretch.crossings, oldest_, {}, &Crossing::frame);
    auto last = std::ranges::upper_bound(stretch.crossings, next, {}, &Crossing::frame);
    dropped.assign(first, last);
    if (&stretch != &stretches_.front()) {
        forget(stretches_.front());
        stretches_.pop_front();
    }
    oldest_ = next;
    for (std::deque<Group>& groups : groups_)
        while (!groups.empty() && groups.front().from < oldest_) {
            forget(groups.front());
            groups.pop_front();
        }
    if (stretch.own) {
        // An open stretch gives its memory back frame by frame.
        Frame& frame = (*stretch.own)[stretch.positionOf(next)];
        stretch.frameBytes -= frame.bytes();
        frame.delta = {};
        frame.bases = {};
        frame.crossings = {};
        stretch.frameBytes += frame.bytes();
        reweigh(stretch);
        oldestSeconds_ = frame.globals.seconds;
    } else if (stretch.unpacked()) {
        oldestSeconds_ = (*stretch.unpacked())[stretch.positionOf(next)].globals.seconds;
    } else {
        // Not worth unpacking: between its ends time passes evenly enough.
        const double begin = oldestSeconds_;
        const auto left = static_cast<double>(stretch.count() - stretch.positionOf(next));
        oldestSeconds_ = begin + (stretch.end.globals.seconds - begin) / left;
    }
    return dropped;
}

std::vector<Crossing> History::truncate(std::int64_t number) {
    std::vector<Crossing> dropped;
    // Also one that ends here: its last stretch is opened, to be changed and added to.
    for (std::deque<Group>& groups : groups_)
        while (!groups.empty() && groups.back().end >= number) {
            forget(groups.back());
            groups.pop_back();
        }
    while (stretches_.back().first > number) {
        Stretch& stretch = stretches_.back();
        dropped.insert(dropped.end(), stretch.crossings.rbegin(), stretch.crossings.rend());
        forget(stretch);
        stretches_.pop_back();
    }
    Stretch& stretch = stretches_.back();
    if (stretch.own && stretch.last() == number) return dropped;
    const std::size_t keep = stretch.positionOf(number) + 1;
    if (!stretch.own) {
        const Frames& frames = framesOf(stretch);
        auto own = std::make_shared<Frames>(frames.begin(),
                                            frames.begin() + static_cast<std::ptrdiff_t>(keep));
        discard(std::move(stretch.task));
        stretch.task = nullptr;
        std::erase(unpacked_, stretch.first);
        stretch.own = std::move(own);
        stretch.frames = nullptr;
        stretch.block = nullptr;
        stretch.net = nullptr;
        for (std::size_t i = 0; i < keep; ++i) (*stretch.own)[i].hash = stretch.hashes[i];
    }
    stretch.own->resize(keep);
    stretch.hashes.resize(keep);
    if (!stretch.offsets.empty()) stretch.offsets.resize(keep);
    while (!stretch.crossings.empty() && stretch.crossings.back().frame > number) {
        dropped.push_back(stretch.crossings.back());
        stretch.crossings.pop_back();
    }
    stretch.end = withoutDelta(stretch.own->back());
    stretch.frameBytes = stretch.columns = 0;
    for (const Frame& frame : *stretch.own) {
        stretch.frameBytes += frame.bytes();
        stretch.columns += columnsOf(frame);
    }
    reweigh(stretch);
    return dropped;
}

void History::clear() {
    for (Stretch& stretch : stretches_) discard(std::move(stretch.task));
    for (std::deque<Group>& groups : groups_) {
        for (Group& group : groups) discard(std::move(group.task));
        groups.clear();
    }
    stretches_.clear();
    unpacked_.clear();
    freeAllRetired();
    largest_ = 0;
    bytes_ = 0;
    giveBack();
}

std::vector<StretchInfo> History::stretches() const {
    std::vector<StretchInfo> all;
    for (const Stretch& stretch : stretches_) {
        StretchInfo info{
            std::max(stretch.first, oldest_),
            stretch.last(),
            stretch.weight,
            stretch.count() - (stretch.first < oldest_ ? stretch.positionOf(oldest_) : 0),
            0,
            0,
            stretch.block != nullptr,
            stretch.unpacked() != nullptr,
            isWaiting(stretch)};
        for (const Crossing& crossing : stretch.crossings) {
            info.births += crossing.comes() ? 1 : 0;
            info.departures += crossing.leaves() ? 1 : 0;
        }
        all.push_back(info);
    }
    return all;
}

std::vector<Crossing> History::crossings() const {
    std::vector<Crossing> all;
    for (const Stretch& stretch : stretches_)
        for (const Crossing& crossing : stretch.crossings)
            if (crossing.frame > oldest_) all.push_back(crossing);
    return all;
}

std::vector<FrameMark> History::marks() const {
    std::vector<FrameMark> all;
    for (const Stretch& stretch : stretches_)
        for (const Crossing& crossing : stretch.crossings) {
            // Nothing leads to the oldest frame.
            if (crossing.frame <= oldest_ || crossing.kind == Crossing::Kind::Request) continue;
            if (all.empty() || all.back().frame != crossing.frame) all.push_back({crossing.frame});
            FrameMark& mark = all.back();
            switch (crossing.kind) {
                case Crossing::Kind::Birth: ++mark.births; break;
                case Crossing::Kind::Return: ++mark.returns; break;
                case Crossing::Kind::Departure:
                case Crossing::Kind::Detachment: ++mark.departures; break;
                case Crossing::Kind::Request: break;
            }
        }
    return all;
}

}  // namespace revenant
