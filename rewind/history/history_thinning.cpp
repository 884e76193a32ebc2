// The fourth part of History: frames that wait to be packed are thinned where packing does not keep up.
#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "rewind/history/frame_join.hpp"
#include "rewind/history/history.hpp"

namespace revenant {

namespace {

constexpr std::size_t fewFrames = 8;                          // in a block
constexpr std::size_t leastThinned = std::size_t{256} << 10;  // bytes, in a tick
// Putting structural changes together costs far more than their bytes: each counts as so many bytes of words, and frames that
// have too many of them together are kept, as the game would wait for them.
constexpr std::size_t structureBytes = std::size_t{4} << 10;
constexpr std::size_t mostStructure = 1024;

std::size_t structureOf(const Frame& frame) noexcept {
    const Delta& delta = frame.delta;
    return delta.departures.size() + delta.arrivals.size() + delta.rebindings.size() +
           delta.outsides.size();
}

// If an earlier frame of the block has a component's base, later bases of it are useless. Those that are not
// found side by side stay: they do no harm.
Words withoutKnown(const Words& known, const Words& bases) {
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
    return left;
}

}  // namespace

std::size_t History::Block::positionOf(std::int64_t number) const noexcept {
    const std::int64_t offset = number - first;
    if (offsets.empty()) return std::min(static_cast<std::size_t>(offset), count() - 1);
    const auto behind = std::ranges::upper_bound(
        offsets, offset, {}, [](std::uint32_t each) { return std::int64_t{each}; });
    return static_cast<std::size_t>(behind - offsets.begin()) - 1;
}

std::int64_t History::keptAt(std::int64_t number) const noexcept {
    const Block& block = blockOf(number);
    return block.numberAt(block.positionOf(number));
}

std::int64_t History::before(std::int64_t number) const noexcept {
    return keptAt(number - 1);
}

std::int64_t History::after(std::int64_t number) const noexcept {
    const Block& block = blockOf(number);
    const std::size_t position = block.positionOf(number);
    if (position + 1 < block.count()) return block.numberAt(position + 1);
    return std::ranges::upper_bound(blocks_, number, {}, &Block::first)->first;
}

bool History::isCompleteFrom(std::int64_t number) const noexcept {
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        const std::int64_t from = std::max(number, block->first);
        if (block->last() < number) return false;
        if (block->numberAt(block->positionOf(from)) != from ||
            block->count() - block->positionOf(from) !=
                static_cast<std::size_t>(block->last() - from + 1))
            return false;
        if (block->first <= number) return true;
        if (auto older = std::next(block);
            older != blocks_.rend() && older->last() != block->first - 1)
            return false;
    }
    return false;
}

// The members of a block that follow from its frames, but for the crossings, which follow from those it had.
// REQUIRES: hashes and offsets have room for so many.
void History::setNumbers(Block& block, const Frames& frames) noexcept {
    block.first = frames.front().number;
    block.hashes.clear();
    block.offsets.clear();
    block.frameBytes = 0;
    bool isComplete = true;
    for (const Frame& frame : frames) {
        isComplete = isComplete &&
                     frame.number - block.first == static_cast<std::int64_t>(block.hashes.size());
        block.hashes.push_back(frame.hash);
        block.offsets.push_back(static_cast<std::uint32_t>(frame.number - block.first));
        block.frameBytes += frame.bytes();
    }
    if (isComplete) block.offsets = {};
    const std::int64_t gaps = static_cast<std::int64_t>(block.count()) - 1;
    if (gaps > 0)
        block.stride =
            std::max(block.stride, static_cast<std::uint32_t>((block.last() - block.first) / gaps));
    reweigh(block);
}

std::size_t History::waitingBytes() const noexcept {
    std::size_t bytes = 0;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        if (block->packed) break;
        if (isWaiting(*block)) bytes += block->frameBytes;
    }
    return bytes;
}

std::size_t History::bytesToPack() const noexcept {
    if (thread_.isPaused() && !thread_.isWorking()) return 0;
    std::size_t bytes = 0;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        if (block->packed) break;
        if (isWaiting(*block) && block->task) bytes += block->frameBytes;
    }
    return bytes;
}

std::size_t History::packedBytes() const noexcept {
    std::size_t bytes = 0;
    for (const Block& block : blocks_)
        if (block.packed) bytes += block.weight;
    return bytes;
}

// The one whose frames are closest for their age: so the distance of frames grows with their age.
History::Block* History::findToThin(const ThinOptions& options) {
    Block* found = nullptr;
    double best = 0;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        if (block->packed) break;
        if (!isWaiting(*block) || block->last() >= options.completeFrom ||
            block->stride >= options.mostStride || block->count() < 2 ||
            (block->task && !thread_.isQueued(block->task)))
            continue;
        const auto age = static_cast<double>(newest() - block->last() + 1);
        const double closeness = block->thinned > 0 ? 1e18 : age / block->stride;
        if (closeness < best) continue;
        best = closeness;
        found = &*block;
    }
    return found;
}

// Returns how many bytes were worked on; 0 if memory ran out: then what was joined so far is joined.
std::size_t History::thinPart(Block& block, Frames& frames, const ThinOptions& options,
                              std::size_t mostBytes) {
    std::size_t worked = 0;
    bool isOutOfMemory = false;
    const std::size_t count = frames.size();
    block.offsets.reserve(count);
    // Pairs are counted from the end: the last frame stays, as the next block leads on from it.
    std::size_t read = block.thinned + (count - block.thinned) % 2;
    std::size_t write = read;
    auto keep = [&](std::size_t position) {
        if (write != position) frames[write] = std::move(frames[position]);
        ++write;
    };
    for (; read < count && worked < mostBytes; read += 2) {
        Frame& first = frames[read];
        const std::size_t structure = structureOf(first) + structureOf(frames[read + 1]);
        const bool isKept = first.number <= oldest_ || structure > mostStructure ||
                            frames[read + 1].number - before(first.number) > options.mostStride ||
                            std::ranges::binary_search(options.spared, first.number);
        if (isKept) {
            keep(read);
        } else {
            const std::size_t bytes =
                first.bytes() + frames[read + 1].bytes() + structure * structureBytes;
            try {
                joinFrames(first, frames[read + 1], block.crossings, options.forgets);
                worked += bytes;
            } catch (const std::bad_alloc&) {
                isOutOfMemory = true;
                break;
            }
        }
        keep(read + 1);
    }
    block.thinned = write;
    const bool isThinner = write < read;
    for (std::size_t position = read; position < count; ++position) keep(position);
    frames.resize(write);
    setNumbers(block, frames);
    if (isOutOfMemory) return 0;
    if (read < count) return worked;
    block.thinned = 0;
    if (!isThinner) block.stride *= 2;  // others come first
    frames.shrink_to_fit();
    return worked + 1;
}

// So that blocks stay long enough to pack well.
void History::joinWithOlder(std::size_t position) {
    if (position == 0) return;
    Block& older = blocks_[position - 1];
    Block& younger = blocks_[position];
    // A single frame cannot be thinned: it is joined with what there is.
    const bool areAlike =
        older.stride == younger.stride || older.count() == 1 || younger.count() == 1;
    const std::size_t count = older.count() + younger.count();
    const std::size_t bytes = older.frameBytes + younger.frameBytes;
    const bool isLarge =
        count > options_.blockFrames ||
        (bytes > options_.blockBytes &&
         (count > fewFrames || ((older.task || younger.task) && bytes > options_.packBytes)));
    if (!isWaiting(older) || !areAlike || isLarge || older.thinned > 0 ||
        (older.task && !thread_.isQueued(older.task)))
        return;
    auto& into = const_cast<Frames&>(*older.frames);
    auto& from = const_cast<Frames&>(*younger.frames);
    into.reserve(count);
    older.hashes.reserve(count);
    older.offsets.reserve(count);
    older.crossings.reserve(older.crossings.size() + younger.crossings.size());
    // The bases in dropped frames are gone: the rest packs without them, if it is packed at all.
    Words bases;
    if (older.first > oldest_) bases = withoutKnown(into.front().bases, from.front().bases);
    // From here on nothing fails.
    from.front().bases = std::move(bases);
    into.insert(into.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    older.crossings.insert(older.crossings.end(), younger.crossings.begin(),
                           younger.crossings.end());
    older.end = younger.end;
    older.stride = 1;
    thread_.dropQueued(younger.task);
    bytes_ -= younger.weight;
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(position));
    Block& joined = blocks_[position - 1];
    setNumbers(joined, into);
}

void History::thin(const ThinOptions& options) {
    try {
        thinSome(options);
    } catch (const std::bad_alloc&) {
        // What is not thinned yet waits as it is.
    }
}

void History::thinSome(const ThinOptions& options) {
    if (waitingBytes() <= options.waitingBytes) return;
    // Until all is done, the thread begins with nothing that waits.
    const auto hold = thread_.tryToHold();
    if (!hold) return;
    std::size_t left = 4 * pushedBytes_ + leastThinned;
    while (left > 0 && waitingBytes() > options.waitingBytes) {
        Block* block = findToThin(options);
        if (!block) return;
        auto& frames = const_cast<Frames&>(*block->frames);  // nothing else looks at them
        const std::size_t worked = thinPart(*block, frames, options, left);
        left -= std::min(left, worked);
        if (worked > 0 && block->thinned == 0)
            joinWithOlder(static_cast<std::size_t>(
                std::ranges::lower_bound(blocks_, block->first, {}, &Block::first) -
                blocks_.begin()));
        if (worked <= 1) return;
    }
}

}  // namespace revenant
