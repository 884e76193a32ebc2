#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/fuzz/history_mutation.hpp"
#include "tests/rewind/flight.hpp"

using namespace revenant;

namespace {

Bytes recorded(std::uint64_t seed, int frames, std::size_t stretchFrames) {
    Flight flight(Flight::roomy(stretchFrames));
    flight.define();
    flight.world.setRandomSeed(seed);
    flight.takeOff();
    flight.ticks(frames);
    if (seed % 2 == 0) flight.rewind->seek(frames / 2);
    return writeHistory(flight.rewind->takeHistory());
}

}  // namespace

TEST_CASE("a history file that was damaged behind its checksums is refused, or can be used") {
    const auto seed = GENERATE(range(1U, 9U));
    CAPTURE(seed);
    const Bytes good = recorded(seed, 30, seed % 3 == 0 ? 600 : 8);
    REQUIRE(probe(good));
    std::mt19937 random(seed);
    int used = 0;
    for (int i = 0; i < 500; ++i) {
        CAPTURE(i);
        const Bytes bytes = mutated(good, static_cast<std::uint32_t>(random()),
                                    [&](Bytes& part) { wound(part, random); });
        used += probe(bytes) ? 1 : 0;
    }
    // Some hit what does not matter; most do not.
    CHECK(used > 0);
    CHECK(used < 250);
}

TEST_CASE("a history file that was damaged anywhere is refused, or can be used") {
    const Bytes good = recorded(1, 20, 8);
    std::mt19937 random(1);
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        Bytes bytes = good;
        wound(bytes, random);
        probe(bytes);
    }
}
