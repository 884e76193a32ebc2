#include "lua/state/hook_call.hpp"

#include <functional>
#include <lua.hpp>

#include "lua/state/plain_data.hpp"

namespace revenant {

bool callLerp(lua_State* state, int arguments, WorldLink& link, std::span<const std::byte> now,
              std::span<const std::byte> next, double part, const std::string& what,
              std::vector<std::byte>& into) {
    decodePlain(state, now, 0, 0, link);
    decodePlain(state, next, 0, 0, link);
    lua_pushnumber(state, part);
    callLua(state, arguments + 3, 1);
    if (lua_isnil(state, -1)) return false;
    const std::function<std::string()> describe = [&] {
        return what + ": what lerpRewindState returned";
    };
    encodePlain(state, lua_gettop(state), link, {describe}, into);
    return true;
}

}  // namespace revenant
