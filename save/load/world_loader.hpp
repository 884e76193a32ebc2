// Puts a SaveImage into a world, in two steps: what the world's definitions have to say to it can be asked
// at any time; the rest happens between ticks.
#pragma once

#include "save/image/save_image.hpp"
#include "save/save.hpp"

namespace revenant {

class WorldCore;

// Throws Error{WrongType} or {UnknownComponent} where the save does not fit the world's definitions.
void checkFits(const SaveImage& image, WorldCore& world, const LoadOptions& options);

// Replaces the world's content. Throws where a value or a hook stands in the way, with the world as it was;
// or what listeners throw, when all is done. REQUIRES: between ticks.
void putIntoWorld(const SaveImage& image, WorldCore& world, const LoadOptions& options);

}  // namespace revenant
