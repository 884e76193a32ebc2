// Values as bytes, for histories and saves: little-endian, one byte of kind first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "world/value.hpp"

namespace revenant {

void appendValue(std::vector<std::byte>& out, const Value& value);
// Throws Error{BadArgument} where the bytes are no value, or more than one.
Value readValue(std::span<const std::byte> bytes);

}  // namespace revenant
