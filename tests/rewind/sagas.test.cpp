#include <catch2/catch_test_macros.hpp>
#include <numeric>
#include <vector>

#include "tests/rewind/saga_telling.hpp"

using namespace revenant;

// More seeds: build run_sagas (sagas_run.cpp) and give it a range.
TEST_CASE("a saga that is interrupted, cut, saved and loaded goes on as one that is not",
          "[rewind][random]") {
    // The first seeds, and those that once found a fault.
    std::vector<std::uint64_t> seeds(100);
    std::iota(seeds.begin(), seeds.end(), 1);
    for (const std::uint64_t found : {296, 299, 576, 3348, 8422, 10296, 13176, 13337, 18913, 19296,
                                      28731, 29127, 29180, 29586, 32070, 33746})
        seeds.push_back(found);
    for (const std::uint64_t seed : seeds) {
        const std::string fault = SagaTelling(seed).run();
        INFO("saga " << seed);
        CAPTURE(fault);
        CHECK(fault.empty());
    }
}

TEST_CASE("a saga in which what is rewindable changes at any time shows its frames as they were",
          "[rewind][random]") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const std::string fault = SagaTelling(seed, true).run();
        INFO("saga " << seed);
        CAPTURE(fault);
        CHECK(fault.empty());
    }
}
