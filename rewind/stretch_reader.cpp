#include "rewind/stretch_reader.hpp"

#include "rewind/delta_bytes.hpp"

namespace revenant {

namespace {

std::uint32_t unzigzag(std::uint32_t coded) noexcept {
    return coded >> 1 ^ (0U - (coded & 1));
}

std::uint32_t wordOfPlanes(std::span<const std::byte> planes, std::size_t count, std::size_t i) {
    std::uint32_t word = 0;
    for (std::size_t plane = 0; plane < 4; ++plane)
        word |= static_cast<std::uint32_t>(planes[plane * count + i]) << (plane * 8);
    return word;
}

}  // namespace

StretchWords unpackStretch(std::span<const std::byte> packed) {
    constexpr const char* what = "a packed stretch of history";
    const RawBytes raw = inflate(packed, what);
    ByteReader reader(raw, what);
    auto number32 = [&reader] {
        const std::uint64_t value = reader.number();
        if (value > UINT32_MAX) reader.damaged("a number is too large");
        return static_cast<std::uint32_t>(value);
    };
    StretchWords words;
    words.frames = number32();
    const std::size_t streams = reader.count();
    words.streams.resize(streams);
    std::vector<Predictor> predictors(streams);
    std::uint64_t key = 0;
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < streams; ++i) {
        WordStream& stream = words.streams[i];
        const std::uint64_t delta = reader.number();
        if ((i > 0 && delta == 0) || key + delta < key)
            reader.damaged("its streams are out of order");
        stream.key = key += delta;
        stream.first = number32();
        stream.count = number32();
        if (stream.count > words.frames || stream.first > words.frames - stream.count)
            reader.damaged("a stream goes beyond the last frame");
        const auto predictor = static_cast<std::uint8_t>(reader.block(1)[0]);
        if (predictor > static_cast<std::uint8_t>(Predictor::Toggle))
            reader.damaged("a stream has no known predictor");
        predictors[i] = static_cast<Predictor>(predictor);
        values += stream.count;
    }
    if (values > raw.size()) reader.damaged("it has more values than bytes");
    const auto befores = reader.block(streams * 4);
    const auto residuals = reader.block(values * 4);
    reader.expectEnd();
    words.values.resize(values);
    std::size_t at = 0;
    for (std::size_t i = 0; i < streams; ++i) {
        WordStream& stream = words.streams[i];
        stream.before = wordOfPlanes(befores, streams, i);
        std::uint32_t last = stream.before;
        std::uint32_t beforeLast = stream.before;
        for (std::uint32_t k = 0; k < stream.count; ++k, ++at) {
            const std::uint32_t left = wordOfPlanes(residuals, values, at);
            const std::uint32_t expected = predict(predictors[i], last, beforeLast);
            const std::uint32_t value =
                predictors[i] == Predictor::Toggle ? expected ^ left : expected + unzigzag(left);
            words.values[at] = value;
            beforeLast = last;
            last = value;
        }
    }
    return words;
}

}  // namespace revenant
