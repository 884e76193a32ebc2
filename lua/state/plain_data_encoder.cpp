// Over 300 lines: one class, with a short function per kind of value.
#include <algorithm>
#include <lua.hpp>
#include <unordered_map>

#include "lua/state/component_reference.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/plain_data.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/codec/plain_data.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

// A key of a table, comparable: numbers, then texts, booleans, entities, components. The characters are Lua's, which
// the table keeps alive, or the name of a component.
struct Key {
    int kind = 0;
    double number = 0;
    std::string_view text;
    EntityId entity;
    std::uint32_t serial = 0;
    ComponentReference component;

    friend bool operator<(const Key& a, const Key& b) noexcept {
        if (a.kind != b.kind) return a.kind < b.kind;
        if (a.kind == 0) return a.number < b.number;
        if (a.kind == 1) return a.text < b.text;
        if (a.serial != b.serial) return a.serial < b.serial;
        if (a.entity != b.entity) return a.entity < b.entity;
        if (a.text != b.text) return a.text < b.text;
        return a.component.serial < b.component.serial;
    }
};

class Encoder {
public:
    Encoder(lua_State* state, WorldLink& link, const PlainSource& source,
            std::vector<std::byte>& into)
        : state_(state), link_(link), source_(source), into_(into) {}

    void encode(int index, int depth) {
        switch (lua_type(state_, index)) {
            case LUA_TNIL: return put(Tag::Nil);
            case LUA_TBOOLEAN: return put(lua_toboolean(state_, index) ? Tag::True : Tag::False);
            case LUA_TNUMBER: return number(lua_tonumber(state_, index));
            case LUA_TSTRING: {
                std::size_t length = 0;
                const char* characters = lua_tolstring(state_, index, &length);
                return text(Tag::Text, {characters, length});
            }
            case LUA_TTABLE: return table(index, depth);
            default: break;
        }
        EntityId id;
        if (toEntityAt(index, id)) return entity(id);
        if (writeShared(index) || writeMember(index)) return;
        refuse(index);
    }

private:
    // The way to what is being encoded: a key as it is in each table from the topmost on.
    std::string path() const {
        std::string result = source_.describe();
        for (const Key& key : way_) {
            if (key.kind == 1)
                result += "." + std::string(key.text);
            else if (key.kind == 0)
                result += sentence("[", key.number, "]");
            else if (key.kind == 2)
                result += key.entity.index != 0 ? "[true]" : "[false]";
            else if (key.kind == 3)
                result += sentence("[entity #", key.entity.index, ".", key.entity.generation, "]");
            else
                result += sentence("[component '", key.text, "' of entity #", key.entity.index, ".",
                                   key.entity.generation, "]");
        }
        return result;
    }
    // The message, which says what the value is and what to do, comes from registered_class.lua.
    [[noreturn]] void refuse(int index) {
        link_.session().pushCore(state_, "refusalOf");
        lua_pushvalue(state_, index);
        lua_pushboolean(state_, source_.isComponent ? 1 : 0);
        callLua(state_, 2, 1);
        fail(ErrorCode::WrongType, path(), " ", lua_tostring(state_, -1));
    }

    [[noreturn]] void refuseKey(int index) {
        fail(ErrorCode::WrongType, path(), " has a key that is a ", luaL_typename(state_, index),
             ", which cannot be rewound; use a number, a string, a boolean, an entity or a script "
             "component as the key");
    }

    bool toEntityAt(int index, EntityId& id) {
        try {
            if (!toEntity(state_, index, link_, id)) return false;
        } catch (const Error& error) {
            fail(error.code(), path(), ": ", error.what());
        }
        if (!link_.core().forest().pool.findKnown(id)) keepStale("keepStale", index);
        return true;
    }
    // Remembers the value of an entity that was destroyed, or of a component that is out, so that a restore gives this
    // very value.
    void keepStale(const char* function, int index) {
        link_.session().pushCore(state_, function);
        lua_pushvalue(state_, index);
        callLua(state_, 1, 0);
    }
    void put(Tag tag) { into_.push_back(static_cast<std::byte>(tag)); }
    void put(const void* bytes, std::size_t count) {
        const auto* first = static_cast<const std::byte*>(bytes);
        into_.insert(into_.end(), first, first + count);
    }
    void number(double value) {
        value = plainNumber(value);
        put(Tag::Number);
        put(&value, sizeof value);
    }
    void text(Tag tag, std::string_view characters) {
        const auto length = static_cast<std::uint32_t>(characters.size());
        put(tag);
        put(&length, sizeof length);
        put(characters.data(), characters.size());
    }
    void entity(EntityId id) {
        put(Tag::Entity);
        put(&id, sizeof id);
    }

    Key keyAt(int index) {
        Key key;
        switch (lua_type(state_, index)) {
            case LUA_TNUMBER: key.number = lua_tonumber(state_, index); break;
            case LUA_TSTRING: {
                std::size_t length = 0;
                const char* characters = lua_tolstring(state_, index, &length);
                key.kind = 1;
                key.text = {characters, length};
                break;
            }
            case LUA_TBOOLEAN:
                key.kind = 2;
                key.entity.index = lua_toboolean(state_, index) ? 1 : 0;
                break;
            case LUA_TTABLE:
                key.kind = 4;
                pushIdentity(index);
                if (!takeComponent(state_, link_, key.component)) refuseKey(index);
                if (!isInWorld(link_, key.component)) keepStale("keepStaleComponent", index);
                key.entity = key.component.owner;
                key.text = nameOf(link_, key.component);
                key.serial = serialOf(link_.core().forest(), key.entity);
                break;
            default:
                key.kind = 3;
                if (!toEntityAt(index, key.entity)) refuseKey(index);
                key.serial = serialOf(link_.core().forest(), key.entity);
        }
        return key;
    }

    void pushKey(const Key& key) {
        switch (key.kind) {
            case 0: return lua_pushnumber(state_, key.number);
            case 1: return lua_pushlstring(state_, key.text.data(), key.text.size());
            case 2: return lua_pushboolean(state_, static_cast<int>(key.entity.index));
            case 3: return pushEntity(state_, link_, key.entity);
            default:
                return pushComponent(state_, link_,
                                     {key.entity, numberOf(key.component), key.text});
        }
    }

    [[noreturn]] void isTwice(const Key& key) {
        way_.push_back(key);
        fail(ErrorCode::WrongType, path(),
             " is there twice: two Lua values of one entity, which was destroyed, are keys; remove "
             "one of them");
    }

    bool isIgnored(int keyIndex, int ignored) {
        if (ignored == 0) return false;
        lua_pushvalue(state_, keyIndex);
        lua_rawget(state_, ignored);
        const bool found = lua_toboolean(state_, -1) != 0;
        lua_pop(state_, 1);
        return found;
    }

    // Whether the table was written before; if so, writes where.
    bool isKnown(int index) {
        const void* address = lua_topointer(state_, index);
        const auto count = static_cast<std::uint32_t>(seen_.size());
        const auto [known, isNew] = seen_.emplace(address, count);
        if (isNew) return false;
        put(Tag::Again);
        put(&known->second, sizeof known->second);
        return true;
    }

    void table(int index, int depth) {
        if (depth > 0 && (writeClass(index) || writeComponent(index))) return;
        if (isKnown(index)) return;
        if (depth >= deepestPlain)
            fail(ErrorCode::WrongType, path(), ": tables are nested more than ", deepestPlain,
                 " deep");
        if (lua_checkstack(state_, 16) == 0)
            fail(ErrorCode::LimitReached, path(), ": the Lua stack is full");
        const bool isOwn = depth == 0 && source_.isComponent;
        int ignored = isOwn ? source_.ignored : 0;
        const int top = lua_gettop(state_);
        if (isOwn)
            ownMeta_ = lua_getmetatable(state_, index) != 0 ? lua_gettop(state_) : 0;
        else if (lua_getmetatable(state_, index) != 0) {
            if (instance(index, depth)) return lua_settop(state_, top);
            if (lua_istable(state_, -1)) ignored = lua_gettop(state_);
        }
        entries(index, ignored, depth);
        lua_settop(state_, top);
    }

    // Writes a class by its name, as in `self.class`.
    bool writeClass(int index) {
        if (lua_checkstack(state_, 16) == 0)
            fail(ErrorCode::LimitReached, path(), ": the Lua stack is full");
        if (writeShared(index)) return true;
        if (ownMeta_ == 0 || way_.size() != 1 || !isOwnClass(index)) return false;
        put(Tag::OwnClass);
        link_.session().pushCore(state_, "ownClasses");  // for the decoder
        lua_pushvalue(state_, ownMeta_);
        lua_pushvalue(state_, index);
        lua_rawset(state_, -3);
        lua_pop(state_, 1);
        return true;
    }

    // The name of the class or component that a table is; nil for other tables.
    void pushIdentity(int index) {
        link_.session().pushCore(state_, "identities");
        lua_pushvalue(state_, index);
        lua_rawget(state_, -2);
        lua_remove(state_, -2);
    }

    // Takes the name on top of the stack and writes it, if it is one.
    bool writeName(Tag tag) {
        const bool isNamed = lua_type(state_, -1) == LUA_TSTRING;
        std::size_t length = 0;
        if (isNamed) {
            const char* name = lua_tolstring(state_, -1, &length);
            text(tag, {name, length});
        }
        lua_pop(state_, 1);
        return isNamed;
    }

    // Writes a value that the game shares, or a class, by its name.
    bool writeShared(int index) {
        pushIdentity(index);
        return writeName(Tag::Class);
    }

    // Writes what the component's class has by its name there: functions, as state machines hold them, and tables that
    // could be written in no other way, as a base class is (`self.super`).
    bool writeMember(int index) {
        if (ownMeta_ == 0 || (!lua_isfunction(state_, index) && !lua_istable(state_, index)))
            return false;
        link_.session().pushCore(state_, "memberName");
        lua_pushvalue(state_, ownMeta_);
        lua_pushvalue(state_, index);
        callLua(state_, 2, 1);
        return writeName(Tag::Method);
    }

    // Writes a component as a reference: one that is in the world, or one that
    // could be written in no other way.
    bool writeComponent(int index) {
        if (seen_.contains(lua_topointer(state_, index))) return false;
        ComponentReference reference;
        pushIdentity(index);
        if (!takeComponent(state_, link_, reference)) return false;
        if (!source_.isLoading && !isInWorld(link_, reference)) {
            if (isPlain(index)) return false;
            keepStale("keepStaleComponent", index);
        }
        appendComponent(link_, reference, into_);
        return true;
    }

    // Whether the table could be part of the data: it has no metatable, or that of a registered class.
    bool isPlain(int index) {
        if (lua_getmetatable(state_, index) == 0) return true;
        ask("nameOfMeta", lua_gettop(state_));
        const bool isNamed = lua_type(state_, -1) == LUA_TSTRING;
        lua_pop(state_, 2);
        return isNamed;
    }

    // Libraries keep the class of an instance in it.
    bool isOwnClass(int index) {
        if (lua_rawequal(state_, index, ownMeta_) != 0) return true;
        lua_pushliteral(state_, "__instanceDict");
        lua_rawget(state_, index);
        lua_pushliteral(state_, "__index");
        lua_rawget(state_, ownMeta_);
        const bool isIt =
            lua_rawequal(state_, -2, ownMeta_) != 0 || lua_rawequal(state_, -1, index) != 0;
        lua_pop(state_, 2);
        return isIt;
    }

    // Pushes what a function of the Lua half returns for the value at `index`.
    void ask(const char* function, int index) {
        link_.session().pushCore(state_, function);
        lua_pushvalue(state_, index);
        callLua(state_, 1, 1);
    }

    // Writes the class of a table whose metatable is on top of the stack. True: its hook gave its state,
    // and all is written; else pushes the set of keys that its class ignores, or nil.
    bool instance(int index, int depth) {
        const int meta = lua_gettop(state_);
        ask("nameOfMeta", meta);
        if (lua_type(state_, -1) != LUA_TSTRING) {
            seen_.erase(lua_topointer(state_, index));  // it is no table of the data
            if (writeMember(index)) return true;
            refuse(index);
        }
        link_.session().pushCore(state_, "getInstanceState");
        lua_pushvalue(state_, index);
        callLua(state_, 1, 3);  // whether it has hooks, its state, its ignored keys
        const bool isHooked = lua_toboolean(state_, -3) != 0;
        text(isHooked ? Tag::Hooked : Tag::Instance, lua_tostring(state_, meta + 1));
        if (isHooked) encode(lua_gettop(state_) - 1, depth + 1);
        return isHooked;
    }

    void entries(int index, int ignored, int depth) {
        // The run of values at 1, 2, ... as far as it goes, which does not depend on the inside of Lua's table.
        std::uint32_t count = 0;
        lua_rawgeti(state_, index, 1);
        const bool isList = ignored == 0 && !lua_isnil(state_, -1);
        lua_pop(state_, 1);
        put(isList ? Tag::List : Tag::Table);
        if (isList) {
            const std::size_t countAt = into_.size();
            put(&count, sizeof count);
            way_.push_back(Key{});
            for (;;) {
                lua_rawgeti(state_, index, static_cast<int>(count) + 1);
                if (lua_isnil(state_, -1)) break;
                way_.back().number = ++count;
                encode(lua_gettop(state_), depth + 1);
                lua_pop(state_, 1);
            }
            way_.pop_back();
            lua_pop(state_, 1);
            std::memcpy(&into_[countAt], &count, sizeof count);
        }
        std::vector<Key> keys;
        for (lua_pushnil(state_); lua_next(state_, index) != 0; lua_pop(state_, 1)) {
            const int at = lua_gettop(state_) - 1;
            if (isIgnored(at, ignored)) continue;
            const Key key = keyAt(at);
            const bool isListed = key.kind == 0 && key.number >= 1 && key.number <= count &&
                                  key.number == static_cast<std::uint32_t>(key.number);
            if (!isListed) keys.push_back(key);
        }
        std::ranges::sort(keys, [](const Key& a, const Key& b) { return a < b; });
        const auto twice = std::ranges::adjacent_find(keys, [](const Key& a, const Key& b) {
            return a.kind == 3 && b.kind == 3 && a.entity == b.entity;
        });
        if (twice != keys.end()) isTwice(*twice);
        for (const Key& key : keys) {
            way_.push_back(key);
            keyValue(key);
            pushKey(key);
            lua_rawget(state_, index);
            if (lua_isnil(state_, -1)) isTwice(key);
            encode(lua_gettop(state_), depth + 1);
            lua_pop(state_, 1);
            way_.pop_back();
        }
        put(Tag::End);
    }

    void keyValue(const Key& key) {
        switch (key.kind) {
            case 0: return number(key.number);
            case 1: return text(Tag::Text, key.text);
            case 2: return put(key.entity.index != 0 ? Tag::True : Tag::False);
            case 3: return entity(key.entity);
            default: return appendComponent(link_, key.component, into_);
        }
    }

    lua_State* state_;
    WorldLink& link_;
    const PlainSource& source_;
    std::vector<std::byte>& into_;
    std::unordered_map<const void*, std::uint32_t> seen_;
    std::vector<Key> way_;
    int ownMeta_ = 0;  // index of the component's metatable
};

}  // namespace

void encodePlain(lua_State* state, int index, WorldLink& link, const PlainSource& source,
                 std::vector<std::byte>& into) {
    const int top = lua_gettop(state);
    try {
        Encoder(state, link, source, into).encode(index, 0);
    } catch (...) {
        lua_settop(state, top);
        throw;
    }
}

}  // namespace revenant
