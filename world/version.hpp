// The version of the library that was linked, as CMake's project() names it.
// Stateless: any thread may ask.

#pragma once

namespace revenant {

// "major.minor.patch"; the text lives as long as the program.
const char* version() noexcept;

}  // namespace revenant
