#include <algorithm>
#include <lua.hpp>
#include <unordered_map>

#include "lua/lua_values.hpp"
#include "lua/plain_data.hpp"
#include "lua/plain_data_bytes.hpp"
#include "lua/world_link.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

constexpr int deepest = 150;  // of nested tables

// A key of a table, comparable: numbers, then texts, booleans, entities.
struct Key {
    int kind = 0;
    double number = 0;
    std::string text;
    EntityId entity;

    friend bool operator<(const Key& a, const Key& b) noexcept {
        if (a.kind != b.kind) return a.kind < b.kind;
        if (a.kind == 0) return a.number < b.number;
        return a.kind == 1 ? a.text < b.text : a.entity < b.entity;
    }
};

class Encoder {
public:
    Encoder(lua_State* state, int ignored, WorldLink& link, std::vector<std::byte>& into)
        : state_(state), ignored_(ignored), link_(link), into_(into) {}

    void encode(int index, std::string& path, int depth) {
        switch (lua_type(state_, index)) {
            case LUA_TNIL: return put(Tag::Nil);
            case LUA_TBOOLEAN: return put(lua_toboolean(state_, index) ? Tag::True : Tag::False);
            case LUA_TNUMBER: return number(lua_tonumber(state_, index));
            case LUA_TSTRING: {
                std::size_t length = 0;
                const char* characters = lua_tolstring(state_, index, &length);
                return text({characters, length});
            }
            case LUA_TTABLE: return table(index, path, depth);
            default: break;
        }
        EntityId id;
        if (!toEntityAt(index, path, id))
            fail(ErrorCode::WrongType, path, " is a ", luaL_typename(state_, index),
                 ", which cannot be rewound; list it in the class's rewindIgnore, or give the "
                 "class getRewindState and restoreRewindState");
        entity(id);
    }

private:
    bool toEntityAt(int index, const std::string& path, EntityId& id) {
        try {
            return toEntity(state_, index, link_, id);
        } catch (const Error& error) {
            fail(error.code(), path, ": ", error.what());
        }
    }
    void put(Tag tag) { into_.push_back(static_cast<std::byte>(tag)); }
    void put(const void* bytes, std::size_t count) {
        const auto* first = static_cast<const std::byte*>(bytes);
        into_.insert(into_.end(), first, first + count);
    }
    void number(double value) {
        put(Tag::Number);
        put(&value, sizeof value);
    }
    void text(std::string_view characters) {
        const auto length = static_cast<std::uint32_t>(characters.size());
        put(Tag::Text);
        put(&length, sizeof length);
        put(characters.data(), characters.size());
    }
    void entity(EntityId id) {
        put(Tag::Entity);
        put(&id, sizeof id);
    }

    Key keyAt(int index, const std::string& path) {
        Key key;
        switch (lua_type(state_, index)) {
            case LUA_TNUMBER: key.number = lua_tonumber(state_, index); break;
            case LUA_TSTRING: {
                std::size_t length = 0;
                const char* characters = lua_tolstring(state_, index, &length);
                key.kind = 1;
                key.text.assign(characters, length);
                break;
            }
            case LUA_TBOOLEAN:
                key.kind = 2;
                key.entity.index = lua_toboolean(state_, index) ? 1 : 0;
                break;
            default:
                key.kind = 3;
                if (!toEntity(state_, index, link_, key.entity))
                    fail(ErrorCode::WrongType, path, " has a key that is a ",
                         luaL_typename(state_, index), ", which cannot be rewound");
        }
        return key;
    }

    void pushKey(const Key& key) {
        switch (key.kind) {
            case 0: return lua_pushnumber(state_, key.number);
            case 1: return lua_pushlstring(state_, key.text.data(), key.text.size());
            case 2: return lua_pushboolean(state_, static_cast<int>(key.entity.index));
            default: return pushEntity(state_, link_, key.entity);
        }
    }

    bool isIgnored(int keyIndex) {
        if (ignored_ == 0) return false;
        lua_pushvalue(state_, keyIndex);
        lua_rawget(state_, ignored_);
        const bool found = lua_toboolean(state_, -1) != 0;
        lua_pop(state_, 1);
        return found;
    }

    void table(int index, std::string& path, int depth) {
        const void* address = lua_topointer(state_, index);
        const auto [known, isNew] =
            seen_.emplace(address, static_cast<std::uint32_t>(seen_.size()));
        if (!isNew) {
            put(Tag::Again);
            return put(&known->second, sizeof known->second);
        }
        if (depth >= deepest)
            fail(ErrorCode::WrongType, path, ": tables are nested more than ", deepest, " deep");
        if (lua_checkstack(state_, 12) == 0)
            fail(ErrorCode::LimitReached, path, ": the Lua stack is full");
        if (depth > 0 && lua_getmetatable(state_, index) != 0)
            fail(ErrorCode::WrongType, path,
                 " is a table with a metatable, which cannot be rewound as plain data; list it in "
                 "the class's rewindIgnore, or give the class getRewindState and "
                 "restoreRewindState");
        put(Tag::Table);
        std::vector<Key> keys;
        for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
            const int key = lua_gettop(state_) - 1;
            if (depth == 0 && isIgnored(key)) continue;
            keys.push_back(keyAt(key, path));
        }
        std::ranges::sort(keys, [](const Key& a, const Key& b) { return a < b; });
        const std::size_t length = path.size();
        for (const Key& key : keys) {
            if (key.kind == 1)
                path += "." + key.text;
            else
                path += key.kind == 0 ? sentence("[", key.number, "]") : "[a key]";
            pushKey(key);
            encode(lua_gettop(state_), path, depth + 1);
            lua_rawget(state_, index);
            encode(lua_gettop(state_), path, depth + 1);
            lua_pop(state_, 1);
            path.resize(length);
        }
        put(Tag::End);
    }

    lua_State* state_;
    int ignored_;
    WorldLink& link_;
    std::vector<std::byte>& into_;
    std::unordered_map<const void*, std::uint32_t> seen_;
};

}  // namespace

void encodePlain(lua_State* state, int index, int ignored, WorldLink& link, const std::string& what,
                 std::vector<std::byte>& into) {
    const int top = lua_gettop(state);
    std::string path = what;
    try {
        Encoder(state, ignored, link, into).encode(index, path, 0);
    } catch (...) {
        lua_settop(state, top);
        throw;
    }
}

}  // namespace revenant
