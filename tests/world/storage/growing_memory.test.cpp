#include "world/storage/growing_memory.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>

using namespace revenant;

TEST_CASE("memory keeps its contents while it grows, and does not move once it is large",
          "[world][storage]") {
    GrowingMemory memory;
    std::size_t used = 0;
    int moves = 0;
    for (std::size_t bytes = 64; bytes < std::size_t{64} << 20; bytes += bytes / 2) {
        const std::byte* before = memory.data;
        GrowingMemory former = grow(memory, used, bytes);
        REQUIRE(memory.bytes >= bytes);
        REQUIRE(reinterpret_cast<std::uintptr_t>(memory.data) % 64 == 0);
        CHECK(former.data == (memory.data == before ? nullptr : before));
        if (memory.data != before && used > (std::size_t{1} << 20)) ++moves;
        release(former);
        for (std::size_t at = 0; at < used; at += 4093)
            REQUIRE(memory.data[at] == static_cast<std::byte>(at % 251));
        for (std::size_t at = 0; at < bytes; at += 4093)
            memory.data[at] = static_cast<std::byte>(at % 251);
        used = bytes;
    }
    if (memory.reserved > 0) CHECK(moves == 0);  // elsewhere it is copied
    release(memory);
    CHECK(memory.data == nullptr);
}
