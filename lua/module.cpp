#include "lua/module.hpp"

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/bind/ffi_function.hpp"
#include "lua/embedded_source.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/level_sandbox.hpp"
#include "lua/state/session.hpp"
#include "lua/state/stay_loaded.hpp"
#include "lua/state/world_link.hpp"
#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

const char moduleKey = 0;  // its address is the key of the module's table in the registry

int carry(lua_State* state, sol::optional<const std::exception&> error, sol::string_view text) {
    return carryException(state, error ? &*error : nullptr, text.data(), text.size());
}

sol::table functionTable(sol::state_view lua) {
    sol::table functions = lua.create_table();
    for (const auto group :
         {entityFunctions(), componentFunctions(), prefabFunctions(), tableFunctions(),
          viewFunctions(), mathFunctions(), formulaFunctions()})
        for (const FfiFunction& function : group) {
            sol::table each = lua.create_table();
            each["declaration"] = function.declaration;
            each["address"] =
                static_cast<double>(reinterpret_cast<std::uintptr_t>(function.address));
            functions[function.name] = each;
        }
    return functions;
}

// Wraps every function of a table, and of the tables in it, in callWithRoom.
void giveRoom(lua_State* state, int table) {
    std::vector<std::string> names;
    for (lua_pushnil(state); lua_next(state, table) != 0; lua_pop(state, 1))
        if (lua_type(state, -2) == LUA_TSTRING &&
            (lua_isfunction(state, -1) || lua_istable(state, -1)))
            names.emplace_back(lua_tostring(state, -2));
    for (const std::string& name : names) {
        lua_getfield(state, table, name.c_str());
        if (lua_isfunction(state, -1)) {
            lua_pushcclosure(state, &callWithRoom, 1);
            lua_setfield(state, table, name.c_str());
        } else {
            if (name == "rewind") giveRoom(state, lua_gettop(state));
            lua_pop(state, 1);
        }
    }
}

// Pushes a copy of the table at `index`; of its tables, too, down to `depth`.
void pushCopy(lua_State* state, int index, int depth) {
    lua_newtable(state);
    const int copy = lua_gettop(state);
    for (lua_pushnil(state); lua_next(state, index) != 0;) {
        lua_pushvalue(state, -2);
        if (depth > 0 && lua_istable(state, -2) && lua_rawequal(state, -2, index) == 0)
            pushCopy(state, lua_gettop(state) - 1, depth - 1);
        else
            lua_pushvalue(state, -2);
        lua_rawset(state, copy);
        lua_pop(state, 1);
    }
}

// Runs the Lua half, file by file; each gets the table that they share and returns nothing. They have
// globals of their own, so that checks hold even where a script replaces `error` or `math.floor`.
void runSources(lua_State* state, int core) {
    lua_pushvalue(state, LUA_GLOBALSINDEX);
    pushCopy(state, lua_gettop(state), 1);
    const int environment = lua_gettop(state);
    std::size_t bytes = 0;
    for (const EmbeddedSource& source : embeddedSources()) bytes += source.size;
    const RawBytes texts = inflateFrame(packedSources(), bytes, "the Lua half");
    const char* text = reinterpret_cast<const char*>(texts.data());
    for (const EmbeddedSource& source : embeddedSources()) {
        const std::string chunk = sentence("@revenant/", source.name);
        if (luaL_loadbuffer(state, text, source.size, chunk.c_str()) != 0)
            throw LuaError(lua_tostring(state, -1));
        text += source.size;
        lua_pushvalue(state, environment);
        lua_setfenv(state, -2);
        lua_pushvalue(state, core);
        callLua(state, 1, 0);
    }
    lua_pop(state, 2);
}

sol::object open(sol::this_state state) {
    sol::state_view lua(state);
    throwAssertions();
    setLastError(
        "");  // its memory is this thread's own, and had better be there before it is needed
    Session& session = *Session::sharedOf(state);
    sol::table core = lua.create_table();
    sol::table native = lua.create_table();
    bindWorld(native);
    bindComponents(native);
    bindComponentsView(native);
    bindFieldLists(native);
    bindListeners(native);
    bindListing(native);
    bindPrefab(native);
    bindQuery(native);
    bindResources(native);
    bindSave(native);
    bindSystem(native);
    bindTimeRewindSys(native);
    native["callAside"] = &callAside;
    native["runLevel"] = &runLevel;
    native.push();
    giveRoom(state, lua_gettop(state));
    lua_pop(state, 1);
    core["native"] = native;
    sol::table kept = lua.create_table();
    sol::table weakly = lua.create_table();
    weakly["__mode"] = "v";
    kept[sol::metatable_key] = weakly;
    core["keptValues"] = kept;
    kept.push();
    session.keptReference = luaL_ref(state, LUA_REGISTRYINDEX);
    core["structs"] = ffiStructs();
    core["functions"] = functionTable(lua);
    core.push();
    lua_pushvalue(state, -1);
    session.coreReference = luaL_ref(state, LUA_REGISTRYINDEX);
    runSources(state, lua_gettop(state));
    lua_pop(state, 1);
    return core["module"];
}

}  // namespace

void pushWorld(lua_State* state, World& world) {
    Session& session = Session::of(state);
    const std::uint32_t number = session.link(world).number();
    session.pushCore(state, "worldOf");
    lua_pushnumber(state, number);
    callLua(state, 1, 1);
}

}  // namespace revenant

int luaopen_revenant(lua_State* state) {
    revenant::stayLoaded();
    lua_pushlightuserdata(state, const_cast<char*>(&revenant::moduleKey));
    lua_rawget(state, LUA_REGISTRYINDEX);
    if (!lua_isnil(state, -1)) return 1;
    lua_pop(state, 1);
    // Through sol2, so that whatever goes wrong arrives as a Lua error.
    sol::state_view(state).set_exception_handler(&revenant::carry);
    sol::stack::push(state, sol::as_function(&revenant::open));
    lua_call(state, 0, 1);
    lua_pushlightuserdata(state, const_cast<char*>(&revenant::moduleKey));
    lua_pushvalue(state, -2);
    lua_rawset(state, LUA_REGISTRYINDEX);
    return 1;
}
