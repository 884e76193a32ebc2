#include "lua/plain_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <lua.hpp>
#include <unordered_map>

#include "lua/lua_values.hpp"
#include "lua/world_link.hpp"

namespace revenant {

namespace {

constexpr int deepest = 150;  // of nested tables

enum class Tag : std::uint8_t { Nil, False, True, Number, Text, Entity, Table, End, Again };

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
        if (!toEntity(state_, index, link_, id))
            fail(ErrorCode::WrongType, path, " is a ", luaL_typename(state_, index),
                 ", which cannot be rewound; list it in the class's rewindIgnore, or give the "
                 "class getRewindState and restoreRewindState");
        entity(id);
    }

private:
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

class Reader {
public:
    explicit Reader(std::span<const std::byte> data) : data_(data) {}

    bool atEnd() const noexcept { return data_.empty(); }
    Tag tag() { return static_cast<Tag>(take<std::uint8_t>()); }
    Tag peek() const { return data_.empty() ? Tag::End : static_cast<Tag>(data_[0]); }
    template <class T>
    T take() {
        T value{};
        if (data_.size() < sizeof value) broken();
        std::memcpy(&value, data_.data(), sizeof value);
        data_ = data_.subspan(sizeof value);
        return value;
    }
    std::string_view text() {
        const auto length = take<std::uint32_t>();
        if (data_.size() < length) broken();
        const std::string_view result(reinterpret_cast<const char*>(data_.data()), length);
        data_ = data_.subspan(length);
        return result;
    }
    [[noreturn]] static void broken() {
        fail(ErrorCode::BadArgument, "the recorded state of a script is damaged");
    }

private:
    std::span<const std::byte> data_;
};

class Decoder {
public:
    Decoder(lua_State* state, Reader reader, WorldLink& link)
        : state_(state), reader_(reader), link_(link) {
        lua_newtable(state_);
        seen_ = lua_gettop(state_);
    }

    // Pushes the value; the topmost table is the one at `into`, if that is not 0.
    void decode(int into) {
        if (lua_checkstack(state_, 12) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
        switch (reader_.tag()) {
            case Tag::Nil: return lua_pushnil(state_);
            case Tag::False: return lua_pushboolean(state_, 0);
            case Tag::True: return lua_pushboolean(state_, 1);
            case Tag::Number: return lua_pushnumber(state_, reader_.take<double>());
            case Tag::Text: {
                const std::string_view text = reader_.text();
                return lua_pushlstring(state_, text.data(), text.size());
            }
            case Tag::Entity: {
                const auto id = reader_.take<EntityId>();
                return pushEntity(state_, link_, id);  // perhaps stale, as it was
            }
            case Tag::Again:
                return lua_rawgeti(state_, seen_,
                                   static_cast<int>(reader_.take<std::uint32_t>()) + 1);
            case Tag::Table: break;
            default: Reader::broken();
        }
        if (into != 0)
            lua_pushvalue(state_, into);
        else
            lua_newtable(state_);
        const int table = lua_gettop(state_);
        lua_pushvalue(state_, table);
        lua_rawseti(state_, seen_, ++count_);
        while (reader_.peek() != Tag::End) {
            decode(0);
            decode(0);
            if (lua_isnil(state_, -2))
                lua_pop(state_, 2);
            else
                lua_rawset(state_, table);
        }
        reader_.tag();
    }
    void drop() { lua_remove(state_, seen_); }

private:
    lua_State* state_;
    Reader reader_;
    WorldLink& link_;
    int seen_;
    int count_ = 0;
};

void emptyTable(lua_State* state, int table, int ignored) {
    for (lua_pushnil(state); lua_next(state, table) != 0;) {
        lua_pop(state, 1);
        bool keep = false;
        if (ignored != 0) {
            lua_pushvalue(state, -1);
            lua_rawget(state, ignored);
            keep = lua_toboolean(state, -1) != 0;
            lua_pop(state, 1);
        }
        if (keep) continue;
        lua_pushvalue(state, -1);
        lua_pushnil(state);
        lua_rawset(state, table);  // clearing is allowed while traversing
    }
}

std::uint32_t serialOf(const Forest& forest, EntityId id) {
    if (id.isNull() || id.index >= forest.pool.count()) return 0;
    const EntityRecord& record = forest.pool.at(id.index);
    if (record.id == id) return record.serial;
    return forest.lostSerials.find(id);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    hash ^= value + 0x9E3779B97F4A7C15U + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDU;
    return hash ^ (hash >> 33);
}

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

void decodePlain(lua_State* state, std::span<const std::byte> data, int into, int ignored,
                 WorldLink& link) {
    const Reader reader(data);
    if (into != 0 && reader.peek() == Tag::Table) emptyTable(state, into, ignored);
    Decoder decoder(state, reader, link);
    decoder.decode(into);
    decoder.drop();
}

std::uint64_t hashPlain(const World& world, std::span<const std::byte> data) {
    Reader reader(data);
    std::uint64_t hash = data.size();
    while (!reader.atEnd()) {
        const Tag tag = reader.tag();
        hash = mix(hash, static_cast<std::uint64_t>(tag));
        switch (tag) {
            case Tag::Number: hash = mix(hash, reader.take<std::uint64_t>()); break;
            case Tag::Again: hash = mix(hash, reader.take<std::uint32_t>()); break;
            case Tag::Text: {
                std::uint64_t text = 0xCBF29CE484222325U;
                for (const char character : reader.text())
                    text = (text ^ static_cast<unsigned char>(character)) * 0x100000001B3U;
                hash = mix(hash, text);
                break;
            }
            case Tag::Entity: {
                hash = mix(hash, serialOf(world.forest(), reader.take<EntityId>()));
                break;
            }
            default: break;
        }
    }
    return hash;
}

}  // namespace revenant
