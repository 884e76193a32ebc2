// A SaveImage as the bytes of a save and back; docs/save_file_format.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "save/image/save_image.hpp"

namespace revenant {

inline constexpr char saveMagic[] = {'R', 'E', 'V', 'S', 'A', 'V', 'E', '\n'};
inline constexpr std::uint32_t saveFormat = 1;

// What unpacks to more than either is a bomb: it is refused before memory is spent on it. The writer pads
// saves of very uniform worlds, so that its own are never taken for one.
inline constexpr std::size_t freeBytes = std::size_t{16} << 20;
inline constexpr std::size_t mostPerByte = 512;

// Of all bytes behind it.
std::uint64_t saveChecksum(std::uint32_t format, std::span<const std::byte> bytes) noexcept;

std::vector<std::byte> writeSave(const SaveImage& image);
// What the bytes say, found to make sense: every number is in range, every plain state is one. Throws
// Error{BadArgument} with a sentence that says what is wrong.
SaveImage readSave(std::span<const std::byte> bytes, bool checksums);

// Whatever an image came from: entities, makeups, rows and states go together. Throws as readSave.
void checkImage(const SaveImage& image);

// The elements of a column by the significance of their bytes: all first bytes, then all second ones, ... as
// packers find more in those.
void splitPlanes(const std::byte* from, std::size_t stride, std::size_t size, std::size_t count,
                 std::byte* to) noexcept;
void joinPlanes(const std::byte* from, std::byte* to, std::size_t stride, std::size_t size,
                std::size_t count) noexcept;

}  // namespace revenant
