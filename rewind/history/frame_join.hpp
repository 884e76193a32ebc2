// Joins two frames that follow each other: what thinning leaves out a frame by.
#pragma once

#include <functional>
#include <vector>

#include "rewind/history/frame.hpp"

namespace revenant {

// Asked of entities that came and went between two frames, with the number of crossings that tell of them: whether nothing
// else does. Then they are left out.
using Forgets = std::function<bool(EntityId, std::uint32_t)>;

// Then the second frame leads over the first one; what is left out goes from the crossings of their block, too. If memory
// runs out, all are as they were.
void joinFrames(Frame& first, Frame& second, std::vector<Crossing>& ofBlock,
                const Forgets& forgets);

}  // namespace revenant
