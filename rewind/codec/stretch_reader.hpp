// Unpacks a stretch. The bytes may come from a file that somebody damaged or made up: whatever
// they are, the answer is a stretch or an Error{BadArgument} with a sentence.
#pragma once

#include <cstddef>
#include <span>

#include "rewind/codec/stretch_words.hpp"

namespace revenant {

StretchWords unpackStretch(std::span<const std::byte> packed);

}  // namespace revenant
