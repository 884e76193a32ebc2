// The parts of TimeRewindSys, whose types its public header does not show. Not installed.
#pragma once

#include <optional>
#include <vector>

#include "rewind/file/history_file.hpp"
#include "rewind/history/history.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "rewind/tools/display_blend.hpp"
#include "rewind/tools/sync_test.hpp"
#include "world/core/reconciler.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

// Throws Error{BadArgument} for a budget that makes no sense.
void checkBudget(const RewindOptions& options);
HistoryOptions historyOptions(const RewindOptions& options);

// Owned by its TimeRewindSys, which has a reference to each member.
struct TimeRewindSys::Parts {
    Parts(TimeRewindSys& rewind, Recorder& recorder, const HistoryOptions& options)
        : history(options), sync(rewind.core(), recorder, history, rewind) {}

    // In validating builds, asserts that TimeRewindSys::validate finds nothing. Called for each frame that is
    // recorded or shown; a large history is checked for some of them.
    void check(const TimeRewindSys& rewind);

    History history;
    std::optional<Frame> unrecorded;
    std::vector<Request> asked;
    std::vector<Crossing> askedCrossings;
    std::vector<Crossing> dropped;
    // Of the first frame, or requests of the only one, until the next is recorded.
    std::vector<Crossing> first;
    SyncTest sync;
    DisplayBlend display;
    std::vector<StateKey> applied;
    HistoryFile::Checkpoints checkpoints;
    std::size_t unchecked = 0;  // frames since the last check
    int announcing = 0;         // listeners of rewindStarted are called
};

// While frames are recorded, restored or dropped, hooks and listeners run that could pull the history from
// under it: calls that would do so are refused meanwhile, and errors of listeners wait until all is done.
class TimeRewindSys::WorkScope {
public:
    explicit WorkScope(TimeRewindSys& rewind) noexcept
        : depth_(rewind.workDepth_), hold_(rewind.core().reconciler()) {}

private:
    CountScope depth_;
    Reconciler::ErrorHold hold_;
};

}  // namespace revenant
