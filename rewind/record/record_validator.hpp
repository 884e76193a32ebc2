// Checks what a recorder knows against the world and the frames that are kept: a sentence for each invariant
// that does not hold. Reads the parts of a recorder and changes nothing; on the world's thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/record/journal.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/shadow.hpp"

namespace revenant {

// `kept`: the crossings of the frames that are kept.
void validateKnown(const WorldCore& world, const KnownEntities& known, const Shadow& shadow,
                   const Journal& journal, std::span<const Crossing> kept,
                   std::vector<std::string>& problems);

}  // namespace revenant
