// ComponentsView: asked for, released, measured. Its columns are FFI (view_functions.cpp).

#include <sol/sol.hpp>

#include "lua/binding.hpp"
#include "lua/session.hpp"
#include "lua/world_link.hpp"

namespace revenant {

namespace {

// Requirements come as an array of {name, presence, readOnly}. Returns the view's number and its
// columns in order.
std::tuple<std::uint32_t, sol::table> getView(std::uint32_t number, const sol::table& wanted,
                                              sol::this_state state) {
    WorldLink& link = WorldLink::require(number);
    Requirements requirements;
    for (std::size_t i = 1; i <= wanted.size(); ++i) {
        const sol::table each = wanted[i];
        ComponentRequirementDesc desc;
        desc.presence = static_cast<Presence>(each.get<int>(2));
        desc.readOnly = each.get<bool>(3);
        requirements.emplace(each.get<std::string>(1), desc);
    }
    auto view = link.world().getComponentsView(requirements);
    sol::state_view lua(state);
    sol::table columns = lua.create_table();
    for (const Column& column : view->getColumns()) {
        sol::table each = lua.create_table();
        each["name"] = column.getName();
        each["type"] = column.data().type->id;
        each["readOnly"] = column.isReadOnly();
        each["optional"] = column.isOptional();
        columns.add(each);
    }
    return {link.views.add(std::move(view)), columns};
}

sol::table statsOf(std::uint32_t link, std::uint32_t view, sol::this_state state) {
    const ViewStats stats = WorldLink::require(link).views.at(view).view->getStats();
    sol::table result = sol::state_view(state).create_table();
    result["rows"] = stats.rows;
    result["passes"] = stats.passes;
    result["rowsAdded"] = stats.rowsAdded;
    result["rowsDropped"] = stats.rowsDropped;
    result["rowsMoved"] = stats.rowsMoved;
    result["nanoseconds"] = stats.nanoseconds;
    result["segments"] = stats.segments;
    result["contiguousRows"] = stats.contiguousRows;
    result["bytes"] = stats.bytes;
    return result;
}

}  // namespace

void bindComponentsView(sol::table& native) {
    native.set_function("getView", &getView);
    native.set_function("releaseView", [](std::uint32_t link, std::uint32_t view) {
        WorldLink::require(link).views.release(view);
    });
    native.set_function("getViewStats", &statsOf);
}

}  // namespace revenant
