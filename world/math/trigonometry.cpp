#include <array>
#include <cmath>
#include <limits>

#include "world/math.hpp"
#include "world/math/quarter_turns.hpp"

namespace revenant::math {

namespace {

constexpr DoublePair pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr DoublePair halfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// Taylor's series, within an eighth turn.
DoublePair sineOf(DoublePair angle) noexcept {
    constexpr double coefficients[] = {
        -1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
        -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    const double x = angle.high;
    const double square = x * x;
    const double cube = square * x;
    return quickSum(x, cube * polynomial(square, coefficients) + angle.low * (1 - square * 0.5));
}

DoublePair cosineOf(DoublePair angle) noexcept {
    constexpr double coefficients[] = {
        1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
        1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    const double x = angle.high;
    const double square = x * x;
    const double half = square * 0.5;
    const double begin = 1 - half;
    const double rest = square * square * polynomial(square, coefficients) - x * angle.low;
    return quickSum(begin, ((1 - begin) - half) + rest);
}

// For 0 <= x <= 1: the nearest eighth, and the series for what is left.
DoublePair arcTangent(DoublePair x) noexcept {
    constexpr std::array<DoublePair, 9> eighths = {{
        {0, 0},
        {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
        {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
        {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
        {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
        {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
        {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
        {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
        {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
    }};
    constexpr double coefficients[] = {-1.0 / 3,  1.0 / 5,  -1.0 / 7, 1.0 / 9,
                                       -1.0 / 11, 1.0 / 13, -1.0 / 15};
    const auto nearest = static_cast<std::size_t>(std::floor(x.high * 8 + 0.5));
    const double eighth = static_cast<double>(nearest) / 8;
    const DoublePair above = add(x, {-eighth, 0});
    const DoublePair below = add({1, 0}, multiply(x, {eighth, 0}));
    const DoublePair rest = nearest == 0 ? x : divide(above, below);
    const double square = rest.high * rest.high;
    const double tail = rest.high * (square * polynomial(square, coefficients));
    return add(eighths[nearest], add(rest, {tail, 0}));
}

// The sine of so many quarter turns more.
DoublePair sineAhead(const QuarterTurns& turns, int ahead) noexcept {
    const int quadrant = (turns.quadrant + ahead) & 3;
    const DoublePair value = quadrant % 2 == 0 ? sineOf(turns.rest) : cosineOf(turns.rest);
    return quadrant < 2 ? value : DoublePair{-value.high, -value.low};
}

}  // namespace

double sin(double radians) noexcept {
    if (!std::isfinite(radians)) return notANumber;
    if (std::fabs(radians) < 0x1p-27) return radians;
    return sineAhead(quarterTurns(radians), 0).high;
}

double cos(double radians) noexcept {
    if (!std::isfinite(radians)) return notANumber;
    return sineAhead(quarterTurns(radians), 1).high;
}

double tan(double radians) noexcept {
    if (!std::isfinite(radians)) return notANumber;
    if (std::fabs(radians) < 0x1p-27) return radians;
    const QuarterTurns turns = quarterTurns(radians);
    return divide(sineAhead(turns, 0), sineAhead(turns, 1)).high;
}

double atan(double x) noexcept {
    if (std::isnan(x)) return x;
    const double size = std::fabs(x);
    if (size < 0x1p-27) return x;
    double angle = 0;
    if (size <= 1) {
        angle = arcTangent({size, 0}).high;
    } else if (size > 0x1p60) {
        angle = halfPi.high;
    } else {
        const DoublePair inverse = arcTangent(divide({1, 0}, {size, 0}));
        angle = add(halfPi, {-inverse.high, -inverse.low}).high;
    }
    return std::copysign(angle, x);
}

double atan2(double y, double x) noexcept {
    if (std::isnan(x) || std::isnan(y)) return notANumber;
    double high = std::fabs(x);
    double low = std::fabs(y);
    const bool isSteep = low > high;
    if (isSteep) {
        high = low;
        low = std::fabs(x);
    }
    // Infinities and zeros as the C standard has them: 45 degrees between two infinities.
    DoublePair angle;
    if (std::isinf(low)) {
        angle = arcTangent({1, 0});
    } else if (low == 0 || std::isinf(high)) {
        angle = {};
    } else {
        // Keeps the pair's error terms clear of overflow and of the smallest numbers.
        if (high > 0x1p900) {
            high *= 0x1p-200;
            low *= 0x1p-200;
        } else if (high < 0x1p-800) {
            high *= 0x1p200;
            low *= 0x1p200;
        }
        const double quotient = low / high;
        angle =
            quotient < 0x1p-60 ? DoublePair{quotient, 0} : arcTangent(divide({low, 0}, {high, 0}));
    }
    if (isSteep) angle = add(halfPi, {-angle.high, -angle.low});
    if (std::signbit(x)) angle = add(pi, {-angle.high, -angle.low});
    return std::copysign(angle.high, y);
}

double asin(double x) noexcept {
    if (!(std::fabs(x) <= 1)) return notANumber;
    return atan2(x, std::sqrt((1 - x) * (1 + x)));
}

double acos(double x) noexcept {
    if (!(std::fabs(x) <= 1)) return notANumber;
    return atan2(std::sqrt((1 - x) * (1 + x)), x);
}

}  // namespace revenant::math
