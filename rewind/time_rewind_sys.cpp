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
    claimWorld("TimeRewindSys");  // last: nothing would give it back if a later line threw
}

void TimeRewindSys::enter(Phase next) {
    constexpr bool isLegal[4][4] = {
        // to Playing, Resuming, Leaving, Rewinding
        {true, false, true, true},   // from Playing
        {true, false, true, false},  // from Resuming
        {true, true, false, true},   // from Leaving
        {true, true, false, false},  // from Rewinding
    };
    REVENANT_ASSERT(isLegal[static_cast<int>(phase_)][static_cast<int>(next)],
                    "a history went from one phase to another that cannot follow it");
    phase_ = next;
    // What the packer works with makes room for unpacked frames.
    history_.pausePacking(isInPast());
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
    core().setInPast(false);
    if (isInPast()) forgetFuture();
    try {
        recorder_.requests().askAgain();
    } catch (const std::exception&) {
        recorder_.requests().drop();
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

// The recorder belongs to the world: after a reset another history may use it.
bool TimeRewindSys::isRecording() const noexcept {
    return recorder_.isOn() && recorder_.run() == run_;
}

bool TimeRewindSys::hasFrames() const noexcept {
    return isRecording() && !history_.empty();
}

// Called by the recorder. When the world is reset the frames are dropped at once, or, if they are in use, at
// the next call.
void TimeRewindSys::joinRun() {
    run_ = recorder_.run();
    recorder_.setResetCall([this] {
        if (workDepth_ == 0) noticeReset();
    });
}

// After World::reset, or after a save was loaded, the frames refer to entities that are gone.
void TimeRewindSys::noticeReset() {
    if (isRecording() || history_.empty()) return;
    history_.clear();
    parts_->checkpoints.clear();
    shown_ = 0;
    enter(Phase::Playing);
    wish_ = {};
    unrecorded_.reset();
    asked_.clear();
    askedCrossings_.clear();
    dropped_.clear();
    parts_->first.clear();
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
    const Wish wish = std::exchange(wish_, {});
    const std::optional<std::int64_t> frame =
        wish.frame;  // clang 14 captures no structured bindings
    // Errors of hooks and listeners wait: if play goes on, the tick still gets its frame.
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
    else if (isInPast() && !wish.stops)
        attempt([&] { moveTime(dt); });
    const bool isThere =
        !frame || !history_.has(*frame) ? !frame : shown_ == history_.keptAt(*frame);
    if (isInPast() && wish.stops && isThere) attempt([&] { resume(); });
    if (!isInPast()) attempt([&] { recordTick(dt); });
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

// The write is in the frame: nothing is lost, whatever the assertion handler does.
void TimeRewindSys::assertNoStray([[maybe_unused]] std::uint64_t framesBefore) const {
    REVENANT_ASSERT(recorder_.strays().frames == framesBefore, getStrayWrites().first);
}

void TimeRewindSys::recordTick(double dt) {
    const std::uint64_t strayFrames = recorder_.strays().frames;
    try {
        record();
    } catch (...) {
        sync_.forgetSteps();  // the next frame leads over two ticks
        throw;
    }
    {
        const WorkScope scope(*this);
        sync_.tick(dt, !core().isUpdating());
        keepBudget();
        parts_->check(*this);
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
        enter(Phase::Playing);
    }
    history_.collect();
    if (phase_ == Phase::Resuming) {
        // The oldest frame has no delta: nothing leads to it.
        const bool isOldest = history_.oldest() == shown_;
        if (isOldest) {
            history_.open().delta = {};
            history_.open().crossings = {};
        }
        recorder_.settleNewborns(history_.open().clock);
        recorder_.requests().askAgain();
        recorder_.amend(history_.open(), unrecorded_ ? &*unrecorded_ : nullptr);
        unrecorded_.reset();
        if (isOldest) forgetWay(recorder_.forgetWay(history_.open()));
        history_.reweighOpen();
        enter(Phase::Playing);
        return;
    }
    const std::int64_t next = history_.empty() ? shown_ + 1 : history_.newest() + 1;
    recorder_.settleNewborns(core().getClock());
    // A run that is repeated must begin with what is there.
    Frame frame = takeFrame(next, sync_.frames() > 0);
    shown_ = next;
    std::vector<Crossing> first;
    if (history_.empty()) appendCrossings(frame, first);
    if (history_.push(std::move(frame))) recorder_.beginBlock();
    recorder_.forget(std::exchange(parts_->first, std::move(first)));
    Forest& forest = core().forest();
    if (ComponentStore& components = core().components(); components.strings().wantsSweep())
        sweepStrings(components, forest.pool, next, history_.oldest());
    if (forest.lostSerials.wantsSweep())
        forest.lostSerials.sweep(next, history_.oldest(), forest.pool.alive(),
                                 [this] { stateHash(core()); });
}

void TimeRewindSys::setSyncTest(std::size_t frames, Callback<void(double)> step) {
    sync_.setFrames(frames, std::move(step));
}

void TimeRewindSys::clear() {
    requireRest("clear");
    const auto memory = core().reserveMemory();
    const bool wasRewinding = isInPast();
    if (wasRewinding) endRewinding();
    wish_ = {};
    unrecorded_.reset();
    enter(Phase::Playing);
    history_.clear();
    parts_->first.clear();
    parts_->checkpoints.clear();
    if (isRecording()) {
        recorder_.requests().askAgain();
        recorder_.stop();
    }
    if (wasRewinding) getWorld().emit("rewindEnded");
    core().reconciler().raiseHeldError();
}

}  // namespace revenant
