// Play resumes: TimeRewindSys goes on from the current frame.
#include "rewind/record/recorder.hpp"
#include "rewind/time_rewind_parts.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

// Drops every frame after the current one.
void TimeRewindSys::forgetFuture() {
    recorder_.requests().await();
    recorder_.forget(history_.truncate(shown_));
    recorder_.births().adoptStrays(history_.momentOf(shown_));
    recorder_.outsiders().watchDetached();
    core().forest().lostSerials.truncate(shown_);
    core().components().strings().forgetSweepsAfter(shown_);
    std::erase_if(parts_->checkpoints,
                  [this](const auto& each) { return !history_.has(each.second); });
}

void TimeRewindSys::endRewinding() {
    // Listeners are called for the dropped future; their requests wait.
    const TickScope tick(core());
    const WorkScope scope(*this);
    unapplyBlend();
    enter(Phase::Resuming);
    forgetFuture();
    sync_.forgetSteps();
    blendPart_ = 0;
    display_.clear();
    recorder_.beginBlock();
    core().setInPast(false);
    core().holdQueueOnce();
    keepBudget();  // frames that were packed are unpacked again, to be added to
}

void TimeRewindSys::resume() {
    endRewinding();
    getWorld().emit("rewindEnded");
    parts_->check(*this);
    core().reconciler().raiseHeldError();
}

void TimeRewindSys::stop() {
    noticeReset();
    if (mustWait()) {
        wish_.stops = isInPast() || wish_.frame;
        return;
    }
    const auto memory = core().reserveMemory();
    wish_.frame.reset();
    if (isInPast()) resume();
}

}  // namespace revenant
