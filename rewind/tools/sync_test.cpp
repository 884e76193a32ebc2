#include "rewind/tools/sync_test.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "world/core/world_core.hpp"

namespace revenant {

void SyncTest::setFrames(std::size_t frames, Callback<void(double)> step) {
    frames_ = frames;
    step_ = std::move(step);
    forgetSteps();
    report_.reset();
}

void SyncTest::tick(double dt, bool isByHand) {
    if (frames_ == 0) return;
    if (isByHand && !step_)
        fail(ErrorCode::WrongState,
             "setSyncTest: the history is ticked by hand, and what the loop does cannot be run "
             "again; let "
             "world:update run the game while it is tested, or, in C++, give setSyncTest a "
             "function that "
             "does what the loop does behind tick");
    steps_.push_back(dt);
    outside_.push_back(takeOutsideImage(world_));
    if (steps_.size() > frames_ + 1) {
        steps_.pop_front();
        outside_.pop_front();
    }
    // Requests that listeners have just made would be lost otherwise.
    const bool isQuiet = world_.forest().pending.empty();
    const std::int64_t first = history_.newest() - static_cast<std::int64_t>(frames_);
    if (steps_.size() == frames_ + 1 && isQuiet && !report_ && history_.has(first) &&
        history_.isCompleteFrom(first))
        run();
}

namespace {

template <class Work>
std::exception_ptr attempt(Work work) {
    try {
        work();
    } catch (...) {
        return std::current_exception();
    }
    return nullptr;
}

struct Resimulation {
    explicit Resimulation(WorldCore& of) noexcept : world(of) { world.setResimulating(true); }
    Resimulation(const Resimulation&) = delete;
    Resimulation& operator=(const Resimulation&) = delete;
    ~Resimulation() { world.setResimulating(false); }
    WorldCore& world;
};

}  // namespace

// Calls listeners for going back, before anything is run again, as a seek does. Drops what they raise: an error in the tick
// would stop a game that has none.
void SyncTest::tell() {
    Reconciler& reconciler = world_.reconciler();
    const Reconciler::ErrorHold hold(reconciler);
    ErrorList earlier = std::exchange(reconciler.heldErrors(), {});
    const Resimulation resimulation(world_);
    world_.setInPast(true);
    const std::exception_ptr error =
        attempt([this] { world_.reconcileAs(ReconcileMode::Restore); });
    world_.setInPast(false);
    reconciler.heldErrors() = std::move(earlier);
    if (error) std::rethrow_exception(error);
}

// Runs the tick between two frames. Its errors were reported the first time; here only frames are compared.
void SyncTest::step(double dt) {
    if (step_)
        attempt([&] { step_(dt); });
    else  // Errors stay in what it returns.
        attempt([&] { world_.systems().tick(world_, dt, &self_); });
}

void SyncTest::run() {
    const std::int64_t last = history_.newest();
    const std::int64_t first = last - static_cast<std::int64_t>(frames_);
    for (std::int64_t frame = last; frame > first; --frame)
        recorder_.undo(history_.at(frame).delta, {}, history_.momentOf(frame - 1));
    std::vector<Frame> again;
    std::optional<WorldImage> image;
    std::exception_ptr error = attempt([this] { recorder_.states().restore(); });
    std::vector<Crossing> crossings;
    if (!error) error = attempt([this] { tell(); });
    if (!error) {
        error = repeat(first, last, again, image);
        if (!again.empty()) crossings = recorder_.dropRequests(again.back(), again.back().clock);
    }
    for (auto frame = again.rbegin(); frame != again.rend(); ++frame) {
        recorder_.undo(frame->delta, {}, history_.momentOf(frame->number - 1));
        appendCrossings(*frame, crossings);
    }
    const std::int64_t differs = again.empty() ? last : again.back().number;
    for (std::int64_t frame = first + 1; frame <= last; ++frame) {
        const Frame& coming = history_.at(frame);
        recorder_.redo(coming.delta, {}, coming);
        if (!image || frame != differs) continue;
        // Asks hooks for their states.
        error = attempt([&] {
            recorder_.states().restore();
            const WorldImage here = imageOf(world_);
            report_ = firstDifference(here, *image);
            if (!report_) report_.emplace().field = "the hash";  // nothing that has a name differs
            report_->frame = frame;
        });
    }
    recorder_.outsiders().notePlaces();
    if (error) recorder_.states().doubtAll();
    const std::exception_ptr refusal = attempt([this] { recorder_.states().restore(); });
    putBack(outside_.back(), world_);
    world_.reconcileAs(ReconcileMode::Restore);
    recorder_.forget(crossings);
    if (!error) error = refusal;
    if (error) std::rethrow_exception(error);
}

// Runs the frames after `first` once more, up to one that differs, of which it keeps an image. Returns the error of a hook,
// which ends the run: the last of `again` is then without states.
std::exception_ptr SyncTest::repeat(std::int64_t first, std::int64_t last,
                                    std::vector<Frame>& again, std::optional<WorldImage>& image) {
    again.reserve(static_cast<std::size_t>(last - first));
    recorder_.outsiders().notePlaces();
    recorder_.requests().await();
    recorder_.requests().askAgain();
    std::exception_ptr error;
    {
        const Resimulation resimulation(world_);
        for (std::int64_t frame = first + 1; frame <= last && !image && !error; ++frame) {
            // A frame is recorded before the systems tick: the step is that of the frame before.
            const auto step = static_cast<std::size_t>(frame - first - 1);
            const double dt = steps_[step];
            putBack(outside_[step], world_);
            this->step(dt);
            WorldGlobals globals = world_.getGlobals();
            globals.seconds = history_.momentOf(frame).globals.seconds;
            globals.ticks = history_.momentOf(frame).globals.ticks;
            world_.setGlobals(globals);
            world_.reconcileAs(ReconcileMode::Ordinary);
            error = attempt([&] { again.push_back(recorder_.takeFrame(frame)); });
            if (error)
                again.push_back(recorder_.takeStructure(frame));
            else if (again.back().hash != history_.hashOf(frame))
                error = attempt([&] { image = imageOf(world_); });
        }
    }
    return error;
}

}  // namespace revenant
