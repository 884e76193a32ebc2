#include <cmath>
#include <limits>

#include "world/math.hpp"
#include "world/math/double_pair.hpp"

namespace revenant::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double log2First = 0x1.62e42fee00000p-1;  // 32 bits: its multiples are exact
constexpr double log2Second = 0x1.a39ef35600000p-33;
constexpr double log2Third = 0x1.93c7673007e5fp-65;

double scaled(double x, int exponent) noexcept {
    if (exponent > 1023) return x * 0x1p1023 * powerOfTwo(exponent - 1023);
    if (exponent >= -1021) return x * powerOfTwo(exponent);
    // Two steps, of which only the last can round.
    return x * powerOfTwo(exponent + 100) * 0x1p-100;
}

// e to the power of a pair. Powers of two first, then Taylor's series within half of one.
double exponential(DoublePair x) noexcept {
    if (x.high > 710) return infinity;
    if (x.high < -746) return 0;
    constexpr double coefficients[] = {
        1.0 / 2,         1.0 / 6,          1.0 / 24,         1.0 / 120,     1.0 / 720,
        1.0 / 5040,      1.0 / 40320,      1.0 / 362880,     1.0 / 3628800, 1.0 / 39916800,
        1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    const double count = std::floor(x.high * 0x1.71547652b82fep+0 + 0.5);
    DoublePair rest = exactSum(x.high - count * log2First, -count * log2Second);
    rest = add(rest, {x.low, -count * log2Third});
    const double square = rest.high * rest.high;
    const double tail = square * polynomial(rest.high, coefficients) + rest.low;
    const DoublePair sum = exactSum(1, rest.high);
    return scaled(sum.high + (sum.low + tail), static_cast<int>(count));
}

// A positive, finite number as fraction * 2^exponent, the fraction between sqrt(1/2) and sqrt(2).
struct Parts {
    double fraction;
    int exponent;
};
Parts partsOf(double x) noexcept {
    int exponent = 0;
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent = -54;
    }
    const auto bits = std::bit_cast<std::uint64_t>(x);
    exponent += static_cast<int>(bits >> 52) - 1023;
    auto fraction = std::bit_cast<double>((bits & 0xfffffffffffff) | std::uint64_t{1023} << 52);
    if (fraction > 0x1.6a09e667f3bcdp+0) {
        fraction *= 0.5;
        ++exponent;
    }
    return {fraction, exponent};
}

// The natural logarithm as a pair: log(f) = 2 artanh((f - 1) / (f + 1)), the first terms as pairs.
// REQUIRES: 0 < x < infinity.
DoublePair logarithm(double x) noexcept {
    const auto [fraction, exponent] = partsOf(x);
    constexpr double tailCoefficients[] = {2.0 / 9,  2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17,
                                           2.0 / 19, 2.0 / 21, 2.0 / 23, 2.0 / 25};
    const double above = fraction - 1;  // exact
    const DoublePair ratio = divide({above, 0}, exactSum(fraction, 1));
    const DoublePair square = multiply(ratio, ratio);
    const double tail = square.high * polynomial(square.high, tailCoefficients);
    DoublePair sum = add({0x1.2492492492492p-2, 0x1.2492492492492p-56}, {tail, 0});
    sum = add({0x1.999999999999ap-2, -0x1.999999999999ap-56}, multiply(square, sum));
    sum = add({0x1.5555555555555p-1, 0x1.5555555555555p-55}, multiply(square, sum));
    sum = add({2, 0}, multiply(square, sum));
    sum = multiply(ratio, sum);
    const double count = exponent;
    const DoublePair powers =
        add(exactSum(count * log2First, count * log2Second), {count * log2Third, 0});
    return add(powers, sum);
}

bool isWhole(double y) noexcept {
    return std::floor(y) == y;
}
bool isOdd(double y) noexcept {
    return isWhole(y) && std::fabs(y) < 0x1p53 && !isWhole(y * 0.5);
}

// Of a positive finite base that is not 1.
double positivePower(double x, double y) noexcept {
    const DoublePair log = logarithm(x);
    const double rough = log.high * y;
    if (rough > 710) return infinity;
    if (rough < -746) return 0;
    if (std::fabs(rough) < 0x1p-60) return 1;
    return exponential(multiply(log, {y, 0}));
}

}  // namespace

double exp(double x) noexcept {
    if (std::isnan(x)) return x;
    return exponential({x, 0});
}

double log(double x) noexcept {
    if (std::isnan(x) || x < 0) return notANumber;
    if (x == 0) return -infinity;
    if (x == infinity) return x;
    return logarithm(x).high;
}

double pow(double x, double y) noexcept {
    if (x == 1 || y == 0) return 1;
    if (std::isnan(x) || std::isnan(y)) return notANumber;
    if (std::isinf(y)) {
        if (x == -1) return 1;
        return (std::fabs(x) > 1) == (y > 0) ? infinity : 0;
    }
    const double sign = std::signbit(x) && isOdd(y) ? -1 : 1;
    if (x == 0) return y > 0 ? sign * 0.0 : sign * infinity;
    if (std::isinf(x)) return y > 0 ? sign * infinity : sign * 0.0;
    if (x < 0 && !isWhole(y)) return notANumber;
    const double size = std::fabs(x);
    return sign * (size == 1 ? 1.0 : positivePower(size, y));
}

double sqrt(double x) noexcept {
    return std::sqrt(x);
}

double mod(double dividend, double divisor) noexcept {
    const double rest = std::fmod(dividend, divisor);  // exact, so the same everywhere
    if (rest == 0) return std::copysign(0.0, divisor);
    return (rest < 0) == (divisor < 0) ? rest : rest + divisor;
}

}  // namespace revenant::math
