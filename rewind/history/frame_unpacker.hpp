// Unpacks a block of frames. The bytes may come from a damaged or forged file: whatever they are, the
// result is frames or an Error{BadArgument} with a sentence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/frame.hpp"

namespace revenant {

// Their hashes are 0.
std::vector<Frame> unpackFrames(std::span<const std::byte> block,
                                std::uint32_t format = newestFormat);

// ---- shared with the packer

inline constexpr std::size_t globalWordCount = 12;
inline constexpr ComponentTypeId globalsType = 0xFFFF;
// If a frame draws more numbers than this, its random state is stored instead.
inline constexpr std::uint64_t mostDraws = 4096;

std::array<std::uint32_t, globalWordCount> globalWords(const Frame& frame) noexcept;
// The state that drawing so many numbers leads to.
std::array<std::uint64_t, 4> afterDraws(const std::array<std::uint64_t, 4>& state,
                                        std::uint64_t draws) noexcept;

}  // namespace revenant
