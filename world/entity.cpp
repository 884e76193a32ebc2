#include "world/entity.hpp"

#include <utility>

#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// An entity that its ancestors kept out of the past frame must not come into it by leaving them.
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
    // Only the history may release its reference.
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
