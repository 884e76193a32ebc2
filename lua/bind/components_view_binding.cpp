// ComponentsView: getting one, releasing it, its statistics. Its columns are FFI (view_functions.cpp).

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"
#include "views/rows/view_rows.hpp"

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
        requirements.push_back({each.get<std::string>(1), desc});
    }
    auto view = link.world().getComponentsView(requirements);
    sol::state_view lua(state);
    sol::table columns = lua.create_table();
    for (const Column& column : view->getColumns()) {
        sol::table each = lua.create_table();
        each["name"] = column.getName();
        each["type"] = ViewRows::of(column).type->id;
        each["readOnly"] = column.isReadOnly();
        each["optional"] = column.isOptional();
        columns.add(each);
    }
    return {link.views.add(std::move(view)), columns};
}

sol::table statsOf(std::uint32_t link, std::uint32_t view, sol::this_state state) {
    const ViewStats stats = WorldLink::require(link).views.at(view).view->getStats();
    return tableOf(state, {{"rows", stats.rows},
                           {"passes", stats.passes},
                           {"rowsAdded", stats.rowsAdded},
                           {"rowsDropped", stats.rowsDropped},
                           {"rowsMoved", stats.rowsMoved},
                           {"nanoseconds", stats.nanoseconds},
                           {"rowsLookedAt", stats.rowsLookedAt},
                           {"segments", stats.segments},
                           {"contiguousRows", stats.contiguousRows},
                           {"bytes", stats.bytes}});
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
