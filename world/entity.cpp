#include "world/entity.hpp"

#include <utility>

#include "world/core/world_core.hpp"
#include "world/schedule/provisional_id.hpp"
#include "world/schedule/section.hpp"

namespace revenant {

namespace {

// An entity that was out of the past frame because of its ancestors must not come into the frame by leaving them.
[[noreturn]] void throwNewcomer(const Entity& entity, const char* call) {
    fail(ErrorCode::InPast, call, ": the past is shown, and ", describe(entity),
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
    if (ProvisionalId::isOne(id))
        return entity.isValid() ? sentence("'", entity.getName(), "' (new)") : "a new entity";
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

Task* Entity::task() const noexcept {
    return world_ ? core().task() : nullptr;
}

// Buffers a call in a section, until the merge; false outside of one: the call has to be made now.
template <class Call>
bool Entity::waits(const char* name, Call call) const {
    Task* task = this->task();
    if (!task) [[likely]]
        return false;
    task->require(*this, name);
    task->defer([self = *this, call = std::move(call)](Merge& merge) {
        Entity real = merge.real(self);
        call(real, merge);
    });
    return true;
}

bool Entity::isValid() const noexcept {
    if (!world_) return false;
    if (core().forest_.pool.find(id_)) return true;
    const Task* task = this->task();
    return task && task->findCreated(id_);
}

EntityState Entity::getState() const noexcept {
    const EntityRecord* record = world_ ? core().forest_.pool.findKnown(id_) : nullptr;
    if (const Task* task = this->task(); task && !record)
        if (const Task::Created* created = task->findCreated(id_))
            return created->isAdded ? EntityState::PendingAdd : EntityState::Detached;
    return record ? record->state() : EntityState::Destroyed;
}

const std::string& Entity::getName() const {
    if (const Task* task = this->task())
        if (const Task::Created* created = task->findCreated(id_)) return created->name;
    const EntityRecord& target = record("getName");
    return core().components_.strings().text(target.name);
}

bool Entity::isDirty() const {
    return Forest::hasChangeWaiting(record("isDirty"));
}

void Entity::destroy() {
    if (waits("destroy", [](Entity& self, Merge&) { self.destroy(); })) return;
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
    if (Task* task = this->task()) task->require(child, "addChild");
    if (waits("addChild",
              [child](Entity& self, Merge& merge) { self.addChild(merge.real(child)); }))
        return;
    EntityRecord& parent = record("addChild");
    EntityRecord& joining = core().requireRecord(child, "addChild");
    core().refusePast(joining, "addChild");
    if (joining.parent == &parent) return;
    if (core().inPast_ && joining.rewindable && isRewindable() &&
        !(core().mayBuild(parent) && core().mayBuild(joining)))
        throwNewcomer(child, "addChild");
    if (&joining == &parent)
        fail(ErrorCode::Cycle, "addChild: ", describe(*this), " cannot be its own child");
    if (joining.hasChildren && Forest::isAncestor(joining, parent))
        fail(ErrorCode::Cycle, "addChild: ", describe(child), " is an ancestor of ",
             describe(*this), " and cannot become its child");
    core().forest_.pool.makeRest(parent);
    core().forest_.attach(parent, joining);
}

void Entity::removeChild(Entity child) {
    if (Task* task = this->task()) task->require(child, "removeChild");
    if (waits("removeChild",
              [child](Entity& self, Merge& merge) { self.removeChild(merge.real(child)); }))
        return;
    EntityRecord& parent = record("removeChild");
    EntityRecord& leaving = core().requireRecord(child, "removeChild");
    core().refusePast(leaving, "removeChild");
    if (leaving.parent != &parent)
        fail(ErrorCode::NotAChild, "removeChild: ", describe(child), " is not a child of ",
             describe(*this));
    if (core().inPast_ && leaving.rewindable && !core().mayBuild(leaving))
        throwNewcomer(child, "removeChild");
    core().forest_.detach(leaving);
}

Entity Entity::getParent() const {
    const EntityRecord* parent = record("getParent").parent;
    return parent ? Entity(*world_, parent->id) : Entity();
}

std::vector<Entity> Entity::getChildren() const {
    std::vector<Entity> children;
    for (const EntityRecord& child : record("getChildren").children())
        children.emplace_back(*world_, child.id);
    return children;
}

void Entity::retain() {
    if (waits("retain", [](Entity& self, Merge&) { self.retain(); })) return;
    EntityRecord& target = record("retain");
    if (target.ownRefs == UINT32_MAX)
        fail(ErrorCode::LimitReached, "retain: ", describe(*this), " is retained too often");
    ++target.ownRefs;
}

void Entity::release() {
    if (waits("release", [](Entity& self, Merge&) { self.release(); })) return;
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
    if (waits("setEnabled", [on](Entity& self, Merge&) { self.setEnabled(on); })) return;
    EntityRecord& target = record("setEnabled");
    core().refusePast(target, "setEnabled");
    if (target.enabled == on) return;
    core().unparkToWrite(target);  // so that the history sees it
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
    if (waits("setRewindable", [on](Entity& self, Merge&) { self.setRewindable(on); })) return;
    EntityRecord& target = record("setRewindable");
    // An entity that no frame knows may stay out of them, but none may come in.
    if (core().inPast_ && (target.managed || target.remembered || (on && target.wantsIn())))
        fail(ErrorCode::WrongState, "setRewindable: the past is shown; stop rewinding first");
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
    if (waits("setPersistent", [on](Entity& self, Merge&) { self.setPersistent(on); })) return;
    record("setPersistent").persistent = on;
}

bool Entity::isPersistent() const {
    for (const EntityRecord* at = &record("isPersistent"); at; at = at->parent)
        if (!at->persistent) return false;
    return true;
}

HeldEntity::HeldEntity(Entity entity) : entity_(entity) {
    if (World* world = entity_.getWorld()) WorldCore::of(*world).refuseInSection("HeldEntity");
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
    if (World* world = entity_.getWorld()) {
        if (Task* task = WorldCore::of(*world).task())
            task->defer([id = entity_.getId()](Merge& merge) { merge.core.dropHold(id); });
        else
            WorldCore::of(*world).dropHold(entity_.getId());
    }
    entity_ = Entity();
}

}  // namespace revenant
