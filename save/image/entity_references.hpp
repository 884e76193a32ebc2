// What refers to entities inside of resources, translated from one kind of name to another: from handles to the
// numbers of a save and back. (That in states: world/codec/plain_data.hpp.)
#pragma once

#include "world/codec/plain_data.hpp"
#include "world/value.hpp"

namespace revenant {

Value translateValue(const Value& value, const EntityTranslation& translate);

}  // namespace revenant
