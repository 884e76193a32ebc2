// Color: one pixel, as it lies in memory: red, green, blue, alpha; not premultiplied. Plain data.
#pragma once

#include <cstdint>

namespace revenant::game {

struct Color {
    std::uint8_t r = 0;
    std::uint8_t g = 0;
    std::uint8_t b = 0;
    std::uint8_t a = 255;

    // Of a number 0xRRGGBBAA, as scripts write it.
    static constexpr Color of(std::uint32_t number) noexcept {
        return {static_cast<std::uint8_t>(number >> 24), static_cast<std::uint8_t>(number >> 16),
                static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)};
    }
    friend constexpr bool operator==(const Color&, const Color&) = default;
};

// x * y / 255, rounded.
constexpr std::uint8_t scaled(unsigned x, unsigned y) noexcept {
    const unsigned product = x * y + 128;
    return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

constexpr Color tinted(Color color, Color tint) noexcept {
    return {scaled(color.r, tint.r), scaled(color.g, tint.g), scaled(color.b, tint.b),
            scaled(color.a, tint.a)};
}

// `over` laid upon `under`, which is opaque.
constexpr Color blended(Color under, Color over) noexcept {
    const unsigned rest = 255U - over.a;
    const auto mix = [&](unsigned o, unsigned u) {
        const unsigned sum = o * over.a + u * rest + 128;
        return static_cast<std::uint8_t>((sum + (sum >> 8)) >> 8);
    };
    return {mix(over.r, under.r), mix(over.g, under.g), mix(over.b, under.b), 255};
}

}  // namespace revenant::game
