// The second half of History: stretches that are packed, beside the game, and unpacked again.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "rewind/history/frame_packer.hpp"
#include "rewind/history/frame_unpacker.hpp"
#include "rewind/history/history.hpp"

namespace revenant {

namespace {

constexpr std::uint32_t collectsPerRetry = 64;
constexpr std::size_t mostUnpacked = 2;                    // the one on show, and the next
constexpr std::size_t leastFreed = std::size_t{64} << 10;  // in a tick
// Less than this is not worth giving back to the system: it will be wanted again.
constexpr std::size_t leastGivenBack = std::size_t{32} << 20;

// A stretch that is large is packed less tightly, so that packing keeps up with recording.
int zstdLevelFor(std::size_t bytes) noexcept {
    if (bytes > std::size_t{4} << 20) return 1;
    return bytes > std::size_t{1} << 20 ? 5 : 12;
}

}  // namespace

void History::seal(Stretch& stretch) {
    // Frames of it that were dropped while it was open are not packed.
    if (stretch.first < oldest_) {
        const auto dropped = static_cast<std::ptrdiff_t>(stretch.positionOf(oldest_));
        stretch.own->erase(stretch.own->begin(), stretch.own->begin() + dropped);
        stretch.hashes.erase(stretch.hashes.begin(), stretch.hashes.begin() + dropped);
        std::erase_if(stretch.crossings,
                      [this](const Crossing& each) { return each.frame <= oldest_; });
        if (!stretch.offsets.empty()) {
            stretch.offsets.erase(stretch.offsets.begin(), stretch.offsets.begin() + dropped);
            for (std::uint32_t& offset : stretch.offsets)
                offset -= static_cast<std::uint32_t>(oldest_ - stretch.first);
        }
        stretch.first = oldest_;
    }
    // Nothing leads to the oldest frame.
    const bool isFirst = stretch.first == oldest_ && stretch.own->front().delta.isEmpty();
    stretch.from =
        isFirst || &stretch == &stretches_.front() ? stretch.first : before(stretch.first);
    if (isFirst) begin_ = withoutDelta(stretch.own->front());
    stretch.hashes.shrink_to_fit();
    stretch.crossings.shrink_to_fit();
    stretch.frames = std::move(stretch.own);
    stretch.own = nullptr;
    reweigh(stretch);
    if (!options_.packs) return;
    largest_ = 0;
    for (const Stretch& each : stretches_) largest_ = std::max(largest_, each.frameBytes);
    largest_ += largest_ / 4;  // unpacked frames are less tight than those that were recorded
    stretch.task = std::make_shared<PackingTask>();
    stretch.task->frames = stretch.frames;
    // Where packing falls behind it is done cheaply, before anything is thinned.
    const bool isBehind = waitingBytes() > 3 * options_.stretchBytes;
    stretch.task->zstdLevel = isBehind ? 1 : zstdLevelFor(stretch.frameBytes);
    if (options_.inBackground) {
        thread_.add(stretch.task);
    } else {
        tryToPerform(*stretch.task);
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
        task.frames = nullptr;
        if (keepFrames)
            noteUnpacked(stretch);
        else
            retire(std::exchange(stretch.frames, nullptr));
    } else {
        stretch.frames = task.frames;
        noteUnpacked(stretch);
    }
    discard(std::move(stretch.task));
    stretch.task = nullptr;
    reweigh(stretch);
}

// Groups form here alone, not wherever a result is taken: whoever looks at a frame, to open its stretch
// or on the way over it, would find another history than he came for.
void History::collect() {
    // What is being packed is near the end; what is being unpacked, anywhere, is asked for.
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend(); ++stretch) {
        takeResult(*stretch);
        if (stretch->block) break;
    }
    thread_.flush();
    fetcher_.flush();
    freeRetired(2 * pushedBytes_ + leastFreed);
    if (++collected_ % collectsPerRetry == 0) retryAll();
    formGroups();
    giveBack();
}

// What could not be packed for want of memory, or of a thread.
void History::retryAll() {
    auto retry = [this](const std::shared_ptr<PackingTask>& task) {
        if (!task || !task->hasFailed) return;
        task->hasFailed = false;
        const bool isFetched = task->kind == PackingTask::Kind::Unpack;
        if (options_.inBackground)
            (isFetched ? fetcher_ : thread_).add(task);
        else
            tryToPerform(*task);
    };
    bool isWaiting = false;
    for (Stretch& stretch : stretches_) {
        retry(stretch.task);
        takeResult(stretch);
        isWaiting = isWaiting || stretch.task;
    }
    for (std::deque<Group>& groups : groups_) {
        for (const Group& group : groups) retry(group.task);
        takeNets(groups, true);
    }
    if (isWaiting && options_.inBackground) thread_.keepRunning();
}

void History::discard(std::shared_ptr<PackingTask> task) noexcept {
    if (!task) return;
    task->isUnwanted = true;
    thread_.takeBack(task);
    fetcher_.takeBack(task);
}

void History::retire(std::shared_ptr<const Frames> frames) {
    if (!frames) return;
    for (const Frame& frame : *frames) retiredBytes_ += frame.bytes();
    retired_.push_back(std::move(frames));
}

void History::freeRetired(std::size_t bytes) noexcept {
    std::size_t freed = 0;
    while (!retired_.empty() && freed < bytes) {
        // A thread may still look at them; then it frees them.
        const bool isShared = retired_.front().use_count() > 1;
        auto& frames = const_cast<Frames&>(*retired_.front());  // not made as const
        while (!isShared && !frames.empty() && freed < bytes) {
            freed += frames.back().bytes();
            frames.pop_back();
        }
        if (isShared || frames.empty()) retired_.pop_front();
    }
    retiredBytes_ = retired_.empty() ? 0 : retiredBytes_ - std::min(freed, retiredBytes_);
}

// The caller waits: what was not begun is done here, and what a thread has begun but does not finish, as the
// machine is busy with other things, is done once more.
void History::finish(std::shared_ptr<PackingTask>& task) {
    using namespace std::chrono_literals;
    if (task->hasFailed || task->isDone) return;
    if (!thread_.takeBack(task) && !fetcher_.takeBack(task)) {
        for (int i = 0; i < 200; ++i) {
            if (task->isDone || task->hasFailed) return;
            std::this_thread::sleep_for(100us);
        }
        auto again = std::make_shared<PackingTask>();
        again->kind = task->kind;
        again->zstdLevel = task->zstdLevel;
        if (task->kind == PackingTask::Kind::Pack) again->frames = task->frames;
        if (task->kind == PackingTask::Kind::Unpack) again->block = task->block;
        again->nets = task->nets;
        discard(std::move(task));
        task = std::move(again);
    }
    tryToPerform(*task);
}

void History::finishPacking() {
    for (Stretch& stretch : stretches_)
        if (stretch.task) {
            finish(stretch.task);
            takeResult(stretch);
        }
    formGroups();
    for (std::deque<Group>& groups : groups_) {
        for (Group& group : groups)
            if (group.task) finish(group.task);
        takeNets(groups, true);
        formGroups();
    }
}

// The allocator keeps what was freed, for the next frames; but not much more than they will take.
void History::giveBack() {
    peakBytes_ = std::max(peakBytes_, bytes_);
    if (peakBytes_ - bytes_ < leastGivenBack || bytes_ > peakBytes_ / 2) return;
    thread_.giveBack();
    peakBytes_ = bytes_;
}

const History::Frames& History::framesOf(Stretch& stretch) {
    takeResult(stretch, true);
    if (!stretch.unpacked()) {
        discard(std::move(stretch.task));
        stretch.task = nullptr;
        stretch.frames = std::make_shared<Frames>(unpackFrames(*stretch.block));
        noteUnpacked(stretch);
    }
    // Those that were looked at last stay.
    if (auto place = std::ranges::find(unpacked_, stretch.first); place != unpacked_.end())
        std::rotate(place, place + 1, unpacked_.end());
    return *stretch.unpacked();
}

void History::noteUnpacked(Stretch& stretch) {
    stretch.frameBytes = 0;
    for (const Frame& frame : *stretch.frames) stretch.frameBytes += frame.bytes();
    reweigh(stretch);
    std::erase(unpacked_, stretch.first);
    unpacked_.push_back(stretch.first);
    keepFewUnpacked(mostUnpacked);
}

void History::keepFewUnpacked(std::size_t most) {
    while (unpacked_.size() > most) {
        Stretch& stretch = stretchOf(unpacked_.front());
        unpacked_.erase(unpacked_.begin());
        retire(std::exchange(stretch.frames, nullptr));
        discard(std::move(stretch.task));  // that is on its way
        stretch.task = nullptr;
        reweigh(stretch);
    }
}

void History::fetchBeside(std::int64_t number, bool before) {
    const Stretch& here = stretchOf(number);
    // In the nearer half: who goes to and fro about one end should not have both fetched in turn.
    const std::int64_t away = before ? number - here.first : here.last() - number;
    if (before ? here.first <= oldest_ : here.last() == newest()) return;
    if (away > (here.last() - here.first) / 2) return;
    Stretch& stretch = stretchOf(before ? here.first - 1 : after(here.last()));
    takeResult(stretch, true);
    if (stretch.unpacked() || stretch.task || !options_.inBackground) return;
    keepFewUnpacked(mostUnpacked - 1);
    stretch.task = std::make_shared<PackingTask>();
    stretch.task->kind = PackingTask::Kind::Unpack;
    stretch.task->block = stretch.block;
    fetcher_.add(stretch.task);
    unpacked_.insert(unpacked_.begin(), stretch.first);
    reweigh(stretch);
}

std::vector<PackedStretch> History::packAll() {
    finishPacking();
    std::vector<PackedStretch> all;
    for (Stretch& stretch : stretches_) {
        PackedStretch& packed = all.emplace_back();
        packed.first = std::max(stretch.first, oldest_);
        const auto dropped = static_cast<std::ptrdiff_t>(stretch.positionOf(packed.first));
        packed.hashes.assign(stretch.hashes.begin() + dropped, stretch.hashes.end());
        for (std::size_t i = static_cast<std::size_t>(dropped); i < stretch.offsets.size(); ++i)
            packed.offsets.push_back(
                static_cast<std::uint32_t>(stretch.numberAt(i) - packed.first));
        if (stretch.block && stretch.first > oldest_) {
            packed.block = *stretch.block;
            continue;
        }
        const Frames& frames = framesOf(stretch);
        Frames kept(frames.begin() + dropped, frames.end());
        if (packed.first == oldest_) {
            kept.front().delta = {};
            kept.front().bases = {};
            kept.front().crossings = {};
        }
        packed.block = packFrames(kept, {.zstdLevel = zstdLevelFor(stretch.frameBytes)});
    }
    return all;
}

void History::open(std::vector<PackedStretch> stretches, Frame begin) {
    oldest_ = begin.number;
    oldestSeconds_ = begin.globals.seconds;
    begin_ = std::move(begin);
    std::int64_t last = oldest_;
    for (PackedStretch& packed : stretches) {
        Stretch& stretch = stretches_.emplace_back();
        stretch.first = packed.first;
        stretch.from = packed.first == oldest_ ? packed.first : last;
        last = packed.last();
        stretch.hashes = std::move(packed.hashes);
        stretch.offsets = std::move(packed.offsets);
        stretch.crossings = std::move(packed.crossings);
        stretch.end = std::move(packed.end);
        stretch.block = std::make_shared<const Block>(std::move(packed.block));
        stretch.net = std::make_shared<const Block>(std::move(packed.net));
        reweigh(stretch);
    }
    formGroups();
}

}  // namespace revenant
