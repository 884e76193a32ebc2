// Finds the constants of predictions from the values themselves. They are guesses: the search measures
// what each is worth.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "rewind/codec/prediction.hpp"
#include "rewind/codec/series.hpp"

namespace revenant {

template <class Word>
std::optional<Prediction> fitStep(const Series<Word>& series);
template <class Word>
std::optional<Prediction> fitLinear(const Series<Word>& series);
// How fast the series follows `source`, which is aligned with it: what is likely, best guess first.
template <class Word>
std::vector<Prediction> fitRates(const Series<Word>& series, std::span<const Word> source);

}  // namespace revenant
