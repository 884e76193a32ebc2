#include "rewind/stretch_writer.hpp"

#include <array>
#include <bit>
#include <span>

#include "rewind/delta_bytes.hpp"
#include "world/error.hpp"

namespace revenant {

namespace {

void appendPlanes(ByteWriter& out, std::span<const std::uint32_t> words) {
    std::byte* plane = out.room(words.size() * 4).data();
    for (int shift = 0; shift < 32; shift += 8, plane += words.size())
        for (std::size_t i = 0; i < words.size(); ++i)
            plane[i] = static_cast<std::byte>(words[i] >> shift);
}

std::uint32_t zigzag(std::uint32_t difference) noexcept {
    return difference << 1 ^ (0U - (difference >> 31));
}

std::uint32_t residual(Predictor predictor, std::uint32_t value, std::uint32_t last,
                       std::uint32_t beforeLast) noexcept {
    const std::uint32_t expected = predict(predictor, last, beforeLast);
    return predictor == Predictor::Toggle ? value ^ expected : zigzag(value - expected);
}

// The predictor that leaves the fewest significant bits.
Predictor choosePredictor(const WordStream& stream, const std::uint32_t* values) noexcept {
    constexpr std::array predictors{Predictor::Hold, Predictor::Glide, Predictor::Toggle};
    std::array<std::uint64_t, predictors.size()> cost{};
    std::uint32_t last = stream.before;
    std::uint32_t beforeLast = stream.before;
    for (std::uint32_t i = 0; i < stream.count; ++i) {
        for (std::size_t k = 0; k < predictors.size(); ++k) {
            const std::uint32_t left = residual(predictors[k], values[i], last, beforeLast);
            cost[k] += left == 0 ? 0 : 4 + static_cast<unsigned>(std::bit_width(left));
        }
        beforeLast = last;
        last = values[i];
    }
    std::size_t best = 0;
    for (std::size_t k = 1; k < predictors.size(); ++k)
        if (cost[k] < cost[best]) best = k;
    return predictors[best];
}

}  // namespace

std::vector<std::byte> packStretch(StretchWords words, const PackOptions& options) {
    ByteWriter out;
    out.number(words.frames);
    out.number(words.streams.size());
    std::vector<std::uint32_t> befores;
    befores.reserve(words.streams.size());
    std::uint64_t key = 0;
    std::uint32_t* values = words.values.data();
    for (const WordStream& stream : words.streams) {
        REVENANT_ASSERT(stream.key >= key, "packStretch: the streams are not in order");
        REVENANT_ASSERT(stream.first + stream.count <= words.frames,
                        "packStretch: a stream has values beyond the last frame");
        const Predictor predictor = choosePredictor(stream, values);
        out.number(stream.key - key);
        out.number(stream.first);
        out.number(stream.count);
        out.plain(predictor);
        key = stream.key;
        befores.push_back(stream.before);
        std::uint32_t last = stream.before;
        std::uint32_t beforeLast = stream.before;
        // Residuals take the place of the values.
        for (std::uint32_t i = 0; i < stream.count; ++i) {
            const std::uint32_t value = values[i];
            values[i] = residual(predictor, value, last, beforeLast);
            beforeLast = last;
            last = value;
        }
        values += stream.count;
    }
    appendPlanes(out, befores);
    appendPlanes(out, words.values);
    words = {};
    return deflate(out.bytes(), options.zstdLevel);
}

}  // namespace revenant
