// Over 300 lines: the frames of one class; packing and thinning are in files of their own.
#include "rewind/history/history.hpp"

#include <algorithm>
#include <utility>

namespace revenant {

namespace {

constexpr std::size_t leastFrames = 4;  // of a block, unless the options say less
constexpr std::size_t fewFrames = 16;   // likewise, as long as it is not too large

}  // namespace

History::Block& History::blockOf(std::int64_t number) {
    auto behind = std::ranges::upper_bound(blocks_, number, {}, &Block::first);
    return *std::prev(behind);
}

const History::Block& History::blockOf(std::int64_t number) const {
    return const_cast<History*>(this)->blockOf(number);
}

void History::reweigh(Block& block) {
    std::size_t weight = sizeof(Block) + block.hashes.capacity() * sizeof(std::uint64_t) +
                         block.crossings.capacity() * sizeof(Crossing);
    if (block.net) weight += block.net->capacity();
    if (block.packed) weight += block.packed->capacity();
    if (block.own) weight += (block.own->capacity() - block.own->size()) * sizeof(Frame);
    // Blocks that are being unpacked count as unpacked.
    weight += block.offsets.capacity() * sizeof(std::uint32_t);
    const bool isFetched = block.task && block.task->kind == PackingTask::Kind::Unpack;
    if (block.unpacked() || isFetched) weight += block.frameBytes;
    bytes_ += weight - block.weight;
    block.weight = weight;
}

// Drops any task still in flight for the block.
void History::forget(Block& block) {
    bytes_ -= block.weight;
    discard(std::exchange(block.task, nullptr));
    retire(std::exchange(block.frames, nullptr));
    std::erase(unpacked_, block.first);
}

bool History::push(Frame frame) {
    if (blocks_.empty()) {
        oldest_ = frame.number;
        oldestSeconds_ = frame.globals.seconds;
        // No delta leads to the first frame.
        frame.delta = {};
        frame.bases = Words();
    }
    if (blocks_.empty() || !blocks_.back().own) {
        Block& opened = blocks_.emplace_back();
        opened.first = frame.number;
        opened.from = frame.number - 1;
        opened.own = std::make_shared<Frames>();
        columns_ = {};
    }
    tighten(frame.bases);
    Block& block = blocks_.back();
    block.hashes.push_back(frame.hash);
    if (!block.offsets.empty())
        block.offsets.push_back(static_cast<std::uint32_t>(frame.number - block.first));
    appendCrossings(frame, block.crossings);
    block.end = headerOf(frame);
    pushedBytes_ = frame.bytes();
    block.frameBytes += pushedBytes_;
    columns_.add(frame);
    block.own->push_back(std::move(frame));
    reweigh(block);
    const std::size_t frames = block.own->size();
    // Where few of many components change, and others in each frame, columns outgrow the frames.
    const std::size_t columnBytes = columns_.words() * frames * sizeof(std::uint32_t);
    const std::size_t most = frames < fewFrames
                                 ? std::max(options_.blockBytes, options_.longBlockBytes)
                                 : options_.blockBytes;
    const bool isFull = frames >= options_.blockFrames ||
                        (frames >= leastFrames &&
                         (block.frameBytes >= most || (columnBytes > 2 * block.frameBytes &&
                                                       columnBytes >= options_.blockBytes)));
    if (isFull) seal(block);
    return isFull;
}

const Frame& History::at(std::int64_t number) {
    Block& block = blockOf(number);
    return framesOf(block)[block.positionOf(number)];
}

const FrameHeader& History::momentOf(std::int64_t number) {
    Block& block = blockOf(number);
    if (number >= block.last()) return block.end;
    if (block.net && number == block.from) return begin_;
    return at(number);
}

std::int64_t History::frameAt(double seconds) {
    // Half a microsecond: sums of steps differ from differences of sums.
    const double target = seconds + 5e-7;
    auto block = std::ranges::lower_bound(
        blocks_, target, {}, [](const Block& each) { return each.end.globals.seconds; });
    if (block == blocks_.end()) return newest();
    const Frames& frames = framesOf(*block);
    auto behind = std::ranges::upper_bound(
        frames, target, {}, [](const Frame& frame) { return frame.globals.seconds; });
    if (behind == frames.begin()) return block->first > oldest_ ? before(block->first) : oldest_;
    return std::max(oldest_, std::prev(behind)->number);
}

std::uint64_t History::hashOf(std::int64_t number) const {
    const Block& block = blockOf(number);
    return block.hashes[block.positionOf(number)];
}

Frame& History::open() {
    return blocks_.back().own->back();
}

void History::reweighOpen() {
    Block& block = blocks_.back();
    const Frame& frame = block.own->back();
    block.hashes.back() = frame.hash;
    // Also the crossings of thinned frames: this one leads over them.
    const std::size_t count = block.own->size();
    const std::int64_t before = count > 1 ? (*block.own)[count - 2].number : INT64_MIN;
    std::erase_if(block.crossings, [=](const Crossing& each) { return each.frame > before; });
    appendCrossings(frame, block.crossings);
    block.end = headerOf(frame);
    block.frameBytes = 0;
    for (const Frame& each : *block.own) block.frameBytes += each.bytes();
    reweigh(block);
}

// The frames of a block that is open, or that waits and has no task; `hold` keeps it so.
History::Frames* History::framesToChange(Block& block, std::unique_lock<std::mutex>& hold) {
    if (block.own) return block.own.get();
    if (!isWaiting(block)) return nullptr;
    hold = thread_.tryToHold();
    if (!hold || (block.task && !thread_.isQueued(block.task))) return nullptr;
    return const_cast<Frames*>(block.frames.get());  // they were not made as const
}

std::vector<Crossing> History::popOldest() {
    std::vector<Crossing> dropped;
    if (oldest_ == newest()) {
        clear();
        return dropped;
    }
    ++dropped_;
    const std::int64_t gone = oldest_;
    const std::int64_t next = after(oldest_);
    Block& block = blockOf(next);
    auto first = std::ranges::upper_bound(block.crossings, oldest_, {}, &Crossing::frame);
    auto last = std::ranges::upper_bound(block.crossings, next, {}, &Crossing::frame);
    dropped.assign(first, last);
    if (&block != &blocks_.front()) {
        forget(blocks_.front());
        blocks_.pop_front();
    }
    oldest_ = next;
    for (std::deque<Group>& groups : groups_)
        while (!groups.empty() && groups.front().from < oldest_) {
            forget(groups.front());
            groups.pop_front();
        }
    // A block that is not packed frees its memory frame by frame.
    std::unique_lock<std::mutex> hold;
    if (Frames* frames = framesToChange(block, hold)) {
        Frame& frame = (*frames)[block.positionOf(next)];
        block.frameBytes -= frame.bytes();
        frame.delta = {};
        frame.bases = Words();
        frame.crossings = std::vector<Crossing>();
        block.frameBytes += frame.bytes();
        reweigh(block);
        oldestSeconds_ = frame.globals.seconds;
    } else if (block.unpacked()) {
        oldestSeconds_ = (*block.unpacked())[block.positionOf(next)].globals.seconds;
    } else {
        // Not worth unpacking: time is interpolated between the ends of the block.
        const double begin = oldestSeconds_;
        // By their numbers: some may have been thinned out.
        const auto part =
            static_cast<double>(next - gone) / static_cast<double>(block.last() - gone);
        oldestSeconds_ = begin + (block.end.globals.seconds - begin) * part;
    }
    return dropped;
}

std::vector<Crossing> History::truncate(std::int64_t number) {
    std::vector<Crossing> dropped;
    // Also a group that ends here: its last block is opened, to be changed and added to.
    for (std::deque<Group>& groups : groups_)
        while (!groups.empty() && groups.back().end >= number) {
            forget(groups.back());
            groups.pop_back();
        }
    while (blocks_.back().first > number) {
        Block& block = blocks_.back();
        dropped.insert(dropped.end(), block.crossings.rbegin(), block.crossings.rend());
        forget(block);
        blocks_.pop_back();
    }
    Block& block = blocks_.back();
    if (block.own && block.last() == number) return dropped;
    const std::size_t keep = block.positionOf(number) + 1;
    if (!block.own) {
        const Frames& frames = framesOf(block);
        auto own = std::make_shared<Frames>(frames.begin(),
                                            frames.begin() + static_cast<std::ptrdiff_t>(keep));
        discard(std::move(block.task));
        block.task = nullptr;
        std::erase(unpacked_, block.first);
        block.own = std::move(own);
        block.frames = nullptr;
        block.packed = nullptr;
        block.net = nullptr;
        for (std::size_t i = 0; i < keep; ++i) (*block.own)[i].hash = block.hashes[i];
    }
    block.own->resize(keep);
    block.hashes.resize(keep);
    if (!block.offsets.empty()) block.offsets.resize(keep);
    while (!block.crossings.empty() && block.crossings.back().frame > number) {
        dropped.push_back(block.crossings.back());
        block.crossings.pop_back();
    }
    block.end = headerOf(block.own->back());
    block.frameBytes = 0;
    columns_ = {};
    for (const Frame& frame : *block.own) {
        block.frameBytes += frame.bytes();
        columns_.add(frame);
    }
    reweigh(block);
    return dropped;
}

void History::clear() {
    for (Block& block : blocks_) discard(std::move(block.task));
    for (std::deque<Group>& groups : groups_) {
        for (Group& group : groups) discard(std::move(group.task));
        groups.clear();
    }
    blocks_.clear();
    unpacked_.clear();
    freeAllRetired();
    largest_ = 0;
    bytes_ = 0;
    giveBack();
}

std::vector<BlockInfo> History::blocks() const {
    std::vector<BlockInfo> all;
    for (const Block& block : blocks_) {
        BlockInfo info{std::max(block.first, oldest_),
                       block.last(),
                       block.weight,
                       block.count() - (block.first < oldest_ ? block.positionOf(oldest_) : 0),
                       0,
                       0,
                       block.packed != nullptr,
                       block.unpacked() != nullptr,
                       isWaiting(block)};
        for (const Crossing& crossing : block.crossings) {
            info.births += crossing.comes() ? 1 : 0;
            info.departures += crossing.leaves() ? 1 : 0;
        }
        all.push_back(info);
    }
    return all;
}

std::vector<Crossing> History::crossings() const {
    std::vector<Crossing> all;
    for (const Block& block : blocks_)
        for (const Crossing& crossing : block.crossings)
            if (crossing.frame > oldest_) all.push_back(crossing);
    return all;
}

std::size_t History::countCrossings() const noexcept {
    std::size_t count = 0;
    for (const Block& block : blocks_) count += block.crossings.size();
    return count;
}

std::vector<FrameMark> History::marks() const {
    std::vector<FrameMark> all;
    for (const Block& block : blocks_)
        for (const Crossing& crossing : block.crossings) {
            // No delta leads to the oldest frame.
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

HistoryStatistics History::statistics() const noexcept {
    HistoryStatistics all;
    if (empty()) return all;
    for (const Block& block : blocks_) {
        const std::size_t kept =
            block.count() - (block.first < oldest_ ? block.positionOf(oldest_) : 0);
        all.kept += kept;
        if (!isWaiting(block)) continue;
        all.waiting += kept;
        all.waitingBytes += block.frameBytes;
    }
    all.thinned = static_cast<std::size_t>(newest() - oldest_ + 1) - all.kept;
    all.dropped = dropped_;
    return all;
}

}  // namespace revenant
