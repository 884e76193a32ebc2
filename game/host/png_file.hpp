// Pictures as PNG files.
#pragma once

#include <span>
#include <string>

#include "game/host/canvas.hpp"

namespace revenant::game {

// Each pixel becomes scale * scale ones. Throws an Error where the file cannot be written.
void writePng(const std::string& path, int width, int height, std::span<const Color> pixels,
              int scale = 1);
// Throws an Error where there is no such file, or it is no PNG.
Image readPng(const std::string& path);

}  // namespace revenant::game
