// The part of TimeRewindSys that keeps the history within its budget.
#include <algorithm>
#include <cmath>
#include <vector>

#include "rewind/record/recorder.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void checkBudget(const RewindOptions& options) {
    if (!std::isfinite(options.seconds) || options.seconds < 0)
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: the budget in seconds must be a finite number, 0 or more, not ",
             options.seconds);
    if (options.blockFrames == 0)
        fail(ErrorCode::BadArgument, "TimeRewindSys: a block has one frame at least");
    if (options.thinTo == 0)
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: thinTo must be 1 or more: of so many frames at least one is kept");
}

HistoryOptions historyOptions(const RewindOptions& options) {
    HistoryOptions result;
    // Blocks are dropped whole, so a block should be a small part of the budget.
    result.blockBytes =
        std::clamp(options.bytes / 10, std::size_t{16} << 10, std::size_t{16} << 20);
    result.packBytes = options.bytes / 6;
    // With room for one frame more: what is larger than packBytes is not packed.
    result.longBlockBytes = std::clamp(result.packBytes - result.packBytes / 8, result.blockBytes,
                                       std::size_t{64} << 20);
    result.blockFrames = options.blockFrames;
    result.inBackground = options.packInBackground;
    result.packs = options.pack;
    return result;
}

// The packer's own memory while it works: measured, 3 MiB and half of what it packs, which is one block at most.
// In a small budget it counts as an eighth: less than zstd's own tables, but enough for the packer's words.
std::size_t TimeRewindSys::packerBytes() const noexcept {
    const std::size_t waiting = history_.bytesToPack();
    if (waiting == 0) return 0;
    const std::size_t block = std::min(waiting, history_.bytesToUnpack() / 2);
    return std::min((std::size_t{3} << 20) + block / 2, options_.bytes / 8);
}

std::size_t TimeRewindSys::getMemory() const noexcept {
    return history_.bytes() + recorder_.bytes() + (unrecorded_ ? unrecorded_->bytes() : 0) +
           packerBytes();
}

void TimeRewindSys::setBudget(RewindOptions options) {
    requireRest("setBudget");
    checkBudget(options);
    const auto memory = core().reserveMemory();
    options_ = options;
    history_.setOptions(historyOptions(options));
    keepBudget();
    core().reconciler().raiseHeldError();
}

// When the budget is full, a sixth of it is for frames that wait to be packed, beside the block that is being packed, as
// far as there is room for both; the rest is for packed frames. While those take less, more frames may wait. A tenth stays free,
// so that there is room until thinning is done.
void TimeRewindSys::thin() {
    std::vector<std::int64_t> spared;
    for (const auto& [name, frame] : parts_->checkpoints) spared.push_back(frame);
    std::ranges::sort(spared);
    History::ThinOptions options;
    const std::size_t most = options_.bytes - options_.bytes / 10;
    auto left = [most](std::size_t others) { return most - std::min(most, others); };
    const std::size_t others = getMemory() - history_.waitingBytes() + roomToUnpack();
    const std::size_t least = options_.pack ? options_.bytes / 6 + history_.bytesToUnpack() / 2 : 0;
    options.waitingBytes =
        std::max(std::min(least, left(others - history_.packedBytes())), left(others));
    options.mostStride = options_.thinTo;
    options.completeFrom = history_.newest() - static_cast<std::int64_t>(sync_.frames());
    options.spared = spared;
    options.forgets = [this](EntityId id, std::uint32_t crossings) {
        return recorder_.forgetIfOnly(id, crossings);
    };
    history_.thin(options);
}

// Room for unpacked frames, as far as the budget allows: scrubbing should neither drop frames nor unpack the same
// block at every step. What the packer works with is such room: in the past it pauses.
std::size_t TimeRewindSys::roomToUnpack() const noexcept {
    const std::size_t room = std::min(history_.bytesToUnpack(), options_.bytes / 8);
    return room - std::min(room, packerBytes());
}

// No frame leads to the oldest one any more. What it has requests of is kept: by the next frame, or, where it is
// the only one, by parts_->first.
void TimeRewindSys::forgetWay(std::vector<Crossing> crossings) {
    if (history_.oldest() == history_.newest()) {
        const auto requests = std::stable_partition(
            crossings.begin(), crossings.end(),
            [](const Crossing& each) { return each.kind != Crossing::Kind::Request; });
        parts_->first.insert(parts_->first.end(), requests, crossings.end());
        crossings.erase(requests, crossings.end());
    }
    recorder_.forget(crossings);
}

void TimeRewindSys::keepBudget() {
    const WorkScope scope(*this);
    if (!isInPast() && !history_.empty() && options_.thinTo > 1) thin();
    const std::size_t room = isInPast() ? 0 : roomToUnpack();
    auto isFull = [&] { return getMemory() + room > options_.bytes; };
    if (isFull()) {
        history_.keepFewUnpacked(isInPast() ? 1 : 0);
        history_.freeAllRetired();
    }
    // A block that the packer had begun to pack is not waited for. Until it is done, what is shown is unpacked at every step.
    if (isInPast() && packerBytes() > 0 && isFull()) {
        history_.keepFewUnpacked(0);
        history_.freeAllRetired();
    }
    // The current frame is kept, whatever the budget.
    while (!history_.empty() && history_.oldest() < shown_ &&
           (history_.seconds() > options_.seconds || isFull())) {
        forgetWay(history_.popOldest());
        // Dropped frames count until they are freed, so that more would be dropped in their place.
        if (isFull()) history_.freeAllRetired();
    }
    std::erase_if(parts_->checkpoints,
                  [this](const auto& each) { return !history_.has(each.second); });
}

}  // namespace revenant
