#include "rewind/codec/stretch_writer.hpp"

#include <bit>
#include <span>
#include <unordered_map>
#include <utility>

#include "rewind/codec/prediction_search.hpp"
#include "rewind/codec/stretch_series.hpp"
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
    explicit StreamTable(ByteWriter& out) : out_(out) {}

    void add(const WordStream& stream, std::uint32_t number, const Prediction& prediction) {
        out_.number(stream.key - key_);
        out_.number(stream.first);
        out_.number(stream.count);
        out_.plain(codeOf(prediction));
        key_ = stream.key;
        if (prediction.predictor == Predictor::Integrate)
            out_.signedNumber(std::int64_t{prediction.source} - std::int64_t{number});
        if (constantCount(prediction.predictor) > 0) constant(prediction.k);
        if (constantCount(prediction.predictor) < 3) return;
        constant(prediction.p);
        constant(prediction.q);
    }

private:
    void constant(double value) {
        const auto [known, isNew] =
            constants_.try_emplace(std::bit_cast<std::uint64_t>(value), constants_.size());
        out_.number(known->second);
        if (isNew) out_.plain(value);
    }

    ByteWriter& out_;
    std::uint64_t key_ = 0;
    std::unordered_map<std::uint64_t, std::size_t> constants_;
};

// Puts residuals in the place of values.
class Residuals {
public:
    explicit Residuals(StretchWords& words) : words_(words), series_(words) {}

    void take(std::uint32_t number, const Prediction& by) {
        const std::span<std::uint32_t> values = series_.values(number);
        const WordStream& stream = words_.streams[number];
        if (!by.isWide) {
            if (by.predictor == Predictor::Integrate)
                alignSource(series_.narrow(by.source), stream.first, stream.count, by.isLagged,
                            narrow_);
            forResiduals<std::uint32_t>(
                by, series_.narrow(number), narrow_,
                [values](std::size_t i, std::uint32_t left) { values[i] = left; });
            return;
        }
        if (by.predictor == Predictor::Integrate)
            alignSource(series_.wide(by.source, series_.upperOf(by.source), source_), stream.first,
                        stream.count, by.isLagged, wide_);
        const std::uint32_t upper = series_.upperOf(number);
        const std::span<std::uint32_t> uppers = series_.values(upper);
        forResiduals<std::uint64_t>(by, series_.wide(number, upper, values_), wide_,
                                    [&](std::size_t i, std::uint64_t left) {
                                        values[i] = static_cast<std::uint32_t>(left);
                                        uppers[i] = static_cast<std::uint32_t>(left >> 32);
                                    });
    }

private:
    StretchWords& words_;
    StretchSeries series_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> source_;
    std::vector<std::uint32_t> narrow_;  // aligned sources
    std::vector<std::uint64_t> wide_;
};

void takeResiduals(StretchWords& words, std::vector<Prediction> predictions) {
    // Those with a source first: the source's values are still there then.
    Residuals residuals(words);
    for (const bool hasSource : {true, false})
        for (std::uint32_t i = 0; i < words.streams.size(); ++i)
            if (predictions[i].predictor != Predictor::Upper &&
                (predictions[i].predictor == Predictor::Integrate) == hasSource)
                residuals.take(i, predictions[i]);
}

}  // namespace

std::vector<std::byte> packStretch(StretchWords words, const PackOptions& options,
                                   std::span<const std::uint32_t> owners) {
    ByteWriter out;
    out.number(words.frames);
    out.number(words.streams.size());
    std::vector<Prediction> predictions = PredictionSearch(words, owners).run();
    const PlainFloatScope scope;
    StreamTable table(out);
    std::vector<std::uint32_t> befores;
    befores.reserve(words.streams.size());
    for (std::uint32_t i = 0; i < words.streams.size(); ++i) {
        const WordStream& stream = words.streams[i];
        REVENANT_ASSERT(i == 0 || stream.key > words.streams[i - 1].key,
                        "packStretch: the streams are not in order");
        REVENANT_ASSERT(stream.first + stream.count <= words.frames,
                        "packStretch: a stream has values beyond the last frame");
        table.add(stream, i, predictions[i]);
        befores.push_back(stream.before);
    }
    takeResiduals(words, std::move(predictions));
    appendPlanes(out, befores);
    appendPlanes(out, words.values);
    words = {};
    return deflate(out.bytes(), options.zstdLevel);
}

}  // namespace revenant
