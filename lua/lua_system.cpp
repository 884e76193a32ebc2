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

bool LuaSystem::isOf(const Session& session) const noexcept {
    return Session::lock(session_).get() == &session;
}

bool LuaSystem::hasRewindState() const {
    return hasHooks_ && Session::lock(session_);
}

void LuaSystem::call(const char* function, double seconds) {
    const auto session = Session::lock(session_);
    if (!session) return;
    protect(session->state(), [&](lua_State* state) {
        session->pushCore(state, function);
        lua_pushnumber(state, number_);
        lua_pushnumber(state, seconds);
        callLua(state, 2, 0);
    });
}

void LuaSystem::getRewindState(std::vector<std::byte>& into) {
    const auto session = Session::lock(session_);
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return;
    const WorldLink::HookScope scope(*link);
    protect(session->state(), [&](lua_State* state) {
        session->pushCore(state, "getSystemState");
        lua_pushnumber(state, number_);
        callLua(state, 1, 1);
        encodePlain(state, 1, 0, *link, sentence("system '", getName(), "': the state"), into);
    });
}

void LuaSystem::restoreRewindState(std::span<const std::byte> data) {
    const auto session = Session::lock(session_);
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return;
    const WorldLink::HookScope scope(*link);
    protect(session->state(), [&](lua_State* state) {
        session->pushCore(state, "restoreSystemState");
        lua_pushnumber(state, number_);
        decodePlain(state, data, 0, 0, *link);
        callLua(state, 2, 0);
    });
}

bool LuaSystem::lerpRewindState(std::span<const std::byte> now, std::span<const std::byte> next,
                                double part, std::vector<std::byte>& into) {
    const auto session = Session::lock(session_);
    WorldLink* link = WorldLink::find(link_);
    if (!session || !link) return false;
    const WorldLink::HookScope scope(*link);
    bool isBlended = false;
    protect(session->state(), [&](lua_State* state) {
        session->pushCore(state, "lerpSystemState");
        lua_pushnumber(state, number_);
        decodePlain(state, now, 0, 0, *link);
        decodePlain(state, next, 0, 0, *link);
        lua_pushnumber(state, part);
        callLua(state, 4, 1);
        isBlended = !lua_isnil(state, 1);
        if (isBlended)
            encodePlain(state, 1, 0, *link,
                        sentence("system '", getName(), "': what lerpRewindState returned"), into);
    });
    return isBlended;
}

}  // namespace revenant
