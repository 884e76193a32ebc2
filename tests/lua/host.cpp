// The embedded host: a program that links the bindings, as a game does, and runs the specs.
//
//     revenant_lua_host SCRIPT ARGUMENT...             one state
//     revenant_lua_host --twice SCRIPT ARGUMENT...     two states, one after the other
//     revenant_lua_host --together SCRIPT ARGUMENT...  two states at the same time
//
// A script gets a table `host` of functions that only C++ can offer.

#include <cstdio>
#include <cstring>
#include <lua.hpp>
#include <memory>
#include <string>

#include "lua/module.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"
#include "world/core/world_core.hpp"

namespace {

using namespace revenant;

struct Spin {
    float angle = 0.5F;
    std::int32_t turns = 3;
    EntityId around;
    StringId label;
    std::int64_t big = 1;
    bool isOn = true;
    std::uint8_t small[3] = {1, 2, 3};
};

// A world of the host's own, which outlives its states.
World& hostWorld() {
    static World world;
    if (!WorldCore::of(world).components().find("SpinCMP"))
        world.defineComponent<Spin>(
            "SpinCMP",
            {field("angle", &Spin::angle), field("turns", &Spin::turns),
             field("around", &Spin::around), field("label", &Spin::label), field("big", &Spin::big),
             field("isOn", &Spin::isOn), field("small", &Spin::small)});
    return world;
}

int getWorld(lua_State* state) {
    pushWorld(state, hostWorld());
    return 1;
}

// Registers a C++ system that turns every SpinCMP by one.
int addSpinning(lua_State*) {
    World& world = hostWorld();
    if (world.getSystem("Spinning")) return 0;
    world.registerSystem("Spinning", [view = world.view<Spin>()](World&, double) {
        view.each([](Spin& spin) { ++spin.turns; });
    });
    return 0;
}

// Spawns an entity from C++ and returns its name.
int spawn(lua_State* state) {
    Entity entity = hostWorld().newEntity(luaL_checkstring(state, 1));
    entity.addComponent<Spin>();
    hostWorld().addEntity(entity);
    return 0;
}

// A tick that the host asks for: Lua systems run without Lua having called.
int update(lua_State* state) {
    try {
        hostWorld().update(luaL_checknumber(state, 1));
    } catch (const std::exception& error) {
        lua_pushstring(state, error.what());
        return 1;
    }
    return 0;
}

// Resources of each kind that C++ may have, and a collision event of C++'s.
int giveValues(lua_State*) {
    World& world = hostWorld();
    const Entity entity = world.newEntity("owner");
    world.addEntity(entity);
    world.setResource("number", 2.5);
    world.setResource("single", 0.5F);
    world.setResource("whole", 7);
    world.setResource("flag", true);
    world.setResource("text", std::string("words"));
    world.setResource("entity", entity);
    world.setResource("opaque", std::make_shared<Spin>());
    CollisionEvent event{.first = entity};
    event.normalX = 1;
    event.pointY = -3;
    world.recordCollisionEvent(event);
    return 0;
}

// A system of C++ whose state has another form than those of Lua.
class ClockSys final : public System {
public:
    explicit ClockSys(World& world) : System(world, "ClockSys") {}
    bool hasRewindState() const override { return true; }
    void getRewindState(std::vector<std::byte>& into) override { into.push_back(std::byte{0xee}); }
    void restoreRewindState(std::span<const std::byte>) override {}

protected:
    void onTick(double) override {}
};

// Saves a history with such a system in it.
int saveForeignHistory(lua_State* state) {
    World world;
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    world.registerSystem(std::make_shared<ClockSys>(world));
    for (int i = 0; i < 3; ++i) world.update(0.1);
    rewind->saveHistory(luaL_checkstring(state, 1));
    return 0;
}

// The host's own part of the process-wide world. Returns whether it was made just now.
int shareInstance(lua_State* state) {
    World& world = World::getInstance();
    const bool isFirst = !world.getSystem("HostSys");
    if (isFirst) {
        world.defineComponent<Spin>("HostCMP", {field("turns", &Spin::turns)});
        Entity entity = world.newEntity("the host's");
        entity.addComponent<Spin>();
        world.addEntity(entity);
        world.setResource("the host's", 7);
        world.registerSystem("HostSys", [](World&, double) {});
    }
    lua_pushboolean(state, isFirst ? 1 : 0);
    return 1;
}

int reset(lua_State*) {
    hostWorld().reset();
    return 0;
}

struct Closer {
    void operator()(lua_State* state) const { lua_close(state); }
};
using OwnedState = std::unique_ptr<lua_State, Closer>;

OwnedState openState() {
    OwnedState state(luaL_newstate());
    lua_State* lua = state.get();
    luaL_openlibs(lua);
    lua_getglobal(lua, "package");
    lua_getfield(lua, -1, "preload");
    lua_pushcfunction(lua, &luaopen_revenant);
    lua_setfield(lua, -2, "revenant");
    lua_getfield(lua, -2, "loaded");
    lua_newtable(lua);
    lua_setfield(lua, -2, "revenant_host");
    lua_settop(lua, 0);
    const luaL_Reg functions[] = {
        {"getWorld", &getWorld},     {"addSpinning", &addSpinning},
        {"spawn", &spawn},           {"update", &update},
        {"giveValues", &giveValues}, {"saveForeignHistory", &saveForeignHistory},
        {"reset", &reset},           {"shareInstance", &shareInstance},
        {nullptr, nullptr}};
    lua_newtable(lua);
    luaL_register(lua, nullptr, functions);
    lua_setglobal(lua, "host");
    return state;
}

// Runs a script, which returns a table with `main(arguments, print)`, or nothing.
int run(lua_State* lua, int count, char** arguments) {
    lua_settop(lua, 0);
    lua_getglobal(lua, "debug");
    lua_getfield(lua, -1, "traceback");
    lua_remove(lua, 1);
    if (luaL_loadfile(lua, arguments[0]) != 0 || lua_pcall(lua, 0, 1, 1) != 0) {
        std::fprintf(stderr, "%s\n", lua_tostring(lua, -1));
        return 1;
    }
    if (!lua_istable(lua, -1)) return 0;
    lua_getfield(lua, -1, "main");
    lua_createtable(lua, count, 0);
    for (int i = 1; i < count; ++i) {
        lua_pushstring(lua, arguments[i]);
        lua_rawseti(lua, -2, i);
    }
    lua_getglobal(lua, "print");
    if (lua_pcall(lua, 2, 1, 1) != 0) {
        std::fprintf(stderr, "%s\n", lua_tostring(lua, -1));
        return 1;
    }
    return lua_tonumber(lua, -1) == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string mode = count > 1 ? arguments[1] : "";
    const bool twice = mode == "--twice";
    const bool together = mode == "--together";
    const int first = twice || together ? 2 : 1;
    if (count <= first) {
        std::fprintf(stderr, "usage: %s [--twice | --together] SCRIPT ARGUMENT...\n", arguments[0]);
        return 2;
    }
    int failed = 0;
    OwnedState one = openState();
    OwnedState other = together ? openState() : nullptr;
    failed += run(one.get(), count - first, arguments + first);
    if (together) {
        failed += run(other.get(), count - first, arguments + first);
        failed += run(one.get(), count - first, arguments + first);
    }
    one.reset();
    if (together) failed += run(other.get(), count - first, arguments + first);
    if (twice) {
        one = openState();
        failed += run(one.get(), count - first, arguments + first);
    }
    // Worlds outlive the states, with whatever these left behind.
    one.reset();
    other.reset();
    hostWorld().update(0);
    World::getInstance().update(0);
    return failed == 0 ? 0 : 1;
}
