#include "world/thread_kept.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "world/codec/zstd.hpp"

using namespace revenant;

namespace {

std::atomic<int> made{0};
std::atomic<int> destroyedWhole{0};

struct Kept {
    std::string text = std::string(64, 'k');
    Kept() { ++made; }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { destroyedWhole += text == std::string(64, 'k') ? 1 : 0; }
};

}  // namespace

TEST_CASE("what a thread keeps is its own, and is destroyed whole when it ends", "[world]") {
    made = destroyedWhole = 0;
    for (int round = 0; round < 20; ++round) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([] {
                Kept& first = threadKept<Kept>();
                if (&threadKept<Kept>() != &first) ++made;
            });
        for (std::thread& thread : threads) thread.join();
    }
    CHECK(made == 80);
    CHECK(destroyedWhole == 80);
}

TEST_CASE("threads that pack and unpack can end", "[world]") {
    const std::vector<std::byte> raw(1000, std::byte{5});
    for (int i = 0; i < 30; ++i) {
        bool isSame = false;
        std::thread([&] {
            const auto back = inflate(deflate(raw, 3), "bytes");
            isSame = std::equal(back.begin(), back.end(), raw.begin(), raw.end());
        }).join();
        REQUIRE(isSame);
    }
}
