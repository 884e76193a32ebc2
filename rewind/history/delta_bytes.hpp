// Deltas as bytes, without their words where those are packed elsewhere. The reader may be given
// anything: it throws Error{BadArgument} where the bytes are no delta.
//
//     delta     = words? steps steps rebindings toggles outsides states
//     words     = count:number word:u32*
//     steps     = count:number (id parent previous flags:byte outer? makeup?)*     flags: see delta_bytes.cpp
//     makeup    = enabled:byte disabled:number words
//     rebinding = id type:number had:byte has:byte words words
//     toggle    = id enabled:byte enabled:byte disabled:number disabled:number
//     outside   = id (hasBefore:byte makeup?) (hasAfter:byte makeup?)
//     state     = id what:number side side
//     side      = kind:byte bytes?                 0 none, 1 a state, 2 that of a component whose entity is out
//     id        = index:number generation:number
#pragma once

#include "rewind/codec/block_words.hpp"
#include "rewind/history/delta.hpp"
#include "world/codec/byte_stream.hpp"

namespace revenant {

// Blocks and deltas have the format of the files they are saved in. What is in memory has the newest: a
// file of an earlier one is packed anew when it is read.
//
//     2    ticks of 32 bits
//     3    ticks of 64 bits
//     4    frames that were thinned out; pending requests; departures that leave entities detached
//     5    entities that are out of the world say what they are attached to
//     6    streams and components of a block in runs
//     7    states of components whose entities are out
inline constexpr std::uint32_t oldestFormat = 2;
inline constexpr std::uint32_t requestsFormat = 4;
inline constexpr std::uint32_t outStatesFormat = 7;
inline constexpr std::uint32_t newestFormat = newestBlockFormat;

void writeWords(ByteWriter& out, std::span<const std::uint32_t> words);
Words readWords(ByteReader& in);
void writeId(ByteWriter& out, EntityId id);
EntityId readId(ByteReader& in);

void writeStructure(ByteWriter& out, const Delta& delta);  // all but the words
void readStructure(ByteReader& in, Delta& delta, std::uint32_t format);

// A whole delta, packed with zstd.
std::vector<std::byte> packDelta(const Delta& delta, int zstdLevel);
Delta unpackDelta(std::span<const std::byte> packed, std::uint32_t format = newestFormat);

}  // namespace revenant
