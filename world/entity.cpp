#include "world/entity.hpp"

#include <utility>

#include "world/core/world_core.hpp"

namespace revenant {

namespace {

ComponentType& requireType(const Entity& entity, const char* call, std::string_view name) {
    if (ComponentType* type = WorldCore::of(entity).components().find(name)) return *type;
    fail(ErrorCode::UnknownComponent, call, ": entity ", describe(entity),
         ": no component is named '", name, "'; define it with defineComponent first");
}

// Does something with a field; an error also tells whose field it was.
template <class Access>
auto withField(const Entity& entity, const char* call, Access access) {
    try {
        return access();
    } catch (const Error& error) {
        fail(error.code(), call, ": entity ", describe(entity), ": ", error.what());
    }
}

// The value with none for entities that are not there any more.
Value withoutLost(const EntityPool& pool, Value value) {
    if (const auto* id = value.as<EntityId>(); id && !pool.find(*id)) return EntityId{};
    if (auto* values = std::get_if<ValueArray>(&value))
        for (Value& each : *values) each = withoutLost(pool, std::move(each));
    return value;
}

// One that its ancestors kept out of the past on show must not come into it by leaving them.
[[noreturn]] void throwNewcomer(const Entity& entity, const char* call) {
    fail(ErrorCode::PastOnShow, call, ": the past is on show, and ", describe(entity),
         " would become part of it; stop rewinding first, or make it non-rewindable itself with "
         "setRewindable(false)");
}

}  // namespace

std::string_view nameOf(EntityState state) noexcept {
    static constexpr std::string_view names[] = {
        "detached", "pendingAdd", "managed", "pendingRemove", "zombie", "unborn", "destroyed"};
    return names[static_cast<std::size_t>(state)];
}

std::string describe(const Entity& entity) {
    const EntityId id = entity.getId();
    if (id.isNull()) return "no entity";
    std::string number = sentence("#", id.index, ".", id.generation);
    return entity.isValid() ? sentence("'", entity.getName(), "' (", number, ")") : number;
}

WorldCore& Entity::core() const noexcept {
    return WorldCore::of(*world_);
}

EntityRecord& Entity::record(const char* call) const {
    if (!world_) [[unlikely]]
        fail(ErrorCode::NullEntity, call, ": there is no entity");
    return core().requireRecord(id_, call);
}

bool Entity::isValid() const noexcept {
    return world_ && core().forest_.pool.find(id_);
}

EntityState Entity::getState() const noexcept {
    const EntityRecord* record = world_ ? core().forest_.pool.find(id_) : nullptr;
    if (!record)
        return world_ && core().isUnborn(id_) ? EntityState::Unborn : EntityState::Destroyed;
    if (record->managed)
        return record->wantsIn() ? EntityState::Managed : EntityState::PendingRemove;
    if (record->wantsIn()) return EntityState::PendingAdd;
    return record->removed ? EntityState::Zombie : EntityState::Detached;
}

const std::string& Entity::getName() const {
    const EntityRecord& target = record("getName");
    return core().components_.strings().text(target.name);
}

bool Entity::isDirty() const {
    return Forest::hasChangeWaiting(record("isDirty"));
}

void Entity::destroy() {
    EntityRecord& top = record("destroy");
    core().refusePast(top, "destroy");
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top)) {
        const Entity member(*world_, at->id);
        if (member.getState() != EntityState::Detached)
            fail(ErrorCode::WrongState, "destroy: ", describe(member), " is ",
                 nameOf(member.getState()),
                 "; only a detached entity can be destroyed, use removeEntity for others");
        if (at->ownRefs > 0)
            fail(ErrorCode::WrongState, "destroy: ", describe(member), " is still retained ",
                 at->ownRefs, " times");
    }
    const auto memory = core().reserveMemory();
    core().forest_.loosen(top);
    core().reconciler_.destroyDetached(top);
}

void Entity::addChild(Entity child) {
    EntityRecord& parent = record("addChild");
    EntityRecord& joining = core().requireRecord(child, "addChild");
    core().refusePast(joining, "addChild");
    if (joining.parent == &parent) return;
    if (core().pastOnShow_ && joining.rewindable && isRewindable() &&
        !(core().mayBuild(parent) && core().mayBuild(joining)))
        throwNewcomer(child, "addChild");
    if (&joining == &parent)
        fail(ErrorCode::Cycle, "addChild: ", describe(*this), " cannot be its own child");
    if (joining.hasChildren && Forest::isAncestor(joining, parent))
        fail(ErrorCode::Cycle, "addChild: ", describe(child), " is an ancestor of ",
             describe(*this), " and cannot become its child");
    core().forest_.attach(parent, joining);
}

void Entity::removeChild(Entity child) {
    EntityRecord& parent = record("removeChild");
    EntityRecord& leaving = core().requireRecord(child, "removeChild");
    core().refusePast(leaving, "removeChild");
    if (leaving.parent != &parent)
        fail(ErrorCode::NotAChild, "removeChild: ", describe(child), " is not a child of ",
             describe(*this));
    if (core().pastOnShow_ && leaving.rewindable && !core().mayBuild(leaving))
        throwNewcomer(child, "removeChild");
    core().forest_.detach(leaving);
}

Entity Entity::getParent() const {
    const EntityRecord* parent = record("getParent").parent;
    return parent ? Entity(*world_, parent->id) : Entity();
}

std::vector<Entity> Entity::getChildren() const {
    std::vector<Entity> children;
    for (const EntityRecord& child : record("getChildren").children)
        children.emplace_back(*world_, child.id);
    return children;
}

void Entity::retain() {
    EntityRecord& target = record("retain");
    if (target.ownRefs == UINT32_MAX)
        fail(ErrorCode::LimitReached, "retain: ", describe(*this), " is retained too often");
    ++target.ownRefs;
}

void Entity::release() {
    EntityRecord& target = record("release");
    // The history's reference is nobody else's to give back.
    if (target.ownRefs == (target.remembered ? 1U : 0U))
        fail(ErrorCode::ReleaseBelowZero, "release: ", describe(*this),
             " is not retained; every release needs a retain of the same entity before it");
    if (--target.ownRefs > 0 || target.managed) return;
    target.loosened = true;
    if (!target.removed) target.dropped = true;
    core().forest_.touch(target);
}

std::uint64_t Entity::getRefCount() const {
    return Forest::refCount(record("getRefCount"));
}

References Entity::getReferences() const {
    const EntityRecord& target = record("getReferences");
    const std::uint32_t histories = target.remembered ? 1 : 0;
    return {target.ownRefs - histories, histories, Forest::refCount(target) - target.ownRefs,
            target.holds};
}

void Entity::setEnabled(bool on) {
    EntityRecord& target = record("setEnabled");
    core().refusePast(target, "setEnabled");
    if (target.enabled == on) return;
    target.enabled = on;
    target.toggled = target.managed;
    core().forest_.touchIfManaged(target);
}

bool Entity::isEnabled() const {
    return record("isEnabled").enabled;
}
bool Entity::isActive() const {
    return record("isActive").active;
}

void Entity::setRewindable(bool on) {
    EntityRecord& target = record("setRewindable");
    // One that no frame knows is free to stay out of them.
    if (core().pastOnShow_ && (target.managed || target.remembered))
        fail(ErrorCode::WrongState, "setRewindable: the past is on show; stop rewinding first");
    if (target.rewindable == on) return;
    const auto memory = core().reserveMemory();
    if (target.managed)
        for (const auto& observer : core().observers_) observer->onRescope(target, on);
    target.rewindable = on;
}

bool Entity::isRewindable() const {
    for (const EntityRecord* at = &record("isRewindable"); at; at = at->parent)
        if (!at->rewindable) return false;
    return true;
}

void Entity::setPersistent(bool on) {
    record("setPersistent").persistent = on;
}

bool Entity::isPersistent() const {
    for (const EntityRecord* at = &record("isPersistent"); at; at = at->parent)
        if (!at->persistent) return false;
    return true;
}

std::byte* Entity::addComponent(std::string_view name, std::span<const Override> overrides) {
    EntityRecord& target = record("addComponent");
    ComponentType& type = core().checkedForAdd(target, requireType(*this, "addComponent", name));
    if (overrides.empty()) return core().bind(target, type, type.schema.defaults.data());
    // Everything is checked in a copy of the defaults before the entity is touched.
    std::vector<std::byte> bytes = type.schema.defaults;
    withField(*this, "addComponent", [&] {
        for (const Override& each : overrides)
            writeField(core().components_.strings(), type.schema,
                       type.schema.requireField(each.field), bytes.data(), each.value);
    });
    return core().bind(target, type, bytes.data());
}

void* Entity::addTied(std::size_t cppType, const void* value) {
    EntityRecord& target = record("addComponent");
    ComponentType& type = core().requireTied(cppType);
    return core().bind(target, core().checkedForAdd(target, type), value);
}

void Entity::removeTied(std::size_t cppType) {
    EntityRecord& target = record("removeComponent");
    core().unbind(target, core().requireTied(cppType));
}

const void* Entity::readTied(std::size_t cppType) const {
    const EntityRecord& target = record("findComponent");
    return target.slotOf(core().requireTied(cppType).id);
}

void* Entity::writeTied(std::size_t cppType) const {
    EntityRecord& target = record("findComponent");
    return core().writableSlot(target, core().requireTied(cppType));
}

bool Entity::hasTied(std::size_t cppType) const {
    const EntityRecord& target = record("hasComponent");
    return target.shape->has(core().requireTied(cppType).id);
}

void Entity::throwMissing(std::size_t cppType) const {
    core().missingComponent(record("getComponent"), core().requireTied(cppType));
}

std::byte* Entity::addComponent(ComponentType& type, const void* bytes) {
    EntityRecord& target = record("addComponent");
    return core().bind(target, core().checkedForAdd(target, type), bytes);
}

void Entity::removeComponent(ComponentType& type) {
    core().unbind(record("removeComponent"), type);
}

void Entity::removeComponent(std::string_view name) {
    EntityRecord& target = record("removeComponent");
    core().unbind(target, requireType(*this, "removeComponent", name));
}

std::byte* Entity::getComponent(std::string_view name) const {
    EntityRecord& target = record("getComponent");
    ComponentType& type = requireType(*this, "getComponent", name);
    std::byte* slot = core().writableSlot(target, type);
    if (!slot) core().missingComponent(target, type);
    return slot;
}

bool Entity::hasComponent(std::string_view name) const {
    const EntityRecord& target = record("hasComponent");
    return target.shape->has(requireType(*this, "hasComponent", name).id);
}

void Entity::setComponentEnabled(std::string_view name, bool on) {
    EntityRecord& target = record("setComponentEnabled");
    core().refusePast(target, "setComponentEnabled");
    ComponentType& type = requireType(*this, "setComponentEnabled", name);
    if (!target.shape->has(type.id)) core().missingComponent(target, type);
    auto set = [&](const ComponentType& each) {
        const std::uint64_t bit = std::uint64_t{1} << target.shape->positionOf(each.id);
        if (((target.disabledComponents & bit) == 0) == on) return;
        target.setDisabledComponents(target.disabledComponents ^ bit);
        target.rebound = true;
    };
    if (type.family)
        core().forFamily(target, type, set);
    else
        set(type);
    if (target.rebound) core().forest_.touchIfManaged(target);
}

bool Entity::isComponentEnabled(std::string_view name) const {
    EntityRecord& target = record("isComponentEnabled");
    ComponentType& type = requireType(*this, "isComponentEnabled", name);
    const int position = target.shape->positionOf(type.id);
    if (position == Shape::absent) core().missingComponent(target, type);
    return (target.disabledComponents >> position & 1) == 0;
}

Value Entity::getField(std::string_view component, std::string_view field) const {
    const EntityRecord& target = record("getField");
    const ComponentType& type = requireType(*this, "getField", component);
    const std::byte* slot = target.slotOf(type.id);
    if (!slot) core().missingComponent(target, type);
    return withField(*this, "getField", [&] {
        return withoutLost(core().forest_.pool, readField(core().components_.strings(),
                                                          type.schema.requireField(field), slot));
    });
}

void Entity::setField(std::string_view component, std::string_view field, const Value& value) {
    EntityRecord& target = record("setField");
    ComponentType& type = requireType(*this, "setField", component);
    core().unparkToWrite(target);
    std::byte* slot = target.slotOf(type.id);
    if (!slot) core().missingComponent(target, type);
    withField(*this, "setField", [&] {
        writeField(core().components_.strings(), type.schema, type.schema.requireField(field), slot,
                   value);
    });
    type.pool.markChanged(slot, core().clock_);
}

std::vector<std::string> Entity::getComponentNames() const {
    std::vector<std::string> names;
    for (const ComponentTypeId type : record("getComponentNames").shape->types())
        names.push_back(core().components_.at(type).schema.name);
    return names;
}

HeldEntity::HeldEntity(Entity entity) : entity_(entity) {
    ++entity_.record("HeldEntity").holds;
}

HeldEntity::HeldEntity(HeldEntity&& other) noexcept
    : entity_(std::exchange(other.entity_, Entity())) {}

HeldEntity& HeldEntity::operator=(HeldEntity&& other) noexcept {
    if (this != &other) {
        drop();
        entity_ = std::exchange(other.entity_, Entity());
    }
    return *this;
}

void HeldEntity::drop() noexcept {
    if (World* world = entity_.getWorld()) WorldCore::of(*world).dropHold(entity_.getId());
    entity_ = Entity();
}

}  // namespace revenant
