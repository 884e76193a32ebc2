// Bytes packed with zstd, preceded by their unpacked size. Safe on any input: inflate throws
// Error{BadArgument} where the bytes were damaged, and never allocates what a false size claims.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "world/codec/words.hpp"

namespace revenant {

std::vector<std::byte> deflate(std::span<const std::byte> raw, int zstdLevel);
// `what` names the bytes in error messages.
RawBytes inflate(std::span<const std::byte> packed, const char* what);
// For bytes of our own that something else packed, without their size before them, as CMake does.
RawBytes inflateFrame(std::span<const std::byte> frame, std::size_t size, const char* what);

}  // namespace revenant
