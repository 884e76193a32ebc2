// A short run of what fuzz_histories does for hours (tests/fuzz).
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "tests/fuzz/history_mutator.hpp"
#include "tests/fuzz/history_probe.hpp"

using namespace revenant;
using namespace revenant::fuzz;

TEST_CASE("a history file that is taken apart and written again is the same history",
          "[rewind][file]") {
    for (const Bytes& good : seedHistories()) {
        Tree tree = treeOf(good);
        const Verdict verdict = probe(bytesOf(tree));
        CHECK(verdict.accepted);
        INFO(verdict.problem);
        CHECK(verdict.problem.empty());
    }
}

TEST_CASE(
    "a history file that was mutated field by field is refused, or makes sense in every frame",
    "[rewind][file]") {
    const auto seed = GENERATE(range(1U, 5U));
    CAPTURE(seed);
    HistoryMutator mutator(seed);
    std::vector<Tree> trees;
    for (const Bytes& good : seedHistories()) mutator.learn(trees.emplace_back(treeOf(good)));
    int accepted = 0;
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        Tree tree = trees[mutator.below(trees.size())];
        mutator.mutate(tree);
        const Verdict verdict = probe(bytesOf(tree));
        accepted += verdict.accepted ? 1 : 0;
        INFO(verdict.problem);
        REQUIRE(verdict.problem.empty());
    }
    // Some hit what does not matter; most do not.
    CHECK(accepted > 0);
    CHECK(accepted < 700);
}

TEST_CASE("a history file that was damaged anywhere is refused, or makes sense in every frame",
          "[rewind][file]") {
    const Bytes good = seedHistories().front();
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        CAPTURE(i);
        Bytes bytes = good;
        wound(bytes, random);
        const Verdict verdict = probe(bytes);
        INFO(verdict.problem);
        REQUIRE(verdict.problem.empty());
    }
}
