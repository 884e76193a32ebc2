// Over 300 lines: one search, whose steps share its tables of candidates.
#include "rewind/codec/prediction_search.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "rewind/codec/prediction_fit.hpp"

namespace revenant {

namespace {

using Choice = PredictionSearch::Choice;

constexpr std::uint32_t mostSampled = 6;  // streams of a column
constexpr std::size_t leastValues = 4;    // of a stream that is sampled
constexpr std::uint32_t globalsType = 0xFFFF;
// The cost of a prediction beside its residuals, in bits: a constant of its own, or the number of one that
// others have, too.
constexpr std::uint64_t constantCost = 76;
constexpr std::uint64_t referenceCost = 8;
constexpr std::uint64_t runCost =
    64;  // of a stream unlike its neighbours: one run more, mostly two

std::uint32_t columnKey(std::uint64_t key) noexcept {
    return static_cast<std::uint32_t>(key >> 32);
}

template <class Word>
std::vector<Word>& alignedOf(std::vector<std::uint32_t>& narrow,
                             std::vector<std::uint64_t>& wide) noexcept {
    if constexpr (sizeof(Word) == 8)
        return wide;
    else
        return narrow;
}

constexpr std::array wholePredictors{Predictor::Hold, Predictor::Glide, Predictor::Toggle};
using WholeCosts = std::array<std::uint64_t, wholePredictors.size()>;

template <class Word>
WholeCosts costsOfWhole(const Series<Word>& series) {
    WholeCosts cost{};
    auto add = [&cost](std::size_t k, Word left) {
        cost[k] += left == 0 ? 0 : 4 + static_cast<unsigned>(std::bit_width(left));
    };
    Word last = series.before;
    Word beforeLast = series.before;
    for (const Word value : series.values) {
        add(0, zigzag<Word>(value - last));
        add(1, zigzag<Word>(value - (last + (last - beforeLast))));
        add(2, value ^ last);
        beforeLast = last;
        last = value;
    }
    return cost;
}

// Of the predictions of whole numbers, the one that leaves the fewest bits. `usual`: what most of the column have; another
// breaks the run that the stream is written in.
template <class Word>
Choice chooseWhole(const Series<Word>& series, Predictor usual = Predictor::Hold) {
    const WholeCosts cost = costsOfWhole(series);
    const auto common = static_cast<std::size_t>(std::ranges::find(wholePredictors, usual) -
                                                 wholePredictors.begin());
    auto best = static_cast<std::size_t>(std::ranges::min_element(cost) - cost.begin());
    if (cost[best] + runCost >= cost[common]) best = common;
    return {{.predictor = wholePredictors[best]}, cost[best]};
}

}  // namespace

PredictionSearch::PredictionSearch(BlockWords& words, std::span<const std::uint32_t> owners)
    : words_(words), owners_(owners), series_(words) {
    const auto count = static_cast<std::uint32_t>(words.streams.size());
    columnOf_.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const WordStream& stream = words.streams[i];
        if (i == 0 || columnKey(stream.key) != columnKey(words.streams[i - 1].key))
            columns_.push_back({.begin = i, .end = i});
        ++columns_.back().end;
        columnOf_.push_back(static_cast<std::uint32_t>(columns_.size() - 1));
    }
    chosen_.resize(count);
    isSource_.resize(count);
    hasSource_.resize(count);
    isChosen_.resize(count);
}

std::vector<Prediction> PredictionSearch::run() {
    const PlainFloatScope scope;
    findSampledEntities();
    for (Column& column : columns_) planColumn(column);
    for (const Column& column : columns_) chooseFor(column);
    return std::move(chosen_);
}

// Finds the entities of the samples, with all their streams.
void PredictionSearch::findSampledEntities() {
    std::vector<std::uint32_t> entities;
    for (const Column& column : columns_)
        for (const std::uint32_t sample : samplesOf(column))
            if (const std::uint32_t owner = ownerOf(sample); owner != none)
                entities.push_back(owner);
    std::ranges::sort(entities);
    entities.erase(std::unique(entities.begin(), entities.end()), entities.end());
    for (std::uint32_t i = 0; i < words_.streams.size(); ++i)
        if (const std::uint32_t owner = ownerOf(i);
            owner != none && std::ranges::binary_search(entities, owner))
            sampled_.push_back(std::uint64_t{owner} << 32 | i);
    std::ranges::sort(sampled_);
}

std::vector<std::uint32_t> PredictionSearch::samplesOf(const Column& column) const {
    std::vector<std::uint32_t> samples;
    const std::uint32_t stride = std::max(1U, (column.end - column.begin) / mostSampled);
    for (std::uint32_t i = column.begin; i < column.end; i += stride)
        if (words_.streams[i].count >= leastValues) samples.push_back(i);
    return samples;
}

std::uint32_t PredictionSearch::ownerOf(std::uint32_t stream) const noexcept {
    const std::uint64_t key = words_.streams[stream].key;
    const auto number = static_cast<std::uint32_t>(key);
    return key >> 48 == globalsType || number >= owners_.size() ? none : owners_[number];
}

// The stream of the same entity in another column: mostly that of the same component, as far from the column's beginning.
std::uint32_t PredictionSearch::sourceIn(Column& column, std::uint32_t stream) {
    const std::uint32_t owner = ownerOf(stream);
    if (owner == none) return none;
    const std::uint32_t beside = column.begin + stream - columns_[columnOf_[stream]].begin;
    if (beside < column.end && static_cast<std::uint32_t>(words_.streams[beside].key) ==
                                   static_cast<std::uint32_t>(words_.streams[stream].key))
        return beside;
    if (column.byOwner.empty()) {
        for (std::uint32_t i = column.begin; i < column.end; ++i)
            if (const std::uint32_t each = ownerOf(i); each != none)
                column.byOwner.push_back(std::uint64_t{each} << 32 | i);
        std::ranges::sort(column.byOwner);
    }
    const auto found = std::ranges::lower_bound(column.byOwner, std::uint64_t{owner} << 32);
    if (found == column.byOwner.end() || *found >> 32 != owner) return none;
    return static_cast<std::uint32_t>(*found);
}

template <class Word>
std::optional<Series<Word>> PredictionSearch::seriesOf(std::uint32_t stream,
                                                       std::vector<std::uint64_t>& values) const {
    if constexpr (sizeof(Word) == 8) {
        const std::uint32_t upper = series_.upperOf(stream);
        if (upper == none) return std::nullopt;
        return series_.wide(stream, upper, values);
    } else {
        return series_.narrow(stream);
    }
}

void PredictionSearch::planColumn(Column& column) {
    const std::vector<std::uint32_t> samples = samplesOf(column);
    Plan narrow;
    std::uint64_t apart = planFor<std::uint32_t>(narrow, samples);
    std::vector<std::uint32_t> lower;
    for (const std::uint32_t sample : samples)
        if (const std::uint32_t upper = series_.upperOf(sample); upper != none) {
            lower.push_back(sample);
            apart += chooseWhole(series_.narrow(upper)).cost;
        }
    Plan wide;
    column.isWide = lower.size() * 2 > samples.size() &&
                    planFor<std::uint64_t>(wide, lower) * samples.size() < apart * lower.size();
    column.plan = column.isWide ? wide : narrow;
}

template <class Word>
std::uint64_t PredictionSearch::planFor(Plan& plan, std::span<const std::uint32_t> samples) {
    std::vector<std::vector<std::uint64_t>> values(samples.size());
    std::vector<Series<Word>> all;
    std::vector<std::uint64_t> costs;  // of each sample, with whole numbers
    std::vector<Prediction> candidates;
    std::vector<Vote> votes;
    WholeCosts together{};
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const Series<Word> series = *seriesOf<Word>(samples[i], values[i]);
        all.push_back(series);
        const WholeCosts each = costsOfWhole(series);
        for (std::size_t k = 0; k < each.size(); ++k) together[k] += each[k];
        costs.push_back(std::ranges::min(each));
        if (const auto step = fitStep(series)) {
            candidates.push_back(*step);
            if (costOf<Word>(*step, series, {}) + constantCost < costs[i]) plan.stepHelps = true;
        }
        if (const auto linear = fitLinear(series)) {
            candidates.push_back(*linear);
            if (costOf<Word>(*linear, series, {}) + 3 * constantCost < costs[i])
                plan.linearHelps = true;
        }
        trySources(votes, samples[i], series, costs[i]);
    }
    plan.whole = wholePredictors[static_cast<std::size_t>(std::ranges::min_element(together) -
                                                          together.begin())];
    std::uint64_t whole = 0;
    for (const std::uint64_t cost : costs) whole += cost;
    std::uint64_t best = whole;
    for (const Prediction& candidate : candidates) {
        std::uint64_t with = 0;
        for (std::size_t i = 0; i < all.size(); ++i)
            with += std::min(costs[i], costOf<Word>(candidate, all[i], {}) + referenceCost);
        if (with >= best) continue;
        best = with;
        plan.common = candidate;
    }
    if (const auto vote = std::ranges::max_element(votes, {}, &Vote::saved); vote != votes.end()) {
        plan.integrate = vote->prediction;
        plan.sourceColumn = vote->sourceColumn;
        best = std::min(best, whole - vote->saved);
    }
    return best;
}

// Whether a stream may be predicted from another: it must not be a source itself, the other must not
// have a source, and the two must not share a half.
template <class Word>
bool PredictionSearch::mayFollow(std::uint32_t stream, std::uint32_t source) const {
    if (stream == source || isSource_[stream] || hasSource_[source]) return false;
    if constexpr (sizeof(Word) == 4) return true;
    const std::uint32_t upper = series_.upperOf(stream);
    const std::uint32_t sourceUpper = series_.upperOf(source);
    return upper != none && sourceUpper != none && upper != source && sourceUpper != stream &&
           !isSource_[upper] && !hasSource_[sourceUpper];
}

// Tries all other streams of the entity as the rate of this one.
template <class Word>
void PredictionSearch::trySources(std::vector<Vote>& votes, std::uint32_t stream,
                                  const Series<Word>& series, std::uint64_t cost) {
    const std::uint32_t owner = ownerOf(stream);
    if (owner == none) return;
    std::vector<Word>& aligned = alignedOf<Word>(narrowAligned_, wideAligned_);
    for (auto each = std::ranges::lower_bound(sampled_, std::uint64_t{owner} << 32);
         each != sampled_.end() && *each >> 32 == owner; ++each) {
        const auto source = static_cast<std::uint32_t>(*each);
        const std::uint32_t column = columnOf_[source];
        if (!mayFollow<Word>(stream, source)) continue;
        const Series<Word> from = *seriesOf<Word>(source, sourceValues_);
        for (const bool isLagged : {false, true}) {
            const std::span<const Word> rates =
                alignSource(from, series.first, series.values.size(), isLagged, aligned);
            for (Prediction prediction : fitRates<Word>(series, rates)) {
                prediction.isLagged = isLagged;
                const std::uint64_t with = costOf<Word>(prediction, series, rates) + referenceCost;
                if (with >= cost) continue;
                auto vote = std::ranges::find_if(votes, [&](const Vote& other) {
                    return other.sourceColumn == column && other.prediction.k == prediction.k &&
                           other.prediction.isLagged == isLagged &&
                           other.prediction.isRounded == prediction.isRounded;
                });
                if (vote == votes.end()) vote = votes.insert(vote, {prediction, column, 0});
                vote->saved += cost - with;
            }
        }
    }
}

// Tries the predictions of the plan on one stream, the most frequent first; whole numbers where none hits.
template <class Word>
Choice PredictionSearch::choose(const Plan& plan, const Series<Word>& series,
                                std::uint32_t stream) {
    const std::uint64_t count = series.values.size();
    Choice choice{{}, UINT64_MAX};
    auto tryWith = [&](const Prediction& prediction, std::span<const Word> source,
                       std::uint64_t extra) {
        const std::uint64_t cost = costOf<Word>(prediction, series, source) + extra;
        if (cost < choice.cost) choice = {prediction, cost};
    };
    if (plan.integrate)
        if (const std::uint32_t source = sourceIn(columns_[plan.sourceColumn], stream);
            source != none && mayFollow<Word>(stream, source)) {
            Prediction prediction = *plan.integrate;
            prediction.source = source;
            const std::span<const Word> rates = alignSource(
                *seriesOf<Word>(source, sourceValues_), series.first, series.values.size(),
                prediction.isLagged, alignedOf<Word>(narrowAligned_, wideAligned_));
            tryWith(prediction, rates, referenceCost);
            // No other prediction beats a formula that hits.
            if (choice.cost <= referenceCost + count / 4) return choice;
        }
    if (plan.common) {
        tryWith(*plan.common, {}, referenceCost);
        if (choice.cost <= referenceCost + count / 4) return choice;
    }
    if (const Choice whole = chooseWhole(series, plan.whole); whole.cost <= choice.cost)
        choice = whole;
    if (choice.cost <= count) return choice;
    if (plan.stepHelps && choice.cost > constantCost)
        if (const auto step = fitStep(series)) tryWith(*step, {}, constantCost + runCost);
    if (plan.linearHelps && choice.cost > 3 * constantCost)
        if (const auto linear = fitLinear(series)) tryWith(*linear, {}, 3 * constantCost + runCost);
    return choice;
}

void PredictionSearch::chooseFor(const Column& column) {
    for (std::uint32_t i = column.begin; i < column.end; ++i) {
        if (isChosen_[i]) continue;  // the upper half of a stream that was chosen
        const Series<std::uint32_t> series = series_.narrow(i);
        std::uint32_t upper = column.isWide ? series_.upperOf(i) : none;
        Choice choice = column.isWide ? chooseWhole(series) : choose(column.plan, series, i);
        if (upper != none) {
            const std::uint64_t apart = choice.cost + chooseWhole(series_.narrow(upper)).cost;
            const Choice whole = choose(column.plan, series_.wide(i, upper, values_), i);
            if (whole.cost < apart) {
                choice = whole;
                choice.prediction.isWide = true;
                chosen_[upper] = {.predictor = Predictor::Upper};
                isChosen_[upper] = true;
            } else {
                upper = none;
            }
        }
        chosen_[i] = choice.prediction;
        isChosen_[i] = true;
        if (choice.prediction.predictor != Predictor::Integrate) continue;
        hasSource_[i] = true;
        if (upper != none) hasSource_[upper] = true;
        const std::uint32_t source = choice.prediction.source;
        isSource_[source] = true;
        if (upper != none) isSource_[series_.upperOf(source)] = true;
    }
}

}  // namespace revenant
