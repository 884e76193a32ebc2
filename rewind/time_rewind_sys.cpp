#include "rewind/time_rewind_sys.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <utility>

#include "rewind/history_file.hpp"
#include "rewind/recorder.hpp"
#include "rewind/state_hash.hpp"
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
    if (options.stretchFrames == 0)
        fail(ErrorCode::BadArgument, "TimeRewindSys: a stretch has one frame at least");
}

HistoryOptions historyOptions(const RewindOptions& options) {
    HistoryOptions result;
    // A stretch is dropped as a whole: it should be a small part of the budget.
    result.stretchBytes =
        std::clamp(options.bytes / 16, std::size_t{16} << 10, std::size_t{16} << 20);
    result.stretchFrames = options.stretchFrames;
    result.inBackground = options.packInBackground;
    result.packs = options.pack;
    return result;
}

}  // namespace

TimeRewindSys::TimeRewindSys(World& world, RewindOptions options)
    : System(world, "TimeRewindSys", firstOfAll()),
      options_(options),
      recorder_(world.observer<Recorder>()),
      history_(historyOptions(options)),
      sync_(world, recorder_, history_, *this) {
    checkBudget(options_);
    if (recorder_.isOn())
        fail(ErrorCode::DuplicateSystem, "TimeRewindSys: this world has a history already");
    world.listeners().defineEvent("rewindStarted");
    world.listeners().defineEvent("rewindEnded");
}

TimeRewindSys::~TimeRewindSys() {
    if (!isRecording()) return;
    const WorkScope scope(*this);
    getWorld().setPastOnShow(false);
    if (isRewinding_) forgetFuture();
    recorder_.stop();
}

TimeRewindSys::WorkScope::WorkScope(TimeRewindSys& rewind) noexcept
    : rewind_(rewind), hold_(rewind.getWorld().reconciler()) {
    ++rewind_.workDepth_;
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
    return history_.hashOf(frame);
}

std::size_t TimeRewindSys::getMemory() const noexcept {
    return history_.bytes() + recorder_.bytes();
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
    options_ = options;
    history_.setOptions(historyOptions(options));
    keepBudget();
    getWorld().reconciler().raiseHeldError();
}

// The recorder is the world's: after a reset another history may use it.
bool TimeRewindSys::isRecording() const noexcept {
    return recorder_.isOn() && recorder_.run() == run_;
}

// After World::reset nothing is left of what the frames remember.
void TimeRewindSys::noticeReset() {
    if (isRecording() || history_.empty()) return;
    history_.clear();
    checkpoints_.clear();
    shown_ = 0;
    isRewinding_ = isResuming_ = false;
    wanted_.reset();
}

void TimeRewindSys::onTick(double dt) {
    requireRest("tick");
    noticeReset();
    if (!getWorld().isUpdating()) getWorld().passTime(dt);
    if (wanted_) {
        const std::int64_t frame = *std::exchange(wanted_, std::nullopt);
        if (history_.has(frame)) show(frame);
    } else if (isRewinding_) {
        moveTime(dt);
    } else {
        record();
        {
            const WorkScope scope(*this);
            sync_.tick(dt);
            keepBudget();
        }
        getWorld().reconciler().raiseHeldError();
    }
}

void TimeRewindSys::record() {
    const WorkScope scope(*this);
    if (!recorder_.isOn()) {
        recorder_.start();
        run_ = recorder_.run();
        isResuming_ = false;
    }
    history_.collect();
    if (isResuming_) {
        recorder_.amend(history_.open());
        history_.reweighOpen();
        isResuming_ = false;
        return;
    }
    const std::int64_t next = history_.empty() ? shown_ + 1 : history_.newest() + 1;
    Frame frame = recorder_.takeFrame(next);
    shown_ = next;
    if (history_.push(std::move(frame))) recorder_.beginStretch();
    LostSerials& lost = getWorld().forest().lostSerials;
    if (lost.wantsSweep()) lost.sweep(next, history_.oldest(), [this] { stateHash(getWorld()); });
}

void TimeRewindSys::keepBudget() {
    const WorkScope scope(*this);
    if (getMemory() > options_.bytes) history_.keepFewUnpacked(0);
    // The frame on show stays, whatever the budget.
    while (!history_.empty() && history_.oldest() < shown_ &&
           (history_.seconds() > options_.seconds || getMemory() > options_.bytes))
        recorder_.forget(history_.popOldest());
    std::erase_if(checkpoints_, [this](const auto& each) { return !history_.has(each.second); });
}

void TimeRewindSys::beginRewinding() {
    if (isRewinding_) return;
    if (history_.empty())
        fail(ErrorCode::BadArgument,
             "TimeRewindSys: the history is empty; nothing was recorded yet");
    // What was asked for and written since the last frame becomes a frame of its own, which is
    // undone and dropped: then the newest frame is on show, exactly.
    World& world = getWorld();
    const World::TickScope tick(world);
    const WorkScope scope(*this);
    world.reconcileAs(ReconcileMode::Silent);
    const Frame unrecorded = recorder_.takeFrame(history_.newest() + 1);
    recorder_.undo(unrecorded.delta, {}, history_.momentOf(history_.newest()));
    std::vector<Crossing> crossings;
    appendCrossings(unrecorded, crossings);
    recorder_.forget(crossings);
    isResuming_ = false;
    isRewinding_ = true;
    world.setPastOnShow(true);
    shown_ = history_.newest();
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
}

// Moves the world to a frame: over whole stretches where it can, else frame by frame.
void TimeRewindSys::move(std::int64_t frame) {
    auto undo = [this] {
        recorder_.undo(history_.at(shown_).delta, {}, history_.momentOf(shown_ - 1));
        --shown_;
    };
    auto redo = [this] {
        ++shown_;
        const Frame& coming = history_.at(shown_);
        recorder_.redo(coming.delta, {}, coming);
    };
    while (shown_ != frame) {
        const bool isBack = shown_ > frame;
        if (const auto leap = history_.leapFrom(shown_, frame)) {
            const std::int64_t end = isBack ? leap->first - 1 : leap->last;
            const Delta net = history_.netOf(*leap);
            const std::vector<Crossing> crossings = history_.crossingsOf(*leap);
            if (isBack)
                recorder_.undo(net, crossings, history_.momentOf(end));
            else
                recorder_.redo(net, crossings, history_.momentOf(end));
            shown_ = end;
        } else if (isBack) {
            undo();
        } else {
            redo();
        }
    }
}

// Puts a frame on show. Listeners hear of it next, in tell.
void TimeRewindSys::restore(std::int64_t frame) {
    beginRewinding();
    const std::int64_t from = shown_;
    {
        // What hooks and listeners ask for meanwhile waits: a reset, another seek.
        const World::TickScope tick(getWorld());
        const WorkScope scope(*this);
        recorder_.discardWrites();
        move(frame);
        try {
            recorder_.restoreStates();
        } catch (...) {
            // A hook would not have it: all is as it was.
            move(from);
            recorder_.restoreStates();
            getWorld().reconcileAs(ReconcileMode::Restore);
            throw;
        }
    }
    if (shown_ == from) {
        // Nothing was moved, but the tick that led here has let time pass.
        World::Globals globals = history_.momentOf(shown_).globals;
        globals.lastSerial = getWorld().getGlobals().lastSerial;
        getWorld().setGlobals(globals);
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
    getWorld().reconcileAs(ReconcileMode::Restore);
    if (begins) getWorld().emit("rewindStarted");
}

void TimeRewindSys::show(std::int64_t frame) {
    const bool begins = !isRewinding_;
    restore(frame);
    tell(begins);
}

// Who steps on in the same direction will soon want the next stretch.
void TimeRewindSys::fetchAhead(std::int64_t from) {
    if (shown_ != from) history_.fetchBeside(shown_, shown_ < from);
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
    const double first = history_.momentOf(history_.oldest()).globals.seconds;
    const double last = history_.momentOf(history_.newest()).globals.seconds;
    const double target = std::clamp(shownSeconds_ - speed_ * dt, first, last);
    restore(history_.frameAt(target));
    shownSeconds_ = target;
    if (shown_ != history_.newest()) {
        const double now = history_.momentOf(shown_).globals.seconds;
        const Frame& next = history_.at(shown_ + 1);
        const double span = next.globals.seconds - now;
        blendPart_ = span > 0 ? std::clamp((target - now) / span, 0.0, 1.0) : 0;
        display_.build(getWorld(), next.delta, blendPart_);
    }
    tell(false);
}

const std::byte* TimeRewindSys::getDisplay(Entity entity, std::string_view component) const {
    World& world = getWorld();
    const EntityRecord& record = world.requireRecord(entity, "getDisplay");
    const ComponentType& type = world.components().require(component);
    const std::byte* blended = display_.find(record.id.index, type.id);
    return blended ? blended : record.slotOf(type.id);
}

std::optional<std::vector<std::byte>> TimeRewindSys::getDisplayState(
    Entity entity, std::string_view component) const {
    World& world = getWorld();
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

std::optional<Divergence> TimeRewindSys::findDivergence(TimeRewindSys& other, std::int64_t from) {
    noticeReset();
    other.noticeReset();
    requireFrame(from, "findDivergence");
    other.requireFrame(from, "findDivergence: the other history");
    const std::int64_t last = std::min(history_.newest(), other.history_.newest());
    for (std::int64_t frame = from; frame <= last; ++frame) {
        if (history_.hashOf(frame) == other.history_.hashOf(frame)) continue;
        seek(frame);
        other.seek(frame);
        auto found = firstDifference(imageOf(getWorld()), imageOf(other.getWorld()));
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
    if (getWorld().isTicking())
        fail(ErrorCode::Reentrant, "compareFrames: a tick is under way; compare between ticks");
    const std::int64_t shown = shown_;
    seek(first);
    const WorldImage here = imageOf(getWorld());
    seek(second);
    std::vector<Divergence> found = differences(here, imageOf(getWorld()), most);
    for (Divergence& each : found) each.frame = second;
    seek(shown);
    return found;
}

void TimeRewindSys::setSyncTest(std::size_t frames) {
    sync_.setFrames(frames);
}

// What came after the frame on show has never been.
void TimeRewindSys::forgetFuture() {
    recorder_.forget(history_.truncate(shown_));
    getWorld().forest().lostSerials.truncate(shown_);
    std::erase_if(checkpoints_, [this](const auto& each) { return !history_.has(each.second); });
}

void TimeRewindSys::endRewinding() {
    // Listeners hear of what has never been; what they ask for waits.
    const World::TickScope tick(getWorld());
    const WorkScope scope(*this);
    isRewinding_ = false;
    forgetFuture();
    sync_.forgetSteps();
    blendPart_ = 0;
    display_.clear();
    recorder_.beginStretch();
    getWorld().setPastOnShow(false);
    isResuming_ = true;
}

void TimeRewindSys::stop() {
    noticeReset();
    if (isRewinding_) requireRest("stop");
    wanted_.reset();
    if (!isRewinding_) return;
    endRewinding();
    getWorld().emit("rewindEnded");
    getWorld().reconciler().raiseHeldError();
}

void TimeRewindSys::clear() {
    requireRest("clear");
    const bool wasRewinding = isRewinding_;
    if (wasRewinding) endRewinding();
    wanted_.reset();
    isResuming_ = false;
    history_.clear();
    checkpoints_.clear();
    if (isRecording()) recorder_.stop();
    if (wasRewinding) getWorld().emit("rewindEnded");
    getWorld().reconciler().raiseHeldError();
}

void TimeRewindSys::setCheckpoint(std::string name) {
    noticeReset();
    requireFrame(shown_, "setCheckpoint");
    if (name.empty()) fail(ErrorCode::BadArgument, "setCheckpoint: a checkpoint needs a name");
    checkpoints_.insert_or_assign(std::move(name), wanted_.value_or(shown_));
}

std::optional<std::int64_t> TimeRewindSys::getCheckpoint(std::string_view name) const noexcept {
    auto found = checkpoints_.find(name);
    return found == checkpoints_.end() ? std::nullopt : std::optional(found->second);
}

bool TimeRewindSys::removeCheckpoint(std::string_view name) noexcept {
    auto found = checkpoints_.find(name);
    if (found == checkpoints_.end()) return false;
    checkpoints_.erase(found);
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

// Says of which file an error tells.
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
    HistoryFile file = revenant::takeHistory(getWorld(), history_, recorder_, shown_);
    file.checkpoints = checkpoints_;
    return file;
}

void TimeRewindSys::openHistory(HistoryFile file) {
    requireRest("openHistory");
    noticeReset();
    World& world = getWorld();
    if (world.isTicking()) fail(ErrorCode::Reentrant, "a tick is under way; load between ticks");
    if (!history_.empty())
        fail(ErrorCode::WrongState,
             "there is a history already; load into a world that was made for it");
    checkFits(file, world);
    const std::int64_t shown = file.shown;
    auto checkpoints = file.checkpoints;
    {
        const WorkScope scope(*this);
        revenant::openHistory(std::move(file), world, history_, recorder_);
    }
    run_ = recorder_.run();
    shown_ = shown;
    shownSeconds_ = history_.momentOf(shown_).globals.seconds;
    checkpoints_ = std::move(checkpoints);
    isRewinding_ = true;
    isResuming_ = false;
    wanted_.reset();
    options_.seconds = std::max(options_.seconds, history_.seconds());
    options_.bytes = std::max(options_.bytes, 2 * getMemory());
    world.setPastOnShow(true);
    world.reconcileAs(ReconcileMode::Restore);
    world.emit("rewindStarted");
}

}  // namespace revenant
