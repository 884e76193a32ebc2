// Canvas: the picture that the game draws, in memory: the same with a window and without one. Opaque;
// what is drawn is blended by its alpha and clipped at the edges. Coordinates are floored by the
// caller. Owned by the host; used on one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "game/host/color.hpp"

namespace revenant::game {

struct Image {
    int width = 0;
    int height = 0;
    std::vector<Color> pixels;
};

struct Rectangle {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
};

// How to draw an image.
struct DrawOptions {
    Rectangle source;
    bool flipX = false;
    Color tint = {255, 255, 255, 255};
};

class Canvas {
public:
    Canvas(int width, int height);

    int width() const noexcept { return width_; }
    int height() const noexcept { return height_; }
    std::span<const Color> pixels() const noexcept { return pixels_; }
    Color at(int x, int y) const {
        return pixels_.at(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                          static_cast<std::size_t>(x));
    }

    void clear(Color color);
    void rect(const Rectangle& area, Color color);
    void line(int x1, int y1, int x2, int y2, Color color);  // both ends are drawn
    // `source` is clipped at the edges of the image.
    void draw(const Image& image, int x, int y, const DrawOptions& options);
    void text(int x, int y, std::string_view text, Color color, int scale = 1);
    // Over all that was drawn so far: 1 keeps the colours, 0 makes them grey; then `color` is
    // laid over it, `strength` of it (0 to 1), by multiplying.
    void grade(double saturation, Color color, double strength);

private:
    Rectangle clipped(const Rectangle& area) const noexcept;
    Color* row(int y) noexcept { return pixels_.data() + static_cast<std::ptrdiff_t>(y) * width_; }

    int width_;
    int height_;
    std::vector<Color> pixels_;
};

}  // namespace revenant::game
