// Puts a SaveImage into a world, in two steps: whether it fits the world's definitions can be checked at
// any time; the rest happens between ticks.
#pragma once

#include "save/image/save_image.hpp"
#include "save/save.hpp"

namespace revenant {

class WorldCore;

// Throws Error{WrongType} or {UnknownComponent} where the save does not fit the world's definitions.
void checkFits(const SaveImage& image, WorldCore& world, const LoadOptions& options);

// Replaces the world's content. Throws if a value does not fit or a hook fails, and leaves the world as it was;
// rethrows what listeners throw, when all is done. REQUIRES: between ticks.
void putIntoWorld(const SaveImage& image, WorldCore& world, const LoadOptions& options);

}  // namespace revenant
