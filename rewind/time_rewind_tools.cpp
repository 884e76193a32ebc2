// The third part of TimeRewindSys, for tools and testers: comparisons, names, files.
#include <algorithm>
#include <utility>

#include "rewind/file/history_file.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

std::optional<Divergence> TimeRewindSys::findDivergence(TimeRewindSys& other, std::int64_t from) {
    noticeReset();
    other.noticeReset();
    requireFrame(from, "findDivergence");
    other.requireFrame(from, "findDivergence: the other history");
    const std::int64_t last = std::min(history_.newest(), other.history_.newest());
    for (std::int64_t frame = from; frame <= last; ++frame) {
        // Frames that one of the two left out cannot be compared.
        if (isThinned(frame) || other.isThinned(frame)) continue;
        if (history_.hashOf(frame) == other.history_.hashOf(frame)) continue;
        seek(frame);
        other.seek(frame);
        auto found = firstDifference(imageOf(core()), imageOf(other.core()));
        if (!found) found = Divergence{0, "", "", "the hash", "one", "another"};
        found->frame = frame;
        return found;
    }
    return std::nullopt;
}

std::vector<Divergence> TimeRewindSys::compareFrames(std::int64_t first, std::int64_t second,
                                                     std::size_t most) {
    noticeReset();
    requireFrame(first, "compareFrames");
    requireFrame(second, "compareFrames");
    if (core().isTicking())
        fail(ErrorCode::Reentrant, "compareFrames: a tick is under way; compare between ticks");
    const std::int64_t shown = shown_;
    std::vector<Divergence> found;
    try {
        seek(first);
        const WorldImage here = imageOf(core());
        seek(second);
        found = differences(here, imageOf(core()), most);
        for (Divergence& each : found) each.frame = second;
    } catch (...) {
        if (shown_ != shown) seek(shown);
        throw;
    }
    seek(shown);
    return found;
}

std::vector<std::string> TimeRewindSys::validate() const {
    std::vector<std::string> problems;
    if (!hasFrames()) return problems;
    std::vector<Crossing> kept = history_.crossings();
    kept.insert(kept.end(), dropped_.begin(), dropped_.end());
    kept.insert(kept.end(), parts_->first.begin(), parts_->first.end());
    kept.insert(kept.end(), askedCrossings_.begin(), askedCrossings_.end());
    if (unrecorded_) appendCrossings(*unrecorded_, kept);
    recorder_.validateFrames(kept, problems);
    return problems;
}

void TimeRewindSys::Parts::check([[maybe_unused]] const TimeRewindSys& rewind) {
    if constexpr (validating) {
        // A check looks at every known entity and every crossing: so many of them per frame, on average.
        constexpr std::size_t mostPerFrame = 2000;
        const std::size_t size = rewind.core().forest().pool.count() + history.countCrossings();
        if (++unchecked * mostPerFrame < size) return;
        unchecked = 0;
        std::vector<std::string> problems;
        try {
            const MemoryReserve::Pause pause;  // which is for the call that this is a part of
            problems = rewind.validate();
        } catch (const std::bad_alloc&) {
            return;  // the next frame is checked
        }
        REVENANT_ASSERT(problems.empty(), "the history is inconsistent: ", problems.front());
    }
}

std::size_t TimeRewindSys::getSyncTest() const noexcept {
    return sync_.frames();
}

void TimeRewindSys::forgetSyncSteps() noexcept {
    sync_.forgetSteps();
}

const std::optional<Divergence>& TimeRewindSys::getSyncReport() const noexcept {
    return sync_.report();
}

HistoryStatistics TimeRewindSys::getStatistics() const noexcept {
    return history_.statistics();
}

std::vector<BlockInfo> TimeRewindSys::getBlocks() const {
    return history_.blocks();
}

std::vector<FrameMark> TimeRewindSys::getMarks() const {
    return history_.marks();
}

void TimeRewindSys::finishPacking() {
    history_.finishPacking();
}

void TimeRewindSys::setCheckpoint(std::string name) {
    noticeReset();
    requireFrame(shown_, "setCheckpoint");
    if (name.empty()) fail(ErrorCode::BadArgument, "setCheckpoint: a checkpoint needs a name");
    parts_->checkpoints.insert_or_assign(std::move(name),
                                         history_.keptAt(wish_.frame.value_or(shown_)));
}

std::optional<std::int64_t> TimeRewindSys::getCheckpoint(std::string_view name) const noexcept {
    auto found = parts_->checkpoints.find(name);
    return found == parts_->checkpoints.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Checkpoint> TimeRewindSys::getCheckpoints() const {
    std::vector<Checkpoint> all;
    for (const auto& [name, frame] : parts_->checkpoints) all.push_back({name, frame});
    return all;
}

bool TimeRewindSys::removeCheckpoint(std::string_view name) noexcept {
    auto found = parts_->checkpoints.find(name);
    if (found == parts_->checkpoints.end()) return false;
    parts_->checkpoints.erase(found);
    return true;
}

void TimeRewindSys::seekCheckpoint(std::string_view name) {
    const auto frame = getCheckpoint(name);
    if (!frame)
        fail(ErrorCode::BadArgument, "seekCheckpoint: no checkpoint '", name,
             "' is kept; it was never set, or its frame was dropped");
    seek(*frame);
}

namespace {

// Prefixes errors with the file's path.
template <class Call>
auto naming(const char* call, const std::string& path, Call work) {
    try {
        return work();
    } catch (const Error& error) {
        fail(error.code(), call, ": '", path, "': ", error.what());
    }
}

}  // namespace

void TimeRewindSys::saveHistory(const std::string& path) {
    naming("saveHistory", path, [&] { writeFile(path, writeHistory(takeHistory())); });
}

void TimeRewindSys::loadHistory(const std::string& path) {
    naming("loadHistory", path, [&] { openHistory(parseHistory(readFile(path))); });
}

HistoryFile TimeRewindSys::takeHistory() {
    requireRest("takeHistory");
    noticeReset();
    if (history_.empty())
        fail(ErrorCode::WrongState, "the history is empty; nothing was recorded yet");
    if (unrecorded_)
        fail(ErrorCode::WrongState,
             "a seek was called off since the last frame; save after the next tick");
    HistoryFile file = revenant::takeHistory(core(), history_, recorder_, shown_);
    file.checkpoints = parts_->checkpoints;
    return file;
}

namespace {

// An estimate of what opening the file may allocate.
std::size_t bytesToOpen(const HistoryFile& file) {
    constexpr std::size_t bytesPerEntity = 4096;
    constexpr std::size_t firstPages = std::size_t{16} << 20;
    std::size_t bytes = firstPages + file.snapshot.entities.size() * bytesPerEntity;
    for (const std::string& text : file.strings) bytes += 256 + 2 * text.size();
    for (const PackedBlock& block : file.blocks)
        bytes += 4096 + 2 * block.crossings.size() * sizeof(Crossing);
    return bytes + 4 * file.snapshot.whole.bytes();
}

}  // namespace

void TimeRewindSys::openHistory(HistoryFile file) {
    requireRest("openHistory");
    noticeReset();
    claimWorld("openHistory");
    WorldCore& world = core();
    if (world.isTicking()) fail(ErrorCode::Reentrant, "a tick is under way; load between ticks");
    if (!history_.empty())
        fail(ErrorCode::WrongState,
             "there is a history already; load into a world that was made for it");
    checkFits(file, world);
    const std::int64_t shown = file.shown;
    auto checkpoints = file.checkpoints;
    const auto memory = core().reserveMemory(bytesToOpen(file));
    {
        const WorkScope scope(*this);
        revenant::openHistory(std::move(file), world, history_, recorder_);
    }
    joinRun();
    shown_ = shown;
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
    parts_->checkpoints = std::move(checkpoints);
    enter(Phase::Rewinding);
    wish_ = {};
    options_.seconds = std::max(options_.seconds, history_.seconds());
    options_.bytes = std::max(options_.bytes, 2 * getMemory());
    world.setInPast(true);
    world.reconcileAs(ReconcileMode::Restore);
    {
        const CountScope announcing(parts_->announcing);
        world.world().emit("rewindStarted");
    }
    parts_->check(*this);
}

}  // namespace revenant
