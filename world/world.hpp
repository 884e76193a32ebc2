// World: a managed forest of entities, its systems and its globals. The centre of the engine.
//
// Each entity carries one intent for the next tick, in or out. addEntity sets `in` for it and
// all its descendants, removeEntity sets `out`; reconcile, at the start of a tick, applies the
// difference between intent and fact. All of the following are consequences:
//   - a repeated request counts once; the last request before the reconcile holds
//   - a child follows its parent: in requires that the parent is in
//   - requests are always safe, in the middle of an iteration or from inside a listener
// Removed entities are destroyed unless they are retained (Entity::retain): those live on
// as zombies, out of every list and view, and come back with addEntity.
// The world has one order: depth first, parents before children, roots in the order in which
// they last came in. Lists and views follow it.
//
// Owns: entities, components, systems, observers, resources. One thread at a time.
#pragma once

#include <any>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "world/clock.hpp"
#include "world/collision_event.hpp"
#include "world/component_info.hpp"
#include "world/component_type_id.hpp"
#include "world/entity.hpp"
#include "world/error.hpp"
#include "world/event.hpp"
#include "world/field_list.hpp"
#include "world/migration.hpp"
#include "world/resource_options.hpp"
#include "world/rewind_hooks.hpp"
#include "world/system.hpp"
#include "world/world_stats.hpp"

namespace revenant {

// Declared only: they belong to views/, which this header does not include.
class ComponentsView;
class Query;
class WorldCore;
struct Requirement;
template <class... Terms>
class View;

struct WorldOptions {
    std::uint32_t lastGeneration = UINT32_MAX;  // of a handle slot; smaller only in tests
    std::uint64_t randomSeed = 1;
    // How many threads tick systems, the calling one included; 0: one per core. No result depends on it.
    int threads = 1;
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
    // Many at once, which is faster: entities of one name, each with these components.
    //     std::vector<Entity> sparks = world.newEntities(1000, "spark", Position{1, 2}, Velocity{});
    // All are made or, where an error is thrown, none.
    template <class... Components>
    std::vector<Entity> newEntities(std::size_t count, std::string_view name,
                                    const Components&... values);
    // As addEntity for each of them, in their order, up to one that is refused.
    void addEntities(std::span<const Entity> entities);
    // Makes room for this many entities in all, so that creating them does not wait for memory.
    void reserve(std::size_t entities);
    std::vector<Entity> getAllManagedEntities() const;
    std::vector<Entity> getActiveEntities() const;
    std::vector<Entity> getZombies() const;
    // The entity of an id that was kept as a plain value; none where it is stale.
    Entity getEntity(EntityId id) const noexcept;
    // The managed entities of a name, in world order; the first of them, or none.
    std::vector<Entity> findEntities(std::string_view name) const;
    Entity findEntity(std::string_view name) const;
    // Asks for the removal of every entity, or of every one that has the component: as removeEntity
    // for each of them, at the next reconcile. Systems, listeners, views and history stay (reset drops them).
    // Returns how many entities it asks to leave, descendants not counted.
    std::size_t destroyAll();
    std::size_t destroyAll(std::string_view component);
    template <class T>
    std::size_t destroyAll();
    // Calls visit(Entity) for each managed entity in world order, without a copy of the list.
    template <class Visit>
    void forEachManaged(Visit visit) const;

    void setMainCharacter(Entity entity);
    void setMainCamera(Entity entity);
    Entity getMainCharacter() const;
    Entity getMainCamera() const;

    // ---- the tick
    // Reconciles, then ticks the enabled systems. dt: seconds, finite, 0 or more. If systems or
    // listeners throw, the rest still run; then update throws the first error of a system, and all errors of listeners.
    void update(double dt);
    // The first half alone, for programs that tick their systems by hand.
    void reconcile();
    // Empties the world; component definitions stay, old handles are stale. Inside a tick it
    // acts after the tick.
    void reset();
    // How many ticks there were, and the sum of their dt: those of update, or of a history that is
    // ticked by hand. Both are rewound.
    std::uint64_t getTick() const noexcept;
    double getTime() const noexcept;
    // Counts reconciles: the clock of change marks, which goes on through a rewind.
    Clock getClock() const noexcept;
    bool isInPast() const noexcept;  // a past frame is current
    // Whether it is inside a reconcile or a system's tick.
    bool isTicking() const noexcept;
    // Whether a tick is being run again, to see if it gives the same result. Skip what must not happen twice
    // outside the world, such as sounds.
    bool isResimulating() const noexcept;

    // ---- systems
    System& registerSystem(std::shared_ptr<System> system);
    System& registerSystem(std::string name, FunctionSystem::Function function,
                           SystemOptions options = {});
    void unregisterSystem(const System& system);
    System* getSystem(std::string_view name) const noexcept;
    // In ticking order. Throws on an unknown dependency or a cycle of them.
    const std::vector<std::shared_ptr<System>>& getSystems() const;
    // How many threads tick systems; 1 in builds without threads. As WorldOptions::threads.
    int getThreads() const noexcept;
    void setThreads(int threads);
    // Which systems may tick at the same time, what each waits for and why, as lines of text.
    std::string describeSchedule() const;

    // ---- components
    template <class T>
    ComponentTypeId defineComponent(std::string name, std::vector<Field> fields = fieldsOf<T>());
    ComponentTypeId defineComponent(std::string name, std::vector<FieldSpec> fields);
    const ComponentSchema& getSchema(std::string_view component) const;
    // All component types, in the order of their definition, with how many components there are of each.
    std::vector<ComponentInfo> getComponentTypes() const;
    // How many entities have the component now, in the world or out of it.
    std::size_t countComponents(std::string_view component) const;
    template <class T>
    std::size_t countComponents() const;

    // How a history reaches state that lives outside the component's bytes, such as a physics body.
    void setRewindHooks(std::string_view component, std::shared_ptr<ComponentHooks> hooks);

    // For saves (save/save.hpp): the component is in its `version`-th shape, and `migration` brings what
    // earlier ones saved into it. Without one, fields are matched by name.
    void setVersion(std::string_view component, std::uint32_t version,
                    std::shared_ptr<Migration> migration = nullptr);

    // ---- views, defined in views/: include views/view.hpp or views/query.hpp to call these
    std::shared_ptr<ComponentsView> getComponentsView(const std::vector<Requirement>& requirements);
    template <class... Terms>
    View<Terms...> view();
    template <class... Terms>
    View<Terms...> view() const;  // of read-only terms
    Query query() const;

    // ---- this frame, and globals
    // Does nothing while a past frame is current.
    void recordCollisionEvent(CollisionEvent event);
    const std::vector<CollisionEvent>& getCollisionEvents() const noexcept;
    void setRenderEnv(std::any environment);
    const std::any& getRenderEnv() const noexcept;
    void setResource(std::string_view name, std::any value, ResourceOptions options = {});
    // Null where there is none of that name and type.
    template <class T>
    const T* getResource(std::string_view name) const noexcept;
    bool removeResource(std::string_view name);
    double random() noexcept;                                           // in [0, 1)
    std::int64_t random(std::int64_t last) { return random(1, last); }  // 1 to last
    std::int64_t random(std::int64_t first, std::int64_t last);
    void setRandomSeed(std::uint64_t seed) noexcept;

    // ---- listeners
    ListenerToken on(EventKind kind, Listener listener, ListenerOptions options = {});
    ListenerToken on(std::string_view event, Listener listener, ListenerOptions options = {});
    // Defines an event, so that a misspelt name is an error. It may be defined twice. Returns its Event::id.
    std::uint16_t defineEvent(std::string name);
    // Calls the listeners of an event, one that the world fires itself or one of your own.
    // What they throw is thrown by update, or by the next reconcile, after all of them were called.
    void emit(std::string_view event, Entity entity = {}, const Value* detail = nullptr);
    // The same at the start of the next tick, right after its reconcile, in the order of the calls. Queued
    // events are part of a frame and are rewound; those of a past frame wait until play resumes.
    void queue(std::string_view event, Entity entity = {}, const Value* detail = nullptr);
    void off(ListenerToken token);

    // ---- looking inside
    WorldStats getStats() const;
    // A sentence for each invariant that does not hold; empty when all is well. Runs after each
    // reconcile in validating builds.
    std::vector<std::string> validate() const;

private:
    friend class Entity;
    friend class HeldEntity;
    friend class WorldCore;  // the library's way in

    ComponentTypeId defineTied(std::size_t cppType, ComponentSchema schema);
    const std::string& nameOfTied(std::size_t cppType) const;
    struct TiedValue {
        std::size_t cppType;
        const void* value;
    };
    std::vector<Entity> newTied(std::size_t count, std::string_view name, const TiedValue* values,
                                std::size_t valueCount);
    void visitManaged(void (*call)(void* visit, Entity entity), void* visit) const;
    const std::any* findResource(std::string_view name) const noexcept;

    WorldCore* core_;  // owned, and reachable while it is torn down
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void World::forEachManaged(Visit visit) const {
    visitManaged([](void* each, Entity entity) { (*static_cast<Visit*>(each))(entity); }, &visit);
}

template <class... Components>
std::vector<Entity> World::newEntities(std::size_t count, std::string_view name,
                                       const Components&... values) {
    const TiedValue all[sizeof...(Components) + 1] = {{cppTypeIndex<Components>(), &values}..., {}};
    return newTied(count, name, all, sizeof...(Components));
}

template <class T>
ComponentTypeId World::defineComponent(std::string name, std::vector<Field> fields) {
    return defineTied(cppTypeIndex<T>(), makeSchema<T>(std::move(name), std::move(fields)));
}

template <class T>
std::size_t World::destroyAll() {
    return destroyAll(nameOfTied(cppTypeIndex<T>()));
}

template <class T>
std::size_t World::countComponents() const {
    return countComponents(nameOfTied(cppTypeIndex<T>()));
}

template <class T>
const T* World::getResource(std::string_view name) const noexcept {
    return std::any_cast<T>(findResource(name));
}

template <class T>
    requires(!std::is_convertible_v<const T&, std::string_view>)
T& Entity::addComponent(const T& value) {
    return *static_cast<T*>(addTied(cppTypeIndex<T>(), &value));
}

template <class T>
void Entity::removeComponent() {
    removeTied(cppTypeIndex<T>());
}

template <class T>
T* Entity::findComponent() const {
    if constexpr (std::is_const_v<T>)
        return static_cast<T*>(readTied(cppTypeIndex<std::remove_const_t<T>>()));
    else
        return static_cast<T*>(writeTied(cppTypeIndex<T>()));
}

template <class T>
T& Entity::getComponent() const {
    if (T* found = findComponent<T>()) return *found;
    throwMissing(cppTypeIndex<std::remove_const_t<T>>());
}

template <class T>
bool Entity::hasComponent() const {
    return hasTied(cppTypeIndex<std::remove_const_t<T>>());
}

}  // namespace revenant
