// Runs in a window: fixed steps at sixty a second, the display as often as it can.
#pragma once

#include "game/host/options.hpp"

namespace revenant::game {

// Plays until the player leaves. Returns the exit status. Throws NoDisplay, and an Error for files that
// cannot be read or written.
int runWindowed(const Options& options, const std::string& folder);

}  // namespace revenant::game
