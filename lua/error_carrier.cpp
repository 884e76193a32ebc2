#include "lua/error_carrier.hpp"

#include <lua.hpp>

namespace revenant {

namespace {

constexpr int deepestCall =
    100;  // of Lua by C++: LuaJIT itself would only stop at the end of the stack
constexpr int roomForCalls = 512;  // stack slots

// Adds the traceback to an error that has none yet.
int addTraceback(lua_State* state) {
    if (!lua_isstring(state, 1)) {
        if (luaL_callmeta(state, 1, "__tostring") == 0)
            lua_pushfstring(state, "(error object is a %s value)", luaL_typename(state, 1));
        lua_replace(state, 1);
    }
    lua_settop(state, 1);
    const std::string text = lua_tostring(state, 1);
    if (text.find("\nstack traceback:\n") == std::string::npos)
        luaL_traceback(state, state, text.c_str(), 1);
    return 1;
}

[[noreturn]] void throwAssertion(const std::string& sentence) {
    throw Error(ErrorCode::WrongState, sentence);
}

}  // namespace

std::string& lastError() noexcept {
    static thread_local std::string sentence;
    return sentence;
}

void callLua(lua_State* state, int arguments, int results) {
    static thread_local int depth = 0;
    struct Depth {
        Depth() { ++depth; }
        ~Depth() { --depth; }
    } const deeper;
    if (depth > deepestCall) {
        lua_pop(state, arguments + 1);
        throw LuaError("C++ and Lua call each other in a circle: more than 100 calls deep");
    }
    const int handler = lua_gettop(state) - arguments;
    lua_pushcfunction(state, &addTraceback);
    lua_insert(state, handler);
    const int status = lua_pcall(state, arguments, results, handler);
    lua_remove(state, handler);
    if (status == 0) return;
    const char* text = lua_tostring(state, -1);
    const std::string message = text ? text : "an error without a message";
    lua_pop(state, 1);
    throw LuaError(message);
}

int carryException(lua_State* state, const std::exception* error, const char* text,
                   std::size_t length) {
    const bool isLuas = error && dynamic_cast<const LuaError*>(error) != nullptr;
    if (isLuas)
        lua_pushliteral(state, "");
    else
        luaL_where(state, 3);  // 1 is callWithRoom, 2 the Lua half of the module
    if (error)
        lua_pushstring(state, error->what());
    else
        lua_pushlstring(state, text, length);
    lua_concat(state, 2);
    return 1;
}

int callWithRoom(lua_State* state) {
    lua_checkstack(state, roomForCalls);  // raises when the stack is full
    lua_pushvalue(state, lua_upvalueindex(1));
    lua_insert(state, 1);
    lua_call(state, lua_gettop(state) - 1, LUA_MULTRET);
    return lua_gettop(state);
}

void throwAssertions() noexcept {
    setAssertionHandler([](const std::string& sentence) { throwAssertion(sentence); });
}

}  // namespace revenant
