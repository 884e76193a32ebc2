// Translates references to entities inside resources: from handles to the numbers of a save, and back. (For
// those in states see world/codec/plain_data.hpp.)
#pragma once

#include "world/codec/plain_data.hpp"
#include "world/value.hpp"

namespace revenant {

Value translateValue(const Value& value, const EntityTranslation& translate);

}  // namespace revenant
