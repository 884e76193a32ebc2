#include "lua/hook_call.hpp"

#include <lua.hpp>

#include "lua/plain_data.hpp"

namespace revenant {

bool callLerp(lua_State* state, int arguments, WorldLink& link, std::span<const std::byte> now,
              std::span<const std::byte> next, double part, const std::string& what,
              std::vector<std::byte>& into) {
    decodePlain(state, now, 0, 0, link);
    decodePlain(state, next, 0, 0, link);
    lua_pushnumber(state, part);
    callLua(state, arguments + 3, 1);
    if (lua_isnil(state, -1)) return false;
    encodePlain(state, lua_gettop(state), 0, link, what + ": what lerpRewindState returned", into);
    return true;
}

}  // namespace revenant
