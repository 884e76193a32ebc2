// PixelFont: the letters that the canvas writes with: seven rows for capitals, two below the line, as
// wide as each needs. Drawn for this game; a letter that is not there shows as a box.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace revenant::game {

inline constexpr int fontRows = 9;
inline constexpr int fontLineHeight = 11;  // pixels from line to line
inline constexpr int fontSpacing = 1;      // pixels between letters

struct Glyph {
    int width = 0;
    std::array<std::uint8_t, fontRows> rows{};  // the lowest bit is leftmost
};

const Glyph& glyphOf(char32_t letter) noexcept;
// Takes the first letter off a text in UTF-8; a byte that makes no sense is taken alone.
// REQUIRES: the text is not empty.
char32_t takeLetter(std::string_view& text) noexcept;
// The width of the longest line.
int textWidth(std::string_view text, int scale = 1) noexcept;

}  // namespace revenant::game
