// Puts two deltas that follow each other together to one, as DeltaComposer does, but fast where most of both
// is words of the same components: what thinning a crowd's frames needs within a tick.
#pragma once

#include "rewind/history/delta.hpp"

namespace revenant {

// If memory runs out, both are as they were.
Delta composePair(Delta&& first, Delta&& second);

}  // namespace revenant
