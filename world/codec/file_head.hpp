// The head of a file of ours: magic format:u32 size:u64 checksum:u64. What size and checksum are of, each kind of file says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "world/codec/byte_stream.hpp"

namespace revenant {

inline constexpr std::size_t magicBytes = 8;
inline constexpr std::size_t fileHeadBytes = magicBytes + 20;

struct FileHead {
    std::uint32_t format = 0;
    std::uint64_t size = 0;
    std::uint64_t checksum = 0;
};

// A kind of file, and the formats of it that are read.
struct FileKind {
    std::span<const char, magicBytes> magic;
    const char* name;  // "history file"
    std::uint32_t oldestFormat;
    std::uint32_t format;
};

inline void writeFileHead(ByteWriter& out, const FileKind& kind, const FileHead& head) {
    out.block(std::as_bytes(kind.magic));
    out.plain(head.format);
    out.plain(head.size);
    out.plain(head.checksum);
}

// Takes the head from the bytes. Throws Error{BadArgument} where it is that of another kind of file, or of a format that is
// not read.
inline FileHead readFileHead(ByteReader& in, const FileKind& kind) {
    const auto magic = std::as_bytes(kind.magic);
    const auto begin = in.rest().first(std::min(in.rest().size(), magicBytes));
    if (!std::ranges::equal(begin, magic.first(begin.size())))
        fail(ErrorCode::BadArgument, "it is not a ", kind.name);
    if (in.rest().size() < fileHeadBytes)
        fail(ErrorCode::BadArgument, "it is cut off: it has only ", in.rest().size(), " bytes");
    in.block(magicBytes);
    FileHead head;
    head.format = in.plain<std::uint32_t>();
    head.size = in.plain<std::uint64_t>();
    head.checksum = in.plain<std::uint64_t>();
    if (head.format < kind.oldestFormat || head.format > kind.format)
        fail(ErrorCode::BadArgument, "it has format ", head.format, ", but this version reads ",
             kind.oldestFormat, " to ", kind.format,
             head.format > kind.format ? "; open it with the version that wrote it" : "");
    return head;
}

}  // namespace revenant
