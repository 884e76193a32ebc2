// WorldCore: a world as the library itself sees it. `World` is its public face and owns it; views,
// rewind and the Lua binding reach it through WorldCore::of, the only way in. This header is not
// installed, so a program that uses the library cannot get here.
//
// Its functions trust their callers: entity and component arguments are checked here, but nothing
// keeps a caller from breaking the world's invariants. Used only on the world's thread.
// Over 300 lines: the one internal door to a world, which every folder that builds on it goes through.
#pragma once

#include <any>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "world/core/listeners.hpp"
#include "world/core/random.hpp"
#include "world/core/reconciler.hpp"
#include "world/core/resources.hpp"
#include "world/core/system_schedule.hpp"
#include "world/core/world_globals.hpp"
#include "world/count_scope.hpp"
#include "world/forest/forest.hpp"
#include "world/schedule/concurrency.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/memory_reserve.hpp"
#include "world/world.hpp"

namespace revenant {

class WorldCore {
public:
    WorldCore(World& world, const WorldOptions& options);
    WorldCore(const WorldCore&) = delete;
    WorldCore& operator=(const WorldCore&) = delete;
    ~WorldCore();

    static WorldCore& of(World& world) noexcept { return *world.core_; }
    static const WorldCore& of(const World& world) noexcept { return *world.core_; }
    // The core of the world that an entity belongs to. REQUIRES: the handle has a world.
    static WorldCore& of(const Entity& entity) noexcept { return *entity.getWorld()->core_; }
    World& world() const noexcept { return world_; }
    // Replaces everything in a world by a new, empty core; the World keeps its address. Old handles are not
    // recognised as stale. REQUIRES: it is not ticking, and no handle or reference to it is left.
    static void renew(World& world);
    Entity entity(EntityId id) const noexcept { return {world_, id}; }

    // ---- entities
    Entity newEntity(std::string_view name);
    // Of a name that was counted for it: if this throws, it no longer is.
    EntityRecord& newEntity(StringId name);
    void addEntity(Entity entity);
    void removeEntity(Entity entity);
    // Managed ones of a name, in world order, so many at most.
    std::vector<Entity> findEntities(std::string_view name, std::size_t most) const;
    // As World::destroyAll; null: whatever components they have.
    std::size_t destroyAll(const ComponentType* component);
    // Throws if the entity is none, stale, or of another world; `call` names the caller.
    EntityRecord& requireRecord(Entity entity, const char* call);
    EntityRecord& requireRecord(EntityId id, const char* call) {
        if (EntityRecord* found = forest_.pool.find(id)) [[likely]]
            return *found;
        throwStale(id, call);
    }
    [[noreturn]] void throwStale(EntityId id, const char* call) const;
    bool isUnborn(EntityId id) const noexcept;
    // Calls visit(EntityRecord&) for each managed entity in world order. The world holds still meanwhile.
    template <class Visit>
    void forEachManaged(Visit visit) const;
    // Counts a holder of an entity, as HeldEntity does; the entity may be unborn.
    // REQUIRES: it was not destroyed.
    void hold(EntityId id) noexcept { ++forest_.pool.findKnown(id)->holds; }
    void dropHold(EntityId id) noexcept;
    // Throws if a past frame is current and the entity is part of it.
    void refusePast(const EntityRecord& record, const char* call) const {
        if (inPast_) [[unlikely]]
            refuseIfRewindable(record, call);
    }

    void setMainCharacter(Entity entity) { setSpecial(mainCharacter_, entity, "setMainCharacter"); }
    void setMainCamera(Entity entity) { setSpecial(mainCamera_, entity, "setMainCamera"); }
    Entity getMainCharacter() const { return special(mainCharacter_); }
    Entity getMainCamera() const { return special(mainCamera_); }

    // ---- components
    std::size_t countComponents(const ComponentType& type) const;
    std::vector<ComponentInfo> getComponentTypes() const;
    ComponentType& requireTied(std::size_t cppType);
    // Returns `type` if it can be added to the entity; throws if not.
    ComponentType& checkedForAdd(EntityRecord& record, ComponentType& type);
    std::byte* bind(EntityRecord& record, ComponentType& type, const void* bytes);
    void unbind(EntityRecord& record, ComponentType& type);
    void unparkToWrite(EntityRecord& record) {
        if (!record.managed && record.parked) {
            refuseInSection("a write to a component of a removed entity");
            components_.unpark(record, clock_);
        }
    }
    // The component for writing, marked as changed; null where there is none.
    std::byte* writableSlot(EntityRecord& record, ComponentType& type) {
        unparkToWrite(record);
        std::byte* slot = record.slotOf(type.id);
        if (slot) type.pool.markChanged(slot, clock_);
        return slot;
    }
    // A short way to the component of a handle, without a look at the record. Null: it has to be asked for the long way, by
    // which it may still be found.
    const std::byte* findQuickly(EntityId id, const ComponentType& type) const noexcept {
        if (forest_.pool.isStale(id) || forest_.pool.hasUnborn()) [[unlikely]]
            return nullptr;
        const ComponentPool::Place place = type.pool.findPlace(id.index);
        return place == ComponentPool::nowhere ? nullptr : type.pool.at(place);
    }
    // The same for writing: marks it changed.
    std::byte* openQuickly(EntityId id, const ComponentType& type) const noexcept {
        if (forest_.pool.isStale(id) || forest_.pool.hasUnborn()) [[unlikely]]
            return nullptr;
        const ComponentPool::Place place = type.pool.findPlace(id.index);
        if (place == ComponentPool::nowhere) return nullptr;
        return type.pool.open(place, clock_);
    }
    [[noreturn]] void missingComponent(const EntityRecord& record, const ComponentType& type) const;

    // ---- the tick
    void update(double dt);
    void reconcile();
    void reconcileAs(ReconcileMode mode);
    void reset();
    // Calls it now or, inside a tick, after it; a reset that is asked for later cancels it. What it
    // throws then, update throws. The last one asked for counts.
    void callBetweenTicks(std::function<void()> call);
    std::uint64_t getTick() const noexcept { return ticks_; }
    double getTime() const noexcept { return seconds_; }
    Clock getClock() const noexcept { return clock_; }
    const Clock* clockAddress() const noexcept { return &clock_; }
    // For loading a history: moves the clock past every change mark in it.
    void raiseClock(Clock clock) noexcept { clock_ = clock > clock_ ? clock : clock_; }
    bool isTicking() const noexcept { return tickDepth_ > 0 || isReconciling(); }
    // For loops over views, see TickScope; in a section, that of the task.
    int& tickDepth() noexcept {
        Task* task = this->task();
        return task ? task->tickDepth : tickDepth_;
    }
    bool isReconciling() const noexcept { return reconcileDepth_ > 0; }
    bool isUpdating() const noexcept { return updateDepth_ > 0; }
    // Adds a tick of `dt` seconds to the world's time. update does; a history that is ticked by hand
    // does so itself.
    void passTime(double dt) noexcept {
        seconds_ += dt;
        ++ticks_;
    }
    // While a past frame is current, structural calls on rewindable entities are refused.
    void setInPast(bool isOn) noexcept { inPast_ = isOn; }
    // Where calls on the past wait instead of being refused, an entity that was never added may be built.
    void setBuildsInPast(bool isOn) noexcept { buildsInPast_ = isOn; }
    bool buildsInPast() const noexcept { return buildsInPast_; }
    bool isResimulating() const noexcept { return isResimulating_; }
    void setResimulating(bool isOn) noexcept {
        isResimulating_ = isOn;
        listeners_.setResimulating(isOn);
    }
    // Play resumes from a recorded frame: the tick that shows it once more delivers no queued events.
    void holdQueueOnce() noexcept { queueWaits_ = true; }
    // The resource that queued events are kept in.
    static constexpr std::string_view queueName = "revenant.queue";
    bool isInPast() const noexcept { return inPast_; }
    // Whether another content is being made, and the old one must not change: see Replacement.
    bool isReplacing() const noexcept { return isReplacing_; }
    WorldGlobals getGlobals() const noexcept;
    void setGlobals(const WorldGlobals& globals) noexcept;

    // For an operation that must be finished once it has begun, for whose duration the result is
    // kept. Throws std::bad_alloc if there is not enough memory to be sure of that.
    // `more`: bytes that it may need beyond what a reconcile does.
    MemoryReserve::Scope reserveMemory(std::size_t more = 0) {
        return {reserve_, reserveBytes() + more};
    }
    // The same with what is left of the reserve: for what is part of such an operation, and for
    // what must not throw.
    // Throws std::bad_alloc if there is no reserve to use.
    void ensureReserve() { reserve_.ensure(reserveBytes()); }
    MemoryReserve::Scope useReserve() noexcept { return MemoryReserve::Scope(reserve_); }

    // ---- this frame
    void recordCollisionEvent(CollisionEvent event);
    void emit(std::string_view event, Entity entity, const Value* detail);
    void queue(std::string_view event, Entity entity, const Value* detail);
    std::int64_t random(std::int64_t first, std::int64_t last);
    const std::array<std::uint64_t, 4>& randomState() const noexcept { return random_.state(); }
    void drawRandom() noexcept { random_.next(); }
    WorldStats getStats() const;
    std::vector<std::string> validate() const;

    // ---- parts
    Forest& forest() noexcept { return forest_; }
    const Forest& forest() const noexcept { return forest_; }
    ComponentStore& components() noexcept { return components_; }
    const ComponentStore& components() const noexcept { return components_; }
    Listeners& listeners() noexcept { return listeners_; }
    Resources& resources() noexcept { return resources_; }
    const Resources& resources() const noexcept { return resources_; }
    SystemSchedule& systems() noexcept { return systems_; }
    Concurrency& concurrency() noexcept { return concurrency_; }
    // Whether systems tick at the same time now, or a loop is split: the forest and the lists hold still, and what is asked for
    // goes to the task of the calling thread.
    bool isInSection() const noexcept { return section_ != nullptr; }
    void setSection(Section* section) noexcept { section_ = section; }
    // What the calling thread does in the section; null: there is no section.
    Task* task() const noexcept {
        if (!section_) [[likely]]
            return nullptr;
        return Task::of(*this);
    }
    // Throws in a section: for calls that can neither wait nor be made there.
    void refuseInSection(const char* call) const {
        if (section_) [[unlikely]]
            throwInSection(call);
    }
    const std::vector<std::shared_ptr<System>>& getSystems() { return systems_.order(); }
    Reconciler& reconciler() noexcept { return reconciler_; }
    // The observer of this type, made as T(WorldCore&) when first asked for.
    template <class T>
    T& observer();

private:
    friend class Entity;
    friend class Reconciler;
    friend class Replacement;
    friend class TickScope;
    friend class World;

    void refuseIfRewindable(const EntityRecord& record, const char* call) const;
    [[noreturn]] void throwInSection(const char* call) const;
    void setSpecial(EntityId& special, Entity entity, const char* call);
    Entity special(EntityId id) const;
    void resetNow();
    void callAfterTick();
    std::size_t reserveBytes() const noexcept;
    // Reconciles, with the errors of listeners held back.
    void reconcileHeld(ReconcileMode mode);
    void deliverQueue();
    void refuseFamily(const EntityRecord& record, const ComponentType& type) const;
    // Calls visit(ComponentType&) for each component of the entity that is of the type's family.
    template <class Visit>
    void forFamily(const EntityRecord& record, const ComponentType& type, Visit visit) {
        const std::vector<ComponentTypeId> types = record.shape->types();
        for (const ComponentTypeId id : types)
            if (ComponentType& other = components_.at(id); other.family == type.family)
                visit(other);
    }
    // Whether it was never added, so that no frame knows of it, and may be built all the same.
    bool mayBuild(const EntityRecord& record) const noexcept {
        return buildsInPast_ && record.staysOut() && !record.remembered;
    }

    World& world_;
    MemoryReserve reserve_;
    ComponentStore components_;
    Forest forest_;
    Listeners listeners_;
    SystemSchedule systems_;
    Resources resources_;
    Random random_;
    std::uint64_t randomSeed_;  // that reset returns to
    Reconciler reconciler_;
    std::vector<std::unique_ptr<WorldObserver>> observers_;
    std::vector<WorldObserver*> observersByType_;
    std::vector<CollisionEvent> collisionEvents_;
    std::any renderEnv_;
    EntityId mainCharacter_;
    EntityId mainCamera_;
    Clock clock_ = 1;
    double seconds_ = 0;
    std::uint64_t ticks_ = 0;
    std::uint64_t reconciles_ = 0;
    int tickDepth_ = 0;
    int reconcileDepth_ = 0;
    int updateDepth_ = 0;
    bool inPast_ = false;
    bool resetWanted_ = false;
    bool isResimulating_ = false;
    bool queueWaits_ = false;
    bool buildsInPast_ = false;
    bool isReplacing_ = false;
    Section* section_ = nullptr;
    Concurrency concurrency_;
    std::function<void()> afterTick_;
};

// TickScope: while one lives, the world holds still: reconcile is refused and reset waits.
class TickScope : CountScope {
public:
    explicit TickScope(WorldCore& world) noexcept : CountScope(world.tickDepth()) {}
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void WorldCore::forEachManaged(Visit visit) const {
    const TickScope scope(const_cast<WorldCore&>(*this));
    for (const OrderNode& node : forest_.order.nodes())
        if (!node.closes) visit(forest_.recordOf(node));
}

template <class T>
T& WorldCore::observer() {
    const std::size_t index = cppTypeIndex<T>();
    if (index >= observersByType_.size()) {
        refuseInSection("the first view of a world");
        observersByType_.resize(index + 1);
    }
    if (!observersByType_[index]) {
        refuseInSection("the first view of a world");
        observers_.push_back(std::make_unique<T>(*this));
        observersByType_[index] = observers_.back().get();
    }
    return static_cast<T&>(*observersByType_[index]);
}

inline ComponentType& WorldCore::requireTied(std::size_t cppType) {
    ComponentType* type = components_.findTied(cppType);
    if (!type) [[unlikely]]
        fail(ErrorCode::UnknownComponent,
             "this C++ type is not a component of this world; define it with defineComponent");
    return *type;
}

}  // namespace revenant
