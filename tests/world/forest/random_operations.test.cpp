// Thousands of random sequences of every operation there is, with listeners that take part, on a
// world and on its model. A sequence on which the two differ is shrunk before it is reported.

#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>

#include "tests/seeds.hpp"
#include "tests/world/assertions.hpp"
#include "tests/world/forest/twins.hpp"

using namespace revenant;

namespace {

using Operations = std::vector<Operation>;

// Empty if the twins stay the same to the end; else what they did and where they differ.
std::string run(const Operations& operations, bool listens) {
    const ThrowingAssertions assertions;
    Twins twins(listens);
    for (const Operation& operation : operations)
        if (const auto difference = twins.perform(operation); !difference.empty())
            return sentence(twins.script(), "  ", difference);
    return {};
}

// Drops ever smaller ranges of operations, as long as what remains still fails.
Operations shrunk(Operations operations, bool listens) {
    for (std::size_t length = operations.size() / 2; length > 0;) {
        bool dropped = false;
        for (std::size_t from = 0; from < operations.size();) {
            Operations fewer = operations;
            const auto begin = fewer.begin() + static_cast<std::ptrdiff_t>(from);
            fewer.erase(begin,
                        begin + static_cast<std::ptrdiff_t>(std::min(length, fewer.size() - from)));
            if (run(fewer, listens).empty()) {
                from += length;
            } else {
                operations = std::move(fewer);
                dropped = true;
            }
        }
        if (!dropped || length > operations.size()) length /= 2;
    }
    return operations;
}

// Empty, or the shortest failing sequence that could be found.
std::string failureOf(std::uint32_t seed, std::size_t length) {
    const Operations operations = randomOperations(seed, length);
    for (const bool listens : {true, false}) {
        if (run(operations, listens).empty()) continue;
        const Operations fewest = shrunk(operations, listens);
        return sentence("seed ", seed, listens ? "" : " without listeners", ", shrunk from ",
                        operations.size(), " to ", fewest.size(), " operations:\n",
                        run(fewest, listens));
    }
    return {};
}

void check(std::uint32_t seed, std::size_t length) {
    const std::string failure = failureOf(seed, length);
    INFO(failure);
    REQUIRE(failure.empty());
}

}  // namespace

TEST_CASE("a world does what its model does, for any calls in any order", "[world][random]") {
    const Seeds seeds = Seeds::from(1, 3000);
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        check(static_cast<std::uint32_t>(seed), 50);
    for (std::uint32_t seed = 1; seed <= 20; ++seed) check(seed, 300);
}

TEST_CASE("a world does what its model does in sequences never tried before", "[world][random]") {
    for (std::uint32_t i = 0; i < 500; ++i) check(Catch::getSeed() + i, 80);
}
