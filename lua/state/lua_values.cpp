#include "lua/state/lua_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <lua.hpp>

#include "lua/state/component_reference.hpp"
#include "lua/state/error_carrier.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "world/forest/entity_serial.hpp"

namespace revenant {

namespace {

constexpr int luaCdata = 10;  // LuaJIT's own type, which lua.h does not name
constexpr int deepest = 64;

int absolute(lua_State* state, int index) {
    return index < 0 ? lua_gettop(state) + 1 + index : index;
}

Value toValueAt(lua_State* state, int index, WorldLink& link, const std::string& path, int depth);

// A key as part of a path: `.name` or `[3]`.
std::string step(const Value& key) {
    if (const auto* name = key.as<std::string>()) return "." + *name;
    if (const auto* number = key.as<double>()) return sentence("[", *number, "]");
    return sentence("[", key.kind(), "]");
}

// The name of the registered class that the table is an instance of; none for a plain table.
Value classNameOf(lua_State* state, int index, WorldLink& link, const std::string& path) {
    if (lua_getmetatable(state, index) == 0) return {};
    link.session().pushCore(state, "nameOfMeta");
    lua_insert(state, -2);
    callLua(state, 1, 1);
    std::size_t length = 0;
    const char* name = lua_tolstring(state, -1, &length);
    if (!name)
        fail(ErrorCode::WrongType, path,
             " has a metatable that belongs to no registered class; call "
             "revenant.registerClass(name, class) for its class");
    Value result(std::string(name, length));
    lua_pop(state, 1);
    return result;
}

// A registered class, as in `self.class`, another value that has a name, or a component of the world, by their marks; none for anything else.
Value identityOf(lua_State* state, int index, WorldLink& link) {
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    link.session().pushCore(state, "identities");
    lua_pushvalue(state, index);
    lua_rawget(state, -2);
    lua_remove(state, -2);
    if (lua_type(state, -1) == LUA_TSTRING) {
        Value name(std::string(lua_tostring(state, -1)));
        lua_pop(state, 1);
        return Value(ValueArray{Value(std::string(classMark)), std::move(name)});
    }
    ComponentReference reference;
    if (!takeComponent(state, link, reference) || !isInWorld(link, reference)) return {};
    return Value(ValueArray{Value(std::string(componentMark)), Value(reference.owner),
                            Value(std::string(nameOf(link, reference)))});
}

Value tableToValue(lua_State* state, int index, WorldLink& link, const std::string& path,
                   int depth) {
    if (depth > deepest)  // of a circle the beginning says enough
        fail(ErrorCode::WrongType, path.size() > 80 ? path.substr(0, 80) + "..." : path,
             ": tables are nested too deeply, or in a circle");
    if (lua_checkstack(state, 8) == 0)
        fail(ErrorCode::LimitReached, path, ": the Lua stack is full");
    const Value className = classNameOf(state, index, link, path);
    std::vector<std::pair<Value, Value>> entries;
    for (lua_pushnil(state); lua_next(state, index) != 0; lua_pop(state, 1)) {
        const int keyType = lua_type(state, -2);
        if (keyType != LUA_TSTRING && keyType != LUA_TNUMBER && keyType != LUA_TBOOLEAN)
            fail(ErrorCode::WrongType, path, " has a key that is a ", lua_typename(state, keyType),
                 "; keys must be strings, numbers or booleans");
        Value key = toValueAt(state, -2, link, path, depth);
        Value value = toValueAt(state, -1, link, path + step(key), depth + 1);
        entries.emplace_back(std::move(key), std::move(value));
    }
    std::ranges::sort(entries, [](const auto& a, const auto& b) {
        using Base = std::variant<std::monostate, bool, std::int64_t, double, std::string, EntityId,
                                  ValueArray>;
        const auto& x = static_cast<const Base&>(a.first);
        const auto& y = static_cast<const Base&>(b.first);
        if (x.index() != y.index()) return x.index() < y.index();
        if (const auto* number = a.first.template as<double>())
            return *number < *b.first.template as<double>();
        if (const auto* text = a.first.template as<std::string>())
            return *text < *b.first.template as<std::string>();
        return !std::get<bool>(x) && std::get<bool>(y);
    });
    bool isSequence = className.isNone();
    for (std::size_t i = 0; i < entries.size() && isSequence; ++i) {
        const auto* number = entries[i].first.as<double>();
        isSequence = number && *number == static_cast<double>(i + 1);
    }
    // A list that begins with a mark is written with its keys, so as not to be taken for what the mark means.
    if (isSequence && !entries.empty())
        if (const auto* text = entries.front().second.as<std::string>())
            isSequence = *text != tableMark && *text != instanceMark && *text != classMark &&
                         *text != componentMark;
    ValueArray values;
    if (!className.isNone()) {
        values.emplace_back(instanceMark);
        values.push_back(className);
    } else if (!isSequence) {
        values.emplace_back(tableMark);
    }
    for (auto& [key, value] : entries) {
        if (!isSequence) values.push_back(std::move(key));
        values.push_back(std::move(value));
    }
    return Value(std::move(values));
}

Value toValueAt(lua_State* state, int index, WorldLink& link, const std::string& path, int depth) {
    index = absolute(state, index);
    switch (lua_type(state, index)) {
        case LUA_TNIL: return {};
        case LUA_TBOOLEAN: return Value(lua_toboolean(state, index) != 0);
        case LUA_TNUMBER: return Value(static_cast<double>(lua_tonumber(state, index)));
        case LUA_TSTRING: {
            std::size_t length = 0;
            const char* text = lua_tolstring(state, index, &length);
            return Value(std::string(text, length));
        }
        case LUA_TTABLE: {
            Value identity = identityOf(state, index, link);
            if (!identity.isNone()) return identity;
            return tableToValue(state, index, link, path, depth);
        }
        default: break;
    }
    EntityId id;
    if (toEntity(state, index, link, id)) return Value(id);
    Value identity = identityOf(state, index, link);
    if (!identity.isNone()) return identity;
    fail(ErrorCode::WrongType, path, " is a ", lua_typename(state, lua_type(state, index)),
         "; only nil, booleans, numbers, strings, entities, tables of them and what "
         "revenant.registerShared names are plain data");
}

}  // namespace

void pushEntity(lua_State* state, WorldLink& link, EntityId id) {
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    link.session().pushCore(state, "valueOf");
    lua_pushnumber(state, link.number());
    lua_pushnumber(state, id.index);
    lua_pushnumber(state, id.generation);
    callLua(state, 3, 1);
}

bool toEntity(lua_State* state, int index, WorldLink& link, EntityId& id) {
    if (lua_type(state, index) != luaCdata) return false;
    index = absolute(state, index);
    link.session().pushCore(state, "partsOf");
    lua_pushvalue(state, index);
    callLua(state, 1, 3);
    const bool isEntity = lua_isnumber(state, -3) != 0;
    const auto world = static_cast<std::uint32_t>(lua_tonumber(state, -3));
    id = {static_cast<std::uint32_t>(lua_tonumber(state, -2)),
          static_cast<std::uint32_t>(lua_tonumber(state, -1))};
    lua_pop(state, 3);
    if (isEntity && world != link.number())
        fail(ErrorCode::OtherWorld, "entity #", id.index, ".", id.generation,
             " belongs to another world; worlds do not share entities");
    return isEntity;
}

Value toValue(lua_State* state, int index, WorldLink& link, const std::string& path) {
    return toValueAt(state, index, link, path, 0);
}

void pushClass(lua_State* state, WorldLink& link, const char* function, std::string_view name,
               const std::function<std::string()>& where) {
    link.session().pushCore(state, function);
    lua_pushlstring(state, name.data(), name.size());
    callLua(state, 1, 1);
    if (lua_isnil(state, -1))
        fail(ErrorCode::WrongType, where ? where() + ": " : "", "class '", name,
             "' is not registered; call revenant.registerClass('", name,
             "', class) first (registerShared, if it is no class)");
}

namespace {

const std::string& nameOfClass(const ValueArray& marked) {
    const auto* name = marked[1].as<std::string>();
    if (!name) fail(ErrorCode::WrongType, "the mark of a class must be followed by its name");
    return *name;
}

}  // namespace

void pushValue(lua_State* state, const Value& value, WorldLink& link) {
    if (lua_checkstack(state, 8) == 0) fail(ErrorCode::LimitReached, "the Lua stack is full");
    if (const auto* flag = value.as<bool>()) return lua_pushboolean(state, *flag ? 1 : 0);
    if (const auto* whole = value.as<std::int64_t>())
        return lua_pushnumber(state, static_cast<double>(*whole));
    if (const auto* number = value.as<double>()) return lua_pushnumber(state, *number);
    if (const auto* text = value.as<std::string>())
        return lua_pushlstring(state, text->data(), text->size());
    if (const auto* id = value.as<EntityId>()) return pushEntity(state, link, *id);
    const auto* values = value.as<ValueArray>();
    if (!values) return lua_pushnil(state);
    const auto* mark = values->empty() ? nullptr : values->front().as<std::string>();
    if (mark && *mark == classMark && values->size() == 2)
        return pushClass(state, link, "findClass", nameOfClass(*values));
    if (mark && *mark == componentMark && values->size() == 3) {
        const auto* owner = (*values)[1].as<EntityId>();
        const auto* name = (*values)[2].as<std::string>();
        if (owner && name && !GoneEntity::isOne(*owner))
            return pushComponent(state, link, {*owner, 0, *name});
        return lua_pushnil(state);
    }
    const bool isInstance = mark && *mark == instanceMark && values->size() > 1;
    const bool isKeyed = isInstance || (mark && *mark == tableMark);
    if (isInstance)
        pushClass(state, link, "findEmpty", nameOfClass(*values));
    else
        lua_createtable(state, static_cast<int>(values->size()), 0);
    for (std::size_t i = isInstance ? 2 : isKeyed ? 1 : 0; i < values->size(); ++i) {
        if (isKeyed) {
            pushValue(state, (*values)[i++], link);
            pushValue(state, (*values)[i], link);
            lua_rawset(state, -3);
        } else {
            pushValue(state, (*values)[i], link);
            lua_rawseti(state, -2, static_cast<int>(i + 1));
        }
    }
}

}  // namespace revenant
