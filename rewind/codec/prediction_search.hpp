// PredictionSearch: chooses a prediction for every stream of a block.
//
// Streams of one component type and word form a column, and mostly follow the same formula. What
// is worth trying is found out on a few streams of each column; then each stream takes what leaves it
// the fewest bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rewind/codec/block_series.hpp"
#include "rewind/codec/block_words.hpp"
#include "rewind/codec/prediction.hpp"
#include "rewind/codec/series.hpp"

namespace revenant {

class PredictionSearch {
public:
    struct Choice {
        Prediction prediction;
        std::uint64_t cost = 0;  // in bits, about
    };

    // `owners`: the entity of each component, by the lower half of the streams' keys. Streams of one
    // entity may be each other's sources. Both outlive the search.
    PredictionSearch(BlockWords& words, std::span<const std::uint32_t> owners);

    // One per stream.
    std::vector<Prediction> run();

private:
    static constexpr std::uint32_t none = BlockSeries::none;

    // What a column's streams are worth trying with.
    struct Plan {
        bool stepHelps = false;            // with constants of each stream's own
        bool linearHelps = false;          // likewise
        std::optional<Prediction> common;  // Step or Linear, with constants that suit all
        std::optional<Prediction> integrate;
        std::uint32_t sourceColumn = none;
        Predictor whole = Predictor::Hold;  // of whole numbers: what suits most
    };
    struct Column {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;  // behind the last stream
        bool isWide = false;    // its streams are lower halves, mostly
        Plan plan{};
        std::vector<std::uint64_t>
            byOwner{};  // owner << 32 | stream, ascending; made when asked for
    };
    // A source that was tried in a column's samples, and the bits it saved.
    struct Vote {
        Prediction prediction;
        std::uint32_t sourceColumn = none;
        std::uint64_t saved = 0;
    };

    std::uint32_t ownerOf(std::uint32_t stream) const noexcept;
    std::uint32_t sourceIn(Column& column, std::uint32_t stream);
    void findSampledEntities();
    std::vector<std::uint32_t> samplesOf(const Column& column) const;
    // Wide ones of streams that have an upper half only; `values` holds them.
    template <class Word>
    std::optional<Series<Word>> seriesOf(std::uint32_t stream,
                                         std::vector<std::uint64_t>& values) const;

    void planColumn(Column& column);
    // Returns what the samples cost by the plan.
    template <class Word>
    std::uint64_t planFor(Plan& plan, std::span<const std::uint32_t> samples);
    template <class Word>
    void trySources(std::vector<Vote>& votes, std::uint32_t stream, const Series<Word>& series,
                    std::uint64_t cost);
    template <class Word>
    bool mayFollow(std::uint32_t stream, std::uint32_t source) const;
    void chooseFor(const Column& column);
    template <class Word>
    Choice choose(const Plan& plan, const Series<Word>& series, std::uint32_t stream);

    const BlockWords& words_;
    std::span<const std::uint32_t> owners_;
    BlockSeries series_;
    std::vector<std::uint32_t> columnOf_;
    std::vector<Column> columns_;
    std::vector<Prediction> chosen_;
    std::vector<bool> isSource_;   // its prediction must not need a source itself
    std::vector<bool> hasSource_;  // its prediction does
    std::vector<bool> isChosen_;

    std::vector<std::uint64_t> sampled_;  // owner << 32 | stream of the entities that are sampled

    // Scratch.
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> sourceValues_;
    std::vector<std::uint32_t> narrowAligned_;
    std::vector<std::uint64_t> wideAligned_;
};

}  // namespace revenant
