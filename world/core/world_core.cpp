#include "world/core/world_core.hpp"

#include <utility>

#include "world/schedule/provisional_id.hpp"

namespace revenant {

WorldCore::WorldCore(World& world, const WorldOptions& options)
    : world_(world),
      forest_(options.lastGeneration),
      random_(options.randomSeed),
      randomSeed_(options.randomSeed),
      reconciler_(*this),
      concurrency_(*this, options.threads) {}

void WorldCore::renew(World& world) {
    auto fresh = std::make_unique<WorldCore>(
        world, WorldOptions{.threads = world.core_->concurrency_.threads()});
    delete world.core_;
    world.core_ = fresh.release();
}

WorldCore::~WorldCore() {
    // Observers read entities, and systems read both. Entities that end with a history call no listener.
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
    if (ProvisionalId::isOne(id))
        fail(ErrorCode::StaleEntity, call,
             ": the entity was made by a system that ticks beside others, and such a handle is "
             "good only in the tick of that "
             "system, for what waits for the merge; find the entity by a view or a listener, or "
             "keep its id in a component");
    if (isUnborn(id))
        fail(ErrorCode::StaleEntity, call, ": entity ", describe(entity(id)),
             " is not born yet in the past that is shown; it is valid again when time moves "
             "forward");
    fail(ErrorCode::StaleEntity, call, ": entity ", describe(entity(id)),
         " was destroyed; drop the handle or check isValid first");
}

bool WorldCore::isUnborn(EntityId id) const noexcept {
    if (id.index >= forest_.pool.count()) return false;
    const EntityRecord& record = forest_.pool.at(id.index);
    return record.unborn && record.id == id;
}

Entity WorldCore::newEntity(std::string_view name) {
    return entity(newEntity(components_.strings().useName(name)).id);
}

EntityRecord& WorldCore::newEntity(StringId name) {
    try {
        EntityRecord& record = forest_.create(name, components_.shapes().empty(), inPast_);
        // Entities that listeners make exist before the frame of this reconcile is recorded.
        record.bornAt = isReconciling() ? clock_ - 1 : clock_;
        forest_.lastBirth = record.bornAt;
        return record;
    } catch (...) {
        components_.strings().dropName(name);
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
    // A null entity clears the role.
    if (entity == Entity()) {
        special = {};
        return;
    }
    const EntityRecord& record = requireRecord(entity, call);
    // Frames refer to the entity by its serial, which outlives it.
    if (!record.managed) components_.noteEntityFields();
    special = record.id;
}

Entity WorldCore::special(EntityId id) const {
    const EntityRecord* record = forest_.pool.find(id);
    return record && record->managed ? entity(id) : Entity();
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
    fail(ErrorCode::InPast, call, ": the past is shown, and ", describe(entity),
         isNew ? " would become part of it" : " is part of it",
         "; stop rewinding first, keep it out of the history with setRewindable(false) before, or "
         "let such calls wait for play to resume with the option inThePast = \"defer\" of "
         "TimeRewindSys");
}

void WorldCore::throwInSection(const char* call) const {
    const Task* task = this->task();
    fail(ErrorCode::WrongState, call, ": system '", task ? task->name() : std::string("?"),
         "' ticks beside others, where this can be neither done nor kept for later; set "
         "SystemOptions::onMainThread, or do it in a listener of an event that the system emits");
}

std::int64_t WorldCore::random(std::int64_t first, std::int64_t last) {
    if (first > last)
        fail(ErrorCode::BadArgument, "random: the range from ", first, " to ", last, " is empty");
    if (Task* task = this->task()) return task->random().between(first, last);
    return random_.between(first, last);
}

void WorldCore::dropHold(EntityId id) noexcept {
    // Most are gone, and their records need not be fetched.
    EntityRecord* record = forest_.pool.isStale(id) ? nullptr : forest_.pool.findKnown(id);
    if (!record || record->holds == 0) return;
    if (--record->holds > 0 || !record->isOut() || record->removed) return;
    record->loosened = record->dropped = true;
    forest_.touch(*record);
}

}  // namespace revenant
