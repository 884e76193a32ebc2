// Prediction: what the next value of a stream is expected to be, worked out from the values before it.
// The codec stores the difference (the residual). A prediction that hits packs to nothing.
//
// Most of what a game changes it changes by a short formula, so formulas are predicted, not only
// shapes of curves: `x += v * dt` is Integrate, with the stream of v as its source; `timer += dt` is
// Step; a swing, a spring or a decay is Linear. They are computed with the game's own arithmetic,
// rounding included, so that the residual is exactly zero most of the time.
//
// Writer and reader must compute the same bits, on any machine: only IEEE additions and
// multiplications, compiled without contraction, inside a PlainFloatScope. A NaN predicts the last
// value, as its bits may differ between machines.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#ifdef _WIN32
#include <xmmintrin.h>
#endif

namespace revenant {

enum class Predictor : std::uint8_t {
    Hold,       // the last value
    Glide,      // the last value and its last difference, as whole numbers
    Toggle,     // the last value; the residual is an XOR
    Step,       // last + k; the last value after one that stayed as it was
    Linear,     // last + p * (last - beforeLast) + q * last + k
    Integrate,  // last + k * source
    Upper,      // the upper half of a 64-bit value, whose prediction stands with its lower half
};
inline constexpr std::uint8_t predictorCount = 7;

struct Prediction {
    Predictor predictor = Predictor::Hold;
    bool isWide = false;       // of 64-bit values: a double's two words
    bool isLagged = false;     // Integrate: by the source's value of the frame before
    bool isRounded = false;    // Integrate: the product is rounded to a float
    std::uint32_t source = 0;  // Integrate: the number of a stream
    double k = 0;
    double p = 0;
    double q = 0;
};

// How many constants a packed prediction has: k, or k, p and q.
constexpr std::size_t constantCount(Predictor predictor) noexcept {
    using enum Predictor;
    return predictor == Linear ? 3 : predictor == Step || predictor == Integrate ? 1 : 0;
}

// A prediction's predictor and flags as a byte, and back.
inline constexpr unsigned wideFlag = 8;
inline constexpr unsigned laggedFlag = 16;
inline constexpr unsigned roundedFlag = 32;
inline std::uint8_t codeOf(const Prediction& prediction) noexcept {
    return static_cast<std::uint8_t>(
        static_cast<unsigned>(prediction.predictor) | (prediction.isWide ? wideFlag : 0) |
        (prediction.isLagged ? laggedFlag : 0) | (prediction.isRounded ? roundedFlag : 0));
}
inline std::optional<Prediction> predictionOf(std::uint8_t code) noexcept {
    if ((code & 7U) >= predictorCount || code >= 2 * roundedFlag) return std::nullopt;
    return Prediction{.predictor = static_cast<Predictor>(code & 7U),
                      .isWide = (code & wideFlag) != 0,
                      .isLagged = (code & laggedFlag) != 0,
                      .isRounded = (code & roundedFlag) != 0};
}

// The default floating-point environment while it lives: a game may have changed rounding, or have
// told its processor to treat tiny numbers as zero.
class PlainFloatScope {
public:
    PlainFloatScope(const PlainFloatScope&) = delete;
    PlainFloatScope& operator=(const PlainFloatScope&) = delete;
#ifdef _WIN32
    // By its register: mingw's fesetenv leaves the rounding of SSE as it was.
    PlainFloatScope() noexcept : before_(_mm_getcsr()) {
        constexpr unsigned plain = 0x1F80;  // as processors start: to nearest, no traps
        _mm_setcsr(plain);
    }
    ~PlainFloatScope() {
        _mm_setcsr(before_);
    }

private:
    unsigned before_;
#else
    PlainFloatScope() noexcept {
        std::fegetenv(&before_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~PlainFloatScope() {
        std::fesetenv(&before_);
    }

private:
    std::fenv_t before_;
#endif
};

template <class Word>
using FloatOf = std::conditional_t<sizeof(Word) == 8, double, float>;

template <class Word>
double numberOf(Word word) noexcept {
    return std::bit_cast<FloatOf<Word>>(word);
}

template <class Word>
Word roundedOr(double number, Word otherwise) noexcept {
    const auto rounded = static_cast<FloatOf<Word>>(number);
    return std::isnan(rounded) ? otherwise : std::bit_cast<Word>(rounded);
}

// `source`: the value of the source's stream; only Integrate looks at it.
template <Predictor predictor, class Word>
Word expectedBy(const Prediction& by, Word last, Word beforeLast, Word source) noexcept {
    if constexpr (predictor == Predictor::Glide) {
        return last + (last - beforeLast);
    } else if constexpr (predictor == Predictor::Step) {
        return last == beforeLast ? last : roundedOr(numberOf(last) + by.k, last);
    } else if constexpr (predictor == Predictor::Linear) {
        const double now = numberOf(last);
        const double change = by.p * (now - numberOf(beforeLast)) + (by.q * now + by.k);
        return roundedOr(now + change, last);
    } else if constexpr (predictor == Predictor::Integrate) {
        double change = numberOf(source) * by.k;
        if (by.isRounded) change = static_cast<float>(change);
        return roundedOr(numberOf(last) + change, last);
    } else {
        return last;
    }
}

// Calls visit(std::integral_constant<Predictor, …>) for the prediction's own predictor.
template <class Visit>
decltype(auto) withPredictor(Predictor predictor, Visit visit) {
    using enum Predictor;
    switch (predictor) {
        case Glide: return visit(std::integral_constant<Predictor, Glide>());
        case Toggle: return visit(std::integral_constant<Predictor, Toggle>());
        case Step: return visit(std::integral_constant<Predictor, Step>());
        case Linear: return visit(std::integral_constant<Predictor, Linear>());
        case Integrate: return visit(std::integral_constant<Predictor, Integrate>());
        default: return visit(std::integral_constant<Predictor, Hold>());
    }
}

template <class Word>
Word zigzag(Word difference) noexcept {
    return static_cast<Word>(difference << 1 ^ (Word{0} - (difference >> (sizeof(Word) * 8 - 1))));
}

template <class Word>
Word unzigzag(Word coded) noexcept {
    return static_cast<Word>(coded >> 1 ^ (Word{0} - (coded & 1)));
}

template <Predictor predictor, class Word>
Word residualOf(Word value, Word expected) noexcept {
    if constexpr (predictor == Predictor::Toggle) return value ^ expected;
    return zigzag<Word>(value - expected);
}

template <Predictor predictor, class Word>
Word valueOf(Word residual, Word expected) noexcept {
    if constexpr (predictor == Predictor::Toggle) return residual ^ expected;
    return expected + unzigzag<Word>(residual);
}

}  // namespace revenant
