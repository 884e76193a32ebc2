// The second half of TimeRewindSys: moving in time.
#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void TimeRewindSys::beginRewinding() {
    if (history_.empty())
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: the history is empty; nothing was recorded yet");
    // What was written since the last frame becomes a frame of its own, which is undone. Requests are taken back
    // first: then the world is exactly at the newest frame.
    WorldCore& world = core();
    const TickScope tick(world);
    const WorkScope scope(*this);
    asked_ = recorder_.requests().take();
    unrecorded_ = takeFrame(history_.newest() + 1, true);
    askedCrossings_ =
        recorder_.dropRequests(*unrecorded_, history_.momentOf(history_.newest()).clock);
    recorder_.undo(unrecorded_->delta, {}, history_.momentOf(history_.newest()));
    std::vector<Crossing> written;
    appendCrossings(*unrecorded_, written);
    recorder_.births().disregard(written);
    recorder_.births().disregard(askedCrossings_);
    enter(Phase::Leaving);
    world.setInPast(true);
    shown_ = history_.newest();
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
}

// The frame is shown: drops what changed since the newest one. Its entities are forgotten after listeners were
// called.
void TimeRewindSys::dropUnrecorded() {
    dropped_ = std::exchange(askedCrossings_, {});
    appendCrossings(*unrecorded_, dropped_);
    unrecorded_.reset();
    asked_.clear();
    recorder_.requests().postpone();
    enter(Phase::Rewinding);
}

void TimeRewindSys::forgetDropped() {
    const TickScope tick(core());
    const WorkScope scope(*this);
    recorder_.forget(std::exchange(dropped_, {}));
}

// Play goes on as if there had been no seek: no listener was called yet.
void TimeRewindSys::callOff(Phase before) {
    recorder_.redo(unrecorded_->delta, {}, *unrecorded_);
    recorder_.outsiders().notePlaces();
    giveStatesBack();
    enter(before);
    sync_.forgetSteps();
    core().setInPast(false);
}

// Moves the world to a frame: over whole blocks where it can, else frame by frame.
void TimeRewindSys::move(std::int64_t frame) {
    // Frames are fetched without the reserve: if memory runs out there, the reserve is left to show some
    // frame.
    auto undo = [this] {
        std::optional<MemoryReserve::Pause> fetching(std::in_place);
        const Frame& leaving = history_.at(shown_);
        const std::int64_t next = history_.before(shown_);
        const FrameHeader& to = history_.momentOf(next);
        fetching.reset();
        recorder_.undo(leaving.delta, leaving.crossings, to);
        shown_ = next;
    };
    auto redo = [this] {
        std::optional<MemoryReserve::Pause> fetching(std::in_place);
        const std::int64_t next = history_.after(shown_);
        const Frame& coming = history_.at(next);
        fetching.reset();
        recorder_.redo(coming.delta, coming.crossings, coming);
        shown_ = next;
    };
    while (shown_ != frame) {
        std::optional<MemoryReserve::Pause> fetching(std::in_place);
        const History::Leap leap = history_.leapFrom(shown_, frame);
        if (!leap.net) {
            fetching.reset();
            leap.isBack ? undo() : redo();
            continue;
        }
        const std::int64_t end = leap.isBack ? leap.from : leap.last;
        const Delta net = History::netOf(leap);
        const std::vector<Crossing> crossings = history_.crossingsOf(leap);
        const FrameHeader& to = history_.momentOf(end);
        fetching.reset();
        if (leap.isBack)
            recorder_.undo(net, crossings, to);
        else
            recorder_.redo(net, crossings, to);
        shown_ = end;
    }
}

// After a hook has cancelled a restore. A hook that refuses its old state as well keeps what it has.
void TimeRewindSys::giveStatesBack() {
    try {
        recorder_.states().restore();
    } catch (const std::exception&) {
        return;
    }
}

// After a cancelled restore. If memory runs out on the way back as well, the frame that was reached is
// shown.
void TimeRewindSys::goBack(std::int64_t from, Phase before) {
    try {
        move(from);
    } catch (const std::bad_alloc&) {
        giveStatesBack();
        if (phase_ == Phase::Leaving) dropUnrecorded();
        shownSeconds_ = history_.momentOf(shown_).globals.seconds;
        return;
    }
    phase_ == Phase::Leaving ? callOff(before) : giveStatesBack();
}

// Shows a frame. Listeners are called next, in `tell`.
void TimeRewindSys::restore(std::int64_t frame) {
    const Phase before = phase_;
    if (!isInPast()) beginRewinding();
    const std::int64_t from = shown_;
    {
        // Requests of hooks and listeners wait until it is done: a reset, another seek.
        const TickScope tick(core());
        const WorkScope scope(*this);
        try {
            unapplyBlend();
            recorder_.discardWrites();
            HookStates::Leaving leaving;
            if (phase_ == Phase::Leaving) {
                std::vector<Crossing> unrecorded = askedCrossings_;
                appendCrossings(*unrecorded_, unrecorded);
                leaving = recorder_.states().noteLeaving(recorder_.keptOnlyBy(unrecorded));
            }
            move(frame);
            recorder_.states().restore(leaving);
            if (phase_ == Phase::Leaving) dropUnrecorded();
        } catch (...) {
            // A hook refused its state, or memory ran out: everything goes back to what it was.
            goBack(from, before);
            core().reconcileAs(ReconcileMode::Restore);
            if (isInPast()) {
                core().setGlobals(history_.momentOf(shown_).globals);
                forgetDropped();
            } else {
                recorder_.births().revive(askedCrossings_);
                recorder_.forget(std::exchange(askedCrossings_, {}));
                recorder_.requests().ask(std::exchange(asked_, {}));
            }
            parts_->check(*this);
            throw;
        }
    }
    if (shown_ == from) {
        // Nothing was moved, but the tick that called this has advanced the time.
        core().setGlobals(history_.momentOf(shown_).globals);
    }
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
    blendPart_ = 0;
    display_.clear();
    fetchAhead(from);
    if (getMemory() > options_.bytes) keepBudget();
    recorder_.expectWrites();
}

// Calls listeners for the net difference.
void TimeRewindSys::tell(bool begins) {
    {
        const Reconciler::ErrorHold hold(core().reconciler());
        core().reconcileAs(ReconcileMode::Restore);
        forgetDropped();
        if (begins) {
            const CountScope announcing(parts_->announcing);
            getWorld().emit("rewindStarted");
        }
        parts_->check(*this);
    }
    core().reconciler().raiseHeldError();
}

void TimeRewindSys::show(std::int64_t frame) {
    const auto memory = core().reserveMemory();
    const bool begins = !isInPast();
    restore(history_.keptAt(frame));
    tell(begins);
}

// Prefetches the next block in the direction of a short step. Not after a leap: measured, blocks that were
// fetched for nothing made the slowest seeks wait for memory.
void TimeRewindSys::fetchAhead(std::int64_t from) {
    constexpr std::int64_t mostFrames = 120;  // at once: some dozen times the usual speed
    const bool isNear = shown_ - from <= mostFrames && from - shown_ <= mostFrames;
    if (shown_ != from && isNear) history_.fetchBeside(shown_, shown_ < from);
}

// What systems and listeners ask for acts at the next tick.
bool TimeRewindSys::mustWait() const noexcept {
    return core().isTicking() || parts_->announcing > 0;
}

void TimeRewindSys::seek(std::int64_t frame) {
    noticeReset();
    requireFrame(frame, "seek");
    wish_.stops = false;
    if (mustWait()) {
        wish_.frame = frame;
        return;
    }
    wish_.frame.reset();
    show(frame);
}

void TimeRewindSys::step(std::int64_t frames) {
    noticeReset();
    requireFrame(shown_, "step");
    const std::int64_t from = wish_.frame.value_or(shown_);
    // Clamped like time itself: a step beyond an end stays there.
    const std::int64_t back = from - history_.oldest();
    const std::int64_t forward = history_.newest() - from;
    const std::int64_t target = from + std::clamp(frames, -back, forward);
    // Frames in between may have been thinned out: a step forward leads to the next kept one.
    const std::int64_t kept = history_.keptAt(from);
    seek(target > from && history_.keptAt(target) == kept ? history_.after(kept) : target);
}

void TimeRewindSys::start() {
    noticeReset();
    wish_.stops = false;
    if (isInPast() || !hasFrames()) return;
    seek(history_.newest());
}

// Measured: asking for the time of the oldest frame unpacked its block in every tick, and evicted the
// prefetched one. So the oldest time is not asked for before it is reached.
void TimeRewindSys::moveTime(double dt) {
    const double last = history_.momentOf(history_.newest()).globals.seconds;
    const double target = std::min(shownSeconds_ - speed_ * dt, last);
    restore(history_.frameAt(target));
    const double now = history_.momentOf(shown_).globals.seconds;
    shownSeconds_ = std::max(target, now);
    if (shown_ != history_.newest()) {
        const Frame& next = history_.at(history_.after(shown_));
        const double span = next.globals.seconds - now;
        blendPart_ = span > 0 ? std::clamp((shownSeconds_ - now) / span, 0.0, 1.0) : 0;
        display_.build(core(), next.delta, blendPart_);
        if (getMemory() > options_.bytes) keepBudget();  // the next frame may have been unpacked
    }
    applyBlend();
    tell(false);
}

}  // namespace revenant
