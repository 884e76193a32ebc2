// Joins two consecutive deltas into one, as DeltaComposer does, but fast where both consist mostly of words
// of the same components: thinning the frames of a crowd within a tick needs that.
#pragma once

#include "rewind/history/delta.hpp"

namespace revenant {

// If memory runs out, both are as they were.
Delta composePair(Delta&& first, Delta&& second);

}  // namespace revenant
