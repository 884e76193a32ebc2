// Entity: a handle to an entity of a world: a value that can be copied, compared and kept.
// It owns nothing (HeldEntity does). A stale handle is always detected, in release builds, too:
// isValid, getState, getId and == answer for it; every other call throws Error{StaleEntity}.
// Parent, children, refCount, components and enabled are those of the present; isActive is as
// of the last reconcile.
// REQUIRES: the world outlives its handles. Used only on the world's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "world/component_schema.hpp"
#include "world/entity_id.hpp"
#include "world/entity_state.hpp"

namespace revenant {

class Task;
class World;
class WorldCore;
struct ComponentType;
struct EntityRecord;

// What keeps an entity alive: for tools.
struct References {
    std::uint32_t users = 0;      // by Entity::retain
    std::uint32_t histories = 0;  // by a history that could bring it back: 1, or 0
    std::uint64_t ancestors = 0;  // on its ancestors
    std::uint32_t holds = 0;      // Lua values and HeldEntity: they count only while it is detached
};

// As Lua says it: "detached", "pendingAdd", ...
std::string_view nameOf(EntityState state) noexcept;

class Entity {
public:
    Entity() noexcept = default;  // no entity
    Entity(World& world, EntityId id) noexcept : world_(&world), id_(id) {}

    EntityId getId() const noexcept { return id_; }
    World* getWorld() const noexcept { return world_; }
    bool isValid() const noexcept;
    explicit operator bool() const noexcept { return isValid(); }
    EntityState getState() const noexcept;

    const std::string& getName() const;
    bool isDirty() const;  // a change is waiting for the next reconcile

    // Destroys a detached entity with its subtree at once. An error in any other state: an
    // entity that is in the world leaves it by World::removeEntity.
    void destroy();

    // -- hierarchy: moves `child` to the end of this entity's children. The child follows its
    //    new parent in or out of the world. A cycle is an error; its own child, a no-op.
    void addChild(Entity child);
    // Makes `child` a root; a managed one stays managed and becomes last in the world's order.
    void removeChild(Entity child);
    Entity getParent() const;
    std::vector<Entity> getChildren() const;

    // -- references: see World for what they keep.
    void retain();
    void release();
    std::uint64_t getRefCount() const;  // own references and those of all ancestors
    References getReferences() const;   // the same, by holder

    // -- enabled: takes the subtree out of views at the next reconcile, or brings back those of
    //    it whose own flag is on.
    void setEnabled(bool on);
    bool isEnabled() const;
    bool isActive() const;
    void setRewindable(bool on);  // inherited by children
    bool isRewindable() const;
    void setPersistent(bool on);  // false: saves leave its subtree out; inherited by children
    bool isPersistent() const;

    // -- components, by C++ type. The reference stays good while the component is bound. Asking
    //    for a `T` marks it changed now (World::getClock), asking for a `const T` does not: write in the
    //    tick in which you asked.
    template <class T>
        requires(!std::is_convertible_v<const T&, std::string_view>)
    T& addComponent(const T& value = T{});
    template <class T>
    void removeComponent();
    template <class T>
    T& getComponent() const;  // throws where there is none
    template <class T>
    T* findComponent() const;  // nullptr where there is none
    template <class T>
    bool hasComponent() const;

    // -- components, by a type found before: `bytes` are a whole component.
    std::byte* addComponent(ComponentType& type, const void* bytes);
    void removeComponent(ComponentType& type);

    // -- components, by name. addComponent merges the defaults with the overrides.
    std::byte* addComponent(std::string_view name, std::span<const Override> overrides = {});
    void removeComponent(std::string_view name);
    std::byte* getComponent(std::string_view name) const;  // throws where there is none
    bool hasComponent(std::string_view name) const;
    void setComponentEnabled(std::string_view name, bool on);
    bool isComponentEnabled(std::string_view name) const;
    // An entity field that points to one that is not there any more reads as none.
    Value getField(std::string_view component, std::string_view field) const;
    void setField(std::string_view component, std::string_view field, const Value& value);
    std::vector<std::string> getComponentNames() const;
    // Its state, relatives, references and components as lines of text, for debugging. Answers for a stale
    // handle, too.
    std::string dump() const;

    friend bool operator==(const Entity&, const Entity&) noexcept = default;

private:
    friend class HeldEntity;
    friend class WorldCore;

    // Components by the number of their C++ type (cppTypeIndex).
    void* addTied(std::size_t cppType, const void* value);
    void removeTied(std::size_t cppType);
    const void* readTied(std::size_t cppType) const;
    void* writeTied(std::size_t cppType) const;  // marks it changed
    bool hasTied(std::size_t cppType) const;
    [[noreturn]] void throwMissing(std::size_t cppType) const;

    WorldCore& core() const noexcept;
    EntityRecord& record(const char* call) const;
    Task* task() const noexcept;  // null: the call takes effect now
    template <class Call>
    bool waits(const char* name, Call call) const;

    World* world_ = nullptr;
    EntityId id_;
};

// "'player' (#3.1)", also for a stale one: "#3.1".
std::string describe(const Entity& entity);

// HeldEntity: an owner's handle. A detached tree lives while any member of it is held; when the
// last hold goes, it is destroyed at the next reconcile. (A detached entity that was never
// held lives until Entity::destroy.) Holding does not keep a removed entity: retain does.
class HeldEntity {
public:
    HeldEntity() noexcept = default;
    explicit HeldEntity(Entity entity);
    HeldEntity(HeldEntity&& other) noexcept;
    HeldEntity& operator=(HeldEntity&& other) noexcept;
    HeldEntity(const HeldEntity&) = delete;
    HeldEntity& operator=(const HeldEntity&) = delete;
    ~HeldEntity() { drop(); }

    const Entity& get() const noexcept { return entity_; }
    const Entity* operator->() const noexcept { return &entity_; }
    Entity* operator->() noexcept { return &entity_; }

private:
    void drop() noexcept;

    Entity entity_;
};

}  // namespace revenant

template <>
struct std::hash<revenant::Entity> {
    std::size_t operator()(const revenant::Entity& entity) const noexcept {
        return std::hash<revenant::EntityId>()(entity.getId());
    }
};
