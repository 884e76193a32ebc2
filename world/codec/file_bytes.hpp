// Whole files as bytes. Errors are Error{BadArgument} with a sentence that does not name the path:
// callers prefix it. Paths are UTF-8, on Windows too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace revenant {

// A file of more than `mostBytes` is an error, before memory is spent on it.
std::vector<std::byte> readFile(const std::string& path, std::uint64_t mostBytes = UINT64_MAX);

// Replaces the file, or leaves the old one as it was: the bytes go to `path` + ".unfinished", are
// flushed to the disk, and the finished file is renamed. A full disk, a crash or a power cut at any
// point leaves the old file whole.
void writeFile(const std::string& path, std::span<const std::byte> bytes);

}  // namespace revenant
