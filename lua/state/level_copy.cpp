#include "lua/state/level_copy.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <lua.hpp>

namespace revenant {

namespace {

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

void add(lua_State* sandbox, LevelCopy& copy, const Item& item, const void* text = nullptr,
         std::size_t size = 0) {
    const bool fits = copy.items.append(&item, sizeof item) && copy.texts.append(text, size);
    if (copy.items.size + copy.texts.size > mostLevelBytes)
        luaL_error(sandbox, "%s", levelTooLarge);
    if (!fits) luaL_error(sandbox, "%s", noLevelMemory);
}

// Adds the value at `index`; a table that was not met before is put into the list at 2, and its number
// into the map at 1.
void addValue(lua_State* state, LevelCopy& copy, int index) {
    Item item;
    switch (lua_type(state, index)) {
        case LUA_TBOOLEAN:
            item.kind = lua_toboolean(state, index) != 0 ? Item::Kind::True : Item::Kind::False;
            return add(state, copy, item);
        case LUA_TNUMBER:
            item.kind = Item::Kind::Number;
            item.number = lua_tonumber(state, index);
            return add(state, copy, item);
        case LUA_TSTRING: {
            const char* text = lua_tolstring(state, index, &item.size);
            item.kind = Item::Kind::Text;
            return add(state, copy, item, text, item.size);
        }
        case LUA_TTABLE:
            lua_pushvalue(state, index);
            lua_rawget(state, 1);
            item.table = static_cast<std::size_t>(lua_tonumber(state, -1));
            lua_pop(state, 1);
            if (item.table == 0) {
                item.table = ++copy.tables;
                lua_pushvalue(state, index);
                lua_pushnumber(state, static_cast<double>(item.table));
                lua_rawset(state, 1);
                lua_pushvalue(state, index);
                lua_rawseti(state, 2, static_cast<int>(item.table));
            }
            item.kind = Item::Kind::Table;
            return add(state, copy, item);
        case cdataType: {
            // 64-bit numbers such as 5LL, the only cdata that a file can make without libraries.
            lua_pushnumber(state, 0);
            const bool isNegative = lua_lessthan(state, index, lua_gettop(state)) != 0;
            lua_pop(state, 1);
            std::memcpy(&item.bits, lua_topointer(state, index), sizeof item.bits);
            const bool isUnsigned = item.bits >> 63 != 0 && !isNegative;
            item.kind = isUnsigned ? Item::Kind::UnsignedWide : Item::Kind::Wide;
            return add(state, copy, item);
        }
        default: item.kind = Item::Kind::Function; return add(state, copy, item);
    }
}

// Stands for a function of the file, which is not copied, so that errors can name it.
int standIn(lua_State* state) {
    return luaL_error(state, "a level is data: its functions cannot be called");
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
        default: lua_pushcfunction(state, &standIn); break;
    }
}

}  // namespace

bool LevelCopy::Buffer::append(const void* from, std::size_t count) noexcept {
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

void LevelCopy::free() noexcept {
    std::free(items.bytes);
    std::free(texts.bytes);
}

void copyLevel(lua_State* state, LevelCopy& copy) {
    const Item end{};
    lua_newtable(state);
    lua_insert(state, 1);
    lua_newtable(state);
    lua_insert(state, 2);
    lua_settop(state, 3);
    addValue(state, copy, 3);
    for (std::size_t next = 1; next <= copy.tables; ++next) {
        lua_rawgeti(state, 2, static_cast<int>(next));
        lua_pushnil(state);
        while (lua_next(state, 4) != 0) {
            addValue(state, copy, 5);
            addValue(state, copy, 6);
            lua_pop(state, 1);
        }
        add(state, copy, end);
        lua_settop(state, 3);
    }
}

int pushLevel(lua_State* state) {
    const auto& copy = *static_cast<const LevelCopy*>(lua_touserdata(state, 1));
    const auto* item = reinterpret_cast<const Item*>(copy.items.bytes);
    const char* text = copy.texts.bytes;
    lua_createtable(state, static_cast<int>(copy.tables), 0);
    const int made = lua_gettop(state);
    for (std::size_t i = 1; i <= copy.tables; ++i) {
        lua_newtable(state);
        lua_rawseti(state, made, static_cast<int>(i));
    }
    pushItem(state, *item++, text, made);
    for (std::size_t i = 1; i <= copy.tables; ++i) {
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

}  // namespace revenant
