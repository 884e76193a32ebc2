#include "world/core/world_core.hpp"

#include <cmath>
#include <utility>

#include "world/storage/string_sweep.hpp"

namespace revenant {

WorldCore::WorldCore(World& world, const WorldOptions& options)
    : world_(world),
      forest_(options.lastGeneration),
      random_(options.randomSeed),
      randomSeed_(options.randomSeed),
      reconciler_(*this) {}

void WorldCore::renew(World& world) {
    auto fresh = std::make_unique<WorldCore>(world, WorldOptions{});
    delete world.core_;
    world.core_ = fresh.release();
}

WorldCore::~WorldCore() {
    // The observers look at the entities, the systems at both. No listener hears of what ends with a history.
    listeners_.clear();
    systems_.clear();
    resources_.clear();
    renderEnv_.reset();
    collisionEvents_.clear();
    observers_.clear();
}

EntityRecord& WorldCore::requireRecord(Entity entity, const char* call) {
    if (entity.getWorld() == &world_) [[likely]]
        return requireRecord(entity.getId(), call);
    if (!entity.getWorld()) fail(ErrorCode::NullEntity, call, ": there is no entity");
    fail(ErrorCode::OtherWorld, call, ": entity ", describe(entity),
         " belongs to another world; worlds do not share entities");
}

void WorldCore::throwStale(EntityId id, const char* call) const {
    if (id.isNull()) fail(ErrorCode::NullEntity, call, ": there is no entity");
    if (isUnborn(id))
        fail(ErrorCode::StaleEntity, call, ": entity ", describe(entity(id)),
             " is not born yet in the past on show; it is valid again when time moves forward");
    fail(ErrorCode::StaleEntity, call, ": entity ", describe(entity(id)),
         " was destroyed; drop the handle or check isValid first");
}

bool WorldCore::isUnborn(EntityId id) const noexcept {
    if (id.index >= forest_.pool.count()) return false;
    const EntityRecord& record = forest_.pool.at(id.index);
    return record.unborn && record.id == id;
}

Entity WorldCore::newEntity(std::string_view name) {
    StringTable& strings = components_.strings();
    const StringId id = strings.useName(name);
    try {
        EntityRecord& record = forest_.create(id, components_.shapes().empty(), pastOnShow_);
        // What listeners make is there before the frame of this reconcile is recorded.
        record.bornAt = reconciling_ ? clock_ - 1 : clock_;
        forest_.lastBirth = record.bornAt;
        return entity(record.id);
    } catch (...) {
        strings.dropName(id);
        throw;
    }
}

void WorldCore::addEntity(Entity entity) {
    EntityRecord& record = requireRecord(entity, "addEntity");
    refusePast(record, "addEntity");
    if (record.parent && !record.parent->wantsIn())
        fail(ErrorCode::ParentIsOut, "addEntity: ", describe(entity), " is a child of ",
             describe(this->entity(record.parent->id)),
             ", which is not in the world; add the parent first");
    forest_.bringIn(record);
}

void WorldCore::removeEntity(Entity entity) {
    EntityRecord& record = requireRecord(entity, "removeEntity");
    refusePast(record, "removeEntity");
    forest_.takeOut(record);
}

void WorldCore::setSpecial(EntityId& special, Entity entity, const char* call) {
    // No entity at all is how the role is given up.
    if (entity == Entity()) {
        special = {};
        return;
    }
    const EntityRecord& record = requireRecord(entity, call);
    // Frames name it, whatever becomes of it: its serial outlives it.
    if (!record.managed) components_.noteEntityFields();
    special = record.id;
}

Entity WorldCore::special(EntityId id) const {
    const EntityRecord* record = forest_.pool.find(id);
    return record && record->managed ? entity(id) : Entity();
}

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
    refuseReentry("reconcile", reconciling_, tickDepth_ > 0);
    if (resetWanted_) resetNow();
    callAfterTick();
    // With a history, the history does it: its frames need strings, too.
    if (components_.strings().wantsSweep() && !forest_.keepsRoots) {
        const auto now = static_cast<std::int64_t>(clock_);
        sweepStrings(components_, forest_.pool, now, now - 1);
    }
    reconcileAs(ReconcileMode::Ordinary);
}

// What an operation that changes every entity may allocate, about.
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
    struct Guard {
        WorldCore& world;
        ~Guard() { world.reconciling_ = false; }
    };
    const auto memory = reserveMemory();
    reconciling_ = true;
    const Guard guard{*this};
    if (!listeners_.isFiring()) components_.strings().giveBackNames();
    ++clock_;
    ++reconciles_;
    for (const auto& observer : observers_) observer->onClockRaised();
    const Reconciler::ErrorHold hold(reconciler_);
    reconciler_.run(mode);
    if (mode == ReconcileMode::Ordinary) deliverQueue();
}

WorldGlobals WorldCore::getGlobals() const noexcept {
    return {mainCharacter_,  mainCamera_,     seconds_,          ticks_,
            random_.state(), random_.draws(), forest_.lastSerial};
}

void WorldCore::setGlobals(const WorldGlobals& globals) noexcept {
    mainCharacter_ = globals.mainCharacter;
    mainCamera_ = globals.mainCamera;
    seconds_ = globals.seconds;
    ticks_ = globals.ticks;
    random_.setState(globals.random, globals.draws);
    forest_.lastSerial = globals.lastSerial;
}

void WorldCore::refuseIfRewindable(const EntityRecord& record, const char* call) const {
    const Entity entity = this->entity(record.id);
    if (!entity.isRewindable() || (mayBuild(record) && std::string_view(call) != "addEntity"))
        return;
    const bool isNew = !record.managed && !record.remembered;
    fail(ErrorCode::PastOnShow, call, ": the past is on show, and ", describe(entity),
         isNew ? " would become part of it" : " is part of it",
         "; stop rewinding first, keep it out of the history with setRewindable(false) before, or "
         "let such calls wait for play to resume with the option inThePast = \"defer\" of "
         "TimeRewindSys");
}

namespace {

class UpdateScope {
public:
    explicit UpdateScope(bool& updating) noexcept : updating_(updating) { updating_ = true; }
    UpdateScope(const UpdateScope&) = delete;
    UpdateScope& operator=(const UpdateScope&) = delete;
    ~UpdateScope() { updating_ = false; }

private:
    bool& updating_;
};

}  // namespace

void WorldCore::update(double dt) {
    if (!std::isfinite(dt) || dt < 0)
        fail(ErrorCode::BadArgument,
             "update: dt must be a finite number of seconds, 0 or more, not ", dt);
    refuseReentry("update", reconciling_, tickDepth_ > 0);
    const auto memory = reserveMemory();
    systems_.order();  // a circle of systems is found before anything moves
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
        const UpdateScope updating(updating_);
        const std::exception_ptr systemError = systems_.tick(dt);
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
    if (reconciling_ || tickDepth_ > 0)
        afterTick_ = std::move(call);
    else
        call();
}

void WorldCore::callAfterTick() {
    if (!afterTick_ || reconciling_ || tickDepth_ > 0) return;
    std::exchange(afterTick_, nullptr)();
}

void WorldCore::reset() {
    afterTick_ = nullptr;
    if (reconciling_ || tickDepth_ > 0)
        resetWanted_ = true;
    else
        resetNow();
}

void WorldCore::resetNow() {
    const auto memory = reserveMemory();
    resetWanted_ = false;
    pastOnShow_ = buildsInPast_ = false;
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
        record.opening.linked = record.closing.linked = record.hasClosing = false;
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

std::int64_t WorldCore::random(std::int64_t first, std::int64_t last) {
    if (first > last)
        fail(ErrorCode::BadArgument, "random: the range from ", first, " to ", last, " is empty");
    return random_.between(first, last);
}

void WorldCore::dropHold(EntityId id) noexcept {
    // Of one that is gone, which is most, the record need not be fetched.
    EntityRecord* record = forest_.pool.isStale(id) ? nullptr : forest_.pool.findKnown(id);
    if (!record || record->holds == 0) return;
    if (--record->holds > 0 || record->managed || record->removed || record->unborn) return;
    record->loosened = record->dropped = true;
    forest_.touch(*record);
}

}  // namespace revenant
