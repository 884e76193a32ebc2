// The seeds of a random test: a few in the suite, as many as there is time for from the environment:
//
//     REVENANT_FUZZ_SEED=1 REVENANT_FUZZ_SEEDS=100000 build/release/tests/revenant_tests "[random]"
#pragma once

#include <cstdint>
#include <cstdlib>

namespace revenant {

// The seeds first, first + 1, …, last.
struct Seeds {
    std::uint64_t first;
    std::uint64_t last;

    // The given ones, unless the environment says otherwise.
    static Seeds from(std::uint64_t first, std::uint64_t count) {
        const char* firstText = std::getenv("REVENANT_FUZZ_SEED");
        const char* countText = std::getenv("REVENANT_FUZZ_SEEDS");
        if (firstText) first = std::strtoull(firstText, nullptr, 10);
        if (countText) count = std::strtoull(countText, nullptr, 10);
        return {first, first + count - 1};
    }
};

}  // namespace revenant
