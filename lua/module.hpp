// The Lua module: what `require "revenant"` gives, in stock luajit, in LÖVE and in a host that links
// it. A host that links it preloads luaopen_revenant; nothing else is needed.
//
// A state's part ends with lua_close, which releases everything of its own: systems,
// listeners, views, values. The process-wide world stays, and a later state finds it.
#pragma once

#ifdef _WIN32
#define REVENANT_MODULE_EXPORT __declspec(dllexport)
#else
#define REVENANT_MODULE_EXPORT __attribute__((visibility("default")))
#endif

struct lua_State;

namespace revenant {

class World;

// Pushes the Lua value of a world that C++ owns. REQUIRES: the module is open in the state.
void pushWorld(lua_State* state, World& world);

}  // namespace revenant

// Pushes the module's table. Opens it once per state; later calls push the same table.
// NOLINTNEXTLINE(readability-identifier-naming): Lua looks for this name
extern "C" REVENANT_MODULE_EXPORT int luaopen_revenant(lua_State* state);
