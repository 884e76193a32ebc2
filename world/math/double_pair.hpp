// DoublePair: a number as the sum of two doubles, the second too small to change the first: some 106
// bits, for steps whose rounding would show in the result. Plain arithmetic only.
#pragma once

#include <bit>
#include <cstdint>

namespace revenant::math {

struct DoublePair {
    double high = 0;
    double low = 0;
};

// 2^exponent. REQUIRES: -1022 <= exponent <= 1023.
inline double powerOfTwo(int exponent) noexcept {
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The sum with its rounding error. REQUIRES: |a| >= |b| or a == 0.
inline DoublePair quickSum(double a, double b) noexcept {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

inline DoublePair exactSum(double a, double b) noexcept {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

// Veltkamp's split into two halves of 26 bits. REQUIRES: |a| < 2^995.
inline DoublePair split(double a) noexcept {
    const double scaled = 134217729.0 * a;
    const double high = scaled - (scaled - a);
    return {high, a - high};
}

inline DoublePair exactProduct(double a, double b) noexcept {
    const double product = a * b;
    const DoublePair x = split(a);
    const DoublePair y = split(b);
    const double error =
        ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return {product, error};
}

inline DoublePair add(DoublePair a, DoublePair b) noexcept {
    const DoublePair sum = exactSum(a.high, b.high);
    return quickSum(sum.high, sum.low + (a.low + b.low));
}

inline DoublePair multiply(DoublePair a, DoublePair b) noexcept {
    const DoublePair product = exactProduct(a.high, b.high);
    return quickSum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoublePair divide(DoublePair a, DoublePair b) noexcept {
    const double quotient = a.high / b.high;
    const DoublePair back = exactProduct(quotient, b.high);
    const double rest = ((a.high - back.high) - back.low) + a.low - quotient * b.low;
    return quickSum(quotient, rest / b.high);
}

// The sum of coefficients[i] * x^i.
template <std::size_t count>
double polynomial(double x, const double (&coefficients)[count]) noexcept {
    double sum = coefficients[count - 1];
    for (std::size_t i = count - 1; i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
}

}  // namespace revenant::math
