// Translates references to entities inside resources: from handles to the references of a save, and back. (For
// those in states see world/codec/plain_data.hpp.)
#pragma once

#include "world/codec/plain_data.hpp"
#include "world/value.hpp"

namespace revenant {

Value translateValue(const Value& value, const EntityTranslation& translate);

// Of queued events, each a name, an entity or none, and a detail. Saves of format 1 have `false` for an entity that is not in
// the save.
Value queueOfSave(const Value& events, const EntityTranslation& translate);

}  // namespace revenant
