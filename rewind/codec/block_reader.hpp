// Unpacks a block. The bytes may come from a damaged or forged file: whatever
// they are, the answer is a block or an Error{BadArgument} with a sentence.
#pragma once

#include <cstddef>
#include <span>

#include "rewind/codec/block_words.hpp"

namespace revenant {

BlockWords unpackBlock(std::span<const std::byte> packed, std::uint32_t format = newestBlockFormat);

}  // namespace revenant
