// Packs consecutive frames into a block of bytes. Touches nothing but its arguments, so that it can
// run on any thread. The frames' hashes are not in the block: they do not compress, and are needed
// without unpacking it.
//
//     block      = size:number zstd(rest) slices                size: bytes of the first zstd
//     slices     = count:number (size:number words)*            each of some of the entities
//     rest       = frames:number firstNumber:signed first:globals jumps components structures gaps
//     globals    = the twelve words of globalWords (frame_unpacker.hpp), random state:u64 * 4
//     jumps      = count:number (frame:number state:u64 * 4)*   where the random state is not
//                  what drawing that many numbers leads to
//     components = count:number (index:signed type:number words:number length:number)*
//                  runs of entities with consecutive indices; index: less the one that would follow the run before
//     structures = count:number (frame:number structure)*       see delta_bytes.hpp
//     gaps       = count:number (frame:number missing:number crossings)*
//                  where frames before one were thinned out: how many, and the crossings of them and of that frame
//     crossings  = count:number (age:number id parent kind:byte)*     age: of the frame, before the one with the gap
//     words      = a packed block (block_words.hpp); key: type << 48 | word << 32 | component;
//                  type 0xFFFF: the globals, in the first slice
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rewind/codec/block_writer.hpp"
#include "rewind/history/frame.hpp"

namespace revenant {

// REQUIRES: at least one frame; numbers ascend.
std::vector<std::byte> packFrames(std::span<const Frame> frames, const PackOptions& options);

}  // namespace revenant
