// The second half of History: blocks that are packed, beside the game, and unpacked again.
// Over 300 lines: one part of History, all of which works on the same list of tasks.
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
constexpr std::size_t fewToPack = 8;  // frames of a block that is large
// Likewise: the delta over all of them takes as much as they do, and is left out: going over them takes longer.
constexpr std::size_t fewForNet = 14;
constexpr std::size_t mostUnpacked = 2;                    // the one looked at, and the next
constexpr std::size_t leastFreed = std::size_t{64} << 10;  // in a tick
// Less than this is not worth giving back to the system: it will be wanted again.
constexpr std::size_t leastGivenBack = std::size_t{32} << 20;

// A block that is large is packed less tightly, so that packing keeps up with recording.
int zstdLevelFor(std::size_t bytes) noexcept {
    if (bytes > std::size_t{4} << 20) return 1;
    return bytes > std::size_t{1} << 20 ? 5 : 12;
}

}  // namespace

void History::seal(Block& block) {
    // Frames that were dropped while the block was open are not packed.
    if (block.first < oldest_) {
        const auto dropped = static_cast<std::ptrdiff_t>(block.positionOf(oldest_));
        block.own->erase(block.own->begin(), block.own->begin() + dropped);
        block.hashes.erase(block.hashes.begin(), block.hashes.begin() + dropped);
        if (!block.offsets.empty()) {
            block.offsets.erase(block.offsets.begin(), block.offsets.begin() + dropped);
            for (std::uint32_t& offset : block.offsets)
                offset -= static_cast<std::uint32_t>(oldest_ - block.first);
        }
        block.first = oldest_;
    }
    const bool isFirst = block.first == oldest_;
    block.from = isFirst ? block.first : before(block.first);
    if (isFirst) {
        // No delta leads to the oldest frame. It may have become the oldest while it was packed.
        std::erase_if(block.crossings,
                      [this](const Crossing& each) { return each.frame <= oldest_; });
        Frame& front = block.own->front();
        begin_ = headerOf(front);
        block.frameBytes -= front.bytes();
        front.delta = {};
        front.bases = {};
        front.crossings = {};
        block.frameBytes += front.bytes();
    }
    block.hashes.shrink_to_fit();
    block.crossings.shrink_to_fit();
    block.frames = std::move(block.own);
    block.own = nullptr;
    reweigh(block);
    // So few that packing would save nothing: they are thinned instead.
    const bool isShort = block.count() < fewToPack && block.frameBytes > options_.blockBytes;
    if (!options_.packs || block.frameBytes > options_.packBytes || isShort) return;
    largest_ = 0;
    for (const Block& each : blocks_) largest_ = std::max(largest_, each.frameBytes);
    largest_ += largest_ / 4;  // unpacked frames are less tight than those that were recorded
    block.task = std::make_shared<PackingTask>();
    block.task->frames = block.frames;
    block.task->makesNet =
        block.count() >= fewForNet || block.frameBytes <= options_.blockBytes / 2;
    // When packing falls behind, it first packs less tightly; only then are frames thinned.
    const bool isBehind = waitingBytes() > 3 * options_.blockBytes;
    block.task->zstdLevel = isBehind ? 1 : zstdLevelFor(block.frameBytes);
    if (options_.inBackground) {
        thread_.add(block.task);
    } else {
        tryToPerform(*block.task);
        takeResult(block);
    }
}

void History::takeResult(Block& block, bool keepFrames) {
    if (!block.task || !block.task->isDone.load(std::memory_order_acquire)) return;
    PackingTask& task = *block.task;
    if (task.kind == PackingTask::Kind::Pack) {
        block.packed = task.packed;
        block.net = task.net;
        // The frames may be in use.
        task.frames = nullptr;
        if (keepFrames)
            noteUnpacked(block);
        else
            retire(std::exchange(block.frames, nullptr));
    } else {
        block.frames = task.frames;
        noteUnpacked(block);
    }
    discard(std::move(block.task));
    block.task = nullptr;
    reweigh(block);
}

// Groups are formed only here, not wherever a result is taken: a caller that reads a frame, opens its block or moves over
// it must not find the history changed.
void History::collect() {
    // Blocks that are being packed are near the end; those that are being unpacked may be anywhere.
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        takeResult(*block);
        if (block->packed) break;
    }
    thread_.flush();
    fetcher_.flush();
    freeRetired(2 * pushedBytes_ + leastFreed);
    if (++collected_ % collectsPerRetry == 0) retryAll();
    formGroups();
    giveBack();
}

// Blocks that could not be packed because memory or a thread was missing.
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
    for (Block& block : blocks_) {
        retry(block.task);
        takeResult(block);
        isWaiting = isWaiting || block.task;
    }
    for (std::deque<Group>& groups : groups_) {
        for (const Group& group : groups) retry(group.task);
        takeNets(groups, true);
    }
    if (isWaiting && options_.inBackground) thread_.keepRunning();
}

// By value: the caller's own pointer is empty then.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
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
        // A thread may still read them; then it frees them.
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

// The caller waits: tasks that were not begun are done here, and a task that a thread began but does not finish, because the
// machine is busy, is done once more.
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
        again->makesNet = task->makesNet;
        if (task->kind == PackingTask::Kind::Pack) again->frames = task->frames;
        if (task->kind == PackingTask::Kind::Unpack) again->packed = task->packed;
        again->nets = task->nets;
        discard(std::move(task));
        task = std::move(again);
    }
    tryToPerform(*task);
}

void History::finishPacking() {
    for (Block& block : blocks_)
        if (block.task) {
            finish(block.task);
            takeResult(block);
        }
    formGroups();
    for (std::deque<Group>& groups : groups_) {
        for (Group& group : groups)
            if (group.task) finish(group.task);
        takeNets(groups, true);
        formGroups();
    }
    freeAllRetired();
}

// The allocator keeps freed memory for the next frames, but not much more than they need.
void History::giveBack() {
    peakBytes_ = std::max(peakBytes_, bytes_);
    if (peakBytes_ - bytes_ < leastGivenBack || bytes_ > peakBytes_ / 2) return;
    thread_.giveBack();
    peakBytes_ = bytes_;
}

const History::Frames& History::framesOf(Block& block) {
    takeResult(block, true);
    if (!block.unpacked()) {
        discard(std::move(block.task));
        block.task = nullptr;
        block.frames = std::make_shared<Frames>(unpackFrames(*block.packed));
        noteUnpacked(block);
    }
    // The blocks that were used last stay unpacked.
    if (auto place = std::ranges::find(unpacked_, block.first); place != unpacked_.end())
        std::rotate(place, place + 1, unpacked_.end());
    return *block.unpacked();
}

void History::noteUnpacked(Block& block) {
    block.frameBytes = 0;
    for (const Frame& frame : *block.frames) block.frameBytes += frame.bytes();
    reweigh(block);
    std::erase(unpacked_, block.first);
    unpacked_.push_back(block.first);
    keepFewUnpacked(mostUnpacked);
}

void History::keepFewUnpacked(std::size_t most) {
    while (unpacked_.size() > most) {
        Block& block = blockOf(unpacked_.front());
        unpacked_.erase(unpacked_.begin());
        retire(std::exchange(block.frames, nullptr));
        discard(std::move(block.task));  // that is on its way
        block.task = nullptr;
        reweigh(block);
    }
}

void History::fetchBeside(std::int64_t number, bool before) {
    const Block& here = blockOf(number);
    // In the nearer half: scrubbing back and forth around one end should not fetch both neighbours in turn.
    const std::int64_t away = before ? number - here.first : here.last() - number;
    if (before ? here.first <= oldest_ : here.last() == newest()) return;
    if (away > (here.last() - here.first) / 2) return;
    Block& block = blockOf(before ? here.first - 1 : after(here.last()));
    takeResult(block, true);
    if (block.unpacked() || block.task || !options_.inBackground) return;
    keepFewUnpacked(mostUnpacked - 1);
    block.task = std::make_shared<PackingTask>();
    block.task->kind = PackingTask::Kind::Unpack;
    block.task->packed = block.packed;
    fetcher_.add(block.task);
    unpacked_.insert(unpacked_.begin(), block.first);
    reweigh(block);
}

std::vector<PackedBlock> History::packAll() {
    finishPacking();
    std::vector<PackedBlock> all;
    for (Block& block : blocks_) {
        PackedBlock& packed = all.emplace_back();
        packed.first = std::max(block.first, oldest_);
        const auto dropped = static_cast<std::ptrdiff_t>(block.positionOf(packed.first));
        packed.hashes.assign(block.hashes.begin() + dropped, block.hashes.end());
        for (auto i = static_cast<std::size_t>(dropped); i < block.offsets.size(); ++i)
            packed.offsets.push_back(static_cast<std::uint32_t>(block.numberAt(i) - packed.first));
        if (block.packed && block.first > oldest_) {
            packed.bytes = *block.packed;
            continue;
        }
        const Frames& frames = framesOf(block);
        Frames kept(frames.begin() + dropped, frames.end());
        if (packed.first == oldest_) {
            kept.front().delta = {};
            kept.front().bases = {};
            kept.front().crossings = {};
        }
        packed.bytes = packFrames(kept, {.zstdLevel = zstdLevelFor(block.frameBytes)});
    }
    return all;
}

void History::open(std::vector<PackedBlock> blocks, FrameHeader begin) {
    oldest_ = begin.number;
    oldestSeconds_ = begin.globals.seconds;
    begin_ = begin;
    std::int64_t last = oldest_;
    for (PackedBlock& packed : blocks) {
        Block& block = blocks_.emplace_back();
        block.first = packed.first;
        block.from = packed.first == oldest_ ? packed.first : last;
        last = packed.last();
        block.hashes = std::move(packed.hashes);
        block.offsets = std::move(packed.offsets);
        block.crossings = std::move(packed.crossings);
        block.end = packed.end;
        block.packed = std::make_shared<const Bytes>(std::move(packed.bytes));
        block.net = std::make_shared<const Bytes>(std::move(packed.net));
        reweigh(block);
    }
    formGroups();
}

}  // namespace revenant
