#include <cmath>
#include <lua.hpp>

#include "lua/script_host.hpp"
#include "world/error.hpp"

namespace revenant {

bool ScriptCall::has(int position) const noexcept {
    return !lua_isnoneornil(state_, position + skipped_);
}

double ScriptCall::number(int position, const char* name) const {
    if (lua_type(state_, position + skipped_) != LUA_TNUMBER) wrong(position, name, "a number");
    const double number = lua_tonumber(state_, position + skipped_);
    if (!std::isfinite(number)) wrong(position, name, "a finite number");
    return number;
}

std::int64_t ScriptCall::integer(int position, const char* name) const {
    const double rounded = std::floor(number(position, name));
    if (std::abs(rounded) > 9007199254740992.0) wrong(position, name, "a number of sane size");
    return static_cast<std::int64_t>(rounded);
}

bool ScriptCall::boolean(int position, const char* name) const {
    if (lua_type(state_, position + skipped_) != LUA_TBOOLEAN) wrong(position, name, "a boolean");
    return lua_toboolean(state_, position + skipped_) != 0;
}

std::string_view ScriptCall::text(int position, const char* name) const {
    if (lua_type(state_, position + skipped_) != LUA_TSTRING) wrong(position, name, "a string");
    std::size_t length = 0;
    const char* text = lua_tolstring(state_, position + skipped_, &length);
    return {text, length};
}

void ScriptCall::wrong(int position, const char* name, const char* wanted) const {
    const int index = position + skipped_;
    const std::string given = lua_type(state_, index) == LUA_TNUMBER
                                  ? sentence(lua_tonumber(state_, index))
                                  : std::string(luaL_typename(state_, index));
    fail(ErrorCode::WrongType, function_, ": argument ", position, " (", name, ") must be ", wanted,
         ", not ", given);
}

}  // namespace revenant
