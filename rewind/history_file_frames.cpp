// The last part of parsing a history file: its frames.
#include <algorithm>
#include <cmath>

#include "rewind/delta_bytes.hpp"
#include "rewind/delta_composer.hpp"
#include "rewind/frame_unpacker.hpp"
#include "rewind/history_file.hpp"
#include "rewind/timeline.hpp"

namespace revenant {

namespace {

std::vector<Frame> unpackAll(const PackedStretch& stretch, const HistoryFile& file) {
    std::vector<Frame> frames = unpackFrames(stretch.block);
    if (frames.front().number != stretch.first || frames.size() != stretch.hashes.size())
        fail(ErrorCode::BadArgument, "the stretch of frames from ", stretch.first,
             " on is damaged: it has others");
    for (const Frame& frame : frames)
        if (frame.clock > file.snapshot.clock || !std::isfinite(frame.globals.seconds))
            fail(ErrorCode::BadArgument, "frame ", frame.number, " is damaged: its time is wrong");
    return frames;
}

// What follows from the frames of a stretch.
void derive(PackedStretch& stretch, const std::vector<Frame>& frames) {
    DeltaComposer composer;
    for (const Frame& frame : frames) {
        appendCrossings(frame, stretch.crossings);
        composer.add(frame.delta);
    }
    constexpr int zstdLevel = 3;
    stretch.net = packDelta(composer.finish(), zstdLevel);
    stretch.end = withoutDelta(frames.back());
    stretch.end.hash = stretch.hashes.back();
}

}  // namespace

void checkFrames(HistoryFile& file) {
    auto shown = std::ranges::upper_bound(file.stretches, file.shown, {}, &PackedStretch::first);
    --shown;
    Timeline back(file.components, file.snapshot, file.shown);
    Timeline forth = back;
    for (auto stretch = shown + 1; stretch-- != file.stretches.begin();) {
        std::vector<Frame> frames = unpackAll(*stretch, file);
        const bool isOldest = stretch == file.stretches.begin();
        if (isOldest) {
            file.begin = withoutDelta(frames.front());
            file.begin.hash = stretch->hashes.front();
            if (!frames.front().delta.isEmpty())
                fail(ErrorCode::BadArgument, "frame ", file.oldest(),
                     " is damaged: something leads to it, but it is the oldest");
        }
        for (const Frame& frame : frames)
            if (frame.number > file.shown) forth.redo(frame);
        for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
            if (frame->number <= file.shown && frame->number > file.oldest()) back.undo(*frame);
        derive(*stretch, frames);
    }
    for (auto stretch = shown + 1; stretch != file.stretches.end(); ++stretch) {
        std::vector<Frame> frames = unpackAll(*stretch, file);
        for (const Frame& frame : frames) forth.redo(frame);
        derive(*stretch, frames);
    }
}

}  // namespace revenant
