// A SaveImage as JSON that people can read and change, and back; docs/save_file_format.md has the grammar.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "save/image/save_image.hpp"

namespace revenant {

// Whether the bytes are JSON rather than a binary save.
bool isJson(std::span<const std::byte> bytes) noexcept;

std::vector<std::byte> writeSaveJson(const SaveImage& image);
// Throws Error{BadArgument} with a sentence that says what is wrong, and where.
SaveImage readSaveJson(std::span<const std::byte> bytes);

}  // namespace revenant
