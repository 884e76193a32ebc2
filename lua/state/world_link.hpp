// WorldLink: one Lua state's link to one world. It keeps in step what Lua has of the world: the values of
// entities, the cells of columns, the tables of script components; and knows which systems and
// listeners end with the state. Numbered process-wide, so that functions called by FFI find it by a plain
// number.
//
// Owned by Session. One thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lua/state/belongings.hpp"
#include "lua/state/entity_values.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/link_numbers.hpp"
#include "lua/state/match_watches.hpp"
#include "lua/state/prefab.hpp"
#include "lua/state/script_lifecycles.hpp"
#include "lua/state/script_tables.hpp"
#include "lua/state/view_links.hpp"
#include "world/core/world_core.hpp"
#include "world/count_scope.hpp"
#include "world/storage/change_set.hpp"

struct lua_State;

namespace revenant {

class LuaReference;
class Session;
class TimeRewindSys;

class WorldLink {
public:
    WorldLink(Session& session, World& world);
    WorldLink(const WorldLink&) = delete;
    WorldLink& operator=(const WorldLink&) = delete;
    ~WorldLink();

    // Null for a number whose link has ended.
    static WorldLink* find(std::uint32_t number) noexcept { return LinkNumbers::find(number); }
    static WorldLink& require(std::uint32_t number) {
        WorldLink* link = find(number);
        if (!link || !link->world_) [[unlikely]]
            failEnded();
        return *link;
    }
    // For calls that change what a history is about to record or to restore: they are refused
    // inside its hooks.
    static WorldLink& requireOpen(std::uint32_t number) {
        WorldLink& link = require(number);
        if (link.hooks_ > 0) [[unlikely]]
            failInHook();
        return link;
    }

    // Marks that a hook of the history is running: the world neither moves nor resets meanwhile.
    class HookScope {
    public:
        explicit HookScope(WorldLink& link) : tick_(link.core()), count_(link.hooks_) {}

    private:
        TickScope tick_;
        CountScope count_;
    };

    // Marks that a listener of the world's own events is running: these fire in the middle of a
    // reconcile, or while a history releases entities.
    class ListenerScope {
    public:
        explicit ListenerScope(WorldLink& link) : tick_(link.core()), count_(link.listening_) {}

    private:
        TickScope tick_;
        CountScope count_;
    };
    bool isListening() const noexcept { return listening_ > 0; }

    Session& session() const noexcept { return session_; }
    World& world() const {
        if (!world_) [[unlikely]]
            failEnded();
        return *world_;
    }
    WorldCore& core() const { return WorldCore::of(world()); }
    bool isTo(const World& world) const noexcept { return world_ == &world; }
    bool isToInstance() const noexcept { return isInstance_; }
    bool hasEnded() const noexcept { return world_ == nullptr; }
    std::uint32_t number() const noexcept { return number_; }
    // Its number among all links that the world has had: what components say of it, so that a history that was
    // saved from a world with one state means the same in another one.
    std::uint32_t mark() const noexcept { return mark_; }
    // Releases everything that is this state's: systems, listeners, views, values. Everything that the state
    // brought to the process-wide world leaves it.
    void close() noexcept;
    // Its world is about to be freed: components are notified, and what they throw goes to `errors`. From now on the
    // link is not found by its number any more.
    void end(ErrorList& errors) noexcept;
    void forgetWorld() noexcept;  // it is about to end

    // ---- values
    Entity entity(std::uint32_t index, std::uint32_t generation) const {
        return {world(), EntityId{index, generation}};
    }
    EntityValues values;
    // Updates Lua's values of entities after a reconcile.
    void sweepValues() noexcept;

    // ---- references: scripts can release only what scripts retained, never the history's
    void retain(Entity entity);
    void release(Entity entity);

    // ---- views and script components
    ViewLinks views;
    ScriptTables tables;
    ScriptLifecycles lifecycles{*this};
    MatchWatches matches{*this};
    // Destroys a detached entity. Where a reconcile has taken it out of the world, and scripts are not yet called for that,
    // they are called first.
    void destroy(Entity entity);
    // Runs `work(state)`, protected, where listeners of the world's own events run.
    template <class Work>
    void callInReconcile(Work work);

    // ---- prefabs
    std::uint32_t addPrefab(Prefab prefab);
    void removePrefab(std::uint32_t number) noexcept;  // Lua has released it
    const Prefab& prefabAt(std::uint32_t number) const;

    // ---- what ends with the state
    std::vector<ListenerToken> listeners;
    Belongings belongings;
    void noteMade(EntityId id) {
        if (isInstance_) belongings.noteMade(id);
    }
    // Makes room for `count` new entities, of which `roots` get a Lua value.
    void makeRoomForMade(std::uint32_t count, std::uint32_t roots) {
        values.makeRoomFor(count, roots);
        if (isInstance_) belongings.makeRoomFor(core().forest().pool.count() + count);
    }
    // A history that Lua holds: empty once its world has ended.
    using HeldHistory = std::shared_ptr<std::shared_ptr<TimeRewindSys>>;
    HeldHistory holdHistory(std::shared_ptr<TimeRewindSys> history);
    // Takes them from Lua.
    std::vector<std::shared_ptr<TimeRewindSys>> dropHistories() noexcept;

    // ---- scratch for lists handed to Lua
    std::vector<EntityId> list;
    // Copies as many of the list as there is room for; returns how many it has.
    double copyList(EntityId* ids, std::uint32_t room) const noexcept {
        std::copy_n(list.begin(), std::min<std::size_t>(list.size(), room), ids);
        return static_cast<double>(list.size());
    }

    // ---- of the observer
    void onClockRaised() noexcept;
    void onReconcile(const ChangeSet& changes);
    void checkResource(const std::string& name, const Value& value);
    void onReplace();
    void onReset() noexcept;
    void onChangesTold(ErrorList& errors);
    void onDestroyedTold(ErrorList& errors);
    bool mayAct() const noexcept { return lifecycles.any() || matches.any(); }

private:
    [[noreturn]] static void failEnded();
    [[noreturn]] static void failInHook();
    lua_State* luaState() const noexcept;
    void observe();
    void endLifecycles(bool hasWorld) noexcept;
    void leave(World& world) noexcept;
    void tellMoves() noexcept;

    Session& session_;
    World* world_;
    std::uint32_t number_;
    std::uint32_t mark_ = 0;
    int hooks_ = 0;           // that are running
    int listening_ = 0;       // listeners that are running
    bool isInstance_;         // the world is the process-wide one
    bool isSwept_ = false;    // since the last reconcile
    bool isTelling_ = false;  // Lua of moves
    std::unordered_map<EntityId, std::uint32_t> retained_;
    std::vector<std::unique_ptr<Prefab>> prefabs_;
    std::vector<std::weak_ptr<std::shared_ptr<TimeRewindSys>>> histories_;
};

template <class Work>
void WorldLink::callInReconcile(Work work) {
    const MemoryReserve::Pause pause;  // what the script asks for in vain is its own failure
    std::optional<ListenerScope> scope;
    if (world_) scope.emplace(*this);
    protect(luaState(), work);
}

// The observer of a world that has links, of any number of Lua states.
class WorldLinks final : public WorldObserver {
public:
    explicit WorldLinks(WorldCore& world) : world_(world) {}
    ~WorldLinks() override;

    // Returns its mark.
    std::uint32_t add(WorldLink& link) {
        links_.push_back(&link);
        return ++lastMark_;
    }
    void remove(WorldLink& link) noexcept { std::erase(links_, &link); }
    bool isAlone() const noexcept { return links_.empty(); }
    // What belongs to a state that was closed in the middle of a tick, perhaps by a hook of another state, while
    // a history goes through its systems: it leaves at the next reconcile. Until then its systems do nothing.
    void leaveLater(Belongings belongings) { orphans_.push_back(std::move(belongings)); }

    void onReconcile(const ChangeSet& changes) override;
    void onClockRaised() override;
    void checkReplacement(const std::map<std::string, Value>& resources) override;
    void onReplace() override;
    void onReset() override;
    void onChangesTold(ErrorList& errors) override;
    void onDestroyedTold(ErrorList& errors) override;
    bool mayAct() const noexcept override;
    void validate(std::vector<std::string>& /*problems*/) const override {}

private:
    WorldCore& world_;
    std::vector<WorldLink*> links_;
    std::uint32_t lastMark_ = 0;
    std::vector<Belongings> orphans_;
};

}  // namespace revenant
