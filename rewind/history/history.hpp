// History: the frames that are kept, in order, and what they weigh. Knows nothing of worlds or games.
//
// Frames lie in blocks of some seconds. The last block is open: frames are added to it. A full block
// is sealed and handed to the packing thread; when that is done, the packed block replaces the
// frames. Each block has a net delta, which crosses the whole block in one move. The net deltas of
// eight blocks are joined into one, and those of eight such groups again, so that an hour is
// crossed in some twenty moves. Packed frames are unpacked when they are asked for; the last few
// unpacked blocks are kept.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "rewind/history/column_count.hpp"
#include "rewind/history/frame.hpp"
#include "rewind/history/packing_thread.hpp"
#include "rewind/history_info.hpp"

namespace revenant {

struct HistoryOptions {
    std::size_t blockFrames = 600;  // that are packed together, at most
    // Of frames that are, about; and of their words as columns over time, which is what the packer
    // works on: beside them it takes up to five times as much (tests/rewind/history/packing_thread.test.cpp).
    std::size_t blockBytes = std::size_t{16} << 20;
    // The same where that would be few frames: all frames of a block share what it needs beside its changes.
    std::size_t longBlockBytes = std::size_t{64} << 20;
    bool inBackground = true;  // false: packing happens where a block is sealed
    // A larger block is not packed: while it is, it can be neither thinned nor dropped.
    std::size_t packBytes = SIZE_MAX;
    bool packs = true;
};

// A block whose frames are packed, as a file has it. The fields after `block` describe the same
// frames, and are derived from them.
struct PackedBlock {
    std::int64_t first = 0;
    std::vector<std::uint64_t> hashes;  // one per frame that is kept
    // Of those, from the first; empty: none was thinned out.
    std::vector<std::uint32_t> offsets{};
    std::vector<std::byte> bytes;
    std::vector<std::byte> net;         // from the frame before, or, of the oldest, from the first
    std::vector<Crossing> crossings{};  // ascending by frame
    FrameHeader end{};                  // of the last frame

    std::int64_t last() const noexcept {
        return offsets.empty() ? first + static_cast<std::int64_t>(hashes.size()) - 1
                               : first + offsets.back();
    }
};

class History {
public:
    explicit History(const HistoryOptions& options = {}) : options_(options) {}
    History(const History&) = delete;
    History& operator=(const History&) = delete;
    ~History() = default;

    bool empty() const noexcept { return blocks_.empty(); }
    std::int64_t oldest() const noexcept { return oldest_; }
    std::int64_t newest() const noexcept { return blocks_.back().last(); }
    bool has(std::int64_t number) const noexcept {
        return !empty() && number >= oldest_ && number <= newest();
    }
    // The kept frame for a number: that frame or, if it was thinned out, the nearest kept one before it.
    std::int64_t keptAt(std::int64_t number) const noexcept;
    // The kept frames beside a kept one. REQUIRE: there is one.
    std::int64_t before(std::int64_t number) const noexcept;
    std::int64_t after(std::int64_t number) const noexcept;
    // Whether all frames from this one on are kept.
    bool isCompleteFrom(std::int64_t number) const noexcept;
    const HistoryOptions& options() const noexcept { return options_; }
    void setOptions(const HistoryOptions& options) { options_ = options; }

    // All of these REQUIRE: has(number). For a frame that was thinned out they answer with keptAt(number).
    const Frame& at(std::int64_t number);  // good until the next call of a History's function
    // The frame's header. Those of the last frame of each block are at hand, and of the oldest frame
    // while nothing was dropped.
    const FrameHeader& momentOf(std::int64_t number);
    std::uint64_t hashOf(std::int64_t number) const;
    // The last frame at or before a point of world time; the oldest, if there is none.
    std::int64_t frameAt(double seconds);
    // The newest frame, to be changed. REQUIRES: it is in the open block.
    Frame& open();
    void reweighOpen();  // after a change

    // Adds a frame. Returns whether a new block begins after it.
    bool push(Frame frame);
    // Drops the oldest frame and the delta to the next one. Returns the crossings of that delta.
    std::vector<Crossing> popOldest();
    // Drops all frames after `number`. Returns their crossings, newest first. The block of
    // `number` is open afterwards.
    std::vector<Crossing> truncate(std::int64_t number);
    void clear();

    struct ThinOptions {
        std::size_t waitingBytes = 0;            // thins until no more than this waits to be packed
        std::uint32_t mostStride = 64;           // keeps at least one of so many frames
        std::int64_t completeFrom = 0;           // keeps all frames from this one on
        std::span<const std::int64_t> spared{};  // and these, ascending
        // Whether nothing but so many crossings mentions an entity. Asked for entities that came and went between
        // two frames; they are left out then.
        std::function<bool(EntityId, std::uint32_t)> forgets;
    };
    // Leaves out every second frame of what waits to be packed, where the frames are close for their age; joins
    // blocks that became short. Does a bounded amount of work; less if memory runs out.
    void thin(const ThinOptions& options);
    // Collects what the packing thread has finished.
    void collect();
    // Nothing more is packed in the background until it is false again.
    void pausePacking(bool isPaused) noexcept { thread_.setPaused(isPaused); }
    // Waits until nothing is left to pack; for tests, tools and saving.
    void finishPacking();

    // A move over frames at once: from the frame `from` to the frame `last`, or back.
    struct Leap {
        std::int64_t from = 0;
        std::int64_t last = 0;
        bool isBack = false;
        std::shared_ptr<const std::vector<std::byte>> net;  // none: over a single frame
    };
    // The first move on the shortest way from `shown` to `target`, which is another frame.
    Leap leapFrom(std::int64_t shown, std::int64_t target);
    static Delta netOf(const Leap& leap);
    std::vector<Crossing> crossingsOf(const Leap& leap) const;
    // Drops unpacked frames that are packed as well, except those of the last `blocks` blocks.
    void keepFewUnpacked(std::size_t most);
    // Frees at once what would be freed over the next ticks.
    void freeAllRetired() noexcept { freeRetired(SIZE_MAX); }
    // Unpacks the block before or after that of a frame in the background, if it is packed.
    void fetchBeside(std::int64_t number, bool before);

    // All kept frames, packed, without what can be derived from the blocks; waits for the packing thread.
    // The frames stay as they are. The oldest has no delta.
    std::vector<PackedBlock> packAll();
    // Begins with these: consecutive ones that make sense (history_file.hpp). REQUIRES: empty().
    // `begin`: the oldest frame without its delta.
    void open(std::vector<PackedBlock> blocks, FrameHeader begin);

    std::size_t bytes() const noexcept { return bytes_ + retiredBytes_; }
    // The memory that looking at packed frames needs beside that: for the current block, and the next.
    std::size_t bytesToUnpack() const noexcept { return 2 * largest_; }
    double seconds() const noexcept {
        return empty() ? 0 : blocks_.back().end.globals.seconds - oldestSeconds_;
    }
    std::vector<BlockInfo> blocks() const;
    // Of all frames but the oldest, which has no delta.
    std::vector<Crossing> crossings() const;
    std::size_t countCrossings() const noexcept;  // about as many
    HistoryStatistics statistics() const noexcept;
    std::size_t waitingBytes() const noexcept;  // of frames that wait to be packed
    // Of those, without what is too large for it, and while packing pauses, only if a task had been begun.
    std::size_t bytesToPack() const noexcept;
    std::size_t packedBytes() const noexcept;
    // The frames in which an entity came or went, ascending.
    std::vector<FrameMark> marks() const;

private:
    using Frames = std::vector<Frame>;
    using Bytes = std::vector<std::byte>;

    struct Block {
        std::int64_t first = 0;
        std::int64_t from = 0;  // the frame that the net leads from: the one before, or the first
        std::vector<std::uint64_t> hashes;   // of the frames that are kept
        std::vector<std::uint32_t> offsets;  // of those, from the first; empty: all are kept
        std::vector<Crossing> crossings;     // ascending by frame
        FrameHeader end;                     // of the last frame
        std::shared_ptr<Frames> own;         // while it is open
        std::shared_ptr<const Frames> frames;
        std::shared_ptr<const Bytes> packed;
        std::shared_ptr<const Bytes> net;
        std::shared_ptr<PackingTask> task;
        std::size_t frameBytes = 0;  // of the frames, while they are unpacked
        std::size_t weight = 0;      // as counted in bytes_
        std::uint32_t stride = 1;    // about one in so many frames is kept
        std::size_t thinned = 0;  // frames at its beginning that were thinned to twice that already

        std::size_t count() const noexcept { return hashes.size(); }
        std::int64_t numberAt(std::size_t position) const noexcept {
            return first + (offsets.empty() ? static_cast<std::int64_t>(position)
                                            : std::int64_t{offsets[position]});
        }
        // The position of the last kept frame up to `number`. REQUIRES: first <= number.
        std::size_t positionOf(std::int64_t number) const noexcept;
        std::int64_t last() const noexcept { return numberAt(count() - 1); }
        const Frames* unpacked() const noexcept { return own ? own.get() : frames.get(); }
    };

    // Blocks, or smaller groups, whose net deltas were joined.
    struct Group {
        std::int64_t from = 0;
        std::int64_t end = 0;
        std::shared_ptr<const Bytes> net;
        std::shared_ptr<PackingTask> task;  // until there is one

        std::int64_t last() const noexcept { return end; }
    };
    static constexpr std::size_t groupLevels = 2;

    template <class Parts>
    bool formGroup(std::deque<Group>& groups, const Parts& parts);
    void formGroups();
    void takeNets(std::deque<Group>& groups, bool all = false);
    template <class Parts>
    std::optional<Leap> leapOver(const Parts& parts, std::int64_t shown,
                                 std::int64_t& target) const;
    void retryAll();
    void giveBack();
    void forget(Group& group);
    void discard(std::shared_ptr<PackingTask> task) noexcept;
    void retire(std::shared_ptr<const Frames> frames);
    void freeRetired(std::size_t bytes) noexcept;
    void finish(std::shared_ptr<PackingTask>& task);
    Block& blockOf(std::int64_t number);
    const Block& blockOf(std::int64_t number) const;
    const Frames& framesOf(Block& block);
    void seal(Block& block);
    void takeResult(Block& block, bool keepFrames = false);
    void reweigh(Block& block);
    void forget(Block& block);
    void noteUnpacked(Block& block);
    void setNumbers(Block& block, const Frames& frames) noexcept;
    // To be packed; without a packer for ever.
    static bool isWaiting(const Block& block) noexcept { return block.frames && !block.packed; }
    Frames* framesToChange(Block& block, std::unique_lock<std::mutex>& hold);
    Block* findToThin(const ThinOptions& options);
    std::size_t thinPart(Block& block, Frames& frames, const ThinOptions& options,
                         std::size_t mostBytes);
    void joinWithOlder(std::size_t position);
    void thinSome(const ThinOptions& options);

    HistoryOptions options_;
    std::deque<Block> blocks_;
    std::array<std::deque<Group>, groupLevels> groups_;  // of blocks; of groups of those
    std::int64_t oldest_ = 0;
    double oldestSeconds_ = 0;
    ColumnCount columns_;          // of the open block
    FrameHeader begin_;            // of the first frame of the block whose net leads from there
    std::uint32_t collected_ = 0;  // how often
    std::size_t bytes_ = 0;
    std::size_t peakBytes_ = 0;  // since memory was last given back to the system
    std::size_t largest_ = 0;    // block of those that were packed, as it was before
    // First frames of packed blocks that are unpacked, in the order of their last use.
    std::vector<std::int64_t> unpacked_;
    PackingThread thread_{ThreadClass::Idle};
    PackingThread fetcher_{ThreadClass::Low};  // prefetches: unpacks what will be needed soon
    // Frames that nothing refers to, freed over the next ticks. Not by a thread: an idle one that is preempted
    // in the allocator holds up the game, and one that is not takes its processor.
    std::deque<std::shared_ptr<const Frames>> retired_;
    std::size_t retiredBytes_ = 0;
    std::size_t pushedBytes_ = 0;  // of the newest frame
    std::uint64_t dropped_ = 0;    // frames
};

}  // namespace revenant
