// Deltas as bytes, without their words where those are packed elsewhere. The reader may be given
// anything: it throws Error{BadArgument} where the bytes are no delta.
//
//     delta     = words? steps steps rebindings toggles outsides states
//     words     = count:number word:u32*
//     steps     = count:number (id parent elder flags:byte makeup?)*     flags: see delta_bytes.cpp
//     makeup    = enabled:byte disabled:number words
//     rebinding = id type:number had:byte has:byte words words
//     toggle    = id enabled:byte enabled:byte disabled:number disabled:number
//     outside   = id (hasBefore:byte makeup?) (hasAfter:byte makeup?)
//     state     = id what:number hasBefore:byte bytes? hasAfter:byte bytes?
//     id        = index:number generation:number
#pragma once

#include "rewind/byte_stream.hpp"
#include "rewind/delta.hpp"

namespace revenant {

void writeWords(ByteWriter& out, const Words& words);
Words readWords(ByteReader& in);
void writeId(ByteWriter& out, EntityId id);
EntityId readId(ByteReader& in);

void writeStructure(ByteWriter& out, const Delta& delta);  // all but the words
void readStructure(ByteReader& in, Delta& delta);

// A whole delta, packed with zstd.
std::vector<std::byte> packDelta(const Delta& delta, int zstdLevel);
Delta unpackDelta(std::span<const std::byte> packed);

// Bytes packed with zstd, their unpacked size first. `what`: for sentences.
std::vector<std::byte> deflate(std::span<const std::byte> raw, int zstdLevel);
RawBytes inflate(std::span<const std::byte> packed, const char* what);

}  // namespace revenant
