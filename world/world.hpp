// World: a managed forest of entities, its systems and its globals. The centre of the engine.
//
// Each entity carries one intent for the next tick, in or out. addEntity sets `in` for it and
// all its descendants, removeEntity sets `out`; reconcile, at the start of a tick, applies the
// difference between intent and fact. All of the following are consequences:
//   - asked for twice is asked for once; the last request before the reconcile holds
//   - a child follows its parent: in requires that the parent is in
//   - requests are always safe, in the middle of an iteration or from inside a listener
// Removed entities are destroyed unless something counts on them (Entity::retain): those live on
// as zombies, out of every list and view, and come back with addEntity.
// The world has one order: depth first, parents before children, roots in the order in which
// they last came in. Lists and views follow it.
//
// Owns: entities, components, systems, observers, resources. One thread at a time.
#pragma once

#include <any>
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/change_set.hpp"
#include "world/collision_event.hpp"
#include "world/component_store.hpp"
#include "world/entity.hpp"
#include "world/error.hpp"
#include "world/forest.hpp"
#include "world/listeners.hpp"
#include "world/random.hpp"
#include "world/reconciler.hpp"
#include "world/resources.hpp"
#include "world/system_schedule.hpp"
#include "world/world_stats.hpp"

namespace revenant {

// Of views/, which this header does not include: only their names are needed here.
class ComponentsView;
class Query;
struct ComponentRequirementDesc;
template <class... Terms>
class View;

struct WorldOptions {
    std::uint32_t lastGeneration = UINT32_MAX;  // of a handle slot; smaller only in tests
    std::uint64_t randomSeed = 1;
};

class World {
public:
    explicit World(const WorldOptions& options = {});
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    ~World();

    // The process-wide world. Tests and tools may construct others.
    static World& getInstance();

    // ---- entities
    Entity newEntity(std::string_view name);
    void addEntity(Entity entity);
    void removeEntity(Entity entity);
    std::vector<Entity> getAllManagedEntities() const;
    std::vector<Entity> getActiveEntities() const;
    std::vector<Entity> getZombies() const;
    // Calls visit(Entity) for each managed entity in world order, without a copy of the list.
    template <class Visit>
    void forEachManaged(Visit visit) const;

    void setMainCharacter(Entity entity) { setSpecial(mainCharacter_, entity, "setMainCharacter"); }
    void setMainCamera(Entity entity) { setSpecial(mainCamera_, entity, "setMainCamera"); }
    Entity getMainCharacter() const { return special(mainCharacter_); }
    Entity getMainCamera() const { return special(mainCamera_); }

    // ---- the tick
    // Reconciles, then ticks the enabled systems. dt: seconds, finite, 0 or more. If systems
    // throw, the rest still tick, then the first error is thrown on.
    void update(double dt);
    // The first half alone, for those who tick their systems by hand.
    void reconcile();
    // Empties the world; component definitions stay, old handles are stale. Inside a tick it
    // acts after the tick.
    void reset();
    // How many ticks there were, and the sum of their dt: those of update, or of a history that is
    // ticked by hand. Both are rewound.
    std::uint32_t getTick() const noexcept { return ticks_; }
    double getTime() const noexcept { return seconds_; }
    // Counts reconciles: the clock of change marks, which goes on through a rewind.
    Clock getClock() const noexcept { return clock_; }
    bool isPastOnShow() const noexcept { return pastOnShow_; }

    // ---- systems
    System& registerSystem(std::shared_ptr<System> system);
    System& registerSystem(std::string name, FunctionSystem::Function function,
                           SystemOptions options = {});
    void unregisterSystem(const System& system) { systems_.remove(system); }
    System* getSystem(std::string_view name) const noexcept { return systems_.find(name); }
    // In ticking order. Throws on an unknown dependency or a circle of them.
    const std::vector<std::shared_ptr<System>>& getSystems() { return systems_.order(); }

    // ---- components
    template <class T>
    ComponentTypeId defineComponent(std::string name, std::vector<Field> fields);
    ComponentTypeId defineComponent(std::string name, std::vector<FieldSpec> fields);
    const ComponentSchema& getSchema(std::string_view component) {
        return components_.require(component).schema;
    }

    // ---- views, defined in views/: include views/view.hpp or views/query.hpp to call these
    std::shared_ptr<ComponentsView> getComponentsView(
        const std::map<std::string, ComponentRequirementDesc, std::less<>>& requirements);
    template <class... Terms>
    View<Terms...> view();
    Query query();

    // ---- this frame, and globals
    void recordCollisionEvent(CollisionEvent event);
    const std::vector<CollisionEvent>& getCollisionEvents() const noexcept {
        return collisionEvents_;
    }
    void setRenderEnv(std::any environment) { renderEnv_ = std::move(environment); }
    const std::any& getRenderEnv() const noexcept { return renderEnv_; }
    void setResource(std::string_view name, std::any value, ResourceOptions options = {}) {
        resources_.set(name, std::move(value), options);
    }
    // Null where there is none of that name and type.
    template <class T>
    const T* getResource(std::string_view name) const noexcept;
    bool removeResource(std::string_view name) { return resources_.remove(name); }
    double random() noexcept { return random_.uniform(); }              // in [0, 1)
    std::int64_t random(std::int64_t last) { return random(1, last); }  // 1 to last
    std::int64_t random(std::int64_t first, std::int64_t last);
    void setRandomSeed(std::uint64_t seed) noexcept { random_.setSeed(seed); }

    // ---- listeners
    ListenerToken on(EventKind kind, Listener listener);
    ListenerToken on(std::string_view event, Listener listener);
    // Tells the listeners of an event that somebody defined (Listeners::defineEvent).
    void emit(std::string_view event, Entity entity = {}, const Value* detail = nullptr);
    void off(ListenerToken token) { listeners_.remove(token); }

    // ---- looking inside
    WorldStats getStats() const;
    // A sentence for each invariant that does not hold; empty when all is well. Runs after each
    // reconcile in validating builds.
    std::vector<std::string> validate() const;

    // ---- for the folders that build on world/
    Forest& forest() noexcept { return forest_; }
    const Forest& forest() const noexcept { return forest_; }
    ComponentStore& components() noexcept { return components_; }
    const ComponentStore& components() const noexcept { return components_; }
    Listeners& listeners() noexcept { return listeners_; }
    Resources& resources() noexcept { return resources_; }
    const Resources& resources() const noexcept { return resources_; }
    // The observer of this type, made as T(World&) when first asked for.
    template <class T>
    T& observer();
    EntityRecord& requireRecord(Entity entity, const char* call);
    // What HeldEntity does, for those who keep count of many; also of those that are not born yet.
    // REQUIRES: it was not destroyed.
    void hold(EntityId id) noexcept { ++forest_.pool.findKnown(id)->holds; }
    void dropHold(EntityId id) noexcept;
    bool isTicking() const noexcept { return tickDepth_ > 0 || reconciling_; }
    bool isReconciling() const noexcept { return reconciling_; }
    // World time passes with update; a history that is ticked by hand lets it pass itself.
    bool isUpdating() const noexcept { return updating_; }
    void passTime(double dt) noexcept {
        seconds_ += dt;
        ++ticks_;
    }
    Reconciler& reconciler() noexcept { return reconciler_; }
    void reconcileAs(ReconcileMode mode);
    // While the past is on show, structural calls on rewindable entities are refused.
    void setPastOnShow(bool isOn) noexcept { pastOnShow_ = isOn; }
    // For one who brings a past from elsewhere: its marks are to lie before all that come.
    void raiseClock(Clock clock) noexcept { clock_ = clock > clock_ ? clock : clock_; }
    // What of the world's globals a history remembers.
    struct Globals {
        EntityId mainCharacter;
        EntityId mainCamera;
        double seconds = 0;
        std::uint32_t ticks = 0;
        std::array<std::uint64_t, 4> random{};
        std::uint64_t draws = 0;
        std::uint32_t lastSerial = 0;

        friend bool operator==(const Globals&, const Globals&) = default;
    };
    Globals getGlobals() const noexcept;
    void setGlobals(const Globals& globals) noexcept;

    // Marks that a system is ticking, so that reconcile refuses and reset waits.
    class TickScope {
    public:
        explicit TickScope(World& world) noexcept : world_(world) { ++world_.tickDepth_; }
        TickScope(const TickScope&) = delete;
        TickScope& operator=(const TickScope&) = delete;
        ~TickScope() { --world_.tickDepth_; }

    private:
        World& world_;
    };

private:
    friend class Entity;
    friend class HeldEntity;
    friend class Reconciler;

    void refusePast(const EntityRecord& record, const char* call) const {
        if (pastOnShow_) [[unlikely]]
            refuseIfRewindable(record, call);
    }
    void refuseIfRewindable(const EntityRecord& record, const char* call) const;
    void setSpecial(EntityId& special, Entity entity, const char* call);
    Entity special(EntityId id) const;
    void resetNow();
    ComponentType& requireTied(std::size_t cppType);

    // The shared halves of Entity's component calls.
    ComponentType& checkedForAdd(EntityRecord& record, ComponentType& type);
    std::byte* bind(EntityRecord& record, ComponentType& type, const void* bytes);
    void unbind(EntityRecord& record, ComponentType& type);
    void unparkToWrite(EntityRecord& record) {
        if (!record.managed && record.parked) components_.unpark(record, clock_);
    }
    // The component for writing, marked changed; null where there is none.
    std::byte* writableSlot(EntityRecord& record, ComponentType& type) {
        unparkToWrite(record);
        std::byte* slot = record.slotOf(type.id);
        if (slot) type.pool.markChanged(slot, clock_);
        return slot;
    }
    [[noreturn]] void missingComponent(const EntityRecord& record, const ComponentType& type);

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
    std::uint32_t ticks_ = 0;
    std::uint64_t reconciles_ = 0;
    int tickDepth_ = 0;
    bool reconciling_ = false;
    bool updating_ = false;
    bool pastOnShow_ = false;
    bool resetWanted_ = false;
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void World::forEachManaged(Visit visit) const {
    const TickScope scope(const_cast<World&>(*this));  // nothing moves under the loop
    for (const OrderNode& node : forest_.order.nodes())
        if (!node.closes) visit(Entity(const_cast<World&>(*this), forest_.recordOf(node).id));
}

template <class T>
ComponentTypeId World::defineComponent(std::string name, std::vector<Field> fields) {
    const std::size_t cppType = cppTypeIndex<T>();
    if (const ComponentType* tied = components_.findTied(cppType))
        fail(ErrorCode::DuplicateComponent, "component '", name,
             "': its C++ type is already defined as component '", tied->schema.name, "'");
    ComponentType& type = components_.define(makeSchema<T>(std::move(name), std::move(fields)));
    components_.tie(cppType, type.id);
    return type.id;
}

template <class T>
const T* World::getResource(std::string_view name) const noexcept {
    const Resources::Resource* found = resources_.find(name);
    return found ? std::any_cast<T>(&found->value) : nullptr;
}

template <class T>
T& World::observer() {
    const std::size_t index = cppTypeIndex<T>();
    if (index >= observersByType_.size()) observersByType_.resize(index + 1);
    if (!observersByType_[index]) {
        observers_.push_back(std::make_unique<T>(*this));
        observersByType_[index] = observers_.back().get();
    }
    return static_cast<T&>(*observersByType_[index]);
}

inline EntityRecord& Entity::record(const char* call) const {
    if (world_) [[likely]]
        if (EntityRecord* found = world_->forest_.pool.find(id_)) [[likely]]
            return *found;
    throwStale(call);
}

inline ComponentType& World::requireTied(std::size_t cppType) {
    ComponentType* type = components_.findTied(cppType);
    if (!type) [[unlikely]]
        fail(ErrorCode::UnknownComponent,
             "this C++ type is not a component of this world; define it with defineComponent");
    return *type;
}

template <class T>
    requires(!std::is_convertible_v<const T&, std::string_view>)
T& Entity::addComponent(const T& value) {
    EntityRecord& target = record("addComponent");
    ComponentType& type = world_->requireTied(cppTypeIndex<T>());
    return *reinterpret_cast<T*>(world_->bind(target, world_->checkedForAdd(target, type), &value));
}

template <class T>
void Entity::removeComponent() {
    EntityRecord& target = record("removeComponent");
    world_->unbind(target, world_->requireTied(cppTypeIndex<T>()));
}

template <class T>
T* Entity::findComponent() const {
    EntityRecord& target = record("findComponent");
    ComponentType& type = world_->requireTied(cppTypeIndex<std::remove_const_t<T>>());
    if constexpr (std::is_const_v<T>)
        return reinterpret_cast<T*>(target.slotOf(type.id));
    else
        return reinterpret_cast<T*>(world_->writableSlot(target, type));
}

template <class T>
T& Entity::getComponent() const {
    if (T* found = findComponent<T>()) return *found;
    world_->missingComponent(record("getComponent"),
                             world_->requireTied(cppTypeIndex<std::remove_const_t<T>>()));
}

template <class T>
bool Entity::hasComponent() const {
    const EntityRecord& target = record("hasComponent");
    return target.shape->has(world_->requireTied(cppTypeIndex<std::remove_const_t<T>>()).id);
}

}  // namespace revenant
