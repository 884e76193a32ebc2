// What history files ask of script components: the classes of their tables, and tables for those that come from one.
#include <algorithm>
#include <cstring>
#include <lua.hpp>

#include "lua/state/hook_call.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/script_hooks.hpp"

namespace revenant {

std::vector<ComponentMake> ScriptHooks::getMakes() {
    std::vector<ComponentMake> makes;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        for (const ComponentMake& each : makes_)  // of frames that were not shown yet
            if (!link.tables.has(each.number)) makes.push_back(each);
        for (std::uint32_t table = 1; table <= link.tables.count(); ++table) {
            if (!link.tables.has(table) || link.tables.typeOf(table) != type) continue;
            lua_settop(state, 0);
            session.pushCore(state, "classOfScript");
            lua_pushnumber(state, link_);
            lua_pushlstring(state, name_.data(), name_.size());
            lua_pushnumber(state, table);
            callLua(state, 3, 1);
            std::size_t length = 0;
            if (const char* name = lua_tolstring(state, -1, &length))
                makes.push_back({table, std::string(name, length)});
        }
    });
    std::ranges::sort(makes, {}, &ComponentMake::number);
    return makes;
}

// A component of a history that was saved elsewhere has no table yet: makes one under the number that it has in all
// frames; an empty one, if a state follows. Leaves on the stack what findScript returns.
bool ScriptHooks::adoptTable(lua_State* state, Session& session, WorldLink& link, EntityId owner,
                             std::uint32_t table) {
    const auto make = std::ranges::lower_bound(makes_, table, {}, &ComponentMake::number);
    const bool isMade = make != makes_.end() && make->number == table;
    lua_settop(state, 0);
    session.pushCore(state, "adoptScript");
    lua_pushnumber(state, link_);
    lua_pushlstring(state, name_.data(), name_.size());
    lua_pushnumber(state, owner.index);
    lua_pushnumber(state, owner.generation);
    lua_pushnumber(state, table);
    // What may fail comes first.
    if (isMade) {
        pushClass(state, link, "findEmpty", make->make, nullptr);
    } else if (isRewound_) {
        lua_pushnil(state);
    } else {
        session.pushCore(state, "newScript");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, name_.data(), name_.size());
        callNaming(state, owner, 2, 1);
    }
    if (!link.tables.adopt(table, owner, type)) return false;
    callLua(state, 6, 3);
    if (isRewound_) link.lifecycles.noteEmpty(table);
    link.lifecycles.noteUnbound(table);  // it may be in the world already: then onAdded is due
    return lua_istable(state, 1);
}

void ScriptHooks::noteBound(EntityId owner, const std::byte* component) {
    ScriptReference reference;
    std::memcpy(&reference, component, sizeof reference);
    const WorldLink* link = reference.link == mark_ ? WorldLink::find(link_) : nullptr;
    if (!link || link->tables.has(reference.table) || isBase(owner)) return;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& of) {
        adoptTable(state, session, of, owner, reference.table);
    });
}

bool ScriptHooks::isBase(EntityId owner) const {
    const WorldCore& core = WorldCore::of(world_);
    const EntityRecord* record = core.forest().pool.findKnown(owner);
    if (!record) return false;
    return std::ranges::any_of(record->shape->types(), [&](ComponentTypeId id) {
        for (const ComponentType* base = core.components().at(id).base; base; base = base->base)
            if (base->id == type) return true;
        return false;
    });
}

}  // namespace revenant
