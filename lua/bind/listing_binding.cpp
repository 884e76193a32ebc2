// World: entities found by name, component types listed and counted; an entity as text.

#include <sol/sol.hpp>

#include "lua/bind/binding.hpp"
#include "lua/state/session.hpp"
#include "lua/state/world_link.hpp"

namespace revenant {

namespace {

sol::table listTypes(std::uint32_t link, sol::this_state state) {
    sol::state_view lua(state);
    sol::table types = lua.create_table();
    for (const ComponentInfo& info : WorldLink::require(link).world().getComponentTypes()) {
        sol::table each = tableOf(state, {{"count", info.count},
                                          {"size", info.size},
                                          {"bytes", info.bytes},
                                          {"fields", info.fields}});
        each["name"] = info.name;
        types.add(each);
    }
    return types;
}

}  // namespace

void bindListing(sol::table& native) {
    native.set_function("listComponentTypes", &listTypes);
    native.set_function("countComponents", [](std::uint32_t link, const std::string& component) {
        return static_cast<double>(WorldLink::require(link).world().countComponents(component));
    });
    // takeList gives their ids.
    native.set_function(
        "findEntities", [](std::uint32_t number, const std::string& name, bool first) {
            WorldLink& link = WorldLink::require(number);
            link.list.clear();
            for (const Entity& entity : link.core().findEntities(name, first ? 1 : SIZE_MAX))
                link.list.push_back(entity.getId());
        });
    native.set_function("dump", [](std::uint32_t link, std::uint32_t index,
                                   std::uint32_t generation, sol::this_state state) {
        const Session::Entry entry(state);  // hooks of script components may be called
        return WorldLink::require(link).entity(index, generation).dump();
    });
}

}  // namespace revenant
