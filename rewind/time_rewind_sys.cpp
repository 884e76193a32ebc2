#include "rewind/time_rewind_sys.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "rewind/recorder.hpp"
#include "world/world.hpp"

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
}

}  // namespace

TimeRewindSys::TimeRewindSys(World& world, RewindOptions options)
    : System(world, "TimeRewindSys", firstOfAll()),
      options_(options),
      recorder_(world.observer<Recorder>()) {
    checkBudget(options_);
    if (recorder_.isOn())
        fail(ErrorCode::DuplicateSystem, "TimeRewindSys: this world has a history already");
    world.listeners().defineEvent("rewindStarted");
    world.listeners().defineEvent("rewindEnded");
}

TimeRewindSys::~TimeRewindSys() {
    if (recorder_.isOn()) recorder_.stop();
    getWorld().setPastOnShow(false);
}

std::optional<std::int64_t> TimeRewindSys::getFrame() const noexcept {
    return history_.empty() ? std::nullopt : std::optional(shown_);
}
std::optional<std::int64_t> TimeRewindSys::getOldestFrame() const noexcept {
    return history_.empty() ? std::nullopt : std::optional(history_.oldest());
}
std::optional<std::int64_t> TimeRewindSys::getNewestFrame() const noexcept {
    return history_.empty() ? std::nullopt : std::optional(history_.newest());
}

void TimeRewindSys::requireFrame(std::int64_t frame, const char* call) const {
    if (history_.empty())
        fail(ErrorCode::BadArgument, call, ": the history is empty; nothing was recorded yet");
    if (!history_.has(frame))
        fail(ErrorCode::BadArgument, call, ": frame ", frame, " is not kept, only ",
             history_.oldest(), " to ", history_.newest());
}

std::uint64_t TimeRewindSys::frameHash(std::int64_t frame) const {
    requireFrame(frame, "frameHash");
    return history_.at(frame).hash;
}

std::size_t TimeRewindSys::getMemory() const noexcept {
    return history_.bytes() + recorder_.bytes();
}

void TimeRewindSys::setSpeed(double speed) {
    if (!std::isfinite(speed))
        fail(ErrorCode::BadArgument, "setSpeed: the speed must be a finite number");
    speed_ = speed;
}

void TimeRewindSys::setBudget(RewindOptions options) {
    checkBudget(options);
    options_ = options;
    keepBudget();
}

// After World::reset nothing is left of what the frames remember.
void TimeRewindSys::noticeReset() {
    if (recorder_.isOn() || history_.empty()) return;
    history_.clear();
    shown_ = 0;
    isRewinding_ = isResuming_ = false;
    wanted_.reset();
}

void TimeRewindSys::onTick(double dt) {
    noticeReset();
    if (wanted_) {
        const std::int64_t frame = *std::exchange(wanted_, std::nullopt);
        if (history_.has(frame)) show(frame);
    } else if (isRewinding_) {
        moveTime(dt);
    } else {
        record();
    }
}

void TimeRewindSys::record() {
    if (!recorder_.isOn()) {
        recorder_.start();
        isResuming_ = false;
    }
    if (isResuming_) {
        isResuming_ = false;
        recorder_.amend(history_.at(shown_));
        return;
    }
    shown_ = history_.empty() ? shown_ + 1 : history_.newest() + 1;
    history_.push(recorder_.takeFrame(shown_));
    keepBudget();
}

void TimeRewindSys::keepBudget() {
    // The frame on show stays, whatever the budget.
    while (!history_.empty() && history_.oldest() < shown_ &&
           (history_.seconds() > options_.seconds || getMemory() > options_.bytes)) {
        // The oldest frame is a state; what led from it to the next goes with it.
        Frame& next = history_.at(history_.oldest() + 1);
        const std::size_t before = next.bytes();
        recorder_.forgetOldest(next);
        history_.reweigh(next, before);
        history_.popOldest();
    }
}

void TimeRewindSys::beginRewinding() {
    if (isRewinding_) return;
    if (history_.empty())
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: the history is empty; nothing was recorded yet");
    // What was asked for and written since the last frame becomes a frame of its own, which is
    // undone and dropped: then the newest frame is on show, exactly.
    World& world = getWorld();
    world.reconcileAs(ReconcileMode::Silent);
    Frame unrecorded = recorder_.takeFrame(history_.newest() + 1);
    if (isResuming_) {
        isResuming_ = false;
    }
    recorder_.undo(unrecorded, history_.at(history_.newest()), ReconcileMode::Silent);
    recorder_.forgetNewest(unrecorded);
    isRewinding_ = true;
    world.setPastOnShow(true);
    shown_ = history_.newest();
    shownSeconds_ = history_.at(shown_).globals.seconds;
}

void TimeRewindSys::show(std::int64_t frame) {
    const bool begins = !isRewinding_;
    beginRewinding();
    recorder_.discardWrites();
    while (shown_ > frame) {
        Frame& leaving = history_.at(shown_);
        const std::size_t before = leaving.bytes();
        --shown_;
        recorder_.undo(leaving, history_.at(shown_), ReconcileMode::Silent);
        history_.reweigh(leaving, before);
    }
    while (shown_ < frame) {
        Frame& coming = history_.at(++shown_);
        const std::size_t before = coming.bytes();
        recorder_.redo(coming, ReconcileMode::Silent);
        history_.reweigh(coming, before);
    }
    shownSeconds_ = history_.at(shown_).globals.seconds;
    // Listeners hear of the net difference.
    getWorld().reconcileAs(ReconcileMode::Restore);
    if (begins) getWorld().emit("rewindStarted");
}

void TimeRewindSys::seek(std::int64_t frame) {
    noticeReset();
    requireFrame(frame, "seek");
    if (getWorld().isTicking())
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
    seek(from + std::clamp(frames, -back, forward));
}

void TimeRewindSys::start() {
    noticeReset();
    if (isRewinding_) return;
    requireFrame(shown_, "start");
    seek(history_.newest());
}

void TimeRewindSys::moveTime(double dt) {
    const double first = history_.at(history_.oldest()).globals.seconds;
    const double last = history_.at(history_.newest()).globals.seconds;
    shownSeconds_ = std::clamp(shownSeconds_ - speed_ * dt, first, last);
    const double target = shownSeconds_;
    std::int64_t frame = shown_;
    // Half a microsecond: sums of dt differ from differences of sums.
    while (frame > history_.oldest() && history_.at(frame).globals.seconds > target + 5e-7) --frame;
    while (frame < history_.newest() && history_.at(frame + 1).globals.seconds <= target + 5e-7)
        ++frame;
    show(frame);
    shownSeconds_ = target;
}

void TimeRewindSys::stop() {
    noticeReset();
    wanted_.reset();
    if (!isRewinding_) return;
    isRewinding_ = false;
    while (history_.newest() > shown_) {
        recorder_.forgetNewest(history_.at(history_.newest()));
        history_.popNewest();
    }
    getWorld().setPastOnShow(false);
    isResuming_ = true;
    getWorld().emit("rewindEnded");
}

void TimeRewindSys::clear() {
    const bool wasRewinding = isRewinding_;
    if (wasRewinding) stop();
    isResuming_ = false;
    history_.clear();
    if (recorder_.isOn()) recorder_.stop();
}

}  // namespace revenant
