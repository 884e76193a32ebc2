// Values as bytes, for histories and saves: little-endian, one byte of kind first.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "world/value.hpp"

namespace revenant {

// Arrays may be nested this deep: what is deeper cannot be read again.
inline constexpr int deepestValue = 100;

void appendValue(std::vector<std::byte>& out, const Value& value);
// Throws Error{BadArgument} where the bytes are no value, or more than one. `left`: how many values it may take, those in
// arrays included; less what it took.
Value readValue(std::span<const std::byte> bytes);
Value readValue(std::span<const std::byte> bytes, std::size_t& left);

}  // namespace revenant
