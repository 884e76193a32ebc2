#include "lua/script_host.hpp"

#include <lua.hpp>

#include "lua/module.hpp"
#include "lua/state/error_carrier.hpp"

namespace revenant {

struct ScriptHost::Defined {
    std::string name;  // "host.canvas:clear", for sentences
    Function function;
    bool isMethod = false;
};

namespace {

void pushPlain(lua_State* state, const Value& value) {
    if (const auto* boolean = value.as<bool>())
        lua_pushboolean(state, *boolean ? 1 : 0);
    else if (const auto* integer = value.as<std::int64_t>())
        lua_pushnumber(state, static_cast<double>(*integer));
    else if (const auto* number = value.as<double>())
        lua_pushnumber(state, *number);
    else if (const auto* text = value.as<std::string>())
        lua_pushlstring(state, text->data(), text->size());
    else
        lua_pushnil(state);
}

Value plainValue(lua_State* state, int index) {
    std::size_t length = 0;
    switch (lua_type(state, index)) {
        case LUA_TBOOLEAN: return lua_toboolean(state, index) != 0;
        case LUA_TNUMBER: return static_cast<double>(lua_tonumber(state, index));
        case LUA_TSTRING: {
            const char* text = lua_tolstring(state, index, &length);
            return std::string(text, length);
        }
        default: return {};
    }
}

// The lua_CFunction of all functions that a host defines: upvalues are its Defined and, of a
// method, the table it belongs to. Nothing with a destructor may be alive when Lua raises.
template <class Defined>
int enter(lua_State* state) {
    {
        const auto& defined =
            *static_cast<const Defined*>(lua_touserdata(state, lua_upvalueindex(1)));
        try {
            if (defined.isMethod && lua_rawequal(state, 1, lua_upvalueindex(2)) == 0)
                fail(ErrorCode::BadArgument, defined.name, ": call it with a colon");
            ScriptCall call(state, defined.name, defined.isMethod ? 1 : 0);
            defined.function(call);
            if (call.result().isNone()) return 0;
            pushPlain(state, call.result());
            return 1;
        } catch (const std::exception& error) {
            luaL_where(state, 1);
            lua_pushstring(state, error.what());
        }
    }
    lua_concat(state, 2);
    return lua_error(state);
}

}  // namespace

void ScriptHost::Closer::operator()(lua_State* state) const noexcept {
    lua_close(state);
}

ScriptHost::ScriptHost(std::string module) : module_(std::move(module)), state_(luaL_newstate()) {
    lua_State* state = state_.get();
    if (!state) fail(ErrorCode::LimitReached, "no memory for a Lua state");
    luaL_openlibs(state);
    lua_getglobal(state, "package");
    lua_getfield(state, -1, "preload");
    lua_pushcfunction(state, &luaopen_revenant);
    lua_setfield(state, -2, "revenant");
    lua_getfield(state, -2, "loaded");
    lua_newtable(state);
    lua_pushvalue(state, -1);
    moduleReference_ = luaL_ref(state, LUA_REGISTRYINDEX);
    lua_setfield(state, -2, module_.c_str());
    lua_settop(state, 0);
}

ScriptHost::~ScriptHost() = default;

void ScriptHost::addModuleFolder(const std::string& folder) {
    lua_State* state = state_.get();
    lua_getglobal(state, "package");
    lua_getfield(state, -1, "path");
    const std::string before = lua_tostring(state, -1);
    lua_pushstring(state, sentence(folder, "/?.lua;", folder, "/?/init.lua;", before).c_str());
    lua_setfield(state, -3, "path");
    lua_settop(state, 0);
}

void ScriptHost::setField(const char* name, const Value& value) {
    lua_State* state = state_.get();
    lua_rawgeti(state, LUA_REGISTRYINDEX, moduleReference_);
    pushPlain(state, value);
    lua_setfield(state, -2, name);
    lua_settop(state, 0);
}

void ScriptHost::addFunction(const char* name, Function function) {
    define(nullptr, name, std::move(function));
}

void ScriptHost::addMethod(const char* table, const char* name, Function function) {
    define(table, name, std::move(function));
}

void ScriptHost::define(const char* table, const char* name, Function function) {
    lua_State* state = state_.get();
    functions_.push_back(std::make_unique<Defined>(
        Defined{table ? sentence(module_, ".", table, ":", name) : sentence(module_, ".", name),
                std::move(function), table != nullptr}));
    lua_rawgeti(state, LUA_REGISTRYINDEX, moduleReference_);
    if (table) {
        lua_getfield(state, -1, table);
        if (lua_isnil(state, -1)) {
            lua_pop(state, 1);
            lua_newtable(state);
            lua_pushvalue(state, -1);
            lua_setfield(state, -3, table);
        }
    }
    lua_pushlightuserdata(state, functions_.back().get());
    lua_pushvalue(state, -2);
    lua_pushcclosure(state, &enter<Defined>, 2);
    lua_setfield(state, -2, name);
    lua_settop(state, 0);
}

void ScriptHost::load(const std::string& path) {
    lua_State* state = state_.get();
    lua_settop(state, 0);
    if (luaL_loadfile(state, path.c_str()) != 0) {
        const std::string text = lua_tostring(state, -1);
        lua_settop(state, 0);
        fail(ErrorCode::BadArgument, text);
    }
    callLua(state, 0, 1);
    if (!lua_istable(state, -1)) {
        const char* type = luaL_typename(state, -1);
        lua_settop(state, 0);
        fail(ErrorCode::WrongType, path, ": must return a table of functions, not ", type);
    }
    if (scriptReference_ != 0) luaL_unref(state, LUA_REGISTRYINDEX, scriptReference_);
    scriptReference_ = luaL_ref(state, LUA_REGISTRYINDEX);
}

void ScriptHost::pushFunction(const char* function) {
    lua_State* state = state_.get();
    if (!isLoaded()) fail(ErrorCode::WrongState, function, ": no script is loaded");
    lua_settop(state, 0);
    lua_rawgeti(state, LUA_REGISTRYINDEX, scriptReference_);
    lua_getfield(state, -1, function);
    if (!lua_isfunction(state, -1))
        fail(ErrorCode::WrongType, "the script's table has no function '", function, "'");
}

bool ScriptHost::hasFunction(const char* function) {
    if (!isLoaded()) return false;
    lua_State* state = state_.get();
    lua_settop(state, 0);
    lua_rawgeti(state, LUA_REGISTRYINDEX, scriptReference_);
    lua_getfield(state, -1, function);
    const bool isThere = lua_isfunction(state, -1);
    lua_settop(state, 0);
    return isThere;
}

void ScriptHost::call(const char* function, std::initializer_list<double> arguments) {
    pushFunction(function);
    for (const double argument : arguments) lua_pushnumber(state_.get(), argument);
    callLua(state_.get(), static_cast<int>(arguments.size()), 0);
}

void ScriptHost::call(const char* function, const ScriptTable& argument) {
    lua_State* state = state_.get();
    pushFunction(function);
    lua_newtable(state);
    for (const auto& [name, value] : argument) {
        pushPlain(state, value);
        lua_setfield(state, -2, name.c_str());
    }
    callLua(state, 1, 0);
}

ScriptTable ScriptHost::callForTable(const char* function) {
    lua_State* state = state_.get();
    pushFunction(function);
    callLua(state, 0, 1);
    ScriptTable table;
    if (!lua_istable(state, -1))
        fail(ErrorCode::WrongType, function, " must return a table, not ",
             luaL_typename(state, -1));
    for (lua_pushnil(state); lua_next(state, -2) != 0; lua_pop(state, 1)) {
        if (lua_type(state, -2) != LUA_TSTRING) continue;
        Value value = plainValue(state, -1);
        if (!value.isNone()) table.emplace(lua_tostring(state, -2), std::move(value));
    }
    lua_settop(state, 0);
    return table;
}

}  // namespace revenant
