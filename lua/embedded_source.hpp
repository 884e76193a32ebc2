// EmbeddedSource: a file of the Lua half, compiled into the binary by embed.cmake.
#pragma once

#include <span>
#include <string_view>

namespace revenant {

struct EmbeddedSource {
    std::string_view name;
    std::string_view text;
};

// In the order in which they run.
std::span<const EmbeddedSource> embeddedSources() noexcept;

}  // namespace revenant
