// BlockSeries: the streams of a block as series of 32-bit values, or, two by two, of 64-bit ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rewind/codec/block_words.hpp"
#include "rewind/codec/series.hpp"

namespace revenant {

class BlockSeries {
public:
    static constexpr std::uint32_t none = UINT32_MAX;

    // `words` outlives it, and keeps its streams.
    explicit BlockSeries(BlockWords& words) : words_(words) {
        offsets_.reserve(words.streams.size());
        std::size_t offset = 0;
        for (const WordStream& stream : words.streams) {
            offsets_.push_back(offset);
            offset += stream.count;
        }
    }

    std::span<std::uint32_t> values(std::uint32_t stream) noexcept {
        return {words_.values.data() + offsets_[stream], words_.streams[stream].count};
    }
    Series<std::uint32_t> narrow(std::uint32_t stream) const noexcept {
        const WordStream& each = words_.streams[stream];
        return {each.first, each.before, {words_.values.data() + offsets_[stream], each.count}};
    }
    // Of a stream and its upper half. Good until `values` changes.
    Series<std::uint64_t> wide(std::uint32_t lower, std::uint32_t upper,
                               std::vector<std::uint64_t>& values) const {
        const Series<std::uint32_t> low = narrow(lower);
        const Series<std::uint32_t> high = narrow(upper);
        values.resize(low.values.size());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = std::uint64_t{high.values[i]} << 32 | low.values[i];
        return {low.first, std::uint64_t{high.before} << 32 | low.before, values};
    }
    // The stream of the upper half of a 64-bit value, if this one may be the lower half: that of the
    // next word, which changes in the same frames.
    std::uint32_t upperOf(std::uint32_t stream) const noexcept {
        const WordStream& lower = words_.streams[stream];
        const std::uint64_t key = lower.key + (std::uint64_t{1} << 32);
        const auto begin = words_.streams.begin() + stream;
        const auto found = std::lower_bound(
            begin, words_.streams.end(), key,
            [](const WordStream& each, std::uint64_t to) { return each.key < to; });
        if (found == words_.streams.end() || found->key != key || found->first != lower.first ||
            found->count != lower.count)
            return none;
        return static_cast<std::uint32_t>(found - words_.streams.begin());
    }

private:
    BlockWords& words_;
    std::vector<std::size_t> offsets_;  // of each stream's values
};

}  // namespace revenant
