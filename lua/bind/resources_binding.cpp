// Resources, the render environment and the frame's collision events: values of Lua's that the world
// keeps, and values of C++ that Lua reads.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/lua_values.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

namespace {

using Kept = std::shared_ptr<LuaReference>;

std::any keep(const sol::object& value, std::uint32_t link) {
    value.push();
    return Kept(std::make_shared<LuaReference>(value.lua_state(), link));
}

// Pushes the value that `any` holds, if it is one of Lua's or a plain one of C++; else nil.
sol::object read(const std::any& any, WorldLink& link, lua_State* state) {
    if (const auto* kept = std::any_cast<Kept>(&any)) {
        if ((*kept)->session().get() != &link.session()) return sol::nil;
        (*kept)->push(state);
    } else if (const auto* value = std::any_cast<Value>(&any)) {
        pushValue(state, *value, link);
    } else if (const auto* number = std::any_cast<double>(&any)) {
        lua_pushnumber(state, *number);
    } else if (const auto* single = std::any_cast<float>(&any)) {
        lua_pushnumber(state, *single);
    } else if (const auto* whole = std::any_cast<int>(&any)) {
        lua_pushnumber(state, *whole);
    } else if (const auto* flag = std::any_cast<bool>(&any)) {
        lua_pushboolean(state, *flag ? 1 : 0);
    } else if (const auto* text = std::any_cast<std::string>(&any)) {
        sol::stack::push(state, *text);
    } else if (const auto* entity = std::any_cast<Entity>(&any)) {
        pushEntity(state, link, entity->getId());
    } else {
        return sol::nil;
    }
    return sol::stack::pop<sol::object>(state);
}

// Without metamethods: the table is whatever physics code reports.
double numberOf(const sol::table& event, const char* field) {
    const sol::object value = event.raw_get<sol::object>(field);
    return value.get_type() == sol::type::number ? value.as<double>() : 0;
}

sol::table eventTable(const CollisionEvent& event, WorldLink& link, lua_State* state) {
    const sol::object own = read(event.detail, link, state);
    if (own.is<sol::table>()) return own.as<sol::table>();
    sol::table table = sol::state_view(state).create_table();
    pushEntity(state, link, event.first.getId());
    table["first"] = sol::stack::pop<sol::object>(state);
    pushEntity(state, link, event.second.getId());
    table["second"] = sol::stack::pop<sol::object>(state);
    table["normalX"] = event.normalX;
    table["normalY"] = event.normalY;
    table["pointX"] = event.pointX;
    table["pointY"] = event.pointY;
    return table;
}

}  // namespace

void bindResources(sol::table& native) {
    native.set_function(
        "setResource", [](std::uint32_t number, const std::string& name, const sol::object& value,
                          sol::optional<bool> asked, sol::this_state state) {
            WorldLink& link = WorldLink::require(number);
            // Setting it again without options leaves them as they are.
            const auto* known = link.core().resources().find(name);
            const bool rewind = asked ? *asked : known && known->rewind;
            if (rewind || (known && known->rewind)) WorldLink::requireOpen(number);
            link.belongings.resources.insert(name);
            if (value.get_type() == sol::type::lua_nil) {
                link.belongings.resources.erase(name);
                link.world().removeResource(name);
            } else if (rewind) {
                value.push();
                Value plain = toValue(state, lua_gettop(state), link, "resource '" + name + "'");
                lua_pop(state, 1);
                link.world().setResource(name, std::move(plain), {.rewind = true});
            } else {
                link.world().setResource(name, keep(value, number));
            }
        });
    native.set_function(
        "getResource",
        [](std::uint32_t number, const std::string& name, sol::this_state state) -> sol::object {
            WorldLink& link = WorldLink::require(number);
            const auto* found = link.core().resources().find(name);
            return found ? read(found->value, link, state) : sol::nil;
        });
    native.set_function("setRenderEnv", [](std::uint32_t link, const sol::object& value) {
        WorldLink::require(link).world().setRenderEnv(
            value.get_type() == sol::type::lua_nil ? std::any() : keep(value, link));
    });
    native.set_function("getRenderEnv",
                        [](std::uint32_t number, sol::this_state state) -> sol::object {
                            WorldLink& link = WorldLink::require(number);
                            return read(link.world().getRenderEnv(), link, state);
                        });
    native.set_function("recordCollisionEvent",
                        [](std::uint32_t number, const sol::table& event, std::uint32_t firstIndex,
                           std::uint32_t firstGeneration, std::uint32_t secondIndex,
                           std::uint32_t secondGeneration) {
                            WorldLink& link = WorldLink::require(number);
                            CollisionEvent recorded;
                            if (firstGeneration != 0)
                                recorded.first = link.entity(firstIndex, firstGeneration);
                            if (secondGeneration != 0)
                                recorded.second = link.entity(secondIndex, secondGeneration);
                            recorded.normalX = numberOf(event, "normalX");
                            recorded.normalY = numberOf(event, "normalY");
                            recorded.pointX = numberOf(event, "pointX");
                            recorded.pointY = numberOf(event, "pointY");
                            recorded.detail = keep(event, number);
                            link.world().recordCollisionEvent(std::move(recorded));
                        });
    native.set_function("getCollisionEvents", [](std::uint32_t number, sol::this_state state) {
        WorldLink& link = WorldLink::require(number);
        sol::table events = sol::state_view(state).create_table();
        for (const CollisionEvent& event : link.world().getCollisionEvents())
            events.add(eventTable(event, link, state));
        return events;
    });
}

}  // namespace revenant
