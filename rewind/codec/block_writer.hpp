// Packs a block. Touches nothing but its arguments, so that it can run on any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rewind/codec/block_words.hpp"

namespace revenant {

struct PackOptions {
    int zstdLevel = 12;  // 1 (fast) to 22 (small)
};

// `owners`: the entity of each component, by the lower half of the streams' keys; none: unknown.
// REQUIRES: streams ascending by key, as many values as the streams say, none beyond `frames`.
// The values are residuals then.
std::vector<std::byte> packBlock(BlockWords& words, const PackOptions& options = {},
                                 std::span<const std::uint32_t> owners = {});
inline std::vector<std::byte> packBlock(BlockWords&& words, const PackOptions& options = {},
                                        std::span<const std::uint32_t> owners = {}) {
    return packBlock(words, options, owners);
}

}  // namespace revenant
