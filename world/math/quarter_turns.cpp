#include "world/math/quarter_turns.hpp"

#include <array>
#include <cmath>

namespace revenant::math {

namespace {

constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
constexpr DoublePair halfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// The binary digits of 2 / pi, 32 to a word: enough for the largest double.
constexpr std::array<std::uint32_t, 40> digits = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d,
};

// Cody and Waite: a quarter turn in parts so short that their multiples are exact.
QuarterTurns reduceSmall(double radians) noexcept {
    constexpr double first = 0x1.921fb54400000p+0;
    constexpr double second = 0x1.0b4611a600000p-34;
    constexpr double third = 0x1.3198a2e000000p-69;
    constexpr double fourth = 0x1.b839a252049c1p-104;
    const double turns = std::floor(radians * twoOverPi + 0.5);
    const DoublePair begin = exactSum(radians - turns * first, -turns * second);
    const DoublePair rest = add(begin, exactSum(-turns * third, -turns * fourth));
    return {static_cast<int>(static_cast<std::int64_t>(turns) & 3), rest};
}

// Payne and Hanek: multiplies the 53 digits of the angle by just those digits of 2 / pi that decide the
// quadrant and what is left of it, in integers. Digits ahead of them give multiples of four quarter turns.
QuarterTurns reduceLarge(double radians) noexcept {
    constexpr int words = 7;
    const auto bits = std::bit_cast<std::uint64_t>(radians);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;  // of the last digit
    const std::uint64_t whole = (bits & 0xfffffffffffff) | 0x10000000000000;
    const int first = exponent > 2 ? (exponent - 2) / 32 : 0;
    std::array<std::uint32_t, words + 2> product{};  // the least significant word first
    for (std::size_t half = 0; half < 2; ++half) {
        const std::uint64_t factor = half == 0 ? whole & 0xffffffff : whole >> 32;
        std::uint64_t carry = 0;
        for (std::size_t i = 0; i < words; ++i) {
            carry += product[i + half] +
                     factor * digits[static_cast<std::size_t>(first + words - 1) - i];
            product[i + half] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        product[words + half] = static_cast<std::uint32_t>(carry);
    }
    // 64 bits of the product from the given one on.
    auto bitsFrom = [&product](int from) noexcept {
        const auto word = static_cast<std::size_t>(from / 32);
        const int shift = from % 32;
        auto at = [&](std::size_t i) { return i < product.size() ? std::uint64_t{product[i]} : 0; };
        const std::uint64_t low = at(word) | at(word + 1) << 32;
        return shift == 0 ? low : low >> shift | at(word + 2) << (64 - shift);
    };
    const int point = 32 * (first + words) - exponent;
    int quadrant = static_cast<int>(bitsFrom(point) & 3);
    std::uint64_t high = bitsFrom(point - 64);
    std::uint64_t low = bitsFrom(point - 128);
    const bool isBeyondHalf = high >> 63 != 0;
    if (isBeyondHalf) {  // counts back from the next quarter turn
        quadrant = (quadrant + 1) & 3;
        low = ~low + 1;
        high = ~high + (low == 0 ? 1 : 0);
    }
    constexpr double unit = 0x1p-32;
    DoublePair part = exactSum(static_cast<double>(high >> 32) * unit,
                               static_cast<double>(high & 0xffffffff) * unit * unit);
    part = add(part, {static_cast<double>(low >> 32) * unit * unit * unit,
                      static_cast<double>(low & 0xffffffff) * unit * unit * unit * unit});
    DoublePair rest = multiply(part, halfPi);
    if (isBeyondHalf) rest = {-rest.high, -rest.low};
    return {quadrant, rest};
}

}  // namespace

QuarterTurns quarterTurns(double radians) noexcept {
    constexpr double eighthTurn = 0x1.921fb54442d18p-1;
    constexpr double small = 1 << 19;  // up to here the multiples are exact
    const double size = std::fabs(radians);
    if (size <= eighthTurn) return {0, {radians, 0}};
    if (size < small) return reduceSmall(radians);
    QuarterTurns turns = reduceLarge(size);
    if (radians > 0) return turns;
    return {-turns.quadrant & 3, {-turns.rest.high, -turns.rest.low}};
}

}  // namespace revenant::math
