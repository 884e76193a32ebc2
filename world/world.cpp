#include "world/world.hpp"

#include <cmath>
#include <cstring>

namespace revenant {

World::World(const WorldOptions& options)
    : forest_(options.lastGeneration),
      random_(options.randomSeed),
      randomSeed_(options.randomSeed),
      reconciler_(*this) {}

World::~World() {
    // The observers look at the entities, the systems at both.
    systems_.clear();
    listeners_.clear();
    resources_.clear();
    renderEnv_.reset();
    collisionEvents_.clear();
    observers_.clear();
}

World& World::getInstance() {
    static World instance;
    return instance;
}

EntityRecord& World::requireRecord(Entity entity, const char* call) {
    if (entity.getWorld() == this) [[likely]]
        return entity.record(call);
    if (!entity.getWorld()) fail(ErrorCode::NullEntity, call, ": there is no entity");
    fail(ErrorCode::OtherWorld, call, ": entity ", describe(entity),
         " belongs to another world; worlds do not share entities");
}

Entity World::newEntity(std::string_view name) {
    EntityRecord& record =
        forest_.create(components_.strings().intern(name), components_.shapes().empty());
    record.bornAt = clock_;
    return {*this, record.id};
}

void World::addEntity(Entity entity) {
    EntityRecord& record = requireRecord(entity, "addEntity");
    refusePast(record, "addEntity");
    if (record.parent && !record.parent->wantsIn())
        fail(ErrorCode::ParentIsOut, "addEntity: ", describe(entity), " is a child of ",
             describe(Entity(*this, record.parent->id)),
             ", which is not in the world; add the parent first");
    forest_.bringIn(record);
}

void World::removeEntity(Entity entity) {
    EntityRecord& record = requireRecord(entity, "removeEntity");
    refusePast(record, "removeEntity");
    forest_.takeOut(record);
}

std::vector<Entity> World::getAllManagedEntities() const {
    std::vector<Entity> entities;
    entities.reserve(forest_.managedCount);
    forEachManaged([&](Entity entity) { entities.push_back(entity); });
    return entities;
}

std::vector<Entity> World::getActiveEntities() const {
    std::vector<Entity> entities;
    forEachManaged([&](Entity entity) {
        if (entity.isActive()) entities.push_back(entity);
    });
    return entities;
}

std::vector<Entity> World::getZombies() const {
    std::vector<Entity> entities;
    for (const OrderNode& node : forest_.zombies)
        entities.emplace_back(const_cast<World&>(*this), forest_.recordOf(node).id);
    return entities;
}

void World::setSpecial(EntityId& special, Entity entity, const char* call) {
    // No entity at all is how the role is given up.
    special = entity == Entity() ? EntityId{} : requireRecord(entity, call).id;
}

Entity World::special(EntityId id) const {
    const EntityRecord* record = forest_.pool.find(id);
    return record && record->managed ? Entity(const_cast<World&>(*this), id) : Entity();
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

void World::reconcile() {
    refuseReentry("reconcile", reconciling_, tickDepth_ > 0);
    if (resetWanted_) resetNow();
    reconcileAs(ReconcileMode::Ordinary);
}

void World::reconcileAs(ReconcileMode mode) {
    struct Guard {
        World& world;
        ~Guard() { world.reconciling_ = false; }
    };
    reconciling_ = true;
    const Guard guard{*this};
    ++clock_;
    ++reconciles_;
    for (const auto& observer : observers_) observer->onClockRaised();
    reconciler_.run(mode);
}

World::Globals World::getGlobals() const noexcept {
    return {mainCharacter_,  mainCamera_,     seconds_,          ticks_,
            random_.state(), random_.draws(), forest_.lastSerial};
}

void World::setGlobals(const Globals& globals) noexcept {
    mainCharacter_ = globals.mainCharacter;
    mainCamera_ = globals.mainCamera;
    seconds_ = globals.seconds;
    ticks_ = globals.ticks;
    random_.setState(globals.random, globals.draws);
    forest_.lastSerial = globals.lastSerial;
}

void World::refuseIfRewindable(const EntityRecord& record, const char* call) const {
    const Entity entity(const_cast<World&>(*this), record.id);
    if (entity.isRewindable())
        fail(ErrorCode::WrongState, call, ": the past is on show, and ", describe(entity),
             " is part of it; stop rewinding first");
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

void World::update(double dt) {
    if (!std::isfinite(dt) || dt < 0)
        fail(ErrorCode::BadArgument,
             "update: dt must be a finite number of seconds, 0 or more, not ", dt);
    refuseReentry("update", reconciling_, tickDepth_ > 0);
    systems_.order();  // a circle of systems is found before anything moves
    std::exception_ptr firstError;
    try {
        reconcile();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::Reentrant) throw;
        firstError = std::current_exception();
    } catch (...) {
        firstError = std::current_exception();  // a listener's: the systems tick all the same
    }
    passTime(dt);
    {
        const TickScope scope(*this);
        const UpdateScope updating(updating_);
        const std::exception_ptr systemError = systems_.tick(dt);
        if (!firstError) firstError = systemError;
    }
    if (resetWanted_ && tickDepth_ == 0) resetNow();
    if (firstError) std::rethrow_exception(firstError);
}

void World::reset() {
    if (reconciling_ || tickDepth_ > 0)
        resetWanted_ = true;
    else
        resetNow();
}

void World::resetNow() {
    resetWanted_ = false;
    pastOnShow_ = false;
    systems_.clear();
    listeners_.clear();
    for (const auto& observer : observers_) observer->onReset();
    collisionEvents_.clear();
    resources_.clear();
    renderEnv_.reset();
    mainCharacter_ = mainCamera_ = {};
    forest_.order.clear();
    forest_.zombies.clear();
    forest_.pending.clear();
    forest_.roots.clear();
    forest_.lastSerial = 0;
    forest_.lostSerials.clear();
    forest_.managedCount = forest_.zombieCount = 0;
    for (std::uint32_t i = 0; i < forest_.pool.count(); ++i) {
        EntityRecord& record = forest_.pool.at(i);
        Forest::cutChildren(record);
        record.opening.linked = record.closing.linked = record.hasClosing = false;
        record.parent = nullptr;
        record.inRoots = false;
        forest_.pool.setUnborn(record, false);
        if (record.alive) forest_.pool.free(record);
    }
    components_.clear();
    seconds_ = 0;
    ticks_ = 0;
    random_.setSeed(randomSeed_);
}

System& World::registerSystem(std::shared_ptr<System> system) {
    if (system && &system->getWorld() != this)
        fail(ErrorCode::OtherWorld, "registerSystem: system '", system->getName(),
             "' was made for another world");
    System* raw = system.get();
    systems_.add(std::move(system));
    return *raw;
}

System& World::registerSystem(std::string name, FunctionSystem::Function function,
                              SystemOptions options) {
    if (!function)
        fail(ErrorCode::BadArgument, "registerSystem: system '", name, "' needs something to call");
    return registerSystem(std::make_shared<FunctionSystem>(
        *this, std::move(name), std::move(function), std::move(options)));
}

ComponentTypeId World::defineComponent(std::string name, std::vector<FieldSpec> fields) {
    return components_.define(makeSchema(components_.strings(), std::move(name), std::move(fields)))
        .id;
}

void World::recordCollisionEvent(CollisionEvent event) {
    requireRecord(event.first, "recordCollisionEvent");
    if (event.second != Entity()) requireRecord(event.second, "recordCollisionEvent");
    collisionEvents_.push_back(std::move(event));
}

std::int64_t World::random(std::int64_t first, std::int64_t last) {
    if (first > last)
        fail(ErrorCode::BadArgument, "random: the range from ", first, " to ", last, " is empty");
    return random_.between(first, last);
}

ListenerToken World::on(EventKind kind, Listener listener) {
    return listeners_.add(static_cast<std::uint16_t>(kind), std::move(listener));
}

ListenerToken World::on(std::string_view event, Listener listener) {
    return listeners_.add(listeners_.requireEvent(event), std::move(listener));
}

void World::emit(std::string_view event, Entity entity, const Value* detail) {
    Event told;
    told.id = listeners_.requireEvent(event);
    told.entity = entity;
    if (entity.isValid()) told.name = entity.getName();
    told.detail = detail;
    std::exception_ptr firstError;
    listeners_.fire(told, firstError);
    if (firstError) std::rethrow_exception(firstError);
}

void World::dropHold(EntityId id) noexcept {
    // Of one that is gone, which is most, the record need not be fetched.
    EntityRecord* record = forest_.pool.isStale(id) ? nullptr : forest_.pool.findKnown(id);
    if (!record || record->holds == 0) return;
    if (--record->holds > 0 || record->managed || record->removed || record->unborn) return;
    record->loosened = record->dropped = true;
    forest_.touch(*record);
}

ComponentType& World::checkedForAdd(EntityRecord& record, ComponentType& type) {
    refusePast(record, "addComponent");
    if (record.shape->has(type.id)) [[unlikely]]
        fail(ErrorCode::DuplicateComponent, "addComponent: entity ",
             describe(Entity(*this, record.id)), " already has component '", type.schema.name, "'");
    if (record.shape->count() == maxComponentsPerEntity) [[unlikely]]
        fail(ErrorCode::LimitReached, "addComponent: entity ", describe(Entity(*this, record.id)),
             " has ", maxComponentsPerEntity, " components already, no more fit");
    return type;
}

std::byte* World::bind(EntityRecord& record, ComponentType& type, const void* bytes) {
    std::byte* slot = components_.bind(forest_.pool, record, type, clock_);
    std::memcpy(slot, bytes, type.schema.size);
    forest_.touchIfManaged(record);
    return slot;
}

void World::unbind(EntityRecord& record, ComponentType& type) {
    refusePast(record, "removeComponent");
    if (!record.shape->has(type.id)) missingComponent(record, type);
    components_.unbind(record, type, clock_);
    forest_.touchIfManaged(record);
}

void World::missingComponent(const EntityRecord& record, const ComponentType& type) {
    fail(ErrorCode::MissingComponent, "entity ", describe(Entity(*this, record.id)),
         " has no component '", type.schema.name, "'");
}

WorldStats World::getStats() const {
    WorldStats stats;
    stats.managed = forest_.managedCount;
    stats.zombies = forest_.zombieCount;
    stats.detached = forest_.pool.alive() - stats.managed - stats.zombies;
    forEachManaged([&](Entity entity) { stats.active += entity.isActive() ? 1 : 0; });
    forest_.pending.forEach([&](const EntityRecord& record) {
        stats.pending += Forest::hasChangeWaiting(record) ? 1 : 0;
    });
    stats.retiredSlots = forest_.pool.retired();
    stats.reconciles = reconciles_;
    stats.lastLeft = static_cast<std::uint32_t>(reconciler_.lastChanges().left.size());
    stats.lastChanged = static_cast<std::uint32_t>(reconciler_.lastChanges().changed.size());
    stats.relabelled = forest_.order.relabelled();
    stats.componentTypes = components_.count();
    stats.shapes = components_.shapes().all().size();
    stats.strings = components_.strings().count();
    stats.entityBytes = forest_.pool.bytes();
    for (std::size_t i = 0; i < components_.count(); ++i) {
        const ComponentPool& pool = components_.at(static_cast<ComponentTypeId>(i)).pool;
        stats.componentBytes += pool.bytes();
        stats.liveComponentBytes += pool.live() * pool.size();
    }
    return stats;
}

}  // namespace revenant
