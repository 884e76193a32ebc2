// No object with a destructor lives in a function that Lua may leave by an error: those of the sandbox
// are raised inside lua_cpcall, those of the game where only plain data is on the stack.
#include "lua/state/level_sandbox.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <lua.hpp>

namespace revenant {

namespace {

constexpr int instructionsAtOnce = 1000;
constexpr std::uint64_t mostInstructions = 50'000'000;
constexpr std::size_t mostBytes = std::size_t{256} << 20;
constexpr int cdataType = 10;  // of LuaJIT: 64-bit numbers

// One value of what the file returned. Tables are numbered as they were found.
struct Item {
    enum class Kind : std::uint8_t {
        False,
        True,
        Number,
        Text,
        Table,
        Wide,
        UnsignedWide,
        Function,
        End
    };
    Kind kind = Kind::End;
    union {
        double number;
        std::uint64_t bits = 0;
        std::size_t size;   // of a text, which stands in `texts`
        std::size_t table;  // its number, from 1 on
    };
};

// What is copied, in memory that belongs to no state.
struct Buffer {
    char* bytes = nullptr;
    std::size_t size = 0;
    std::size_t capacity = 0;

    bool append(const void* from, std::size_t count) noexcept {
        if (size + count > capacity) {
            const std::size_t more = (size + count) * 2;
            auto* grown = static_cast<char*>(std::realloc(bytes, more));
            if (!grown) return false;
            bytes = grown;
            capacity = more;
        }
        if (count > 0) std::memcpy(bytes + size, from, count);
        size += count;
        return true;
    }
};

struct Level {
    const char* source = nullptr;
    std::size_t sourceSize = 0;
    const char* path = nullptr;
    bool canAllocate = false;  // the host's LuaJIT takes allocators other than its own
    lua_State* sandbox = nullptr;
    std::size_t bytes = 0;  // in use by the sandbox
    bool isTooLarge = false;
    // Taken from where there is no other memory while the state is made: LuaJIT crashes if that fails half-way.
    char* spare = nullptr;
    std::size_t spareUsed = 0;
    bool isOpening = false;
    std::uint64_t instructions = 0;
    int line = 1;  // that was reached last
    Buffer items;  // the value returned; then, of each table, its keys and values, and End
    Buffer texts;  // one after the other
    std::size_t tables = 0;
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

constexpr const char* noMemory = "there is no memory left to load a level";
constexpr const char* tooLarge =
    "takes more than 256 MB; a level is data: make large worlds by code, with spawnMany";

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
    if (lua_gc(state, LUA_GCCOUNT, 0) > static_cast<int>(mostBytes >> 10)) what = tooLarge;
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

void add(Level& level, const Item& item, const void* text = nullptr, std::size_t size = 0) {
    const bool fits = level.items.append(&item, sizeof item) && level.texts.append(text, size);
    if (level.items.size + level.texts.size > mostBytes)
        luaL_error(level.sandbox, "%s", tooLarge);
    if (!fits) luaL_error(level.sandbox, "%s", noMemory);
}

// Adds the value at `index`; a table that was not met before is put into the list at 2, and its number
// into the map at 1.
void addValue(Level& level, int index) {
    lua_State* state = level.sandbox;
    Item item;
    switch (lua_type(state, index)) {
        case LUA_TBOOLEAN:
            item.kind = lua_toboolean(state, index) != 0 ? Item::Kind::True : Item::Kind::False;
            return add(level, item);
        case LUA_TNUMBER:
            item.kind = Item::Kind::Number;
            item.number = lua_tonumber(state, index);
            return add(level, item);
        case LUA_TSTRING: {
            const char* text = lua_tolstring(state, index, &item.size);
            item.kind = Item::Kind::Text;
            return add(level, item, text, item.size);
        }
        case LUA_TTABLE:
            lua_pushvalue(state, index);
            lua_rawget(state, 1);
            item.table = static_cast<std::size_t>(lua_tonumber(state, -1));
            lua_pop(state, 1);
            if (item.table == 0) {
                item.table = ++level.tables;
                lua_pushvalue(state, index);
                lua_pushnumber(state, static_cast<double>(item.table));
                lua_rawset(state, 1);
                lua_pushvalue(state, index);
                lua_rawseti(state, 2, static_cast<int>(item.table));
            }
            item.kind = Item::Kind::Table;
            return add(level, item);
        case cdataType: {
            // Of numbers such as 5LL; the only ones that a file can have without libraries.
            lua_pushnumber(state, 0);
            const bool isNegative = lua_lessthan(state, index, lua_gettop(state)) != 0;
            lua_pop(state, 1);
            std::memcpy(&item.bits, lua_topointer(state, index), sizeof item.bits);
            const bool isUnsigned = item.bits >> 63 != 0 && !isNegative;
            item.kind = isUnsigned ? Item::Kind::UnsignedWide : Item::Kind::Wide;
            return add(level, item);
        }
        default: item.kind = Item::Kind::Function; return add(level, item);
    }
}

// The value on top of the stack, and all tables that can be reached from it.
void addAll(Level& level) {
    lua_State* state = level.sandbox;
    const Item end{};
    lua_newtable(state);
    lua_insert(state, 1);
    lua_newtable(state);
    lua_insert(state, 2);
    lua_settop(state, 3);
    addValue(level, 3);
    for (std::size_t next = 1; next <= level.tables; ++next) {
        lua_rawgeti(state, 2, static_cast<int>(next));
        lua_pushnil(state);
        while (lua_next(state, 4) != 0) {
            addValue(level, 5);
            addValue(level, 6);
            lua_pop(state, 1);
        }
        add(level, end);
        lua_settop(state, 3);
    }
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
    addAll(level);
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
        say(level, noMemory);
        return false;
    }
    Level* const before = running;
    running = &level;
    const int status = lua_cpcall(level.sandbox, &runProtected, &level);
    running = before;
    if (status == LUA_ERRMEM) {
        say(level, level.canAllocate && !level.isTooLarge ? noMemory : tooLarge);
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

// Pushes the next value. The tables are in a list at `made`.
void pushItem(lua_State* state, const Item& item, const char*& text, int made) {
    switch (item.kind) {
        case Item::Kind::False: lua_pushboolean(state, 0); break;
        case Item::Kind::True: lua_pushboolean(state, 1); break;
        case Item::Kind::Number: lua_pushnumber(state, item.number); break;
        case Item::Kind::Text:
            lua_pushlstring(state, text, item.size);
            text += item.size;
            break;
        case Item::Kind::Table: lua_rawgeti(state, made, static_cast<int>(item.table)); break;
        case Item::Kind::Wide:
        case Item::Kind::UnsignedWide:
            lua_pushvalue(state, 3);
            lua_pushnumber(state, static_cast<double>(item.bits & UINT32_MAX));
            lua_pushnumber(state, static_cast<double>(item.bits >> 32));
            lua_pushboolean(state, item.kind == Item::Kind::UnsignedWide ? 1 : 0);
            lua_call(state, 3, 1);
            break;
        default: lua_pushcfunction(state, &runLevel); break;  // one that is none of the file's
    }
}

// A lua_CFunction, so that what it raises does not leak the copy: takes a Level, and makeWide at 3.
int pushAll(lua_State* state) {
    const auto& level = *static_cast<const Level*>(lua_touserdata(state, 1));
    const auto* item = reinterpret_cast<const Item*>(level.items.bytes);
    const char* text = level.texts.bytes;
    lua_createtable(state, static_cast<int>(level.tables), 0);
    const int made = lua_gettop(state);
    for (std::size_t i = 1; i <= level.tables; ++i) {
        lua_newtable(state);
        lua_rawseti(state, made, static_cast<int>(i));
    }
    pushItem(state, *item++, text, made);
    for (std::size_t i = 1; i <= level.tables; ++i) {
        lua_rawgeti(state, made, static_cast<int>(i));
        while (item->kind != Item::Kind::End) {
            pushItem(state, *item++, text, made);
            pushItem(state, *item++, text, made);
            lua_rawset(state, -3);
        }
        ++item;
        lua_pop(state, 1);
    }
    return 1;
}

}  // namespace

int runLevel(lua_State* state) {
    Level level;
    level.source = luaL_checklstring(state, 1, &level.sourceSize);
    level.path = luaL_checkstring(state, 2);
    luaL_checktype(state, 3, LUA_TFUNCTION);
    level.canAllocate = lua_toboolean(state, 4) != 0;
    if (!run(level)) {
        std::free(level.items.bytes);
        std::free(level.texts.bytes);
        lua_pushnil(state);
        lua_pushstring(state, level.why);
        return 2;
    }
    lua_pushcfunction(state, &pushAll);
    lua_pushlightuserdata(state, &level);
    lua_pushnil(state);
    lua_pushvalue(state, 3);
    const int status = lua_pcall(state, 3, 1, 0);
    std::free(level.items.bytes);
    std::free(level.texts.bytes);
    if (status != 0) return lua_error(state);
    return 1;
}

}  // namespace revenant
