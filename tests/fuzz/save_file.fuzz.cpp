// libFuzzer over the loader of saves, behind the checksum: the input is a body, or JSON.
//
//     fuzz_save_file corpus/        where corpus/ may be empty
#include <span>

#include "rewind/state_hash.hpp"
#include "save/format/save_bytes.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "world/codec/byte_stream.hpp"
#include "world/codec/zstd.hpp"
#include "world/error.hpp"

using namespace revenant;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    ByteWriter out;
    if (size > 0 && data[0] == '{') {
        out.block(input);
    } else {
        const auto packed = deflate(input, 1);
        out.block(std::as_bytes(std::span(saveMagic)));
        out.plain(saveFormat);
        out.plain(std::uint64_t{packed.size()});
        out.plain(std::uint64_t{0});
        out.block(packed);
    }
    World world;
    tests::defineAll(world);
    world.addEntity(world.newEntity("running"));
    world.update(1);
    const std::uint64_t before = stateHash(world);
    try {
        loadFromBytes(world, out.bytes(), {.checksums = false});
        // What was accepted is a world like any other.
        if (!world.validate().empty()) __builtin_trap();
        world.update(1);
        loadFromBytes(world, saveToBytes(world));
    } catch (const Error&) {
        if (stateHash(world) != before) __builtin_trap();
    }
    return 0;
}
