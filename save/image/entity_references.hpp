// What refers to entities inside of states and resources, translated from one kind of name to another: from
// handles to the numbers of a save and back.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "world/entity_id.hpp"
#include "world/value.hpp"

namespace revenant {

// A null id where there is none on the other side.
using EntityTranslation = std::function<EntityId(EntityId)>;

// Tables in plain data may be nested this deep; scripts write less.
inline constexpr int deepestPlain = 200;

// Plain data with its entities translated; those that have no counterpart become nil. The bytes may be
// anything: throws Error{BadArgument} where they are no plain data.
std::vector<std::byte> translatePlain(std::span<const std::byte> data,
                                      const EntityTranslation& translate);
Value translateValue(const Value& value, const EntityTranslation& translate);

}  // namespace revenant
