#include "rewind/codec/prediction_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace revenant {

namespace {

constexpr std::size_t mostSamples = 64;
constexpr double closeToWhole = 1e-3;

// Half the distance to the next number, which is the most that a sum may have been rounded by.
template <class Word>
double halfUlp(double number) noexcept {
    using Float = FloatOf<Word>;
    const auto rounded = std::abs(static_cast<Float>(number));
    return (std::nextafter(rounded, std::numeric_limits<Float>::infinity()) - rounded) * 0.5;
}

double middleOf(std::vector<double>& numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

// Unit fractions, in which games count time: 1/60, 1/30, 1/64.
std::optional<double> simpleFraction(double number) noexcept {
    const double whole = std::round(1 / number);
    if (whole == 0 || std::abs(whole) > 1e4 || std::abs(number * whole - 1) > closeToWhole)
        return std::nullopt;
    return 1 / whole;
}

struct Interval {
    double low;
    double high;

    bool has(double number) const noexcept { return number >= low && number <= high; }
};

// The simplest number within bounds: a fraction, a float, or what is in the middle.
double simplestIn(const Interval& bounds) noexcept {
    const double middle = bounds.low + (bounds.high - bounds.low) / 2;
    if (const auto fraction = simpleFraction(middle)) {
        const double single = static_cast<float>(*fraction);
        if (bounds.has(single)) return single;
        if (bounds.has(*fraction)) return *fraction;
    }
    const double single = static_cast<float>(middle);
    return bounds.has(single) ? single : middle;
}

}  // namespace

template <class Word>
std::optional<Prediction> fitStep(const Series<Word>& series) {
    const std::size_t count = series.values.size();
    if (count < 4) return std::nullopt;
    std::vector<double> changes;
    const std::size_t stride = std::max<std::size_t>(1, (count - 1) / mostSamples);
    auto changeAt = [&](std::size_t i) {
        return numberOf(series.values[i]) - numberOf(series.values[i - 1]);
    };
    for (std::size_t i = 1; i < count; i += stride)
        if (const double change = changeAt(i); std::isfinite(change) && change != 0)
            changes.push_back(change);
    if (changes.size() < 3) return std::nullopt;
    const double middle = middleOf(changes);
    // Each value bounds the step by half of what it may have been rounded by.
    Interval bounds{-std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
    for (std::size_t i = 1; i < count; ++i) {
        const double change = changeAt(i);
        const double slack = halfUlp<Word>(numberOf(series.values[i]));
        if (!(std::abs(change - middle) <= 8 * slack)) continue;
        const Interval next{std::max(bounds.low, change - slack),
                            std::min(bounds.high, change + slack)};
        if (next.low <= next.high) bounds = next;
    }
    if (!std::isfinite(bounds.low) || !std::isfinite(bounds.high)) return std::nullopt;
    return Prediction{.predictor = Predictor::Step, .k = simplestIn(bounds)};
}

template <class Word>
std::optional<Prediction> fitLinear(const Series<Word>& series) {
    const std::size_t count = series.values.size();
    if (count < 16) return std::nullopt;
    auto at = [&](std::size_t i) { return numberOf(series.values[i]); };
    double mean = 0;
    for (std::size_t i = 0; i < count; ++i) mean += at(i) / static_cast<double>(count);
    if (!std::isfinite(mean)) return std::nullopt;
    // Least squares of the next change by the last change, the value and a constant.
    std::array<std::array<double, 4>, 3> rows{};
    for (std::size_t i = 2; i < count; ++i) {
        const std::array<double, 4> one{at(i - 1) - at(i - 2), at(i - 1) - mean, 1,
                                        at(i) - at(i - 1)};
        for (std::size_t row = 0; row < 3; ++row)
            for (std::size_t column = 0; column < 4; ++column)
                rows[row][column] += one[row] * one[column];
    }
    for (std::size_t pivot = 0; pivot < 3; ++pivot) {
        if (!(std::abs(rows[pivot][pivot]) > 0)) return std::nullopt;
        for (std::size_t row = 0; row < 3; ++row) {
            if (row == pivot) continue;
            const double factor = rows[row][pivot] / rows[pivot][pivot];
            for (std::size_t column = pivot; column < 4; ++column)
                rows[row][column] -= factor * rows[pivot][column];
        }
    }
    const double p = rows[0][3] / rows[0][0];
    const double q = rows[1][3] / rows[1][1];
    const double k = rows[2][3] / rows[2][2] - q * mean;
    if (!std::isfinite(p) || !std::isfinite(q) || !std::isfinite(k)) return std::nullopt;
    return Prediction{.predictor = Predictor::Linear, .k = k, .p = p, .q = q};
}

template <class Word>
std::vector<Prediction> fitRates(const Series<Word>& series, std::span<const Word> source) {
    std::vector<double> rates;
    const std::size_t count = series.values.size();
    const std::size_t stride = std::max<std::size_t>(1, count / mostSamples);
    for (std::size_t i = 0; i < count; i += stride) {
        const double last = numberOf(i == 0 ? series.before : series.values[i - 1]);
        const double rate = (numberOf(series.values[i]) - last) / numberOf(source[i]);
        if (std::isfinite(rate) && rate != 0) rates.push_back(rate);
    }
    if (rates.size() < 2) return {};
    const double middle = middleOf(rates);
    std::vector<Prediction> found;
    auto add = [&found](double rate, bool isRounded) {
        found.push_back({.predictor = Predictor::Integrate, .isRounded = isRounded, .k = rate});
    };
    if (const auto fraction = simpleFraction(middle)) {
        if constexpr (sizeof(Word) == 4) add(static_cast<float>(*fraction), true);
        add(*fraction, false);
    } else {
        if constexpr (sizeof(Word) == 4) add(static_cast<float>(middle), true);
        add(middle, false);
    }
    return found;
}

template std::optional<Prediction> fitStep(const Series<std::uint32_t>&);
template std::optional<Prediction> fitStep(const Series<std::uint64_t>&);
template std::optional<Prediction> fitLinear(const Series<std::uint32_t>&);
template std::optional<Prediction> fitLinear(const Series<std::uint64_t>&);
template std::vector<Prediction> fitRates(const Series<std::uint32_t>&,
                                          std::span<const std::uint32_t>);
template std::vector<Prediction> fitRates(const Series<std::uint64_t>&,
                                          std::span<const std::uint64_t>);

}  // namespace revenant
