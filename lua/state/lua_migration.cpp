#include "lua/state/lua_migration.hpp"

#include <cstdlib>
#include <functional>
#include <lua.hpp>

#include "lua/state/hook_call.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/plain_data.hpp"

namespace revenant {

namespace {

// As pushValue, but whole numbers keep their 64 bits.
void pushField(lua_State* state, const Value& value, Session& session, WorldLink& link) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const auto* whole = value.as<std::int64_t>();
    if (const auto* values = value.as<ValueArray>()) {
        lua_createtable(state, static_cast<int>(values->size()), 0);
        for (std::size_t i = 0; i < values->size(); ++i) {
            pushField(state, (*values)[i], session, link);
            lua_rawseti(state, -2, static_cast<int>(i + 1));
        }
    } else if (whole && (*whole > exact || *whole < -exact)) {
        session.pushCore(state, "wideNumber");
        lua_pushnumber(state, static_cast<double>(*whole >> 32));
        lua_pushnumber(state, static_cast<std::uint32_t>(*whole));
        callLua(state, 2, 1);
    } else {
        pushValue(state, value, link);
    }
}

}  // namespace

LuaMigration::LuaMigration(WorldLink& link, std::string component)
    : session_(Session::sharedOf(link.session().state())),
      link_(link.number()),
      component_(std::move(component)) {}

std::vector<Override> LuaMigration::migrateFields(std::vector<Override> old,
                                                  std::uint32_t version) {
    std::vector<Override> now;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        session.pushCore(state, "migrateFields");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, component_.data(), component_.size());
        lua_newtable(state);
        for (const Override& each : old) {
            lua_pushlstring(state, each.field.data(), each.field.size());
            pushField(state, each.value, session, link);
            lua_rawset(state, -3);
        }
        lua_pushnumber(state, version);
        callLua(state, 4, 2);
        failIfSentence(state, -1);
        // The component as a whole, as overrides make it.
        std::size_t length = 0;
        const char* bytes = lua_tolstring(state, -2, &length);
        const ComponentStore& components = link.core().components();
        const ComponentSchema& schema = link.core().components().require(component_).schema;
        if (!bytes || length != schema.size) return;
        for (const Field& field : schema.fields)
            now.push_back({field.name, readField(components.strings(), field,
                                                 reinterpret_cast<const std::byte*>(bytes))});
    });
    return now;
}

std::vector<std::byte> LuaMigration::migrateState(std::span<const std::byte> old,
                                                  std::uint32_t version) {
    std::vector<std::byte> now;
    callHook(session_, link_, [&](lua_State* state, Session& session, WorldLink& link) {
        // The class of the component and its methods, which its data may refer to.
        session.pushCore(state, "emptyScript");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, component_.data(), component_.size());
        callLua(state, 2, 1);
        const int own = lua_istable(state, -1) ? lua_gettop(state) : 0;
        session.pushCore(state, "migrateScript");
        lua_pushnumber(state, link_);
        lua_pushlstring(state, component_.data(), component_.size());
        try {
            decodePlain(state, old, own, 0, link);
        } catch (const Error& error) {
            error.throwBehind("component '" + component_ + "': ");
        }
        lua_pushnumber(state, version);
        callLua(state, 4, 2);
        failIfSentence(state, -1);
        lua_pop(state, 1);
        const std::function<std::string()> describe = [this] {
            return "component '" + component_ + "': what migrate returned";
        };
        encodePlain(state, lua_gettop(state), link, {describe, true, 0, true}, now);
    });
    return now;
}

}  // namespace revenant
