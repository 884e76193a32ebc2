// The bindings, one file per type. Each adds its functions to a table that only the Lua half of the
// module sees; what scripts see is written there (world.lua and so on), with their arguments checked.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <sol/forward.hpp>
#include <string>
#include <utility>

struct lua_State;

namespace revenant {

// A hash as Lua gets it: sixteen digits, as it does not fit into a number.
std::string hexOf(std::uint64_t hash);

// A table of numbers by name: statistics.
sol::table tableOf(lua_State* state,
                   std::initializer_list<std::pair<const char*, std::uint64_t>> numbers);

void bindComponents(sol::table& native);
void bindComponentsView(sol::table& native);
void bindFieldLists(sol::table& native);
void bindListeners(sol::table& native);
void bindListing(sol::table& native);
void bindPrefab(sol::table& native);
void bindQuery(sol::table& native);
void bindResources(sol::table& native);
void bindSave(sol::table& native);
void bindSystem(sol::table& native);
void bindTimeRewindSys(sol::table& native);
void bindWorld(sol::table& native);

}  // namespace revenant
