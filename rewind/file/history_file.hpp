// HistoryFile: a whole history as plain data, and as the bytes of a file: a flight recorder. A tester
// saves one, a programmer opens it in an empty world and goes to any frame of it.
//
//     file       = "REVENANT" format:u32 size:u64 checksum:u64 section*      size: of all bytes
//     section    = kind:byte size:u64 checksum:u64 bytes                     checksums are XXH3
//     components = count:number (name:text size:number alignment:number fields defaults:sized)*
//     fields     = count:number (name:text type:byte offset:number count:number isArray:byte
//                  blend:byte)*
//     strings    = count:number text*                         the world's table, "" first
//     entities   = clock:number slots strangers known
//     slots      = count:number generation:number*
//     strangers  = count:number (id serial:number)*
//     known      = count:number (index:number hangsOn:number name:number serial:number
//                  bornAt:number where:byte rewindable:byte)* hangsOn: index + 1, or 0
//     moment     = count:number name:text* delta              see snapshot.hpp, delta_bytes.hpp
//     frames     = shown:signed count:number (checkpoint:text frame:signed)*
//     makes      = count:number (type:number count:number (number:number make:text)*)*   see ComponentMake
//     block      = first:signed count:number hash:u64* offsets frames  see frame_packer.hpp
//     offsets    = count:number offset:number*                of the frames from the first, if some were thinned out
//
// There is one section of each kind, in this order, but no makes where there are none, and as many blocks as there are; all but
// those, and the names of the moment, are packed with zstd. What follows from the blocks is not saved but derived. Types of
// components and strings are numbers, in blocks that are better not taken apart, and count for
// the hashes: a world that opens a file has the same ones, as far as it has any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "rewind/history/delta_bytes.hpp"
#include "rewind/history/history.hpp"
#include "rewind/record/snapshot.hpp"
#include "world/codec/file_bytes.hpp"
#include "world/codec/file_head.hpp"
#include "world/component_schema.hpp"
#include "world/rewind_hooks.hpp"

namespace revenant {

class Recorder;
class WorldCore;

struct HistoryFile {
    using Checkpoints = std::map<std::string, std::int64_t, std::less<>>;

    std::uint32_t format = newestFormat;  // of the blocks
    std::vector<ComponentSchema> components;
    std::vector<std::string> strings;
    Snapshot snapshot;
    std::map<ComponentTypeId, std::vector<ComponentMake>> makes;  // none is empty
    std::int64_t shown = 0;  // the frame that the snapshot is of
    Checkpoints checkpoints;
    std::vector<PackedBlock> blocks;
    FrameHeader begin;  // of the oldest frame; follows from the first block

    std::int64_t oldest() const noexcept { return blocks.front().first; }
    std::int64_t newest() const noexcept { return blocks.back().last(); }
};

struct ParseOptions {
    // false: accepts any. For tests of what is behind them: a forger would fix the checksums, too.
    bool checksums = true;
    bool hashes = true;  // of frames; those in which hooks have states are not checked
};

// What bytes say, once all of it is found to make sense: every frame is unpacked, and all that the
// frames do to the forest is gone through, without a world. Throws Error{BadArgument} with a
// sentence that says what is wrong where.
HistoryFile parseHistory(std::span<const std::byte> bytes, const ParseOptions& options = {});
std::vector<std::byte> writeHistory(const HistoryFile& file);

// What a history file has to say of a world and its history. Throws as Recorder::takeSnapshot.
// REQUIRES: the history has `shown`, and the recorder is there.
HistoryFile takeHistory(const WorldCore& world, History& history, const Recorder& recorder,
                        std::int64_t shown);
// Throws an Error where the file does not fit the world: one that has entities, or other components
// or strings under the same numbers.
void checkFits(const HistoryFile& file, WorldCore& world);
// Puts a parsed file into a world: its current frame is shown. Throws what a hook throws, having
// taken all back but definitions and strings. REQUIRES: it fits, and the history is empty.
void openHistory(HistoryFile file, WorldCore& world, History& history, Recorder& recorder);

// ---- shared by the files that write and read

enum class SectionKind : std::uint8_t {
    Components,
    Strings,
    Entities,
    Moment,
    Frames,
    Block,
    Makes
};

inline constexpr char historyMagic[] = {'R', 'E', 'V', 'E', 'N', 'A', 'N', 'T'};
inline constexpr std::uint32_t historyFormat = newestFormat;
inline constexpr FileKind historyKind{historyMagic, "history file", oldestFormat, historyFormat};
std::uint64_t sectionChecksum(SectionKind kind, std::span<const std::byte> bytes) noexcept;
std::uint64_t headChecksum(std::uint32_t format, std::uint64_t size) noexcept;
// Goes through the frames from the one that is shown to both ends, and adds to the blocks what
// follows from them. REQUIRES: the rest makes sense.
void checkFrames(HistoryFile& file, const ParseOptions& options);

}  // namespace revenant
