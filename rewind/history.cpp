#include "rewind/history.hpp"

#include <algorithm>
#include <thread>

#include "rewind/delta_bytes.hpp"
#include "rewind/frame_packer.hpp"
#include "rewind/frame_unpacker.hpp"

namespace revenant {

namespace {

constexpr std::size_t mostUnpacked = 3;
constexpr std::size_t groupStretches = 16;

// A stretch that is large is packed less tightly, so that packing keeps up with recording.
int zstdLevelFor(std::size_t bytes) noexcept {
    if (bytes > std::size_t{4} << 20) return 1;
    return bytes > std::size_t{1} << 20 ? 5 : 12;
}

Frame withoutDelta(const Frame& frame) {
    Frame bare;
    bare.number = frame.number;
    bare.tick = frame.tick;
    bare.hash = frame.hash;
    bare.globals = frame.globals;
    return bare;
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
    if (stretch.unpacked()) weight += stretch.frameBytes;
    bytes_ += weight - stretch.weight;
    stretch.weight = weight;
}

// Whoever still works for the stretch does so for nobody.
void History::forget(Stretch& stretch) {
    bytes_ -= stretch.weight;
    thread_.discard(std::move(stretch.task));
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
        opened.own = std::make_shared<Frames>();
        opened.own->reserve(options_.stretchFrames);
        opened.hashes.reserve(options_.stretchFrames);
    }
    Stretch& stretch = stretches_.back();
    stretch.hashes.push_back(frame.hash);
    appendCrossings(frame, stretch.crossings);
    stretch.end = withoutDelta(frame);
    stretch.frameBytes += frame.bytes();
    stretch.own->push_back(std::move(frame));
    reweigh(stretch);
    const bool isFull = stretch.own->size() >= options_.stretchFrames ||
                        stretch.frameBytes >= options_.stretchBytes;
    if (isFull) seal(stretch);
    return isFull;
}

void History::seal(Stretch& stretch) {
    // Frames of it that were dropped while it was open are not packed.
    if (stretch.first < oldest_) {
        const auto dropped = oldest_ - stretch.first;
        stretch.own->erase(stretch.own->begin(), stretch.own->begin() + dropped);
        stretch.hashes.erase(stretch.hashes.begin(), stretch.hashes.begin() + dropped);
        std::erase_if(stretch.crossings,
                      [this](const Crossing& each) { return each.frame <= oldest_; });
        stretch.first = oldest_;
    }
    stretch.hashes.shrink_to_fit();
    stretch.crossings.shrink_to_fit();
    stretch.frames = std::move(stretch.own);
    stretch.own = nullptr;
    reweigh(stretch);
    if (!options_.packs) return;
    stretch.task = std::make_shared<PackingTask>();
    stretch.task->frames = stretch.frames;
    stretch.task->zstdLevel = zstdLevelFor(stretch.frameBytes);
    if (options_.inBackground) {
        thread_.add(stretch.task);
    } else {
        perform(*stretch.task);
        takeResult(stretch);
    }
}

void History::takeResult(Stretch& stretch, bool keepFrames) {
    if (!stretch.task || !stretch.task->isDone.load(std::memory_order_acquire)) return;
    PackingTask& task = *stretch.task;
    if (task.kind == PackingTask::Kind::Pack) {
        stretch.block = task.block;
        stretch.net = task.net;
        // Somebody may be looking at the frames.
        if (keepFrames)
            noteUnpacked(stretch);
        else
            stretch.frames = nullptr;
    } else {
        stretch.frames = task.frames;
        noteUnpacked(stretch);
    }
    const bool isPacked = task.kind == PackingTask::Kind::Pack;
    thread_.discard(std::move(stretch.task));
    stretch.task = nullptr;
    reweigh(stretch);
    if (isPacked) formGroup();
}

// Puts the next stretches together if there are enough of them. Returns whether there were.
bool History::formGroup() {
    auto first = groups_.empty() ? stretches_.begin()
                                 : std::ranges::upper_bound(stretches_, groups_.back().last, {},
                                                            &Stretch::first);
    // Nothing leads to the oldest frame.
    while (first != stretches_.end() && first->first <= oldest_) ++first;
    Group group;
    group.task = std::make_shared<PackingTask>();
    group.task->kind = PackingTask::Kind::Join;
    for (auto stretch = first; stretch != stretches_.end() && stretch->net; ++stretch) {
        group.task->nets.push_back(stretch->net);
        group.last = stretch->last();
        if (group.task->nets.size() == groupStretches) break;
    }
    if (group.task->nets.size() < groupStretches) return false;
    group.first = first->first;
    if (options_.inBackground)
        thread_.add(group.task);
    else
        perform(*group.task);
    groups_.push_back(std::move(group));
    return true;
}

void History::forget(Group& group) {
    if (group.net) bytes_ -= group.net->capacity();
    thread_.discard(std::move(group.task));
}

void History::collect() {
    // What is being packed is near the end; what is being unpacked, anywhere, is asked for.
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        takeResult(*stretch);
        if (stretch->block) break;
    }
}

void History::finishPacking() {
    for (Stretch& stretch : stretches_)
        while (stretch.task && !stretch.task->isUnwanted) {
            takeResult(stretch);
            if (stretch.task) std::this_thread::yield();
        }
}

const History::Frames& History::framesOf(Stretch& stretch) {
    takeResult(stretch, true);
    if (!stretch.unpacked()) {
        thread_.discard(std::move(stretch.task));
        stretch.task = nullptr;
        stretch.frames = std::make_shared<const Frames>(unpackFrames(*stretch.block));
        noteUnpacked(stretch);
    }
    return *stretch.unpacked();
}

void History::noteUnpacked(Stretch& stretch) {
    stretch.frameBytes = 0;
    for (const Frame& frame : *stretch.frames) stretch.frameBytes += frame.bytes();
    reweigh(stretch);
    unpacked_.push_back(stretch.first);
    keepFewUnpacked(mostUnpacked);
}

// Those that were unpacked last stay.
void History::keepFewUnpacked(std::size_t most) {
    while (unpacked_.size() > most) {
        Stretch& stretch = stretchOf(unpacked_.front());
        unpacked_.erase(unpacked_.begin());
        thread_.discard(std::shared_ptr<const void>(std::move(stretch.frames)));
        stretch.frames = nullptr;
        reweigh(stretch);
    }
}

const Frame& History::at(std::int64_t number) {
    Stretch& stretch = stretchOf(number);
    return framesOf(stretch)[static_cast<std::size_t>(number - stretch.first)];
}

const Frame& History::momentOf(std::int64_t number) {
    Stretch& stretch = stretchOf(number);
    return number == stretch.last() ? stretch.end : at(number);
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
    return std::max(oldest_, stretch->first + (behind - frames.begin()) - 1);
}

std::uint64_t History::hashOf(std::int64_t number) const {
    const Stretch& stretch = stretchOf(number);
    return stretch.hashes[static_cast<std::size_t>(number - stretch.first)];
}

Frame& History::open() {
    return stretches_.back().own->back();
}

void History::reweighOpen() {
    Stretch& stretch = stretches_.back();
    const Frame& frame = stretch.own->back();
    stretch.hashes.back() = frame.hash;
    std::erase_if(stretch.crossings,
                  [&](const Crossing& each) { return each.frame == frame.number; });
    appendCrossings(frame, stretch.crossings);
    stretch.end = withoutDelta(frame);
    stretch.frameBytes = 0;
    for (const Frame& each : *stretch.own) stretch.frameBytes += each.bytes();
    reweigh(stretch);
}

std::vector<Crossing> History::popOldest() {
    std::vector<Crossing> dropped;
    const std::int64_t next = oldest_ + 1;
    if (next > newest()) {
        clear();
        return dropped;
    }
    Stretch& stretch = stretchOf(next);
    auto first = std::ranges::lower_bound(stretch.crossings, next, {}, &Crossing::frame);
    auto last = std::ranges::upper_bound(stretch.crossings, next, {}, &Crossing::frame);
    dropped.assign(first, last);
    if (&stretch != &stretches_.front()) {
        forget(stretches_.front());
        stretches_.pop_front();
    }
    oldest_ = next;
    while (!groups_.empty() && groups_.front().first <= oldest_) {
        forget(groups_.front());
        groups_.pop_front();
    }
    if (stretch.own) {
        // An open stretch gives its memory back frame by frame.
        Frame& frame = (*stretch.own)[static_cast<std::size_t>(next - stretch.first)];
        stretch.frameBytes -= frame.bytes();
        frame.delta = {};
        frame.bases = {};
        stretch.frameBytes += frame.bytes();
        reweigh(stretch);
        oldestSeconds_ = frame.globals.seconds;
    } else if (stretch.unpacked()) {
        oldestSeconds_ =
            (*stretch.unpacked())[static_cast<std::size_t>(next - stretch.first)].globals.seconds;
    } else {
        // Not worth unpacking: between its ends time passes evenly enough.
        const double begin = oldestSeconds_;
        const auto left = static_cast<double>(stretch.last() - next + 1);
        oldestSeconds_ = begin + (stretch.end.globals.seconds - begin) / left;
    }
    return dropped;
}

std::vector<Crossing> History::truncate(std::int64_t number) {
    std::vector<Crossing> dropped;
    while (!groups_.empty() && groups_.back().last > number) {
        forget(groups_.back());
        groups_.pop_back();
    }
    while (stretches_.back().first > number) {
        Stretch& stretch = stretches_.back();
        dropped.insert(dropped.end(), stretch.crossings.rbegin(), stretch.crossings.rend());
        forget(stretch);
        stretches_.pop_back();
    }
    Stretch& stretch = stretches_.back();
    if (stretch.own && stretch.last() == number) return dropped;
    const auto keep = static_cast<std::size_t>(number - stretch.first + 1);
    if (!stretch.own) {
        const Frames& frames = framesOf(stretch);
        auto own = std::make_shared<Frames>(frames.begin(),
                                            frames.begin() + static_cast<std::ptrdiff_t>(keep));
        thread_.discard(std::move(stretch.task));
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
    while (!stretch.crossings.empty() && stretch.crossings.back().frame > number) {
        dropped.push_back(stretch.crossings.back());
        stretch.crossings.pop_back();
    }
    stretch.end = withoutDelta(stretch.own->back());
    stretch.frameBytes = 0;
    for (const Frame& frame : *stretch.own) stretch.frameBytes += frame.bytes();
    reweigh(stretch);
    return dropped;
}

void History::clear() noexcept {
    for (Stretch& stretch : stretches_) thread_.discard(std::move(stretch.task));
    for (Group& group : groups_) thread_.discard(std::move(group.task));
    groups_.clear();
    stretches_.clear();
    unpacked_.clear();
    bytes_ = 0;
}

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
        if (group->task && group->task->isDone.load(std::memory_order_acquire)) {
            group->net = group->task->net;
            bytes_ += group->net->capacity();
            thread_.discard(std::move(group->task));
            group->task = nullptr;
        }
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

void History::fetchBeside(std::int64_t number, bool before) {
    const Stretch& here = stretchOf(number);
    const std::int64_t beside = before ? here.first - 1 : here.last() + 1;
    if (!has(beside)) return;
    Stretch& stretch = stretchOf(beside);
    takeResult(stretch, true);
    if (stretch.unpacked() || stretch.task || !options_.inBackground) return;
    stretch.task = std::make_shared<PackingTask>();
    stretch.task->kind = PackingTask::Kind::Unpack;
    stretch.task->block = stretch.block;
    fetcher_.add(stretch.task);
}

std::vector<PackedStretch> History::packAll() {
    finishPacking();
    std::vector<PackedStretch> all;
    for (Stretch& stretch : stretches_) {
        PackedStretch& packed = all.emplace_back();
        packed.first = std::max(stretch.first, oldest_);
        const auto dropped = static_cast<std::ptrdiff_t>(packed.first - stretch.first);
        packed.hashes.assign(stretch.hashes.begin() + dropped, stretch.hashes.end());
        if (stretch.block && stretch.first > oldest_) {
            packed.block = *stretch.block;
            continue;
        }
        const Frames& frames = framesOf(stretch);
        Frames kept(frames.begin() + dropped, frames.end());
        if (packed.first == oldest_) {
            kept.front().delta = {};
            kept.front().bases = {};
        }
        packed.block = packFrames(kept, {.zstdLevel = zstdLevelFor(stretch.frameBytes)});
    }
    return all;
}

void History::open(std::vector<PackedStretch> stretches, double oldestSeconds) {
    oldest_ = stretches.front().first;
    oldestSeconds_ = oldestSeconds;
    for (PackedStretch& packed : stretches) {
        Stretch& stretch = stretches_.emplace_back();
        stretch.first = packed.first;
        stretch.hashes = std::move(packed.hashes);
        stretch.crossings = std::move(packed.crossings);
        stretch.end = std::move(packed.end);
        stretch.block = std::make_shared<const Block>(std::move(packed.block));
        if (!packed.net.empty()) stretch.net = std::make_shared<const Block>(std::move(packed.net));
        reweigh(stretch);
    }
    while (formGroup()) {
    }
}

std::vector<StretchInfo> History::stretches() const {
    std::vector<StretchInfo> all;
    for (const Stretch& stretch : stretches_) {
        StretchInfo info{std::max(stretch.first, oldest_),
                         stretch.last(),
                         stretch.weight,
                         0,
                         0,
                         stretch.block != nullptr,
                         stretch.unpacked() != nullptr};
        for (const Crossing& crossing : stretch.crossings)
            ++(crossing.kind == Crossing::Kind::Departure ? info.departures : info.births);
        all.push_back(info);
    }
    return all;
}

std::vector<FrameMark> History::marks() const {
    std::vector<FrameMark> all;
    for (const Stretch& stretch : stretches_)
        for (const Crossing& crossing : stretch.crossings) {
            // Nothing leads to the oldest frame.
            if (crossing.frame <= oldest_) continue;
            if (all.empty() || all.back().frame != crossing.frame) all.push_back({crossing.frame});
            FrameMark& mark = all.back();
            switch (crossing.kind) {
                case Crossing::Kind::Birth: ++mark.births; break;
                case Crossing::Kind::Return: ++mark.returns; break;
                case Crossing::Kind::Departure: ++mark.departures; break;
            }
        }
    return all;
}

}  // namespace revenant
