#include "rewind/codec/block_reader.hpp"

#include <algorithm>
#include <vector>

#include "rewind/codec/block_series.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/zstd.hpp"

namespace revenant {

namespace {

constexpr const char* what = "a packed block of history";

std::uint32_t wordOfPlanes(std::span<const std::byte> planes, std::size_t count, std::size_t i) {
    std::uint32_t word = 0;
    for (std::size_t plane = 0; plane < 4; ++plane)
        word |= static_cast<std::uint32_t>(planes[plane * count + i]) << (plane * 8);
    return word;
}

// Reads the table of streams.
class StreamTable {
public:
    explicit StreamTable(ByteReader& in) : in_(in) {}

    // Reads the next run; `number`: of its first stream. Returns its length.
    std::size_t next(WordStream& stream, Prediction& prediction, std::uint32_t number,
                     std::uint32_t frames, std::uint32_t format) {
        const std::uint64_t delta = in_.number();
        if ((number > 0 && delta == 0) || key_ + delta < key_)
            in_.damaged("its streams are out of order");
        stream.key = key_ + delta;
        const std::uint64_t length = format < runsFormat ? 1 : in_.number();
        // Each stream has a word before its first value.
        if (length == 0 || length > in_.rest().size() / sizeof(std::uint32_t) ||
            stream.key + (length - 1) < stream.key)
            in_.damaged("a run of streams has none, or more than there are bytes");
        key_ = stream.key + (length - 1);
        prediction = one(stream, number, frames);
        return static_cast<std::size_t>(length);
    }

private:
    Prediction one(WordStream& stream, std::uint32_t number, std::uint32_t frames) {
        stream.first = in_.number32();
        stream.count = in_.number32();
        if (stream.count > frames || stream.first > frames - stream.count)
            in_.damaged("a stream goes beyond the last frame");
        const auto read = predictionOf(static_cast<std::uint8_t>(in_.block(1)[0]));
        if (!read) in_.damaged("a stream has no known predictor");
        Prediction prediction = *read;
        if (prediction.predictor == Predictor::Integrate) {
            const std::int64_t away = in_.signedNumber();
            if (away < -std::int64_t{number} || away > std::int64_t{UINT32_MAX} - number)
                in_.damaged("a stream has no source");
            prediction.source = static_cast<std::uint32_t>(number + away);
        }
        if (constantCount(prediction.predictor) > 0) prediction.k = constant();
        if (constantCount(prediction.predictor) < 3) return prediction;
        prediction.p = constant();
        prediction.q = constant();
        return prediction;
    }
    double constant() {
        const std::uint64_t number = in_.number();
        if (number > constants_.size()) in_.damaged("a stream has no constant");
        if (number == constants_.size()) constants_.push_back(in_.plain<double>());
        return constants_[number];
    }

    ByteReader& in_;
    std::uint64_t key_ = 0;
    std::vector<double> constants_;
};

// Replaces residuals by values.
class Restoring {
public:
    Restoring(BlockWords& words, std::span<const Prediction> predictions, const ByteReader& in)
        : words_(words), predictions_(predictions), in_(in), series_(words) {}

    void all() {
        const auto count = static_cast<std::uint32_t>(predictions_.size());
        std::size_t uppers = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (predictions_[i].predictor == Predictor::Upper) ++uppers;
            if (predictions_[i].isWide && upperOf(i) != BlockSeries::none) --uppers;
        }
        if (uppers != 0) in_.damaged("a stream is the upper half of nothing");
        // Streams without a source come first, as others are predicted from them.
        for (const bool hasSource : {false, true})
            for (std::uint32_t i = 0; i < count; ++i)
                if (predictions_[i].predictor != Predictor::Upper &&
                    (predictions_[i].predictor == Predictor::Integrate) == hasSource)
                    one(i);
    }

private:
    // The stream that is the other half of a wide one.
    std::uint32_t upperOf(std::uint32_t number) const {
        const std::uint32_t upper = series_.upperOf(number);
        if (predictions_[number].predictor == Predictor::Upper || upper == BlockSeries::none ||
            predictions_[upper].predictor != Predictor::Upper)
            in_.damaged("a stream has no upper half");
        return upper;
    }
    void one(std::uint32_t number) {
        const Prediction& by = predictions_[number];
        const WordStream& stream = words_.streams[number];
        const bool hasSource = by.predictor == Predictor::Integrate;
        if (hasSource) checkSource(by);
        if (!by.isWide) {
            std::span<const std::uint32_t> source;
            if (hasSource)
                source = alignSource(series_.narrow(by.source), stream.first, stream.count,
                                     by.isLagged, narrow_);
            restoreValues<std::uint32_t>(by, stream.before, source, series_.values(number));
            return;
        }
        const std::uint32_t upper = upperOf(number);
        std::span<const std::uint64_t> source;
        if (hasSource)
            source = alignSource(series_.wide(by.source, series_.upperOf(by.source), source_),
                                 stream.first, stream.count, by.isLagged, wide_);
        const std::uint64_t before = series_.wide(number, upper, values_).before;
        restoreValues<std::uint64_t>(by, before, source, values_);
        const std::span<std::uint32_t> low = series_.values(number);
        const std::span<std::uint32_t> high = series_.values(upper);
        for (std::size_t i = 0; i < values_.size(); ++i) {
            low[i] = static_cast<std::uint32_t>(values_[i]);
            high[i] = static_cast<std::uint32_t>(values_[i] >> 32);
        }
    }
    // A source must not have a source itself, whose values might not be there yet.
    void checkSource(const Prediction& by) const {
        auto isReady = [this](std::uint32_t number) {
            if (number >= predictions_.size()) return false;
            if (predictions_[number].predictor == Predictor::Integrate) return false;
            if (predictions_[number].predictor != Predictor::Upper) return true;
            // The lower half has the prediction.
            const std::uint32_t lower = lowerOf(number);
            return lower != BlockSeries::none &&
                   predictions_[lower].predictor != Predictor::Integrate;
        };
        if (!isReady(by.source)) in_.damaged("a stream's source cannot be one");
        if (!by.isWide) return;
        const std::uint32_t upper = series_.upperOf(by.source);
        if (upper == BlockSeries::none || !isReady(upper))
            in_.damaged("a stream's source has no upper half");
    }
    std::uint32_t lowerOf(std::uint32_t upper) const noexcept {
        const std::uint64_t key = words_.streams[upper].key - (std::uint64_t{1} << 32);
        const auto found = std::lower_bound(
            words_.streams.begin(), words_.streams.end(), key,
            [](const WordStream& each, std::uint64_t to) { return each.key < to; });
        return found != words_.streams.end() && found->key == key
                   ? static_cast<std::uint32_t>(found - words_.streams.begin())
                   : BlockSeries::none;
    }

    BlockWords& words_;
    std::span<const Prediction> predictions_;
    const ByteReader& in_;
    BlockSeries series_;
    std::vector<std::uint64_t> values_;
    std::vector<std::uint64_t> source_;
    std::vector<std::uint32_t> narrow_;  // aligned sources
    std::vector<std::uint64_t> wide_;
};

}  // namespace

BlockWords unpackBlock(std::span<const std::byte> packed, std::uint32_t format) {
    const PlainFloatScope scope;
    const RawBytes raw = inflate(packed, what);
    ByteReader reader(raw, what);
    StreamTable table(reader);
    BlockWords words;
    words.frames = reader.number32();
    std::vector<Prediction> predictions;
    std::uint64_t values = 0;
    for (std::size_t runs = reader.count(); runs > 0; --runs) {
        WordStream stream;
        Prediction prediction;
        const auto number = static_cast<std::uint32_t>(words.streams.size());
        const std::size_t length = table.next(stream, prediction, number, words.frames, format);
        if (length >
            reader.rest().size() / sizeof(std::uint32_t) -
                std::min<std::size_t>(number, reader.rest().size() / sizeof(std::uint32_t)))
            reader.damaged("it has more streams than bytes");
        if (prediction.source > UINT32_MAX - length) reader.damaged("a stream has no source");
        values += std::uint64_t{stream.count} * length;
        for (std::size_t i = 0; i < length; ++i) {
            words.streams.push_back(stream);
            predictions.push_back(prediction);
            ++stream.key;
            ++prediction.source;
        }
    }
    const std::size_t streams = words.streams.size();
    if (values > raw.size()) reader.damaged("it has more values than bytes");
    const auto befores = reader.block(streams * 4);
    const auto residuals = reader.block(values * 4);
    reader.expectEnd();
    for (std::size_t i = 0; i < streams; ++i)
        words.streams[i].before = wordOfPlanes(befores, streams, i);
    words.values.resize(values);
    for (std::size_t i = 0; i < values; ++i) words.values[i] = wordOfPlanes(residuals, values, i);
    Restoring(words, predictions, reader).all();
    return words;
}

}  // namespace revenant
