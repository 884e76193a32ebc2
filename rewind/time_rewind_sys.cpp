#include "rewind/time_rewind_sys.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <exception>
#include <utility>

#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/string_sweep.hpp"

namespace revenant {

namespace {

SystemOptions firstOfAll() {
    SystemOptions options;
    options.priority = INT_MAX;
    options.tickWhileRewinding = true;
    return options;
}

void checkBudget(const RewindOptions& options) {
    if (!std::isfinite(options.seconds) || options.seconds < 0)
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: the budget in seconds must be a finite number, 0 or more, not ",
             options.seconds);
    if (options.stretchFrames == 0)
        fail(ErrorCode::BadArgument, "TimeRewindSys: a stretch has one frame at least");
    if (options.thinTo == 0)
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: thinTo must be 1 or more: of so many frames at least one is kept");
}

HistoryOptions historyOptions(const RewindOptions& options) {
    HistoryOptions result;
    // A stretch is dropped as a whole: it should be a small part of the budget.
    result.stretchBytes =
        std::clamp(options.bytes / 10, std::size_t{16} << 10, std::size_t{16} << 20);
    result.stretchFrames = options.stretchFrames;
    result.inBackground = options.packInBackground;
    result.packs = options.pack;
    return result;
}

}  // namespace

TimeRewindSys::TimeRewindSys(World& world, RewindOptions options)
    : System(world, "TimeRewindSys", firstOfAll()),
      options_(options),
      recorder_(core().observer<Recorder>()),
      parts_(std::make_unique<Parts>(*this, recorder_, historyOptions(options))),
      history_(parts_->history),
      unrecorded_(parts_->unrecorded),
      asked_(parts_->asked),
      askedCrossings_(parts_->askedCrossings),
      dropped_(parts_->dropped),
      sync_(parts_->sync),
      display_(parts_->display),
      applied_(parts_->applied) {
    checkBudget(options_);
    world.defineEvent("rewindStarted");
    world.defineEvent("rewindEnded");
    claimWorld("TimeRewindSys");  // last: nobody gives it back if this throws
}

WorldCore& TimeRewindSys::core() const noexcept {
    return WorldCore::of(getWorld());
}

void TimeRewindSys::claimWorld(const char* call) {
    if (!recorder_.claim(this))
        fail(ErrorCode::DuplicateSystem, call, ": this world has a history already");
}

TimeRewindSys::~TimeRewindSys() {
    recorder_.release(this);
    if (!isRecording()) return;
    const auto memory = core().useReserve();
    const WorkScope scope(*this);
    core().setPastOnShow(false);
    if (isRewinding_) forgetFuture();
    try {
        recorder_.askAgain();
    } catch (const std::exception&) {
        recorder_.dropAwaited();
    }
    recorder_.stop();
}

std::optional<std::int64_t> TimeRewindSys::getFrame() const noexcept {
    return hasFrames() ? std::optional(shown_) : std::nullopt;
}
std::optional<std::int64_t> TimeRewindSys::getOldestFrame() const noexcept {
    return hasFrames() ? std::optional(history_.oldest()) : std::nullopt;
}
std::optional<std::int64_t> TimeRewindSys::getNewestFrame() const noexcept {
    return hasFrames() ? std::optional(history_.newest()) : std::nullopt;
}

void TimeRewindSys::requireFrame(std::int64_t frame, const char* call) const {
    if (!hasFrames())
        fail(ErrorCode::BadArgument, call, ": the history is empty; nothing was recorded yet");
    if (!history_.has(frame))
        fail(ErrorCode::BadArgument, call, ": frame ", frame, " is not kept, only ",
             history_.oldest(), " to ", history_.newest());
}

std::uint64_t TimeRewindSys::frameHash(std::int64_t frame) const {
    requireFrame(frame, "frameHash");
    return history_.hashOf(frame);
}

bool TimeRewindSys::isThinned(std::int64_t frame) const {
    requireFrame(frame, "isThinned");
    return history_.keptAt(frame) != frame;
}

// What the packer works with, while it has work: measured, 3 MiB and half of what it packs, which is a stretch at most.
// Of a small budget an eighth: less than zstd's own tables, but enough for its words.
std::size_t TimeRewindSys::getMemory() const noexcept {
    const std::size_t waiting = options_.pack ? history_.waitingBytes() : 0;
    const std::size_t stretch = std::min(waiting, history_.bytesToUnpack() / 2);
    const std::size_t working = (std::size_t{3} << 20) + stretch / 2;
    return history_.bytes() + recorder_.bytes() + (unrecorded_ ? unrecorded_->bytes() : 0) +
           (waiting > 0 ? std::min(working, options_.bytes / 8) : 0);
}

void TimeRewindSys::setSpeed(double speed) {
    if (!std::isfinite(speed))
        fail(ErrorCode::BadArgument, "setSpeed: the speed must be a finite number");
    speed_ = speed;
}

void TimeRewindSys::requireRest(const char* call) const {
    if (workDepth_ > 0)
        fail(ErrorCode::Reentrant, call,
             ": a frame is being recorded or restored; ask for it after the hook or listener");
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

// The recorder is the world's: after a reset another history may use it.
bool TimeRewindSys::isRecording() const noexcept {
    return recorder_.isOn() && recorder_.run() == run_;
}

bool TimeRewindSys::hasFrames() const noexcept {
    return isRecording() && !history_.empty();
}

// Of the recorder. When the world is reset the frames go at once; if they are being worked with, with
// the next call.
void TimeRewindSys::joinRun() {
    run_ = recorder_.run();
    recorder_.setResetCall([this] {
        if (workDepth_ == 0) noticeReset();
    });
}

// After World::reset, or when a save was loaded, nothing is left of what the frames remember.
void TimeRewindSys::noticeReset() {
    if (isRecording() || history_.empty()) return;
    history_.clear();
    checkpoints_.clear();
    shown_ = 0;
    isRewinding_ = isResuming_ = false;
    wanted_.reset();
    wantsStop_ = false;
    unrecorded_.reset();
    asked_.clear();
    askedCrossings_.clear();
    dropped_.clear();
    sync_.forgetSteps();
    blendPart_ = 0;
    display_.clear();
}

void TimeRewindSys::onTick(double dt) {
    requireRest("tick");
    // The reserve of an update is for all of it.
    const auto memory = core().isUpdating() ? core().useReserve() : core().reserveMemory();
    noticeReset();
    claimWorld("tick");
    if (!core().isUpdating()) core().passTime(dt);
    const auto frame = std::exchange(wanted_, std::nullopt);
    const bool stops = std::exchange(wantsStop_, false);
    // What hooks and listeners throw waits: if play goes on, the tick has its frame all the same.
    std::exception_ptr firstError;
    auto attempt = [&firstError](auto work) {
        try {
            work();
        } catch (...) {
            if (!firstError) firstError = std::current_exception();
        }
    };
    if (frame && history_.has(*frame))
        attempt([&] { show(*frame); });
    else if (isRewinding_ && !stops)
        attempt([&] { moveTime(dt); });
    const bool isThere =
        !frame || !history_.has(*frame) ? !frame : shown_ == history_.keptAt(*frame);
    if (isRewinding_ && stops && isThere) attempt([&] { resume(); });
    if (!isRewinding_) attempt([&] { recordTick(dt); });
    if (firstError) std::rethrow_exception(firstError);
}

TimeRewindSys::StrayWrites TimeRewindSys::getStrayWrites() const {
    const Recorder::Strays& strays = recorder_.strays();
    if (!isRecording() || !strays.first) return {};
    return {
        strays.frames,
        sentence("a reference, a row or a run that was kept from an earlier tick wrote to ",
                 revenant::describe(Entity(getWorld(), strays.first->entity)), ", ",
                 strays.first->component, ".", strays.first->field,
                 "; fetch the component anew in each tick, so that the history sees the write")};
}

// What was found is in the frame: nothing is lost, whatever becomes of the assertion.
void TimeRewindSys::assertNoStray([[maybe_unused]] std::uint64_t framesBefore) const {
    REVENANT_ASSERT(recorder_.strays().frames == framesBefore, getStrayWrites().first);
}

void TimeRewindSys::recordTick(double dt) {
    const std::uint64_t strayFrames = recorder_.strays().frames;
    record();
    {
        const WorkScope scope(*this);
        sync_.tick(dt, !core().isUpdating());
        keepBudget();
    }
    assertNoStray(strayFrames);
    core().reconciler().raiseHeldError();
}

// What changed since the newest frame.
Frame TimeRewindSys::takeFrame(std::int64_t number, bool comparesAll) {
    const auto look = comparesAll ? Recorder::Look::All : Recorder::Look::Some;
    if (!unrecorded_) return recorder_.takeFrame(number, look);
    recorder_.extend(*unrecorded_, look);
    Frame frame = *std::move(unrecorded_);
    unrecorded_.reset();
    return frame;
}

void TimeRewindSys::record() {
    const WorkScope scope(*this);
    if (!recorder_.isOn()) {
        recorder_.start();
        joinRun();
        isResuming_ = false;
    }
    history_.collect();
    if (isResuming_) {
        // Nothing leads to the oldest frame, whatever it is made of now.
        const bool isOldest = history_.oldest() == shown_;
        if (isOldest) {
            history_.open().delta = {};
            history_.open().crossings = {};
        }
        recorder_.askAgain();
        if (unrecorded_) recorder_.append(history_.open(), *unrecorded_);
        unrecorded_.reset();
        recorder_.amend(history_.open());
        if (isOldest) recorder_.forgetWay(history_.open());
        history_.reweighOpen();
        isResuming_ = false;
        return;
    }
    const std::int64_t next = history_.empty() ? shown_ + 1 : history_.newest() + 1;
    // A run that is repeated must begin with what is there.
    Frame frame = takeFrame(next, sync_.frames() > 0);
    shown_ = next;
    if (history_.push(std::move(frame))) recorder_.beginStretch();
    LostSerials& lost = core().forest().lostSerials;
    if (ComponentStore& components = core().components(); components.strings().wantsSweep())
        sweepStrings(components, core().forest().pool, next, history_.oldest());
    if (lost.wantsSweep()) lost.sweep(next, history_.oldest(), [this] { stateHash(core()); });
}

// Where the budget is full, a sixth of it is for what waits to be packed, beside the stretch that is being packed: the
// rest stays for what is packed already. As long as there is less of that, more may wait. A tenth is left, so that
// there is room until the thinning is done.
void TimeRewindSys::thin() {
    std::vector<std::int64_t> spared;
    for (const auto& [name, frame] : checkpoints_) spared.push_back(frame);
    std::ranges::sort(spared);
    History::ThinOptions options;
    const std::size_t others = getMemory() - history_.waitingBytes() +
                               std::min(history_.bytesToUnpack(), options_.bytes / 4);
    const std::size_t most = options_.bytes - options_.bytes / 10;
    const std::size_t least = options_.pack ? options_.bytes / 6 + history_.bytesToUnpack() / 2 : 0;
    options.waitingBytes = std::max(least, most - std::min(most, others));
    options.mostStride = options_.thinTo;
    options.completeFrom = history_.newest() - static_cast<std::int64_t>(sync_.frames());
    options.spared = spared;
    options.forgets = [this](EntityId id, std::uint32_t crossings) {
        return recorder_.forgetIfOnly(id, crossings);
    };
    history_.thin(options);
}

void TimeRewindSys::keepBudget() {
    const WorkScope scope(*this);
    if (!isRewinding_ && !history_.empty() && options_.thinTo > 1) thin();
    // Room to look at packed frames is kept free, as far as the budget allows: who scrubs through
    // the past should not lose a part of it, or have the same stretch unpacked step by step.
    const std::size_t room =
        isRewinding_ ? 0 : std::min(history_.bytesToUnpack(), options_.bytes / 4);
    auto isFull = [&] { return getMemory() + room > options_.bytes; };
    if (isFull()) {
        history_.keepFewUnpacked(isRewinding_ ? 1 : 0);
        history_.freeAllRetired();
    }
    // The frame on show stays, whatever the budget.
    while (!history_.empty() && history_.oldest() < shown_ &&
           (history_.seconds() > options_.seconds || isFull()))
        recorder_.forget(history_.popOldest());
    if (isFull()) history_.freeAllRetired();
    std::erase_if(checkpoints_, [this](const auto& each) { return !history_.has(each.second); });
}

const std::byte* TimeRewindSys::getDisplay(Entity entity, std::string_view component) const {
    WorldCore& world = core();
    const EntityRecord& record = world.requireRecord(entity, "getDisplay");
    const ComponentType& type = world.components().require(component);
    const std::byte* blended = display_.find(record.id.index, type.id);
    return blended ? blended : record.slotOf(type.id);
}

std::optional<std::vector<std::byte>> TimeRewindSys::getDisplayState(
    Entity entity, std::string_view component) const {
    WorldCore& world = core();
    const EntityRecord& record = world.requireRecord(entity, "getDisplayState");
    const ComponentType& type = world.components().require(component);
    const std::byte* slot = record.slotOf(type.id);
    const auto* states = display_.findStates({record.id, type.id});
    if (!type.hooks || !slot || !states) return std::nullopt;
    const auto [now, next] = *states;  // a hook may do anything, even move time
    std::vector<std::byte> between;
    if (!type.hooks->lerpRewindState(record.id, slot, now, next, blendPart_, between))
        return std::nullopt;
    return between;
}

std::optional<std::vector<std::byte>> TimeRewindSys::getDisplayState(System& system) const {
    const auto key = recorder_.findSystemKey(system.getName());
    const auto* states = key ? display_.findStates(*key) : nullptr;
    if (!states || !system.hasRewindState()) return std::nullopt;
    const auto [now, next] = *states;
    std::vector<std::byte> between;
    if (!system.lerpRewindState(hookedPart(now), hookedPart(next), blendPart_, between))
        return std::nullopt;
    return between;
}

void TimeRewindSys::setSyncTest(std::size_t frames, std::function<void(double)> step) {
    sync_.setFrames(frames, std::move(step));
}

void TimeRewindSys::clear() {
    requireRest("clear");
    const auto memory = core().reserveMemory();
    const bool wasRewinding = isRewinding_;
    if (wasRewinding) endRewinding();
    wanted_.reset();
    wantsStop_ = false;
    unrecorded_.reset();
    isResuming_ = false;
    history_.clear();
    checkpoints_.clear();
    if (isRecording()) {
        recorder_.askAgain();
        recorder_.stop();
    }
    if (wasRewinding) getWorld().emit("rewindEnded");
    core().reconciler().raiseHeldError();
}

}  // namespace revenant
