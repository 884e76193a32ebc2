#include "game/host/canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "game/host/pixel_font.hpp"

namespace revenant::game {

namespace {

constexpr int farthest = 1 << 20;  // coordinates beyond this are drawn as if they were here

int tamed(int coordinate) noexcept {
    return std::clamp(coordinate, -farthest, farthest);
}

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

void Canvas::clear(Color color) {
    color.a = 255;
    std::ranges::fill(pixels_, color);
}

Rectangle Canvas::clipped(const Rectangle& area) const noexcept {
    const int left = std::clamp(tamed(area.x), 0, width_);
    const int top = std::clamp(tamed(area.y), 0, height_);
    const int right = std::clamp(tamed(area.x) + tamed(area.width), left, width_);
    const int bottom = std::clamp(tamed(area.y) + tamed(area.height), top, height_);
    return {left, top, right - left, bottom - top};
}

void Canvas::rect(const Rectangle& area, Color color) {
    const Rectangle inside = clipped(area);
    for (int y = inside.y; y < inside.y + inside.height; ++y) {
        Color* const begin = row(y) + inside.x;
        Color* const end = begin + inside.width;
        if (color.a == 255)
            std::fill(begin, end, color);
        else
            for (Color* at = begin; at != end; ++at) *at = blended(*at, color);
    }
}

void Canvas::line(int x1, int y1, int x2, int y2, Color color) {
    x1 = tamed(x1), y1 = tamed(y1), x2 = tamed(x2), y2 = tamed(y2);
    const int width = std::abs(x2 - x1);
    const int height = std::abs(y2 - y1);
    const int stepX = x1 < x2 ? 1 : -1;
    const int stepY = y1 < y2 ? 1 : -1;
    int error = width - height;
    for (int steps = std::max(width, height); steps >= 0; --steps) {
        if (x1 >= 0 && x1 < width_ && y1 >= 0 && y1 < height_) {
            Color& pixel = row(y1)[x1];
            pixel = blended(pixel, color);
        }
        const int twice = 2 * error;
        if (twice > -height) error -= height, x1 += stepX;
        if (twice < width) error += width, y1 += stepY;
    }
}

void Canvas::draw(const Image& image, int x, int y, const DrawOptions& options) {
    // The source, clipped at the image; what is cut off moves the target along.
    const Rectangle& wanted = options.source;
    const int left = std::clamp(wanted.x, 0, image.width);
    const int top = std::clamp(wanted.y, 0, image.height);
    const int right = std::clamp(tamed(wanted.x) + tamed(wanted.width), left, image.width);
    const int bottom = std::clamp(tamed(wanted.y) + tamed(wanted.height), top, image.height);
    x = tamed(x) +
        (options.flipX ? tamed(wanted.x) + tamed(wanted.width) - right : left - tamed(wanted.x));
    y = tamed(y) + top - tamed(wanted.y);
    const Rectangle target = clipped({x, y, right - left, bottom - top});
    const bool plain = options.tint == Color{255, 255, 255, 255};
    for (int row = target.y; row < target.y + target.height; ++row) {
        const Color* const source =
            image.pixels.data() + static_cast<std::ptrdiff_t>(top + row - y) * image.width;
        Color* const pixels = this->row(row);
        for (int column = target.x; column < target.x + target.width; ++column) {
            const int along = column - x;
            Color color = source[options.flipX ? right - 1 - along : left + along];
            if (!plain) color = tinted(color, options.tint);
            if (color.a == 255)
                pixels[column] = color;
            else if (color.a != 0)
                pixels[column] = blended(pixels[column], color);
        }
    }
}

void Canvas::text(int x, int y, std::string_view text, Color color, int scale) {
    int column = tamed(x);
    while (!text.empty()) {
        const char32_t letter = takeLetter(text);
        if (letter == U'\n') {
            column = tamed(x);
            y = tamed(y) + fontLineHeight * scale;
            continue;
        }
        const Glyph& glyph = glyphOf(letter);
        for (int row = 0; row < fontRows; ++row)
            for (int bit = 0; bit < glyph.width; ++bit)
                if ((glyph.rows.at(static_cast<std::size_t>(row)) >> bit & 1U) != 0)
                    rect({column + bit * scale, y + row * scale, scale, scale}, color);
        column += (glyph.width + fontSpacing) * scale;
    }
}

void Canvas::grade(double saturation, Color color, double strength) {
    const int keep = static_cast<int>(std::lround(std::clamp(saturation, 0.0, 4.0) * 256));
    const double part = std::clamp(strength, 0.0, 1.0);
    const auto factorOf = [&](std::uint8_t channel) {
        return static_cast<int>(std::lround((1 - part + part * channel / 255.0) * 256));
    };
    const std::array<int, 3> factors = {factorOf(color.r), factorOf(color.g), factorOf(color.b)};
    if (keep == 256 && factors == std::array{256, 256, 256}) return;
    for (Color& pixel : pixels_) {
        const int grey = (pixel.r * 77 + pixel.g * 151 + pixel.b * 28) >> 8;
        const auto graded = [&](std::uint8_t channel, int factor) {
            const int value = ((grey << 8) + (channel - grey) * keep) >> 8;
            return static_cast<std::uint8_t>(std::clamp(value * factor >> 8, 0, 255));
        };
        pixel = {graded(pixel.r, factors[0]), graded(pixel.g, factors[1]),
                 graded(pixel.b, factors[2]), 255};
    }
}

}  // namespace revenant::game
