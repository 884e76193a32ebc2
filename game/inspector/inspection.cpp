#include "game/inspector/inspection.hpp"

#include <cstdio>

namespace revenant::game {

std::string bytesText(std::size_t bytes) {
    char text[32];
    const auto number = static_cast<double>(bytes);
    if (bytes < 1024)
        std::snprintf(text, sizeof text, "%zu B", bytes);
    else if (bytes < std::size_t{1} << 20)
        std::snprintf(text, sizeof text, "%.1f KiB", number / 1024);
    else
        std::snprintf(text, sizeof text, "%.1f MiB", number / (1024 * 1024));
    return text;
}

}  // namespace revenant::game
