// Series: the values of one stream, or of two that are the halves of 64-bit values, frame by frame.
// What predictions are computed over.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rewind/codec/prediction.hpp"

namespace revenant {

template <class Word>
struct Series {
    std::uint32_t first = 0;  // frame of the first value
    Word before = 0;          // the value before that
    std::span<const Word> values;

    Word at(std::int64_t frame) const noexcept {
        if (frame < static_cast<std::int64_t>(first) || values.empty()) return before;
        const auto i = static_cast<std::size_t>(frame - first);
        return i < values.size() ? values[i] : values.back();
    }
};

// The values of `source` as Integrate wants them: one for each of `count` frames from `first` on. They are its own where it
// has all of them, else `room` gets them.
template <class Word>
std::span<const Word> alignSource(const Series<Word>& source, std::uint32_t first,
                                  std::size_t count, bool isLagged, std::vector<Word>& room) {
    const std::int64_t begin = static_cast<std::int64_t>(first) - (isLagged ? 1 : 0);
    const std::int64_t at = begin - static_cast<std::int64_t>(source.first);
    if (at >= 0 && static_cast<std::size_t>(at) + count <= source.values.size())
        return source.values.subspan(static_cast<std::size_t>(at), count);
    room.resize(count);
    for (std::size_t i = 0; i < count; ++i)
        room[i] = source.at(begin + static_cast<std::int64_t>(i));
    return room;
}

// Calls visit(i, residual) for each value. `source` is aligned, or empty where it is not needed.
template <class Word, class Visit>
void forResiduals(const Prediction& by, const Series<Word>& series, std::span<const Word> source,
                  Visit visit) {
    withPredictor(by.predictor, [&](auto kind) {
        Word last = series.before;
        Word beforeLast = series.before;
        for (std::size_t i = 0; i < series.values.size(); ++i) {
            Word from = 0;
            if constexpr (kind == Predictor::Integrate) from = source[i];
            const Word value = series.values[i];
            const Word expected = expectedBy<kind>(by, last, beforeLast, from);
            visit(i, residualOf<kind>(value, expected));
            beforeLast = last;
            last = value;
        }
    });
}

// About how many bits the residuals take when they are packed.
template <class Word>
std::uint64_t costOf(const Prediction& by, const Series<Word>& series,
                     std::span<const Word> source) {
    std::uint64_t bits = 0;
    forResiduals(by, series, source, [&bits](std::size_t /*i*/, Word left) {
        bits += left == 0 ? 0 : 4 + static_cast<unsigned>(std::bit_width(left));
    });
    return bits;
}

// The inverse of forResiduals: `values` has the residuals and gets the values.
template <class Word>
void restoreValues(const Prediction& by, Word before, std::span<const Word> source,
                   std::span<Word> values) {
    withPredictor(by.predictor, [&](auto kind) {
        Word last = before;
        Word beforeLast = before;
        for (std::size_t i = 0; i < values.size(); ++i) {
            Word from = 0;
            if constexpr (kind == Predictor::Integrate) from = source[i];
            const Word expected = expectedBy<kind>(by, last, beforeLast, from);
            values[i] = valueOf<kind>(values[i], expected);
            beforeLast = last;
            last = values[i];
        }
    });
}

}  // namespace revenant
