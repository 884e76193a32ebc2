// SyncTest: runs the newest frames of a history again and reports what came out differently: how to find
// what makes a game non-deterministic (a clock, an unordered map, a random number of its own).
// Entities that are not rewindable are put back, too, as they were at each of the frames: what a game is
// given from outside (its input) belongs into components of such an entity.
// Between ticks nothing of it is visible, but listeners and systems were called twice for everything.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

#include "rewind/history/history.hpp"
#include "rewind/record/outside_image.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/tools/divergence.hpp"
#include "world/callback.hpp"
#include "world/core/world_core.hpp"
#include "world/system.hpp"

namespace revenant {

class SyncTest {
public:
    SyncTest(WorldCore& world, Recorder& recorder, History& history, const System& self)
        : world_(world), recorder_(recorder), history_(history), self_(self) {}

    // How many frames are run again each tick, 0: none; and how a step of a loop of one's own is run.
    void setFrames(std::size_t frames, Callback<void(double)> step);
    std::size_t frames() const noexcept { return frames_; }
    // To be called with the dt of each tick, once its frame is recorded. Throws Error{WrongState} in a loop of
    // one's own where no step was given: what it does could not be run again.
    void tick(double dt, bool isByHand);
    // What was done since the last frame was not the systems' doing and cannot be run again.
    void forgetSteps() noexcept {
        steps_.clear();
        outside_.clear();
    }
    // The first difference there was.
    const std::optional<Divergence>& report() const noexcept { return report_; }

private:
    void run();
    void tell();
    void step(double dt);
    std::exception_ptr repeat(std::int64_t first, std::int64_t last, std::vector<Frame>& again,
                              std::optional<WorldImage>& image);

    WorldCore& world_;
    Recorder& recorder_;
    History& history_;
    const System& self_;
    std::size_t frames_ = 0;
    Callback<void(double)> step_;
    std::deque<double> steps_;          // the dt of the newest frames, the newest last
    std::deque<OutsideImage> outside_;  // what was left out of these frames
    std::optional<Divergence> report_;
};

}  // namespace revenant
