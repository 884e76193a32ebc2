#include "lua/lua_system.hpp"

#include <lua.hpp>

#include "lua/error_carrier.hpp"
#include "lua/plain_data.hpp"
#include "lua/session.hpp"
#include "lua/world_link.hpp"

namespace revenant {

LuaSystem::LuaSystem(WorldLink& link, std::uint32_t number, std::string name, SystemOptions options,
                     bool hasHooks)
    : System(link.world(), std::move(name), std::move(options)),
      session_(Session::sharedOf(link.session().state())),
      link_(link.number()),
      number_(number),
      hasHooks_(hasHooks) {}

void LuaSystem::call(const char* function, double seconds) {
    const auto session = session_.lock();
    if (!session) return;
    lua_State* state = session->state();
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    session->pushCore(state, function);
    lua_pushnumber(state, number_);
    lua_pushnumber(state, seconds);
    callLua(state, 2, 0);
}

void LuaSystem::getRewindState(std::vector<std::byte>& into) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return;
    lua_State* state = session->state();
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const WorldLink::HookScope scope(*link);
    session->pushCore(state, "getSystemState");
    lua_pushnumber(state, number_);
    callLua(state, 1, 1);
    encodePlain(state, lua_gettop(state), 0, *link, sentence("system '", getName(), "': the state"),
                into);
    lua_pop(state, 1);
}

void LuaSystem::restoreRewindState(std::span<const std::byte> data) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return;
    lua_State* state = session->state();
    if (lua_checkstack(state, 12) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const WorldLink::HookScope scope(*link);
    session->pushCore(state, "restoreSystemState");
    lua_pushnumber(state, number_);
    decodePlain(state, data, 0, 0, *link);
    callLua(state, 2, 0);
}

bool LuaSystem::lerpRewindState(std::span<const std::byte> now, std::span<const std::byte> next,
                                double part, std::vector<std::byte>& into) {
    const auto session = session_.lock();
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return false;
    lua_State* state = session->state();
    if (lua_checkstack(state, 12) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    const WorldLink::HookScope scope(*link);
    session->pushCore(state, "lerpSystemState");
    lua_pushnumber(state, number_);
    decodePlain(state, now, 0, 0, *link);
    decodePlain(state, next, 0, 0, *link);
    lua_pushnumber(state, part);
    callLua(state, 4, 1);
    const bool isBlended = !lua_isnil(state, -1);
    if (isBlended)
        encodePlain(state, lua_gettop(state), 0, *link,
                    sentence("system '", getName(), "': what lerpRewindState returned"), into);
    lua_pop(state, 1);
    return isBlended;
}

}  // namespace revenant
