// Runs without a window: as fast as it goes, as many steps as were asked for.
#pragma once

#include "game/host/options.hpp"

namespace revenant::game {

// Plays, takes the pictures, prints the summary. Returns the exit status. Throws an Error for files
// that cannot be read or written.
int runHeadless(const Options& options, const std::string& folder);

}  // namespace revenant::game
