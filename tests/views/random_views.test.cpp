#include <catch2/catch_get_random_seed.hpp>
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/seeds.hpp"
#include "tests/views/random_run.hpp"

using namespace revenant;
using naive::Action;
using naive::Operation;
using naive::RandomRun;
using naive::WorldSize;

namespace {

using Operations = std::vector<Operation>;

// How often each action is drawn, by number.
using Weights = std::vector<unsigned>;
//                             Create Spawn Child Many Add Remove Kept Release Toggle
const Weights mixed = {3, 12, 14, 1, 8, 4, 6, 3, 8,
                       //  Bind Unbind Replace ToggleC Write Attach Cut Open Free Ask Reconcile
                       10, 8, 6, 8, 4, 12, 5, 3, 3, 12, 14};
const Weights crowded = {0, 4, 4, 10, 2, 3, 2, 1, 3, 2, 2, 2, 2, 1, 8, 3, 1, 1, 1, 8};
const Weights moving = {0, 6, 14, 0, 4, 1, 4, 1, 3, 2, 2, 1, 1, 0, 40, 14, 1, 1, 2, 14};

Operations draw(std::uint64_t seed, const Weights& weights, std::size_t count) {
    std::mt19937_64 random(seed);
    std::discrete_distribution<int> action(weights.begin(), weights.end());
    Operations operations(count);
    for (Operation& operation : operations)
        operation = {static_cast<Action>(action(random)), static_cast<std::uint32_t>(random()),
                     static_cast<std::uint32_t>(random())};
    operations.push_back({Action::Reconcile, 0, 0});
    return operations;
}

// A failed assertion of the engine is a problem to report, not the end of the run.
class AssertionsThrow {
public:
    AssertionsThrow() = default;
    AssertionsThrow(const AssertionsThrow&) = delete;
    AssertionsThrow& operator=(const AssertionsThrow&) = delete;
    ~AssertionsThrow() { setAssertionHandler(before_); }

private:
    AssertionHandler before_ = setAssertionHandler(
        [](const std::string& sentence) { throw std::logic_error("assertion: " + sentence); });
};

std::optional<RandomRun::Failure> tryOut(const Operations& operations, const WorldSize& size) {
    return RandomRun(size).run(operations);
}

// Leaves out all operations that are not needed to make it fail.
Operations shrink(Operations operations, const WorldSize& size) {
    int runsLeft = 3000;
    bool shorter = true;
    for (std::size_t chunk = operations.size() / 2; runsLeft > 0 && chunk > 0;) {
        shorter = false;
        for (std::size_t end = operations.size(); end >= chunk && --runsLeft > 0;) {
            Operations fewer = operations;
            const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(end - chunk);
            fewer.erase(from, from + static_cast<std::ptrdiff_t>(chunk));
            if (const auto failure = tryOut(fewer, size)) {
                fewer.resize(failure->operation + 1);
                operations = std::move(fewer);
                shorter = true;
            }
            end = std::min(end - chunk, operations.size());
        }
        if (chunk > 1 || !shorter) chunk /= 2;
    }
    return operations;
}

// Returns how many labels of the world's order were rewritten.
std::uint64_t prove(std::uint64_t seed, const Weights& weights, std::size_t count,
                    const WorldSize& size = {}) {
    const AssertionsThrow guard;
    Operations operations = draw(seed, weights, count);
    RandomRun run(size);
    if (const auto failure = run.run(operations)) {
        operations.resize(failure->operation + 1);
        operations = shrink(std::move(operations), size);
        std::string list;
        for (const Operation& operation : operations) list += describe(operation);
        const auto again = tryOut(operations, size);
        FAIL("seed " << seed << ": " << failure->problem << "\nshrunk to "
                     << (again ? again->problem : "nothing") << "\n"
                     << list);
    }
    return run.world().getStats().relabelled;
}

}  // namespace

TEST_CASE("every view equals the naive answer after every reconcile", "[views]") {
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) prove(seed, mixed, 2500);
    prove(Catch::getSeed(), mixed, 2500);
    SUCCEED();
}

TEST_CASE("views of small worlds stand every combination of requests", "[views][random]") {
    const Seeds seeds = Seeds::from(100, 250);
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        prove(seed, mixed, 150, {4, 2});
    prove(Catch::getSeed(), mixed, 3000, {4, 2});
    SUCCEED();
}

TEST_CASE("views whose rows are spread stand every combination of requests", "[views][random]") {
    const Seeds seeds = Seeds::from(1000, 250);
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
        const std::size_t places = std::size_t{2} << seed % 5;
        prove(seed, mixed, 150, {24, 4, naive::spreadAtOnce(places, seed % 3)});
    }
    SUCCEED();
}

TEST_CASE("every view whose rows are spread equals the naive answer", "[views]") {
    for (const std::uint64_t seed : {31, 32, 33}) {
        prove(seed, mixed, 1500, {300, 8, naive::spreadAtOnce(4)});
        prove(seed, moving, 1500, {120, 8, naive::spreadAtOnce(16)});
        prove(seed, crowded, 200, {1000, 120, naive::spreadAtOnce(64, seed)});
    }
    prove(Catch::getSeed(), mixed, 1500, {300, 8, naive::spreadAtOnce(8, 10)});
    // A search went on from a spare place, behind the row that it was for.
    prove(103927, mixed, 150, {24, 4, naive::spreadAtOnce(8, 1)});
    SUCCEED();
}

TEST_CASE("views follow trees that are moved, cut and moved again", "[views]") {
    for (const std::uint64_t seed : {11, 12, 13}) prove(seed, moving, 1500, {120, 8});
    prove(Catch::getSeed(), moving, 1500, {120, 8});
    SUCCEED();
}

TEST_CASE("views keep their order while the world relabels its own", "[views]") {
    std::uint64_t relabelled = 0;
    for (const std::uint64_t seed : {21, 22, 23})
        relabelled += prove(seed, crowded, 300, {1000, 120});
    prove(Catch::getSeed(), crowded, 300, {1000, 120});
    CHECK(relabelled > 0);
}
