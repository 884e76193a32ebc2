// EmbeddedSource: a file of the Lua half, packed into the binary by embed.cmake with all others.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace revenant {

struct EmbeddedSource {
    std::string_view name;
    std::size_t size;  // bytes, unpacked
};

// In the order in which they run.
std::span<const EmbeddedSource> embeddedSources() noexcept;
// Their texts, one after the other, as a frame of zstd.
std::span<const std::byte> packedSources() noexcept;

}  // namespace revenant
