// No object with a destructor lives in a function that Lua may leave by an error: those of the sandbox
// are raised inside lua_cpcall, those of the game where only plain data is on the stack.
#include "lua/state/level_sandbox.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lua.hpp>

#include "lua/state/level_copy.hpp"

namespace revenant {

namespace {

constexpr int instructionsAtOnce = 1000;
constexpr std::uint64_t mostInstructions = 50'000'000;
constexpr std::size_t mostBytes = mostLevelBytes;

struct Level {
    const char* source = nullptr;
    std::size_t sourceSize = 0;
    const char* path = nullptr;
    bool canAllocate = false;  // the host's LuaJIT takes allocators other than its own
    lua_State* sandbox = nullptr;
    std::size_t bytes = 0;  // in use by the sandbox
    bool isTooLarge = false;
    // Spare memory, used where there is no other while the state is made: LuaJIT crashes if that fails half-way.
    char* spare = nullptr;
    std::size_t spareUsed = 0;
    bool isOpening = false;
    std::uint64_t instructions = 0;
    int line = 1;  // that was reached last
    LevelCopy copy;
    char why[512] = "";
};

thread_local Level* running = nullptr;  // on this thread; a level does not load another

constexpr std::size_t spareBytes = std::size_t{64} << 10;

// The same for blocks of the spare memory, which are never used again.
void* allocateSpare(Level& level, void* block, std::size_t oldSize, std::size_t newSize) {
    const std::size_t size = (newSize + 15) / 16 * 16;
    void* moved = newSize == 0 ? nullptr : std::malloc(newSize);
    if (!moved && newSize > 0 && level.isOpening && spareBytes - level.spareUsed >= size) {
        moved = level.spare + level.spareUsed;
        level.spareUsed += size;
    }
    if (moved && block) std::memcpy(moved, block, std::min(oldSize, newSize));
    if (moved || newSize == 0) level.bytes += newSize - oldSize;
    return moved;
}

void* allocate(void* user, void* block, std::size_t oldSize, std::size_t newSize) {
    auto& level = *static_cast<Level*>(user);
    const auto* at = static_cast<const char*>(block);
    if (level.spare && at >= level.spare && at < level.spare + spareBytes)
        return allocateSpare(level, block, oldSize, newSize);
    if (newSize > oldSize && level.bytes + (newSize - oldSize) > mostBytes) {
        level.isTooLarge = true;
        return nullptr;
    }
    if (newSize == 0) {
        std::free(block);
        level.bytes -= oldSize;
        return nullptr;
    }
    void* moved = std::realloc(block, newSize);
    if (moved) level.bytes += newSize - oldSize;
    if (!moved && level.isOpening) {
        moved = allocateSpare(level, block, oldSize, newSize);
        if (moved) std::free(block);
    }
    return moved;
}

void say(Level& level, const char* what) {
    std::snprintf(level.why, sizeof level.why, "%.300s:%d: %.180s", level.path, level.line, what);
}

void watch(lua_State* state, lua_Debug* event) {
    Level& level = *running;
    if (event->event == LUA_HOOKLINE) {
        level.line = event->currentline;
        return;
    }
    level.instructions += instructionsAtOnce;
    const char* what = nullptr;
    if (level.instructions > mostInstructions)
        what =
            "takes too long: it was stopped after fifty million instructions; a level is data, it "
            "does not "
            "compute";
    // Where the host's LuaJIT has no allocators but its own.
    if (lua_gc(state, LUA_GCCOUNT, 0) > static_cast<int>(mostBytes >> 10)) what = levelTooLarge;
    if (!what) return;
    say(level, what);
    lua_pushstring(state, level.why);
    lua_error(state);
}

int noMethods(lua_State* state) {
    const char* name = lua_type(state, 2) == LUA_TSTRING ? lua_tostring(state, 2) : "?";
    return luaL_error(
        state,
        "strings have no methods in a level ('%s'): a level is data; write the text out, "
        "or make it where the level is loaded",
        name);
}

int runProtected(lua_State* state) {
    auto& level = *static_cast<Level*>(lua_touserdata(state, 1));
    lua_settop(state, 0);
    lua_pushliteral(state, "");
    lua_newtable(state);
    lua_pushcfunction(state, &noMethods);
    lua_setfield(state, -2, "__index");
    lua_setmetatable(state, -2);
    lua_settop(state, 0);
    char chunkName[400];
    std::snprintf(chunkName, sizeof chunkName, "@%.398s", level.path);
    if (luaL_loadbuffer(state, level.source, level.sourceSize, chunkName) != 0) lua_error(state);
    lua_newtable(state);
    lua_setfenv(state, -2);
    lua_sethook(state, &watch, LUA_MASKLINE | LUA_MASKCOUNT, instructionsAtOnce);
    lua_call(state, 0, 1);
    lua_sethook(state, nullptr, 0, 0);
    copyLevel(state, level.copy);
    return 0;
}

// Returns whether the file was run; else `why` says why not.
bool run(Level& level) {
    level.spare = static_cast<char*>(std::malloc(spareBytes));
    level.isOpening = true;
    if (level.spare)
        level.sandbox = level.canAllocate ? lua_newstate(&allocate, &level) : luaL_newstate();
    level.isOpening = false;
    if (!level.sandbox) {
        std::free(level.spare);
        say(level, noLevelMemory);
        return false;
    }
    Level* const before = running;
    running = &level;
    const int status = lua_cpcall(level.sandbox, &runProtected, &level);
    running = before;
    if (status == LUA_ERRMEM) {
        say(level, level.canAllocate && !level.isTooLarge ? noLevelMemory : levelTooLarge);
    } else if (status != 0) {
        const char* message = lua_tostring(level.sandbox, -1);
        const std::size_t pathSize = std::strlen(level.path);
        if (!message) message = "a level raised an error without a message";
        if (std::strstr(message, "stack overflow"))
            say(level,
                "functions call each other too deeply; a level is data, it needs no recursion");
        else if (std::strncmp(message, level.path, pathSize) == 0 ||
                 std::strncmp(message, "...", 3) == 0)
            std::snprintf(level.why, sizeof level.why, "%s", message);
        else
            say(level, message);
    }
    lua_close(level.sandbox);
    std::free(level.spare);
    return status == 0;
}

}  // namespace

int runLevel(lua_State* state) {
    Level level;
    level.source = luaL_checklstring(state, 1, &level.sourceSize);
    level.path = luaL_checkstring(state, 2);
    luaL_checktype(state, 3, LUA_TFUNCTION);
    level.canAllocate = lua_toboolean(state, 4) != 0;
    if (!run(level)) {
        level.copy.free();
        lua_pushnil(state);
        lua_pushstring(state, level.why);
        return 2;
    }
    lua_pushcfunction(state, &pushLevel);
    lua_pushlightuserdata(state, &level.copy);
    lua_pushnil(state);
    lua_pushvalue(state, 3);
    const int status = lua_pcall(state, 3, 1, 0);
    level.copy.free();
    if (status != 0) return lua_error(state);
    return 1;
}

}  // namespace revenant
