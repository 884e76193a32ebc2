// WorldLink: one Lua state's link to one world. It keeps in step what Lua has of the world: the values of
// entities, the cells of columns, the tables of script components; and knows which systems and
// listeners end with the state. Numbered process-wide, so that functions called by FFI find it by a plain
// number.
//
// Owned by Session. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lua/entity_values.hpp"
#include "lua/prefab.hpp"
#include "lua/script_tables.hpp"
#include "lua/view_links.hpp"
#include "world/change_set.hpp"
#include "world/world.hpp"

struct lua_State;

namespace revenant {

class LuaReference;
class Session;

class WorldLink {
public:
    WorldLink(Session& session, World& world);
    WorldLink(const WorldLink&) = delete;
    WorldLink& operator=(const WorldLink&) = delete;
    ~WorldLink();

    // Null for a number of which there is none any more.
    static WorldLink* find(std::uint32_t number) noexcept;
    static WorldLink& require(std::uint32_t number);
    // For calls that change what a history is about to write down or to put back: they are refused
    // from inside its hooks.
    static WorldLink& requireOpen(std::uint32_t number);

    // Marks that a hook of the history is running: the world neither moves nor resets meanwhile.
    class HookScope {
    public:
        explicit HookScope(WorldLink& link) : link_(link), scope_(link.world()) { ++link_.hooks_; }
        HookScope(const HookScope&) = delete;
        HookScope& operator=(const HookScope&) = delete;
        ~HookScope() { --link_.hooks_; }

    private:
        WorldLink& link_;
        World::TickScope scope_;
    };

    // Marks that a listener of the world's own events is running: these fire in the middle of a
    // reconcile, or while a history lets go of entities.
    class ListenerScope {
    public:
        explicit ListenerScope(WorldLink& link) : link_(link), scope_(link.world()) {
            ++link_.listening_;
        }
        ListenerScope(const ListenerScope&) = delete;
        ListenerScope& operator=(const ListenerScope&) = delete;
        ~ListenerScope() { --link_.listening_; }

    private:
        WorldLink& link_;
        World::TickScope scope_;
    };
    bool isListening() const noexcept { return listening_ > 0; }

    Session& session() const noexcept { return session_; }
    World& world() const;
    bool isTo(const World& world) const noexcept { return world_ == &world; }
    std::uint32_t number() const noexcept { return number_; }
    // Lets go of everything that is this state's: systems, listeners, views, values.
    void close() noexcept;
    void forgetWorld() noexcept;  // it is about to end

    // ---- values
    Entity entity(std::uint32_t index, std::uint32_t generation) const {
        return {world(), EntityId{index, generation}};
    }
    EntityValues values;
    // Brings Lua's values in step with what became of their entities.
    void sweepValues();

    // ---- references: a script gives back only what scripts took, never the history's
    void retain(Entity entity);
    void release(Entity entity);

    // ---- views and script components
    ViewLinks views;
    ScriptTables tables;

    // ---- prefabs
    std::uint32_t addPrefab(Prefab prefab);
    const Prefab& prefabAt(std::uint32_t number) const;

    // ---- what ends with the state
    std::vector<ListenerToken> listeners;
    std::vector<std::weak_ptr<System>> systems;

    // ---- scratch for lists handed to Lua
    std::vector<EntityId> list;
    // Copies as many of the list as there is room for; answers how many it has.
    double copyList(EntityId* ids, std::uint32_t room) const noexcept {
        std::copy_n(list.begin(), std::min<std::size_t>(list.size(), room), ids);
        return static_cast<double>(list.size());
    }

    // ---- of the observer
    void onClockRaised() noexcept;
    void onReconcile(const ChangeSet& changes);
    void onReset() noexcept;

private:
    void tellMoves() noexcept;

    Session& session_;
    World* world_;
    std::uint32_t number_;
    int hooks_ = 0;           // that are running
    int listening_ = 0;       // listeners that are running
    bool isSwept_ = false;    // since the last reconcile
    bool isTelling_ = false;  // Lua of moves
    std::unordered_map<EntityId, std::uint32_t> retained_;
    std::vector<std::unique_ptr<Prefab>> prefabs_;
};

// The observer of a world that has links, of however many states.
class WorldLinks final : public WorldObserver {
public:
    explicit WorldLinks(World& /*world*/) {}
    ~WorldLinks() override;

    void add(WorldLink& link) { links_.push_back(&link); }
    void remove(WorldLink& link) noexcept { std::erase(links_, &link); }

    void onReconcile(const ChangeSet& changes) override;
    void onClockRaised() override;
    void onReset() override;
    void validate(std::vector<std::string>& /*problems*/) const override {}

private:
    std::vector<WorldLink*> links_;
};

}  // namespace revenant
