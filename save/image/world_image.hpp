// The content of a world for a save: as the next reconcile would make it.
#pragma once

#include "save/image/save_image.hpp"

namespace revenant {

class WorldCore;

// Changes nothing. Throws what hooks throw.
SaveImage takeImage(WorldCore& world);

}  // namespace revenant
