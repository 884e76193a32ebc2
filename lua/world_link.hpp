// WorldLink: one Lua state's link to one world. It keeps in step what Lua has of the world: which
// entities have a Lua value, and how strongly it is held; the cells of its columns; its systems and
// listeners. Numbered process-wide, so that functions called by FFI find it by a plain number.
//
// Values. An entity's value is strong while the entity is managed or a zombie (or unborn), weak while
// it is detached: then its hold keeps the entity's tree alive until the value is collected. The Lua
// half keeps the two tables; promote/demote/drop tell it what to move, at each reconcile.
//
// Columns. When the tick is raised all columns close: their `count` is 0, so that the bounds check of
// the first access fails and comes here (openColumn), where pages are marked open for writing. So a
// mark costs nothing per row, and what no script touches is never marked.
//
// Owned by Session. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lua/prefab.hpp"
#include "views/components_view.hpp"
#include "world/change_set.hpp"
#include "world/world.hpp"

struct lua_State;

namespace revenant {

class LuaReference;
class Session;
class WorldLink;

// What a column's Lua object looks like in memory; Lua owns it. `count` is what the bounds check
// compares with.
struct ColumnCells {
    const void* rows;       // pointers to components; of `entities`: RowHeads
    std::int32_t count;     // 0 while closed
    std::int32_t released;  // 1: its view was released
    std::uint32_t link;
    std::uint32_t view;
    std::int32_t column;  // -1: `entities`
    std::uint32_t tick;   // when it was opened
};

// A view that Lua uses.
struct ViewLink {
    std::shared_ptr<ComponentsView> view;
    std::vector<ColumnCells*> cells;
    struct Run {
        std::uint32_t first, count;
    };
    struct Runs {
        std::uint64_t columns = 0;  // one bit per column
        std::uint64_t asOf = 0;
        std::vector<Run> runs;
    };
    std::vector<Runs> runs;
};

// A script component's bytes: which table of which link.
struct ScriptReference {
    std::uint32_t table = 0;  // 0: none
    std::uint32_t link = 0;
};

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
    // A value was made. True: it is to be held strongly.
    bool noteValue(Entity entity);
    // The same for a new entity, whose value is weak. True: the slot's last value is still held.
    bool noteNewValue(Entity entity);
    void dropValue(std::uint32_t index) noexcept;
    // Finds values of entities that were destroyed, and tells Lua of all moves.
    void sweepValues();
    // Those held weakly; none twice.
    const std::vector<std::uint32_t>& weakValues();
    struct Moves {
        std::vector<std::uint32_t> promoted, demoted, dropped;
    } moves;

    // ---- references: a script gives back only what scripts took, never the history's
    void retain(Entity entity);
    void release(Entity entity);

    // ---- views
    std::uint32_t addView(std::shared_ptr<ComponentsView> view);
    ViewLink& viewAt(std::uint32_t number);
    void releaseView(std::uint32_t number);
    void openColumn(ColumnCells& cells);
    const std::vector<ViewLink::Run>& runs(ViewLink& view, std::uint64_t columns);

    // ---- script components
    std::uint32_t addTable(Entity owner, ComponentTypeId type);
    // Frees tables that neither an entity nor the history could bring back.
    void sweepTables(std::vector<std::uint32_t>& freed);

    // ---- prefabs
    std::uint32_t addPrefab(Prefab prefab);
    const Prefab& prefabAt(std::uint32_t number) const;

    // ---- what ends with the state
    std::vector<ListenerToken> listeners;
    std::vector<std::weak_ptr<System>> systems;

    // ---- scratch for lists handed to Lua
    std::vector<EntityId> list;

    // ---- of the observer
    void onTickRaised() noexcept;
    void onReconcile(const ChangeSet& changes);
    void onReset() noexcept;

private:
    enum class Held : std::uint8_t { No, Weakly, Strongly };
    struct Value {
        HeldEntity hold;
        Held held = Held::No;
        bool isListed = false;  // in weak_
    };
    struct Table {
        EntityId owner;  // null: the entry is free
        ComponentTypeId type = 0;
        std::int64_t unboundSince = -1;  // newest frame when it was first seen unbound
    };

    void setHeld(std::uint32_t index, Held held);
    void tellMoves();
    void closeColumns() noexcept;

    Session& session_;
    World* world_;
    std::uint32_t number_;
    int hooks_ = 0;                    // that are running
    int listening_ = 0;                // listeners that are running
    std::vector<Value> values_;        // by entity index
    std::vector<std::uint32_t> weak_;  // indices of those held weakly, and of some that were
    std::vector<EntityId> watched_;    // left the world with a value: may be destroyed any time
    std::unordered_map<EntityId, std::uint32_t> retained_;
    std::vector<ViewLink> views_;
    std::vector<ColumnCells*> open_;
    std::vector<Table> tables_;  // by number - 1
    std::vector<std::uint32_t> freeTables_;
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
    void onTickRaised() override;
    void onReset() override;
    void validate(std::vector<std::string>& /*problems*/) const override {}

private:
    std::vector<WorldLink*> links_;
};

}  // namespace revenant
