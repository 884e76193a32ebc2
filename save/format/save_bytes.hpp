// A SaveImage as the bytes of a save and back; docs/save_file_format.md has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "save/image/save_image.hpp"
#include "world/codec/file_head.hpp"

namespace revenant {

inline constexpr char saveMagic[] = {'R', 'E', 'V', 'S', 'A', 'V', 'E', '\n'};
inline constexpr std::uint32_t saveFormat = 2;
inline constexpr FileKind saveKind{saveMagic, "save", 1, saveFormat};

// A save that unpacks to more than either is a bomb: it is refused before memory is spent on it. The writer
// pads saves of very uniform worlds, so that they are never taken for one.
inline constexpr std::size_t freeBytes = std::size_t{16} << 20;
inline constexpr std::size_t mostPerByte = 512;

// Values in resources, elements of arrays included: a value takes many times the memory of its bytes.
inline constexpr std::size_t mostValues = std::size_t{1} << 22;

// A world has room for this many.
inline constexpr std::size_t mostEntities = std::size_t{1} << 24;

// The checksum of all bytes behind it.
std::uint64_t saveChecksum(std::uint32_t format, std::span<const std::byte> bytes) noexcept;

// Throws Error{LimitReached} for an image that no reader would accept.
std::vector<std::byte> writeSave(const SaveImage& image);
// Reads and checks the bytes: every number is in range, every plain state is valid. Throws
// Error{BadArgument} with a sentence that says what is wrong.
SaveImage readSave(std::span<const std::byte> bytes, bool checksums);

// Before any format is written: throws Error{LimitReached} for resources that no reader would accept.
void checkResources(const SaveImage& image);
// Checks an image from any source: entities, makeups, rows and states must agree. Throws as readSave does.
void checkImage(const SaveImage& image);

// The elements of a column by the significance of their bytes: all first bytes, then all second ones, and so
// on. That compresses better.
void splitPlanes(const std::byte* from, std::size_t stride, std::size_t size, std::size_t count,
                 std::byte* to) noexcept;
void joinPlanes(const std::byte* from, std::byte* to, std::size_t stride, std::size_t size,
                std::size_t count) noexcept;

}  // namespace revenant
