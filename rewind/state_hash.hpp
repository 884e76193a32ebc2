// The hash of a world's state: everything that rewinds, in world order. Two worlds in the same state hash
// alike, whatever happened before; a rewind to a frame gives back the hash that the frame had.
#pragma once

#include <cstdint>

namespace revenant {

class World;

// Computed from scratch, at the cost of reading the whole world. TimeRewindSys::frameHash gives the hash of
// a recorded frame for free.
std::uint64_t stateHash(const World& world);

}  // namespace revenant
