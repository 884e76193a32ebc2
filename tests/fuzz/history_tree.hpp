// A history file as a tree, by the rules of docs/history_file_format.md: its sections, unpacked, down to the
// last number. A tree can be changed anywhere and is written again with right sizes, counts and
// checksums, so that a mutation reaches the code that reads the field.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "rewind/file/history_file.hpp"

namespace revenant::fuzz {

using Bytes = std::vector<std::byte>;

struct Node {
    enum class Kind : std::uint8_t {
        Number,
        Signed,
        Byte,
        U32,
        U64,
        Sized,     // its size, then its bytes
        Rest,      // bytes up to the end
        Tuple,     // its children, one after the other
        List,      // their number, then its children
        Optional,  // a flag, and its child if there is one
        Step,      // the makeup, its last child, only where the flags before it say that it crosses
        Streams,   // a packed block: first the number of frames, then a list of streams
        Zstd,      // packed
        SizedZstd  // packed, behind the size of that
    };

    Kind kind = Kind::Tuple;
    const char* name = "";  // of the field or rule; nodes of one name can stand for each other
    std::uint64_t value = 0;
    std::int64_t miscount = 0;  // of a list: how much more it claims to have
    Bytes bytes{};
    std::vector<Node> children{};
};

struct Section {
    SectionKind kind = SectionKind::Components;
    Node content;
    Bytes packed;  // of the content; empty: to be written anew
};

struct Tree {
    std::uint32_t format = historyFormat;
    std::vector<Section> sections;
};

// REQUIRES: a file that was written by saveHistory.
Tree treeOf(std::span<const std::byte> file);
// The same history as a file of format 2 had it. REQUIRES: nothing was thinned out, and all is in one slice.
Tree inFormat2(Tree tree);
// Writes the sections that have no packed bytes, and puts all together.
Bytes bytesOf(Tree& tree);

}  // namespace revenant::fuzz
