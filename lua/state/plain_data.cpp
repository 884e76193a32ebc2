#include "lua/state/plain_data.hpp"

#include <lua.hpp>

#include "lua/state/component_reference.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/codec/plain_data.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

using Tag = PlainTag;

class Decoder {
public:
    Decoder(lua_State* state, std::span<const std::byte> data, WorldLink& link)
        : state_(state), data_(data), reader_(data), link_(link) {
        lua_newtable(state_);
        seen_ = lua_gettop(state_);
    }

    // Pushes the value; the topmost table is the one at `into`, if that is not 0.
    void decode(int into) {
        if (into != 0) own_ = into;
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
            case Tag::Class: return ask("findClass", reader_.text());
            case Tag::Component: return pushComponent(state_, link_, reader_.component());
            case Tag::OwnClass: return pushOwnClass();
            case Tag::Method: return pushMethod(reader_.text());
            case Tag::Instance: return instance();
            case Tag::Hooked: return hooked();
            case Tag::List: return table(into, reader_.take<std::uint32_t>());
            case Tag::Table: return table(into, 0);
            default: PlainReader::broken();
        }
    }
    void drop() { lua_remove(state_, seen_); }

private:
    void table(int into, std::uint32_t listed) {
        if (into != 0)
            lua_pushvalue(state_, into);
        else
            lua_newtable(state_);
        fill(lua_gettop(state_), listed);
    }

    void remember(int table) {
        lua_pushvalue(state_, table);
        lua_rawseti(state_, seen_, ++count_);
    }

    // Pushes what a function of the Lua half returns for the name of a class.
    void ask(const char* function, std::string_view name) {
        pushClass(state_, link_, function, name, [&] { return placeOf(name); });
    }
    // Pushes an empty instance of the class that is named next.
    void make() { ask("findEmpty", reader_.text()); }

    // The path to the first place where a class or method is named.
    std::string placeOf(std::string_view name) const {
        const std::string itself = sentence("class ", name);
        for (const StatePart& part : describePlain(link_.world(), data_)) {
            if (part.value == itself || (part.value == name && name.starts_with("its method ")))
                return part.path;
            if (part.value == name && part.path.ends_with(".class"))
                return part.path.substr(0, part.path.size() - 6);
        }
        return "state";
    }

    // The class of the component, as the encoder has noted it; nil where there is no component.
    void pushOwnClass() {
        if (own_ == 0 || lua_getmetatable(state_, own_) == 0) return lua_pushnil(state_);
        link_.session().pushCore(state_, "ownClasses");
        lua_insert(state_, -2);
        lua_rawget(state_, -2);
        lua_remove(state_, -2);
    }

    // The function or table that the class of the component has under this name now; nil where there is no component.
    void pushMethod(std::string_view name) {
        if (own_ == 0 || lua_getmetatable(state_, own_) == 0) return lua_pushnil(state_);
        link_.session().pushCore(state_, "memberOf");
        lua_insert(state_, -2);
        lua_pushlstring(state_, name.data(), name.size());
        callLua(state_, 2, 1);
        if (!lua_isfunction(state_, -1) && !lua_istable(state_, -1))
            fail(ErrorCode::WrongType, placeOf(sentence("its method ", name)),
                 ": its class has no method '", name, "' any more");
    }

    void instance() {
        make();
        const Tag tag = reader_.tag();
        if (tag != Tag::Table && tag != Tag::List) PlainReader::broken();
        fill(lua_gettop(state_), tag == Tag::List ? reader_.take<std::uint32_t>() : 0);
    }

    void hooked() {
        make();
        remember(lua_gettop(state_));
        const int made = lua_gettop(state_);
        link_.session().pushCore(state_, "restoreInstance");
        lua_pushvalue(state_, made);
        decode(0);
        callLua(state_, 2, 0);
    }

    void fill(int table, std::uint32_t listed) {
        remember(table);
        for (std::uint32_t i = 1; i <= listed; ++i) {
            decode(0);
            lua_rawseti(state_, table, static_cast<int>(i));
        }
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

    lua_State* state_;
    std::span<const std::byte> data_;
    PlainReader reader_;
    WorldLink& link_;
    int seen_;
    int own_ = 0;  // index of the component
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

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    hash ^= value + 0x9E3779B97F4A7C15U + (hash << 6) + (hash >> 2);
    hash *= 0xFF51AFD7ED558CCDU;
    return hash ^ (hash >> 33);
}

std::uint64_t hashText(std::string_view text) noexcept {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char character : text)
        hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3U;
    return hash;
}

}  // namespace

void decodePlain(lua_State* state, std::span<const std::byte> data, int into, int ignored,
                 WorldLink& link) {
    const PlainReader reader(data);
    const bool isTable = reader.peek() == Tag::Table || reader.peek() == Tag::List;
    if (into != 0 && isTable) emptyTable(state, into, ignored);
    Decoder decoder(state, data, link);
    decoder.decode(into);
    decoder.drop();
}

std::uint64_t hashPlain(const World& world, std::span<const std::byte> data) {
    PlainReader reader(data);
    std::uint64_t hash = data.size();
    while (!reader.atEnd()) {
        const Tag tag = reader.tag();
        hash = mix(hash, static_cast<std::uint64_t>(tag));
        switch (tag) {
            case Tag::Number: hash = mix(hash, reader.take<std::uint64_t>()); break;
            case Tag::List:
            case Tag::Again: hash = mix(hash, reader.take<std::uint32_t>()); break;
            case Tag::Instance:
            case Tag::Hooked:
            case Tag::Class:
            case Tag::Method:
            case Tag::Text: hash = mix(hash, hashText(reader.text())); break;
            case Tag::Entity: {
                hash = mix(hash, serialOf(WorldCore::of(world).forest(), reader.take<EntityId>()));
                break;
            }
            case Tag::Component: {
                const PlainComponent component = reader.component();
                hash = mix(hash, serialOf(WorldCore::of(world).forest(), component.owner));
                hash = mix(hash, hashText(component.name));
                break;
            }
            default: break;
        }
    }
    return hash;
}

}  // namespace revenant
