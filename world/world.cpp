// Over 300 lines: the calls of one public class, most of them a line or two.
#include "world/world.hpp"

#include <utility>

#include "world/core/world_core.hpp"
#include "world/schedule/schedule_plan.hpp"
#include "world/schedule/section.hpp"

namespace revenant {

namespace {

void deferEvent(Task& task, void (World::*call)(std::string_view, Entity, const Value*),
                std::string_view event, Entity entity, const Value* detail) {
    task.defer([call, event = std::string(event), entity,
                detail = detail ? *detail : Value()](Merge& merge) {
        const Value real = merge.real(detail);
        (merge.world.*call)(event, entity == Entity() ? entity : merge.real(entity),
                            real.isNone() ? nullptr : &real);
    });
}

}  // namespace

World::World(const WorldOptions& options) : core_(new WorldCore(*this, options)) {}

World::~World() {
    delete core_;
}

World& World::getInstance() {
    static World instance;
    return instance;
}

// ---- entities

Entity World::newEntity(std::string_view name) {
    if (Task* task = core_->task()) return task->newEntity(name);
    return core_->newEntity(name);
}

void World::addEntity(Entity entity) {
    if (Task* task = core_->task()) return task->addEntity(entity);
    core_->addEntity(entity);
}

void World::removeEntity(Entity entity) {
    if (Task* task = core_->task()) {
        task->require(entity, "removeEntity");
        return task->defer(
            [entity](Merge& merge) { merge.world.removeEntity(merge.real(entity)); });
    }
    core_->removeEntity(entity);
}

std::vector<Entity> World::getAllManagedEntities() const {
    std::vector<Entity> entities;
    entities.reserve(core_->forest_.managedCount);
    core_->forEachManaged(
        [&](const EntityRecord& record) { entities.push_back(core_->entity(record.id)); });
    return entities;
}

std::vector<Entity> World::getActiveEntities() const {
    std::vector<Entity> entities;
    core_->forEachManaged([&](const EntityRecord& record) {
        if (record.active) entities.push_back(core_->entity(record.id));
    });
    return entities;
}

std::vector<Entity> World::getZombies() const {
    std::vector<Entity> entities;
    for (const OrderNode& node : core_->forest_.zombies)
        entities.push_back(core_->entity(Forest::recordOf(node).id));
    return entities;
}

Entity World::getEntity(EntityId id) const noexcept {
    return core_->forest_.pool.find(id) ? core_->entity(id) : Entity();
}

std::vector<Entity> World::findEntities(std::string_view name) const {
    return core_->findEntities(name, SIZE_MAX);
}

Entity World::findEntity(std::string_view name) const {
    const std::vector<Entity> found = core_->findEntities(name, 1);
    return found.empty() ? Entity() : found.front();
}

std::size_t World::destroyAll() {
    core_->refuseInSection("destroyAll");
    return core_->destroyAll(nullptr);
}

std::size_t World::destroyAll(std::string_view component) {
    core_->refuseInSection("destroyAll");
    return core_->destroyAll(&core_->components_.require(component));
}

void World::visitManaged(void (*call)(void* visit, Entity entity), void* visit) const {
    core_->forEachManaged(
        [&](const EntityRecord& record) { call(visit, core_->entity(record.id)); });
}

void World::setMainCharacter(Entity entity) {
    if (Task* task = core_->task())
        return task->defer(
            [entity](Merge& merge) { merge.world.setMainCharacter(merge.real(entity)); });
    core_->setMainCharacter(entity);
}

void World::setMainCamera(Entity entity) {
    if (Task* task = core_->task())
        return task->defer(
            [entity](Merge& merge) { merge.world.setMainCamera(merge.real(entity)); });
    core_->setMainCamera(entity);
}

Entity World::getMainCharacter() const {
    return core_->getMainCharacter();
}

Entity World::getMainCamera() const {
    return core_->getMainCamera();
}

// ---- the tick

void World::update(double dt) {
    core_->update(dt);
}

void World::reconcile() {
    core_->reconcile();
}

void World::reset() {
    if (Task* task = core_->task()) return task->defer([](Merge& merge) { merge.world.reset(); });
    core_->reset();
}

std::uint64_t World::getTick() const noexcept {
    return core_->getTick();
}

double World::getTime() const noexcept {
    return core_->getTime();
}

Clock World::getClock() const noexcept {
    return core_->getClock();
}

bool World::isInPast() const noexcept {
    return core_->isInPast();
}

bool World::isTicking() const noexcept {
    return core_->isTicking();
}

bool World::isResimulating() const noexcept {
    return core_->isResimulating();
}

// ---- systems

System& World::registerSystem(std::shared_ptr<System> system) {
    core_->refuseInSection("registerSystem");
    if (system && &system->getWorld() != this)
        fail(ErrorCode::OtherWorld, "registerSystem: system '", system->getName(),
             "' was made for another world");
    System* raw = system.get();
    core_->systems_.add(std::move(system));
    return *raw;
}

System& World::registerSystem(std::string name, FunctionSystem::Function function,
                              SystemOptions options) {
    if (!function)
        fail(ErrorCode::BadArgument, "registerSystem: system '", name, "' needs something to call");
    return registerSystem(std::make_shared<FunctionSystem>(
        *this, std::move(name), std::move(function), std::move(options)));
}

void World::unregisterSystem(const System& system) {
    core_->refuseInSection("unregisterSystem");
    core_->systems_.remove(system);
}

System* World::getSystem(std::string_view name) const noexcept {
    return core_->systems_.find(name);
}

const std::vector<std::shared_ptr<System>>& World::getSystems() const {
    return core_->getSystems();
}

int World::getThreads() const noexcept {
    return core_->concurrency_.threads();
}

void World::setThreads(int threads) {
    core_->refuseInSection("setThreads");
    core_->concurrency_.setThreads(threads);
}

std::string World::describeSchedule() const {
    return core_->systems_.plan(core_->components_)->describe();
}

// ---- components

ComponentTypeId World::defineTied(std::size_t cppType, ComponentSchema schema) {
    core_->refuseInSection("defineComponent");
    ComponentStore& components = core_->components_;
    if (const ComponentType* tied = components.findTied(cppType))
        fail(ErrorCode::DuplicateComponent, "component '", schema.name,
             "': its C++ type is already defined as component '", tied->schema.name, "'");
    components.reserveTie(cppType);
    const ComponentType& type = components.define(std::move(schema));
    components.tie(cppType, type.id);
    return type.id;
}

ComponentTypeId World::defineComponent(std::string name, std::vector<FieldSpec> fields) {
    core_->refuseInSection("defineComponent");
    ComponentStore& components = core_->components_;
    return components.define(makeSchema(components.strings(), std::move(name), std::move(fields)))
        .id;
}

const ComponentSchema& World::getSchema(std::string_view component) const {
    return core_->components_.require(component).schema;
}

void World::setRewindHooks(std::string_view component, std::shared_ptr<ComponentHooks> hooks) {
    core_->refuseInSection("setRewindHooks");
    core_->components_.require(component).hooks = std::move(hooks);
}

std::vector<ComponentInfo> World::getComponentTypes() const {
    return core_->getComponentTypes();
}

std::size_t World::countComponents(std::string_view component) const {
    return core_->countComponents(core_->components_.require(component));
}

const std::string& World::nameOfTied(std::size_t cppType) const {
    return core_->requireTied(cppType).schema.name;
}

void World::setVersion(std::string_view component, std::uint32_t version,
                       std::shared_ptr<Migration> migration) {
    core_->refuseInSection("setVersion");
    ComponentType& type = core_->components_.require(component);
    if (version == 0)
        fail(ErrorCode::BadArgument, "component '", component, "': versions are counted from 1");
    type.version = version;
    type.migration = std::move(migration);
}

// ---- this frame, and globals

void World::recordCollisionEvent(CollisionEvent event) {
    if (Task* task = core_->task()) {
        if (event.first != Entity()) task->require(event.first, "recordCollisionEvent");
        if (event.second != Entity()) task->require(event.second, "recordCollisionEvent");
        return task->defer([event = std::move(event)](Merge& merge) mutable {
            if (event.first != Entity()) event.first = merge.real(event.first);
            if (event.second != Entity()) event.second = merge.real(event.second);
            merge.world.recordCollisionEvent(std::move(event));
        });
    }
    core_->recordCollisionEvent(std::move(event));
}

const std::vector<CollisionEvent>& World::getCollisionEvents() const noexcept {
    return core_->collisionEvents_;
}

void World::setRenderEnv(std::any environment) {
    core_->refuseInSection("setRenderEnv");
    core_->renderEnv_ = std::move(environment);
}

const std::any& World::getRenderEnv() const noexcept {
    return core_->renderEnv_;
}

void World::setResource(std::string_view name, std::any value, ResourceOptions options) {
    if (Task* task = core_->task())
        return task->defer(
            [name = std::string(name), value = std::move(value), options](Merge& merge) mutable {
                if (auto* plain = std::any_cast<Value>(&value))
                    *plain = merge.real(std::move(*plain));
                merge.world.setResource(name, std::move(value), options);
            });
    core_->resources_.set(name, std::move(value), options);
}

const std::any* World::findResource(std::string_view name) const noexcept {
    const Resources::Resource* found = core_->resources_.find(name);
    return found ? &found->value : nullptr;
}

bool World::removeResource(std::string_view name) {
    if (Task* task = core_->task()) {
        task->defer([name = std::string(name)](Merge& merge) { merge.world.removeResource(name); });
        return core_->resources_.find(name) != nullptr;
    }
    return core_->resources_.remove(name);
}

double World::random() noexcept {
    if (Task* task = core_->task()) return task->random().uniform();
    return core_->random_.uniform();
}

std::int64_t World::random(std::int64_t first, std::int64_t last) {
    return core_->random(first, last);
}

void World::setRandomSeed(std::uint64_t seed) noexcept {
    if (Task* task = core_->task())
        return task->defer([seed](Merge& merge) { merge.world.setRandomSeed(seed); });
    core_->random_.setSeed(seed);
}

// ---- listeners

ListenerToken World::on(EventKind kind, Listener listener, ListenerOptions options) {
    core_->refuseInSection("on");
    return core_->listeners_.add(static_cast<std::uint16_t>(kind), std::move(listener), options);
}

ListenerToken World::on(std::string_view event, Listener listener, ListenerOptions options) {
    core_->refuseInSection("on");
    Listeners& listeners = core_->listeners_;
    return listeners.add(listeners.requireEvent(event), std::move(listener), options);
}

void World::off(ListenerToken token) {
    if (Task* task = core_->task())
        return task->defer([token](Merge& merge) { merge.world.off(token); });
    core_->listeners_.remove(token);
}

std::uint16_t World::defineEvent(std::string name) {
    core_->refuseInSection("defineEvent");
    return core_->listeners_.defineEvent(std::move(name));
}

void World::emit(std::string_view event, Entity entity, const Value* detail) {
    if (Task* task = core_->task()) return deferEvent(*task, &World::emit, event, entity, detail);
    core_->emit(event, entity, detail);
}

void World::queue(std::string_view event, Entity entity, const Value* detail) {
    if (Task* task = core_->task()) return deferEvent(*task, &World::queue, event, entity, detail);
    core_->queue(event, entity, detail);
}

// ---- looking inside

WorldStats World::getStats() const {
    return core_->getStats();
}

std::vector<std::string> World::validate() const {
    return core_->validate();
}

}  // namespace revenant
