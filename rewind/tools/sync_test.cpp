#include "rewind/tools/sync_test.hpp"

#include <exception>
#include <vector>

#include "world/core/world_core.hpp"

namespace revenant {

void SyncTest::setFrames(std::size_t frames) {
    frames_ = frames;
    forgetSteps();
    report_.reset();
}

void SyncTest::tick(double dt) {
    if (frames_ == 0) return;
    steps_.push_back(dt);
    outside_.push_back(takeOutsideImage(world_));
    if (steps_.size() > frames_ + 1) {
        steps_.pop_front();
        outside_.pop_front();
    }
    // What listeners have just asked for would be lost.
    const bool isQuiet = world_.forest().pending.empty();
    const std::int64_t first = history_.newest() - static_cast<std::int64_t>(frames_);
    if (steps_.size() == frames_ + 1 && isQuiet && !report_ && history_.has(first) &&
        history_.isCompleteFrom(first))
        run();
}

void SyncTest::run() {
    const std::int64_t last = history_.newest();
    const std::int64_t first = last - static_cast<std::int64_t>(frames_);
    for (std::int64_t frame = last; frame > first; --frame)
        recorder_.undo(history_.at(frame).delta, {}, history_.momentOf(frame - 1));
    recorder_.restoreStates();

    struct Resimulation {
        explicit Resimulation(WorldCore& of) noexcept : world(of) { world.setResimulating(true); }
        Resimulation(const Resimulation&) = delete;
        Resimulation& operator=(const Resimulation&) = delete;
        ~Resimulation() { world.setResimulating(false); }
        WorldCore& world;
    };
    std::optional<Resimulation> resimulation(world_);
    std::vector<Frame> again;
    std::optional<WorldImage> image;
    for (std::int64_t frame = first + 1; frame <= last && !image; ++frame) {
        // A frame is recorded before the systems tick: the step is that of the frame before.
        const auto step = static_cast<std::size_t>(frame - first - 1);
        const double dt = steps_[step];
        putBack(outside_[step], world_);
        const auto systems = world_.getSystems();
        for (const auto& system : systems) {
            if (system.get() == &self_) continue;
            try {
                system->tick(dt);
            } catch (const std::exception&) {
                // It was told of when the step ran first; here the frames tell.
            }
        }
        WorldGlobals globals = world_.getGlobals();
        globals.seconds = history_.momentOf(frame).globals.seconds;
        globals.ticks = history_.momentOf(frame).globals.ticks;
        world_.setGlobals(globals);
        world_.reconcileAs(ReconcileMode::Ordinary);
        again.push_back(recorder_.takeFrame(frame));
        if (again.back().hash != history_.hashOf(frame)) image = imageOf(world_);
    }

    resimulation.reset();
    std::vector<Crossing> crossings;
    for (auto frame = again.rbegin(); frame != again.rend(); ++frame) {
        recorder_.undo(frame->delta, {}, history_.momentOf(frame->number - 1));
        appendCrossings(*frame, crossings);
    }
    const std::int64_t differs = again.empty() ? last : again.back().number;
    for (std::int64_t frame = first + 1; frame <= last; ++frame) {
        const Frame& coming = history_.at(frame);
        recorder_.redo(coming.delta, {}, coming);
        if (!image || frame != differs) continue;
        recorder_.restoreStates();
        const WorldImage here = imageOf(world_);
        report_ = firstDifference(here, *image);
        if (!report_) report_.emplace().field = "the hash";  // nothing that has a name differs
        report_->frame = frame;
    }
    recorder_.restoreStates();
    putBack(outside_.back(), world_);
    recorder_.forget(crossings);
    world_.reconcileAs(ReconcileMode::Restore);
}

}  // namespace revenant
