// The last part of parsing a history file: its frames.
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "rewind/file/file_validator.hpp"
#include "rewind/file/history_file.hpp"
#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/delta_composer.hpp"
#include "rewind/history/frame_packer.hpp"
#include "rewind/history/frame_unpacker.hpp"

namespace revenant {

namespace {

// Whether time goes on from one frame to the next.
bool isLater(const FrameHeader& before, const FrameHeader& next) noexcept {
    return next.clock >= before.clock && next.globals.seconds >= before.globals.seconds &&
           next.globals.ticks >= before.globals.ticks;
}

bool isNullOrId(EntityId id) noexcept {
    return id.generation != 0 || id.index == 0;
}

void checkMoment(const Frame& frame, const HistoryFile& file) {
    const WorldGlobals& globals = frame.globals;
    auto require = [&](bool holds, const char* otherwise) {
        if (!holds)
            fail(ErrorCode::BadArgument, "frame ", frame.number, " is damaged: ", otherwise);
    };
    require(frame.clock <= file.snapshot.clock && std::isfinite(globals.seconds) &&
                globals.seconds >= 0,
            "its time is wrong");
    require(isNullOrId(globals.mainCharacter) && isNullOrId(globals.mainCamera),
            "its main character or camera is not a valid id");
    require(std::ranges::any_of(globals.random, [](std::uint64_t word) { return word != 0; }),
            "its random state is invalid");
}

std::vector<Frame> unpackAll(const PackedBlock& block, const HistoryFile& file) {
    std::vector<Frame> frames = unpackFrames(block.bytes, file.format);
    bool areTheirs = frames.size() == block.hashes.size();
    for (std::size_t i = 0; i < frames.size() && areTheirs; ++i) {
        const std::int64_t offset = frames[i].number - block.first;
        areTheirs = offset == (block.offsets.empty() ? static_cast<std::int64_t>(i)
                                                     : std::int64_t{block.offsets[i]});
    }
    if (!areTheirs)
        fail(ErrorCode::BadArgument, "the block of frames from ", block.first,
             " on is damaged: its content has other frames");
    for (const Frame& frame : frames) checkMoment(frame, file);
    if (!std::ranges::is_sorted(frames, [](const Frame& later, const Frame& earlier) {
            return !isLater(earlier, later);
        }))
        fail(ErrorCode::BadArgument, "the block of frames from ", block.first,
             " on is damaged: time goes back in it");
    return frames;
}

// Checks the crossings of frames, and those of thinned frames, which the next kept frame has.
class CrossingCheck {
public:
    explicit CrossingCheck(const HistoryFile& file) {
        for (const Snapshot::Known& known : file.snapshot.entities)
            known_.emplace(known.id, known.bornAt);
    }

    // `before`: the number of the kept frame before it.
    void check(const Frame& frame, std::int64_t before) const {
        if (!frame.crossings.empty()) checkThinned(frame, before);
        checkBirths(frame);
    }

private:
    // No frame mentions an entity that was made after it: then dropping all frames after a frame releases every entity
    // that is unborn there. Only a request may be as old as its entity: listeners make entities, and ask for them, while a frame is made.
    void checkBirths(const Frame& frame) const {
        std::vector<Crossing> crossings;
        appendCrossings(frame, crossings);
        for (const Crossing& crossing : crossings) {
            const auto known = known_.find(crossing.id);
            if (known == known_.end()) continue;
            const bool isBorn = crossing.kind == Crossing::Kind::Request
                                    ? known->second <= frame.clock
                                    : known->second < frame.clock;
            if (!isBorn)
                fail(ErrorCode::BadArgument, "frame ", frame.number,
                     " is damaged: it has an entity that was made after it");
        }
    }
    void checkThinned(const Frame& frame, std::int64_t before) const {
        auto require = [&](bool holds, const char* otherwise) {
            if (!holds)
                fail(ErrorCode::BadArgument, "frame ", frame.number, " is damaged: ", otherwise);
        };
        require(before < frame.number - 1, "it leads over no others");
        std::unordered_set<EntityId> all;
        std::int64_t least = before + 1;
        for (auto first = frame.crossings.begin(); first != frame.crossings.end();) {
            auto last = std::find_if(first, frame.crossings.end(), [&](const Crossing& each) {
                return each.frame != first->frame;
            });
            require(first->frame >= least && first->frame <= frame.number,
                    "an entity crossed in another frame");
            least = first->frame + 1;
            // An entity that is out is attached to a parent that crossed with it and comes first, so that none is its own ancestor.
            std::unordered_set<EntityId> later;
            for (auto each = first; each != last; ++each) later.insert(each->id);
            for (; first != last; ++first) {
                require(known_.contains(first->id), "an unknown entity crossed");
                require(!later.contains(first->parent), "a child crossed before its parent");
                later.erase(first->id);
                all.insert(first->id);
            }
        }
        for (const auto* steps : {&frame.delta.departures, &frame.delta.arrivals})
            for (const Step& step : *steps)
                require(!step.crosses || all.contains(step.id),
                        "an entity that crosses is missing");
    }

    std::unordered_map<EntityId, Clock> known_;  // when each was made
};

// Derives what the file does not store from the frames of a block. A block of an earlier format is packed again.
void derive(PackedBlock& block, const std::vector<Frame>& frames, std::uint32_t format) {
    DeltaComposer composer;
    for (const Frame& frame : frames) {
        appendCrossings(frame, block.crossings);
        composer.add(frame.delta);
    }
    constexpr int zstdLevel = 3;
    block.net = packDelta(composer.finish(), zstdLevel);
    block.end = headerOf(frames.back());
    block.end.hash = block.hashes.back();
    if (format != newestFormat) block.bytes = packFrames(frames, {});
}

}  // namespace

void checkFrames(HistoryFile& file, const ParseOptions& options) {
    auto shown = std::ranges::upper_bound(file.blocks, file.shown, {}, &PackedBlock::first);
    --shown;
    FileValidator back(file, options.hashes);
    FileValidator forth = back;
    std::map<std::int64_t, FrameHeader> firsts;  // of each block's first frame
    const CrossingCheck crossings(file);
    bool isShownThere = false;
    auto unpack = [&](const PackedBlock& block) {
        std::vector<Frame> frames = unpackAll(block, file);
        firsts.emplace(block.first, headerOf(frames.front()));
        auto before = std::ranges::lower_bound(file.blocks, block.first, {}, &PackedBlock::first);
        std::int64_t number =
            before == file.blocks.begin() ? block.first : std::prev(before)->last();
        for (const Frame& frame : frames) {
            crossings.check(frame, number);
            number = frame.number;
            isShownThere = isShownThere || number == file.shown;
        }
        return frames;
    };
    auto redo = [&forth](const Frame& frame, std::uint64_t hash) {
        forth.redo(frame);
        forth.checkHash(frame, hash);
    };
    // Goes back from the current frame to the oldest, then forward to the newest.
    for (auto block = shown + 1; block != file.blocks.begin();) {
        --block;
        const std::vector<Frame> frames = unpack(*block);
        if (block == file.blocks.begin()) {
            file.begin = headerOf(frames.front());
            file.begin.hash = block->hashes.front();
            if (!frames.front().delta.isEmpty())
                fail(ErrorCode::BadArgument, "frame ", file.oldest(),
                     " is damaged: something leads to it, but it is the oldest");
        }
        for (std::size_t i = 0; i < frames.size(); ++i)
            if (frames[i].number > file.shown) redo(frames[i], block->hashes[i]);
        for (std::size_t i = frames.size(); i-- > 0;) {
            if (frames[i].number > file.shown) continue;
            back.checkHash(frames[i], block->hashes[i]);
            if (frames[i].number > file.oldest()) back.undo(frames[i]);
        }
        derive(*block, frames, file.format);
    }
    for (auto block = shown + 1; block != file.blocks.end(); ++block) {
        const std::vector<Frame> frames = unpack(*block);
        for (std::size_t i = 0; i < frames.size(); ++i) redo(frames[i], block->hashes[i]);
        derive(*block, frames, file.format);
    }
    for (std::size_t i = 1; i < file.blocks.size(); ++i)
        if (!isLater(file.blocks[i - 1].end, firsts.at(file.blocks[i].first)))
            fail(ErrorCode::BadArgument, "frame ", file.blocks[i].first,
                 " is damaged: time goes back to it");
    if (!isShownThere)
        fail(ErrorCode::BadArgument, "frame ", file.shown,
             ", which is shown, is damaged: it was thinned out");
    file.format = newestFormat;
}

}  // namespace revenant
