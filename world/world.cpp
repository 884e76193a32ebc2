#include "world/world.hpp"

#include "world/core/world_core.hpp"

namespace revenant {

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
    return core_->newEntity(name);
}

void World::addEntity(Entity entity) {
    core_->addEntity(entity);
}

void World::removeEntity(Entity entity) {
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
    return core_->destroyAll(nullptr);
}

std::size_t World::destroyAll(std::string_view component) {
    return core_->destroyAll(&core_->components_.require(component));
}

void World::visitManaged(void (*call)(void* visit, Entity entity), void* visit) const {
    core_->forEachManaged(
        [&](const EntityRecord& record) { call(visit, core_->entity(record.id)); });
}

void World::setMainCharacter(Entity entity) {
    core_->setMainCharacter(entity);
}

void World::setMainCamera(Entity entity) {
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

bool World::isPastOnShow() const noexcept {
    return core_->isPastOnShow();
}

bool World::isTicking() const noexcept {
    return core_->isTicking();
}

bool World::isResimulating() const noexcept {
    return core_->isResimulating();
}

// ---- systems

System& World::registerSystem(std::shared_ptr<System> system) {
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
    core_->systems_.remove(system);
}

System* World::getSystem(std::string_view name) const noexcept {
    return core_->systems_.find(name);
}

const std::vector<std::shared_ptr<System>>& World::getSystems() const {
    return core_->getSystems();
}

// ---- components

ComponentTypeId World::defineTied(std::size_t cppType, ComponentSchema schema) {
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
    ComponentStore& components = core_->components_;
    return components.define(makeSchema(components.strings(), std::move(name), std::move(fields)))
        .id;
}

const ComponentSchema& World::getSchema(std::string_view component) const {
    return core_->components_.require(component).schema;
}

void World::setRewindHooks(std::string_view component, std::shared_ptr<ComponentHooks> hooks) {
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
    ComponentType& type = core_->components_.require(component);
    if (version == 0)
        fail(ErrorCode::BadArgument, "component '", component, "': versions are counted from 1");
    type.version = version;
    type.migration = std::move(migration);
}

// ---- this frame, and globals

void World::recordCollisionEvent(CollisionEvent event) {
    core_->recordCollisionEvent(std::move(event));
}

const std::vector<CollisionEvent>& World::getCollisionEvents() const noexcept {
    return core_->collisionEvents_;
}

void World::setRenderEnv(std::any environment) {
    core_->renderEnv_ = std::move(environment);
}

const std::any& World::getRenderEnv() const noexcept {
    return core_->renderEnv_;
}

void World::setResource(std::string_view name, std::any value, ResourceOptions options) {
    core_->resources_.set(name, std::move(value), options);
}

const std::any* World::findResource(std::string_view name) const noexcept {
    const Resources::Resource* found = core_->resources_.find(name);
    return found ? &found->value : nullptr;
}

bool World::removeResource(std::string_view name) {
    return core_->resources_.remove(name);
}

double World::random() noexcept {
    return core_->random_.uniform();
}

std::int64_t World::random(std::int64_t first, std::int64_t last) {
    return core_->random(first, last);
}

void World::setRandomSeed(std::uint64_t seed) noexcept {
    core_->random_.setSeed(seed);
}

// ---- listeners

ListenerToken World::on(EventKind kind, Listener listener, ListenerOptions options) {
    return core_->listeners_.add(static_cast<std::uint16_t>(kind), std::move(listener), options);
}

ListenerToken World::on(std::string_view event, Listener listener, ListenerOptions options) {
    Listeners& listeners = core_->listeners_;
    return listeners.add(listeners.requireEvent(event), std::move(listener), options);
}

void World::off(ListenerToken token) {
    core_->listeners_.remove(token);
}

std::uint16_t World::defineEvent(std::string name) {
    return core_->listeners_.defineEvent(std::move(name));
}

void World::emit(std::string_view event, Entity entity, const Value* detail) {
    core_->emit(event, entity, detail);
}

void World::queue(std::string_view event, Entity entity, const Value* detail) {
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
