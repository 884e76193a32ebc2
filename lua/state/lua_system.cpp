#include "lua/state/lua_system.hpp"

#include <functional>
#include <lua.hpp>

#include "lua/state/hook_call.hpp"
#include "lua/state/plain_data.hpp"

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

LuaSystem& LuaSystem::require() {
    WorldLink::require(link_);
    return *this;
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

namespace {

// Errors begin with the system.
template <class Work>
void naming(const System& system, Work work) {
    try {
        work();
    } catch (const Error& error) {
        error.throwBehind(sentence("system '", system.getName(), "': "));
    }
}

}  // namespace

void LuaSystem::getRewindState(std::vector<std::byte>& into) {
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "getSystemState");
        lua_pushnumber(state, number_);
        naming(*this, [&] { callLua(state, 1, 1); });
        const std::function<std::string()> describe = [this] {
            return sentence("system '", getName(), "': what getRewindState returned");
        };
        encodePlain(state, 1, link, {describe}, into);
    });
}

void LuaSystem::restoreRewindState(std::span<const std::byte> data) {
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "restoreSystemState");
        lua_pushnumber(state, number_);
        naming(*this, [&] {
            decodePlain(state, data, 0, 0, link);
            callLua(state, 2, 0);
        });
    });
}

bool LuaSystem::lerpRewindState(std::span<const std::byte> now, std::span<const std::byte> next,
                                double part, std::vector<std::byte>& into) {
    bool isBlended = false;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "lerpSystemState");
        lua_pushnumber(state, number_);
        isBlended =
            callLerp(state, 1, link, now, next, part, sentence("system '", getName(), "'"), into);
    });
    return isBlended;
}

std::vector<StatePart> LuaSystem::describeRewindState(std::span<const std::byte> state) const {
    return describePlain(getWorld(), state);
}

}  // namespace revenant
