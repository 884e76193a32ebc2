// The tick of a world: update, reconcile and reset.
#include <cmath>
#include <exception>
#include <functional>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/storage/string_sweep.hpp"

namespace revenant {

namespace {

void refuseReentry(const char* call, bool isReconciling, bool isTicking) {
    if (isReconciling)
        fail(ErrorCode::Reentrant, call,
             ": called from inside a reconcile (a listener?); what "
             "you ask for there takes effect at the next one");
    if (isTicking)
        fail(ErrorCode::Reentrant, call,
             ": called from inside a system's tick, where views "
             "must not change; it happens at the start of the next tick");
}

}  // namespace

void WorldCore::reconcile() {
    refuseReentry("reconcile", isReconciling(), tickDepth_ > 0);
    if (resetWanted_) resetNow();
    callAfterTick();
    // With a history, the history does it, as its frames refer to strings, too.
    if (components_.strings().wantsSweep() && !forest_.keepsRoots) {
        const auto now = static_cast<std::int64_t>(clock_);
        sweepStrings(components_, forest_.pool, now, now - 1);
    }
    reconcileAs(ReconcileMode::Ordinary);
}

// An estimate of what an operation that changes every entity may allocate.
std::size_t WorldCore::reserveBytes() const noexcept {
    constexpr std::size_t leastBytes = std::size_t{256} << 10;
    constexpr std::size_t forestBytes = 512;  // per entity: lists of what is to be done
    // What a history brings back may need a page or two (PageSource).
    constexpr std::size_t historyBytes = std::size_t{4} << 20;
    std::size_t perEntity = forestBytes;
    for (const auto& observer : observers_) perEntity += observer->bytesPerEntity();
    return leastBytes + (forest_.keepsRoots ? historyBytes : 0) + forest_.pool.alive() * perEntity;
}

void WorldCore::reconcileAs(ReconcileMode mode) {
    reconcileHeld(mode);
    reconciler_.raiseHeldError();
}

void WorldCore::reconcileHeld(ReconcileMode mode) {
    const auto memory = reserveMemory();
    const CountScope reconciling(reconcileDepth_);
    if (!listeners_.isFiring()) components_.strings().giveBackNames();
    ++clock_;
    ++reconciles_;
    for (const auto& observer : observers_) observer->onClockRaised();
    const Reconciler::ErrorHold hold(reconciler_);
    reconciler_.run(mode);
    if (mode == ReconcileMode::Ordinary) deliverQueue();
}

void WorldCore::update(double dt) {
    if (!std::isfinite(dt) || dt < 0)
        fail(ErrorCode::BadArgument,
             "update: dt must be a finite number of seconds, 0 or more, not ", dt);
    refuseReentry("update", isReconciling(), tickDepth_ > 0);
    const auto memory = reserveMemory();
    systems_.plan(components_);  // a circle of systems is found before anything moves
    ErrorList errors;
    {
        const Reconciler::ErrorHold hold(reconciler_);
        try {
            reconcile();
        } catch (...) {
            errors.add(std::current_exception());  // the systems tick all the same
        }
        passTime(dt);
        const TickScope scope(*this);
        const CountScope updating(updateDepth_);
        const std::exception_ptr systemError = systems_.tick(*this, dt);
        errors.add(std::move(reconciler_.heldErrors()));
        errors.add(systemError);
    }
    if (resetWanted_ && tickDepth_ == 0) resetNow();
    try {
        callAfterTick();
    } catch (...) {
        errors.add(std::current_exception());
    }
    errors.raise();
}

void WorldCore::callBetweenTicks(std::function<void()> call) {
    refuseInSection("a call between two ticks");
    if (isTicking())
        afterTick_ = std::move(call);
    else
        call();
}

void WorldCore::callAfterTick() {
    constexpr int deepest = 16;
    static thread_local int depth = 0;  // of calls that have asked for the next one
    if (!afterTick_ || isTicking()) return;
    const std::function<void()> call = std::exchange(afterTick_, nullptr);
    if (depth == deepest)
        fail(ErrorCode::Reentrant, "loads are nested ", deepest,
             " deep: does a listener of a load ask for another one each time?");
    const CountScope deeper(depth);
    call();
}

void WorldCore::reset() {
    afterTick_ = nullptr;
    if (isTicking())
        resetWanted_ = true;
    else
        resetNow();
}

void WorldCore::resetNow() {
    const auto memory = reserveMemory();
    resetWanted_ = false;
    inPast_ = buildsInPast_ = false;
    listeners_.clear();
    systems_.clear();
    for (const auto& observer : observers_) observer->onReset();
    collisionEvents_.clear();
    resources_.clear();
    renderEnv_.reset();
    mainCharacter_ = mainCamera_ = {};
    reconciler_.reset();
    forest_.order.clear();
    forest_.zombies.clear();
    forest_.pending.clear();
    forest_.roots.clear();
    forest_.lastSerial = 0;
    forest_.nextStraySerial = Forest::firstStraySerial;
    forest_.lostSerials.clear();
    forest_.managedCount = forest_.zombieCount = 0;
    for (std::uint32_t i = 0; i < forest_.pool.count(); ++i) {
        EntityRecord& record = forest_.pool.at(i);
        Forest::cutChildren(record);
        record.opening.linked = record.hasClosing = false;
        if (record.rest) record.rest->closing.linked = false;
        record.parent = nullptr;
        record.inRoots = false;
        forest_.pool.setUnborn(record, false);
        if (!record.alive) continue;
        components_.strings().dropName(record.name);
        forest_.pool.free(record);
    }
    components_.clear();
    seconds_ = 0;
    ticks_ = 0;
    random_.setSeed(randomSeed_);
}

}  // namespace revenant
