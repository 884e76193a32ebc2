#include "rewind/stretch_reader.hpp"

#include <zstd.h>

#include "world/error.hpp"

namespace revenant {

namespace {

// No stretch that we write comes near: larger sizes are made up.
constexpr std::uint64_t maxRawBytes = std::uint64_t{1} << 30;

[[noreturn]] void damaged(const char* what) {
    fail(ErrorCode::BadArgument, "a packed stretch of history is damaged: ", what);
}

class Reader {
public:
    explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const auto byte = static_cast<std::uint64_t>(take(1)[0]);
            value |= (byte & 0x7F) << shift;
            if ((byte & 0x80) == 0) return value;
        }
        damaged("a number does not end");
    }
    std::uint32_t number32() {
        const std::uint64_t value = number();
        if (value > UINT32_MAX) damaged("a number is too large");
        return static_cast<std::uint32_t>(value);
    }
    std::span<const std::byte> take(std::size_t count) {
        if (count > rest_.size()) damaged("it ends too early");
        auto taken = rest_.first(count);
        rest_ = rest_.subspan(count);
        return taken;
    }
    std::span<const std::byte> rest() const noexcept { return rest_; }

private:
    std::span<const std::byte> rest_;
};

std::uint32_t unzigzag(std::uint32_t coded) noexcept {
    return coded >> 1 ^ (0U - (coded & 1));
}

std::uint32_t wordOfPlanes(std::span<const std::byte> planes, std::size_t count, std::size_t i) {
    std::uint32_t word = 0;
    for (std::size_t plane = 0; plane < 4; ++plane)
        word |= static_cast<std::uint32_t>(planes[plane * count + i]) << (plane * 8);
    return word;
}

std::vector<std::byte> inflate(std::span<const std::byte> packed) {
    Reader head(packed);
    const std::uint64_t rawBytes = head.number();
    if (rawBytes > maxRawBytes) damaged("its size is beyond reason");
    if (ZSTD_getFrameContentSize(head.rest().data(), head.rest().size()) != rawBytes)
        damaged("its size is not what it says");
    std::vector<std::byte> raw(rawBytes);
    const std::size_t size =
        ZSTD_decompress(raw.data(), raw.size(), head.rest().data(), head.rest().size());
    if (ZSTD_isError(size) || size != rawBytes) damaged("it cannot be unpacked");
    return raw;
}

}  // namespace

StretchWords unpackStretch(std::span<const std::byte> packed) {
    const std::vector<std::byte> raw = inflate(packed);
    Reader reader(raw);
    StretchWords words;
    words.frames = reader.number32();
    const std::uint64_t streams = reader.number();
    if (streams > raw.size()) damaged("it has more streams than bytes");
    words.streams.resize(streams);
    std::vector<Predictor> predictors(streams);
    std::uint64_t key = 0;
    std::uint64_t values = 0;
    for (std::size_t i = 0; i < streams; ++i) {
        WordStream& stream = words.streams[i];
        const std::uint64_t delta = reader.number();
        if ((i > 0 && delta == 0) || key + delta < key) damaged("its streams are out of order");
        stream.key = key += delta;
        stream.first = reader.number32();
        stream.count = reader.number32();
        if (stream.count > words.frames || stream.first > words.frames - stream.count)
            damaged("a stream goes beyond the last frame");
        const auto predictor = static_cast<std::uint8_t>(reader.take(1)[0]);
        if (predictor > static_cast<std::uint8_t>(Predictor::Toggle))
            damaged("a stream has no known predictor");
        predictors[i] = static_cast<Predictor>(predictor);
        values += stream.count;
    }
    if (values > raw.size()) damaged("it has more values than bytes");
    const auto befores = reader.take(streams * 4);
    const auto residuals = reader.take(values * 4);
    if (!reader.rest().empty()) damaged("it goes on beyond its end");
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
