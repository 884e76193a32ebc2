// BlockWords: how 32-bit words changed over a block of frames, as columns over time. The
// codec's data: it knows nothing of entities; a stream is whatever the key says it is.
//
// The packed form is a grammar of little-endian bytes and LEB128 numbers:
//
//     packed   = rawBytes:number zstdFrame(raw)
//     raw      = frames:number runs:number run* before value
//     run      = keyDelta:number length:number first:number count:number predictor:byte source? constant*
//     source   = number:signed              of the source's stream, less the stream's own
//     constant = number:number value:f64?   the value where the number is new: the next one
//     before   = plane 0..3 of the words before each stream's first value
//     value    = plane 0..3 of all residuals, stream by stream
//
// A run is of streams with consecutive keys that are alike in all the rest; keyDelta: its first key less the one of
// the stream before. Before format 6 there were no runs: `streams:number stream*`, each without a length.
//
// A plane is one byte of each word, the least significant first: the high bytes of what changes
// smoothly are nearly all zero, and pack to nothing. A residual is the zigzag-coded difference of
// a word and what its prediction expects (prediction.hpp), or the two words of such a difference,
// the upper one in the place of the stream with the next word's key. The byte of a predictor has
// flags above its number: 8 wide, 16 lagged, 32 rounded. Only Integrate has a source; Step and
// Integrate have one constant (k), Linear three (k, p, q).
#pragma once

#include <cstdint>
#include <vector>

#include "world/codec/words.hpp"

namespace revenant {

// The format of blocks and of all that is saved with them (delta_bytes.hpp).
inline constexpr std::uint32_t runsFormat = 6;
inline constexpr std::uint32_t newestBlockFormat = 7;

struct WordStream {
    std::uint64_t key = 0;
    std::uint32_t first = 0;   // frame of the first value; the word changed there
    std::uint32_t count = 0;   // of values: one per frame from `first` on
    std::uint32_t before = 0;  // the word before `first`

    friend bool operator==(const WordStream&, const WordStream&) noexcept = default;
};

struct BlockWords {
    std::uint32_t frames = 0;
    std::vector<WordStream> streams;  // ascending by key, no key twice
    Words values;                     // of all streams, one after the other

    friend bool operator==(const BlockWords&, const BlockWords&) = default;
};

}  // namespace revenant
