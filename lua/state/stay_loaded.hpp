// Keeps the module in memory until the process ends: Lua closes modules before C++ ends its worlds.
#pragma once

namespace revenant {

void stayLoaded() noexcept;

}  // namespace revenant
