// Errors cross the border between Lua and C++ without skipping a destructor. On Windows an error of LuaJIT's skips the
// destructors of C++ frames, so none may pass one.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <sol/sol.hpp>

#include <stdexcept>
#include <string>

#include "lua/module.hpp"
#include "lua/state/error_carrier.hpp"

namespace {

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

int alive = 0;

// On the stack of each bound function below.
struct Counted {
    Counted() { ++alive; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --alive; }
    std::string text = std::string(100, 'x');  // leaks where the destructor does not run
};

// Calls the function that is the first argument, as listeners, hooks and systems are called.
void callBack(const sol::function& function) {
    const Counted counted;
    function.push();
    callLua(function.lua_state(), 0, 0);
}

void throwError() {
    const Counted counted;
    throw std::invalid_argument("thrown by C++");
}

void raiseInProtected(sol::this_state state) {
    const Counted counted;
    protect(state, [](lua_State* inside) {
        lua_pushliteral(inside, "raised by Lua's own function");
        lua_error(inside);
    });
}

struct Host {
    sol::state lua;

    Host() {
        lua.open_libraries();
        alive = 0;
        sol::table native = lua.create_table();
        native.set_function("callBack", &callBack);
        native.set_function("throwError", &throwError);
        native.set_function("raiseInProtected", &raiseInProtected);
        lua["native"] = native;
        // Wrapped as the module wraps its functions.
        for (const char* name : {"callBack", "throwError", "raiseInProtected"}) {
            native[name].push();
            lua_pushcclosure(lua, &callWithRoom, 1);
            native.push();
            lua_insert(lua, -2);
            lua_setfield(lua, -2, name);
            lua_pop(lua, 1);
        }
    }

    // What pcall catches of the chunk.
    std::string errorOf(const std::string& chunk) {
        lua["chunk"] = lua.load(chunk).get<sol::function>();
        return lua.safe_script(
            "local ok, text = pcall(chunk) assert(not ok) return tostring(text)");
    }
};

}  // namespace

TEST_CASE("an exception of C++ runs every destructor on its way to pcall", "[lua][errors]") {
    Host host;
    CHECK_THAT(host.errorOf("native.throwError()"), ContainsSubstring("thrown by C++"));
    CHECK(alive == 0);
}

TEST_CASE("an error raised by Lua below a bound function runs its destructors", "[lua][errors]") {
    Host host;
    CHECK_THAT(host.errorOf("native.callBack(function() error('raised by a script') end)"),
               ContainsSubstring("raised by a script"));
    CHECK(alive == 0);
    CHECK_THAT(host.errorOf("native.raiseInProtected()"), ContainsSubstring("Lua's own function"));
    CHECK(alive == 0);
}

TEST_CASE("errors run destructors through many frames of both languages", "[lua][errors]") {
    Host host;
    const std::string nest = R"(
        local function nest(depth, last)
            if depth == 0 then return last() end
            native.callBack(function() nest(depth - 1, last) end)
        end
    )";
    CHECK_THAT(host.errorOf(nest + "nest(20, native.throwError)"),
               ContainsSubstring("thrown by C++"));
    CHECK(alive == 0);
    CHECK_THAT(host.errorOf(nest + "nest(20, function() local none = nil; none.x = 1 end)"),
               ContainsSubstring("attempt to index"));
    CHECK(alive == 0);
    CHECK_THAT(host.errorOf(nest + "nest(5, function() native.callBack(nil) end)"),
               ContainsSubstring("nil"));
    CHECK(alive == 0);
    CHECK_THAT(host.errorOf(nest + "coroutine.wrap(function() nest(5, native.throwError) end)()"),
               ContainsSubstring("thrown by C++"));
    CHECK(alive == 0);
}

TEST_CASE("errors in loops that are compiled run their destructors", "[lua][errors]") {
    Host host;
    const int caught = host.lua.safe_script(R"(
        local caught = 0
        for i = 1, 3000 do
            local call = i % 2 == 0 and function() native.callBack(error) end or native.throwError
            if not pcall(call) then caught = caught + 1 end
        end
        return caught
    )");
    CHECK(caught == 3000);
    CHECK(alive == 0);
}

TEST_CASE("a world lives on after errors in systems, listeners and classes", "[lua][errors]") {
    Host host;
    host.lua["package"]["preload"]["revenant"] = &luaopen_revenant;
    host.lua.safe_script(R"(
        local revenant = require "revenant"
        local world = revenant.World:new()
        world:defineScriptComponent("BombCMP", { onAdded = function() error("added") end })
        world:registerSystem { name = "FailSys", tick = function() error("ticked") end }
        world:on("entityAdded", function() error("heard") end)
        local heard = 0
        world:on("entityAdded", function() heard = heard + 1 end)
        for i = 1, 300 do
            local e = world:newEntity("e")
            e:addComponent("BombCMP", {})
            world:addEntity(e)
            assert(not pcall(world.update, world, 1 / 60))
        end
        assert(heard == 300 and #world:getAllManagedEntities() == 300)
        world:dispose()      -- refused if a call that failed still counted as running
    )");
}
