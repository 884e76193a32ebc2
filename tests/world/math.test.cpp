#include "world/math.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace revenant;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

// SplitMix64: whole numbers only, the same everywhere.
class Dice {
public:
    std::uint64_t next() noexcept {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    double between(double low, double high) noexcept {
        return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
    }
    // Of either sign, with an exponent of two between these.
    double ofSize(int low, int high) noexcept {
        const auto range = static_cast<std::uint64_t>(high - low);
        const int exponent = low + static_cast<int>(next() % range);
        return std::ldexp(next() % 2 == 0 ? between(1, 2) : -between(1, 2), exponent);
    }

private:
    std::uint64_t state_ = 20;
};

// How far a result is from the exact one, in units of the last place.
double unitsOff(double result, long double exact) {
    if (std::isnan(result) || std::isnan(exact))
        return std::isnan(result) == std::isnan(exact) ? 0 : infinity;
    if (result == static_cast<double>(exact)) return 0;
    int exponent = 0;
    std::frexp(static_cast<double>(exact), &exponent);
    const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
    return static_cast<double>(std::fabs(static_cast<long double>(result) - exact) / unit);
}

template <class Function, class Exact, class Draw>
double worstOf(Function function, Exact exact, Draw draw) {
    Dice dice;
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const double x = draw(dice);
        worst = std::max(worst, unitsOff(function(x), exact(static_cast<long double>(x))));
    }
    return worst;
}

}  // namespace

// Measured against the C library's long double. Left out where that is no longer than a double, and with
// mingw, whose own sinl is off by thousands of units.
TEST_CASE("exact functions are within a unit or two of the last place", "[world][math]") {
#ifdef _WIN32
    SKIP("no measure to compare with");
#endif
    if constexpr (std::numeric_limits<long double>::digits <= 53) SKIP("no longer double");
    auto moderate = [](Dice& dice) { return dice.ofSize(-30, 18); };
    auto large = [](Dice& dice) { return dice.ofSize(18, 60); };
    auto unit = [](Dice& dice) { return dice.between(-1, 1); };
    auto positive = [](Dice& dice) { return std::fabs(dice.ofSize(-1070, 1023)); };
    auto near = [](Dice& dice) { return dice.between(0.5, 2); };
    auto powers = [](Dice& dice) { return dice.between(-745, 709); };
    CHECK(worstOf(
              math::sin, [](long double x) { return std::sin(x); }, moderate) < 1);
    CHECK(worstOf(
              math::sin, [](long double x) { return std::sin(x); }, large) < 1);
    CHECK(worstOf(
              math::cos, [](long double x) { return std::cos(x); }, moderate) < 1);
    CHECK(worstOf(
              math::cos, [](long double x) { return std::cos(x); }, large) < 1);
    CHECK(worstOf(
              math::tan, [](long double x) { return std::tan(x); }, moderate) < 2);
    CHECK(worstOf(
              math::atan, [](long double x) { return std::atan(x); }, moderate) < 1);
    CHECK(worstOf(
              math::asin, [](long double x) { return std::asin(x); }, unit) < 2);
    CHECK(worstOf(
              math::acos, [](long double x) { return std::acos(x); }, unit) < 2);
    CHECK(worstOf(
              math::exp, [](long double x) { return std::exp(x); }, powers) < 1);
    CHECK(worstOf(
              math::log, [](long double x) { return std::log(x); }, positive) < 1);
    CHECK(worstOf(
              math::log, [](long double x) { return std::log(x); }, near) < 1);
    Dice dice;
    double worst = 0;
    for (int i = 0; i < 40000; ++i) {
        const double x = i % 2 == 0 ? positive(dice) : near(dice);
        const double y = i % 2 == 0 ? dice.between(-2, 2) : dice.between(-900, 900);
        const long double exact = std::pow(static_cast<long double>(x), y);
        worst = std::max(worst, unitsOff(math::pow(x, y), exact));
    }
    CHECK(worst < 1);
}

TEST_CASE("atan2 knows all quadrants, zeros and infinities", "[world][math]") {
    const double values[] = {0.0, -0.0, 1, -1, 3, -0.25, 1e-310, -1e300, infinity, -infinity};
    for (const double y : values) {
        for (const double x : values) {
            INFO("atan2(" << y << ", " << x << ")");
            CHECK(unitsOff(math::atan2(y, x), std::atan2(static_cast<long double>(y), x)) <= 2);
            CHECK(std::signbit(math::atan2(y, x)) == std::signbit(y));
        }
        CHECK(std::isnan(math::atan2(y, notANumber)));
    }
}

TEST_CASE("special values are those of the C standard", "[world][math]") {
    CHECK(std::isnan(math::sin(infinity)));
    CHECK(std::isnan(math::cos(notANumber)));
    CHECK(std::signbit(math::sin(-0.0)));
    CHECK(std::isnan(math::asin(1.5)));
    CHECK(math::acos(1) == 0);
    CHECK(math::exp(0) == 1);
    CHECK(math::exp(infinity) == infinity);
    CHECK(math::exp(-infinity) == 0);
    CHECK(math::log(0) == -infinity);
    CHECK(math::log(1) == 0);
    CHECK(std::isnan(math::log(-1)));
    CHECK(math::log(infinity) == infinity);
    CHECK(std::isnan(math::sqrt(-1)));
    const double bases[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, 1e300, infinity, -infinity};
    const double powers[] = {0.0, 1,    -1,    2,      -2,       3,        -3,
                             0.5, -0.5, 1e300, 1e-300, infinity, -infinity};
    for (const double x : bases) {
        for (const double y : powers) {
            INFO("pow(" << x << ", " << y << ")");
            CHECK(unitsOff(math::pow(x, y), std::pow(static_cast<long double>(x), y)) <= 1);
        }
        CHECK(std::isnan(math::pow(notANumber, x)) == (x != 0));
        CHECK(std::isnan(math::pow(x, notANumber)) == (x != 1));
    }
    CHECK(math::pow(3, 4) == 81);
    CHECK(math::pow(10, 22) == 1e22);
}

TEST_CASE("a remainder has the sign of its divisor, and is exact", "[world][math]") {
    CHECK(math::mod(7, 3) == 1);
    CHECK(math::mod(-1, 3) == 2);
    CHECK(math::mod(1, -3) == -2);
    CHECK(math::mod(-6, 3) == 0);
    CHECK(math::mod(5.5, infinity) == 5.5);
    CHECK(math::mod(-1, infinity) == infinity);
    CHECK(std::isnan(math::mod(1, 0)));
    CHECK(std::isnan(math::mod(infinity, 2)));
    CHECK(math::mod(1e300, 7) == std::fmod(1e300, 7));
}

// The number was computed on Linux on x86-64, and is the same with every compiler, on every platform.
TEST_CASE("exact functions give the same bits on every platform", "[world][math]") {
    Dice dice;
    std::uint64_t digest = 0xcbf29ce484222325;
    auto take = [&digest](double value) {
        digest = (digest ^ std::bit_cast<std::uint64_t>(value)) * 0x100000001b3;
    };
    for (int i = 0; i < 50000; ++i) {
        const double angle = dice.ofSize(-20, i % 4 == 0 ? 900 : 12);
        const double x = dice.between(-1, 1);
        const double positive = std::fabs(dice.ofSize(-40, 40));
        take(math::sin(angle));
        take(math::cos(angle));
        take(math::tan(angle));
        take(math::atan2(x, positive - 1));
        take(math::asin(x));
        take(math::acos(x));
        take(math::exp(x * 100));
        take(math::log(positive));
        take(math::pow(positive, x * 10));
        take(math::mod(angle, x));
    }
    CHECK(digest == 0x656063bc1d1851ea);
}
