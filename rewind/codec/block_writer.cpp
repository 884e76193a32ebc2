#include "rewind/codec/block_writer.hpp"

#include <bit>
#include <span>
#include <unordered_map>
#include <vector>

#include "rewind/codec/block_series.hpp"
#include "rewind/codec/prediction_search.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/zstd.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

void appendPlanes(ByteWriter& out, std::span<const std::uint32_t> words) {
    std::byte* plane = out.room(words.size() * 4).data();
    for (int shift = 0; shift < 32; shift += 8, plane += words.size())
        for (std::size_t i = 0; i < words.size(); ++i)
            plane[i] = static_cast<std::byte>(words[i] >> shift);
}

// Writes the table of streams.
class StreamTable {
public:
    StreamTable(ByteWriter& out, const BlockWords& words, std::span<const Prediction> predictions)
        : out_(out), streams_(words.streams), predictions_(predictions) {}

    void write() {
        std::size_t runs = streams_.empty() ? 0 : 1;
        for (std::size_t i = 1; i < streams_.size(); ++i) runs += follows(i) ? 0 : 1;
        out_.number(runs);
        std::uint64_t key = 0;
        for (std::size_t first = 0; first < streams_.size();) {
            std::size_t end = first + 1;
            while (end < streams_.size() && follows(end)) ++end;
            out_.number(streams_[first].key - key);
            out_.number(end - first);
            add(first);
            key = streams_[end - 1].key;
            first = end;
        }
    }

private:
    bool follows(std::size_t i) const noexcept {
        const WordStream& before = streams_[i - 1];
        const WordStream& stream = streams_[i];
        const Prediction& other = predictions_[i - 1];
        const Prediction& own = predictions_[i];
        auto areSame = [](double one, double two) {
            return std::bit_cast<std::uint64_t>(one) == std::bit_cast<std::uint64_t>(two);
        };
        return stream.key == before.key + 1 && stream.first == before.first &&
               stream.count == before.count && codeOf(own) == codeOf(other) &&
               (own.predictor != Predictor::Integrate || own.source == other.source + 1) &&
               areSame(own.k, other.k) && areSame(own.p, other.p) && areSame(own.q, other.q);
    }
    void add(std::size_t number) {
        const Prediction& prediction = predictions_[number];
        out_.number(streams_[number].first);
        out_.number(streams_[number].count);
        out_.plain(codeOf(prediction));
        if (prediction.predictor == Predictor::Integrate)
            out_.signedNumber(std::int64_t{prediction.source} - static_cast<std::int64_t>(number));
        if (constantCount(prediction.predictor) > 0) constant(prediction.k);
        if (constantCount(prediction.predictor) < 3) return;
        constant(prediction.p);
        constant(prediction.q);
    }
    void constant(double value) {
        const auto [known, isNew] =
            constants_.try_emplace(std::bit_cast<std::uint64_t>(value), constants_.size());
        out_.number(known->second);
        if (isNew) out_.plain(value);
    }

    ByteWriter& out_;
    std::span<const WordStream> streams_;
    std::span<const Prediction> predictions_;
    std::unordered_map<std::uint64_t, std::size_t> constants_;
};

// Replaces values by residuals.
class Residuals {
public:
    explicit Residuals(BlockWords& words) : words_(words), series_(words) {}

    void take(std::uint32_t number, const Prediction& by) {
        const std::span<std::uint32_t> values = series_.values(number);
        const WordStream& stream = words_.streams[number];
        if (!by.isWide) {
            std::span<const std::uint32_t> source;
            if (by.predictor == Predictor::Integrate)
                source = alignSource(series_.narrow(by.source), stream.first, stream.count,
                                     by.isLagged, narrow_);
            forResiduals<std::uint32_t>(
                by, series_.narrow(number), source,
                [values](std::size_t i, std::uint32_t left) { values[i] = left; });
            return;
        }
        std::span<const std::uint64_t> source;
        if (by.predictor == Predictor::Integrate)
            source = alignSource(series_.wide(by.source, series_.upperOf(by.source), source_),
                                 stream.first, stream.count, by.isLagged, wide_);
        const std::uint32_t upper = series_.upperOf(number);
        const std::span<std::uint32_t> uppers = series_.values(upper);
        forResiduals<std::uint64_t>(by, series_.wide(number, upper, values_), source,
                                    [&](std::size_t i, std::uint64_t left) {
                                        values[i] = static_cast<std::uint32_t>(left);
                                        uppers[i] = static_cast<std::uint32_t>(left >> 32);
                                    });
    }

private:
    BlockWords& words_;
    BlockSeries series_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> source_;
    std::vector<std::uint32_t> narrow_;  // aligned sources
    std::vector<std::uint64_t> wide_;
};

void takeResiduals(BlockWords& words, std::span<const Prediction> predictions) {
    // Streams with a source come first, while the source's values are still there.
    Residuals residuals(words);
    for (const bool hasSource : {true, false})
        for (std::uint32_t i = 0; i < words.streams.size(); ++i)
            if (predictions[i].predictor != Predictor::Upper &&
                (predictions[i].predictor == Predictor::Integrate) == hasSource)
                residuals.take(i, predictions[i]);
}

}  // namespace

std::vector<std::byte> packBlock(BlockWords& words, const PackOptions& options,
                                 std::span<const std::uint32_t> owners) {
    ByteWriter out;
    out.number(words.frames);
    std::vector<Prediction> predictions = PredictionSearch(words, owners).run();
    const PlainFloatScope scope;
    std::vector<std::uint32_t> befores;
    befores.reserve(words.streams.size());
    for (std::uint32_t i = 0; i < words.streams.size(); ++i) {
        const WordStream& stream = words.streams[i];
        REVENANT_ASSERT(i == 0 || stream.key > words.streams[i - 1].key,
                        "packBlock: the streams are not in order");
        REVENANT_ASSERT(stream.first + stream.count <= words.frames,
                        "packBlock: a stream has values beyond the last frame");
        befores.push_back(stream.before);
    }
    StreamTable(out, words, predictions).write();
    takeResiduals(words, predictions);
    appendPlanes(out, befores);
    appendPlanes(out, words.values);
    return deflate(out.bytes(), options.zstdLevel);
}

}  // namespace revenant
