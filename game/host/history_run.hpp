// Looks at a recorded history, without the game running.
#pragma once

#include "game/host/options.hpp"

namespace revenant::game {

// Opens the history in a world of its own and the inspector on it: in a window, or for the pictures that the
// options ask for. Returns the exit status. Throws an Error for a file that is damaged, and NoDisplay.
int runHistory(const Options& options);

}  // namespace revenant::game
