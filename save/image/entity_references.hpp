// Translates references to entities inside resources: from handles to the numbers of a save, and back. (For
// those in states see world/codec/plain_data.hpp.)
#pragma once

#include "world/codec/plain_data.hpp"
#include "world/value.hpp"

namespace revenant {

Value translateValue(const Value& value, const EntityTranslation& translate);

// Queued events: each is a name, an entity or none, and a detail. An entity that is not in the save is `false` there, and
// a stale handle in the world that loads it: listeners get as many arguments as without the save.
Value queueForSave(const Value& events, const EntityTranslation& translate);
Value queueOfSave(const Value& events, const EntityTranslation& translate);

}  // namespace revenant
