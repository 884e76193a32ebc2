#include "lua/state/match_watches.hpp"

#include <algorithm>
#include <lua.hpp>
#include <utility>

#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

bool MatchWatches::Watch::matches(const Shape* shape) {
    if (!shape) return false;
    if (shapes.size() <= shape->id()) shapes.resize(shape->id() + 1, -1);
    std::int8_t& known = shapes[shape->id()];
    if (known < 0) {
        auto isThere = [shape](ComponentTypeId type) { return shape->has(type); };
        known = std::ranges::all_of(with, isThere) && std::ranges::none_of(without, isThere);
    }
    return known > 0;
}

MatchWatches::Watch* MatchWatches::find(std::uint32_t system) noexcept {
    auto found = std::ranges::find(watches_, system, &Watch::system);
    return found == watches_.end() ? nullptr : &*found;
}

std::vector<EntityId> MatchWatches::add(std::uint32_t system, std::vector<ComponentTypeId> with,
                                        std::vector<ComponentTypeId> without) {
    remove(system);
    makeRoom(watches_);
    Watch watch;
    watch.system = system;
    watch.with = std::move(with);
    watch.without = std::move(without);
    std::vector<EntityId> matching;
    World& world = link_.world();
    world.forEachManaged([&](Entity entity) {
        if (watch.matches(
                WorldCore::of(world).requireRecord(entity, "registerSystem").visibleShape))
            matching.push_back(entity.getId());
    });
    watch.told.insert(matching.begin(), matching.end());
    watches_.push_back(std::move(watch));
    return matching;
}

void MatchWatches::remove(std::uint32_t system) {
    std::erase_if(watches_, [system](const Watch& watch) { return watch.system == system; });
}

void MatchWatches::onReconcile(const ChangeSet& changes) {
    if (watches_.empty()) return;
    for (const Change& change : changes.left) candidates_.push_back(change.id);
    for (const Change& change : changes.changed)
        if (change.visibleBefore != change.visible) candidates_.push_back(change.id);
}

void MatchWatches::tell(ErrorList& errors) {
    if (candidates_.empty()) return;
    auto candidates = std::exchange(candidates_, {});
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const EntityPool& pool = link_.core().forest().pool;
    std::ranges::stable_sort(candidates, {},
                             [&pool](EntityId id) { return pool.at(id.index).opening.label; });
    std::vector<std::uint32_t> systems;
    for (const Watch& watch : watches_) systems.push_back(watch.system);
    for (const std::uint32_t system : systems) tellOne(system, candidates, errors);
}

void MatchWatches::tellOne(std::uint32_t system, const std::vector<EntityId>& candidates,
                           ErrorList& errors) {
    Watch* watch = find(system);
    if (!watch) return;  // unregistered by another one's call
    std::vector<EntityId> removed;
    std::vector<EntityId> added;
    for (const EntityId id : candidates) {
        const EntityRecord* record = link_.core().forest().pool.find(id);
        const bool matches = record && record->managed && watch->matches(record->visibleShape);
        if (matches && watch->told.insert(id).second) added.push_back(id);
        if (!matches && watch->told.contains(id)) removed.push_back(id);
    }
    for (const EntityId id : removed) callRemoved(system, id, errors);
    for (const EntityId id : added) call(system, "onEntityAdded", id, errors);
}

void MatchWatches::tellLeaving(EntityId id, ErrorList& errors) {
    std::vector<std::uint32_t> systems;  // what is called may register others
    for (const Watch& watch : watches_)
        if (watch.told.contains(id)) systems.push_back(watch.system);
    for (const std::uint32_t system : systems) callRemoved(system, id, errors);
}

// Unless a call for another entity has destroyed this one: then it was called before.
void MatchWatches::callRemoved(std::uint32_t system, EntityId id, ErrorList& errors) {
    Watch* watch = find(system);
    if (watch && watch->told.erase(id) > 0) call(system, "onEntityRemoved", id, errors);
}

void MatchWatches::call(std::uint32_t system, const char* method, EntityId id, ErrorList& errors) {
    if (!find(system)) return;
    try {
        link_.callInReconcile([&](lua_State* state) {
            link_.session().pushCore(state, "tellSystem");
            lua_pushnumber(state, link_.number());
            lua_pushnumber(state, system);
            lua_pushstring(state, method);
            lua_pushnumber(state, id.index);
            lua_pushnumber(state, id.generation);
            callLua(state, 5, 0);
        });
    } catch (...) {
        errors.add(std::current_exception());
    }
}

}  // namespace revenant
