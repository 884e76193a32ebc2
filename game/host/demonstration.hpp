// A demonstration for machines without a display: the game is played by a script, rewound, played again
// from there; hashes are compared, pictures taken.
#pragma once

#include "game/host/options.hpp"

namespace revenant::game {

// Says what it does as it goes; pictures go to the folder that the options name. Returns 0 when all
// hashes agree. Throws an Error for files that cannot be read or written.
int demonstrate(const Options& options, const std::string& folder);

}  // namespace revenant::game
