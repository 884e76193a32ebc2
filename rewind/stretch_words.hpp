// StretchWords: how 32-bit words changed over a stretch of frames, as columns over time. The
// codec's data: it knows nothing of entities; a stream is whatever the key says it is.
//
// The packed form is a grammar of little-endian bytes and LEB128 numbers:
//
//     packed   = rawBytes:number zstdFrame(raw)
//     raw      = frames:number streams:number stream* before value
//     stream   = keyDelta:number first:number count:number predictor:byte
//     before   = plane 0..3 of the words before each stream's first value
//     value    = plane 0..3 of all residuals, stream by stream
//
// A plane is one byte of each word, the least significant first: the high bytes of what changes
// smoothly are nearly all zero, and pack to nothing. A residual is the zigzag-coded difference of
// a word and what its predictor expects: the word before (Hold), the word before and its last
// difference (Glide: constant speed packs to zeros), or the word before by XOR (Toggle).
#pragma once

#include <cstdint>
#include <vector>

#include "rewind/words.hpp"

namespace revenant {

enum class Predictor : std::uint8_t { Hold, Glide, Toggle };

struct WordStream {
    std::uint64_t key = 0;
    std::uint32_t first = 0;   // frame of the first value; the word changed there
    std::uint32_t count = 0;   // of values: one per frame from `first` on
    std::uint32_t before = 0;  // the word before `first`

    friend bool operator==(const WordStream&, const WordStream&) noexcept = default;
};

struct StretchWords {
    std::uint32_t frames = 0;
    std::vector<WordStream> streams;  // ascending by key, no key twice
    Words values;                     // of all streams, one after the other

    friend bool operator==(const StretchWords&, const StretchWords&) = default;
};

// What a word is expected to be after `last`, which came after `beforeLast`.
inline std::uint32_t predict(Predictor predictor, std::uint32_t last,
                             std::uint32_t beforeLast) noexcept {
    return predictor == Predictor::Glide ? last + (last - beforeLast) : last;
}

}  // namespace revenant
