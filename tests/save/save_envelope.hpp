// The envelope of a binary save: what is around its body (docs/save_file_format.md), for tests of bodies that no writer made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "save/format/save_bytes.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/zstd.hpp"

namespace revenant::tests {

inline std::vector<std::byte> wrapBody(std::span<const std::byte> body) {
    const auto packed = deflate(body, 1);
    ByteWriter out;
    writeFileHead(out, saveKind, {saveFormat, packed.size(), saveChecksum(saveFormat, packed)});
    out.block(packed);
    return out.take();
}

inline std::vector<std::byte> bodyOf(std::span<const std::byte> save) {
    const RawBytes body = inflate(save.subspan(fileHeadBytes), "a save");
    return {body.begin(), body.end()};
}

inline std::vector<std::byte> bytesOf(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

}  // namespace revenant::tests
