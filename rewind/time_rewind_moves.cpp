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
    // What was written since the last frame becomes a frame of its own, which is undone; what was asked
    // for is taken back before: then the newest frame is on show, exactly.
    WorldCore& world = core();
    const TickScope tick(world);
    const WorkScope scope(*this);
    asked_ = recorder_.takeRequests();
    unrecorded_ = takeFrame(history_.newest() + 1, true);
    askedCrossings_ =
        recorder_.dropRequests(*unrecorded_, history_.momentOf(history_.newest()).clock);
    recorder_.undo(unrecorded_->delta, {}, history_.momentOf(history_.newest()));
    std::vector<Crossing> written;
    appendCrossings(*unrecorded_, written);
    recorder_.disregard(written);
    recorder_.disregard(askedCrossings_);
    isResuming_ = false;
    isRewinding_ = true;
    world.setPastOnShow(true);
    shown_ = history_.newest();
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
}

// Nothing of it has been. Listeners hear of it first.
void TimeRewindSys::dropUnrecorded() {
    dropped_ = std::exchange(askedCrossings_, {});
    appendCrossings(*unrecorded_, dropped_);
    unrecorded_.reset();
    asked_.clear();
    recorder_.postponeRequests();
}

void TimeRewindSys::forgetDropped() {
    const TickScope tick(core());
    const WorkScope scope(*this);
    recorder_.forget(std::exchange(dropped_, {}));
}

// Play goes on as if nobody had asked to rewind; nobody has heard that it began.
void TimeRewindSys::callOff(bool wasResuming) {
    recorder_.redo(unrecorded_->delta, {}, *unrecorded_);
    giveStatesBack();
    isRewinding_ = false;
    isResuming_ = wasResuming;
    sync_.forgetSteps();
    core().setPastOnShow(false);
}

// Moves the world to a frame: over whole stretches where it can, else frame by frame.
void TimeRewindSys::move(std::int64_t frame) {
    // Frames are fetched without the reserve: if there is no memory for that, a frame is on show all
    // the same.
    auto undo = [this] {
        std::optional<MemoryReserve::Pause> fetching(std::in_place);
        const Frame& leaving = history_.at(shown_);
        const std::int64_t next = history_.before(shown_);
        const Frame& to = history_.momentOf(next);
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
        const Frame& to = history_.momentOf(end);
        fetching.reset();
        if (leap.isBack)
            recorder_.undo(net, crossings, to);
        else
            recorder_.redo(net, crossings, to);
        shown_ = end;
    }
}

// After a hook has called a restore off. One that refuses its old state as well has it still.
void TimeRewindSys::giveStatesBack() {
    try {
        recorder_.restoreStates();
    } catch (const std::exception&) {
        return;
    }
}

// After a restore was called off. Where there is no memory for the way back either, the frame that it
// came to is on show.
void TimeRewindSys::goBack(std::int64_t from, bool begins, bool wasResuming) {
    try {
        move(from);
    } catch (const std::bad_alloc&) {
        giveStatesBack();
        if (begins) dropUnrecorded();
        shownSeconds_ = history_.momentOf(shown_).globals.seconds;
        return;
    }
    begins ? callOff(wasResuming) : giveStatesBack();
}

// Puts a frame on show. Listeners hear of it next, in tell.
void TimeRewindSys::restore(std::int64_t frame) {
    const bool begins = !isRewinding_;
    const bool wasResuming = isResuming_;
    if (begins) beginRewinding();
    const std::int64_t from = shown_;
    {
        // What hooks and listeners ask for meanwhile waits: a reset, another seek.
        const TickScope tick(core());
        const WorkScope scope(*this);
        try {
            unapplyBlend();
            recorder_.discardWrites();
            move(frame);
            recorder_.restoreStates();
            if (begins) dropUnrecorded();
        } catch (...) {
            // A hook would not have it, or there is no memory: all is as it was.
            goBack(from, begins, wasResuming);
            core().reconcileAs(ReconcileMode::Restore);
            if (isRewinding_) {
                forgetDropped();
            } else {
                recorder_.revive(askedCrossings_);
                recorder_.forget(std::exchange(askedCrossings_, {}));
                recorder_.ask(std::exchange(asked_, {}));
            }
            throw;
        }
    }
    if (shown_ == from) {
        // Nothing was moved, but the tick that led here has let time pass.
        core().setGlobals(history_.momentOf(shown_).globals);
    }
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
    blendPart_ = 0;
    display_.clear();
    fetchAhead(from);
    if (getMemory() > options_.bytes) keepBudget();
    recorder_.expectWrites();
}

// Listeners hear of the net difference.
void TimeRewindSys::tell(bool begins) {
    {
        const Reconciler::ErrorHold hold(core().reconciler());
        core().reconcileAs(ReconcileMode::Restore);
        forgetDropped();
        if (begins) getWorld().emit("rewindStarted");
    }
    core().reconciler().raiseHeldError();
}

void TimeRewindSys::show(std::int64_t frame) {
    const auto memory = core().reserveMemory();
    const bool begins = !isRewinding_;
    restore(history_.keptAt(frame));
    tell(begins);
}

// Who steps on in the same direction will soon want the next stretch. Who leaps will not: measured,
// what was fetched for nobody made the slowest seeks wait for memory.
void TimeRewindSys::fetchAhead(std::int64_t from) {
    constexpr std::int64_t mostFrames = 120;  // at once: some dozen times the usual speed
    const bool isNear = shown_ - from <= mostFrames && from - shown_ <= mostFrames;
    if (shown_ != from && isNear) history_.fetchBeside(shown_, shown_ < from);
}

void TimeRewindSys::seek(std::int64_t frame) {
    noticeReset();
    requireFrame(frame, "seek");
    wantsStop_ = false;
    if (core().isTicking())
        wanted_ = frame;
    else
        show(frame);
}

void TimeRewindSys::step(std::int64_t frames) {
    noticeReset();
    requireFrame(shown_, "step");
    const std::int64_t from = wanted_.value_or(shown_);
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
    wantsStop_ = false;
    if (isRewinding_ || !hasFrames()) return;
    seek(history_.newest());
}

// Measured: asking for the time of the oldest frame unpacked its stretch in every tick, and let go of
// the one that had been fetched ahead. So its end of time is found when it is reached.
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
    }
    applyBlend();
    tell(false);
}

// Has hooks move what is theirs to where it stands between two frames.
void TimeRewindSys::applyBlend() {
    if (!appliesBlend_ || blendPart_ <= 0) return;
    const TickScope tick(core());
    const WorkScope scope(*this);
    std::vector<std::byte> unused;
    const auto states = display_.states();  // a hook may do anything
    for (const auto& [key, pair] : states) {
        unused.clear();
        applied_.push_back(key);
        try {
            if (!key.id.isNull()) {
                const ComponentType& type =
                    core().components().at(static_cast<ComponentTypeId>(key.what));
                const EntityRecord* record = core().forest().pool.find(key.id);
                const std::byte* slot = record ? record->slotOf(type.id) : nullptr;
                if (type.hooks && slot)
                    type.hooks->lerpRewindState(key.id, slot, pair.first, pair.second, blendPart_,
                                                unused);
            } else if (key == requestsKey) {
                continue;
            } else if (System* system =
                           getWorld().getSystem(recorder_.stateNames()[key.what].substr(1));
                       system && system->hasRewindState()) {
                system->lerpRewindState(hookedPart(pair.first), hookedPart(pair.second), blendPart_,
                                        unused);
            }
        } catch (...) {
            core().reconciler().heldErrors().add(std::current_exception());
        }
    }
}

// Gives them back the state of the frame.
void TimeRewindSys::unapplyBlend() {
    const auto keys = std::exchange(applied_, {});
    if (!keys.empty()) recorder_.giveStates(keys);
}

// Drops every frame after the current one.
void TimeRewindSys::forgetFuture() {
    recorder_.awaitRequests();
    recorder_.forget(history_.truncate(shown_));
    recorder_.adoptStrays(history_.momentOf(shown_));
    core().forest().lostSerials.truncate(shown_);
    core().components().strings().forgetSweepsAfter(shown_);
    std::erase_if(checkpoints_, [this](const auto& each) { return !history_.has(each.second); });
}

void TimeRewindSys::endRewinding() {
    // Listeners hear of what has never been; what they ask for waits.
    const TickScope tick(core());
    const WorkScope scope(*this);
    unapplyBlend();
    isRewinding_ = false;
    forgetFuture();
    sync_.forgetSteps();
    blendPart_ = 0;
    display_.clear();
    recorder_.beginStretch();
    core().setPastOnShow(false);
    core().holdQueueOnce();
    isResuming_ = true;
    keepBudget();  // frames that were packed are unpacked again, to be added to
}

void TimeRewindSys::resume() {
    endRewinding();
    getWorld().emit("rewindEnded");
    core().reconciler().raiseHeldError();
}

void TimeRewindSys::stop() {
    noticeReset();
    if (core().isTicking()) {
        wantsStop_ = isRewinding_ || wanted_;
        return;
    }
    const auto memory = core().reserveMemory();
    wanted_.reset();
    if (isRewinding_) resume();
}

}  // namespace revenant
