// takeSnapshot: all that a recorder knows at the current frame, as a Snapshot. Reads the parts of a recorder and
// changes nothing; on the world's thread.
#pragma once

#include "rewind/record/births.hpp"
#include "rewind/record/hook_states.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/outsiders.hpp"
#include "rewind/record/shadow.hpp"
#include "rewind/record/snapshot.hpp"

namespace revenant {

// REQUIRES: nothing is in the journal.
Snapshot takeSnapshot(const WorldCore& world, const KnownEntities& known, const Shadow& shadow,
                      const HookStates& states, const Births& births, const Outsiders& outsiders);

}  // namespace revenant
