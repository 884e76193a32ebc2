// Mutates history files and tries each, with nothing but the library:
//
//     fuzz_histories INPUTS [SEED [PROBLEMS]]
//
// Mutations that the loader accepts are mutated further, so that it explores files that are only just
// accepted. Input i of a seed is always the same. It stops after PROBLEMS inputs that break something, or the
// first, and writes each to a file.
#include "tests/fuzz/fuzz_run.hpp"
#include "tests/fuzz/history_mutator.hpp"
#include "tests/fuzz/history_probe.hpp"

using namespace revenant;
using namespace revenant::fuzz;

int main(int count, char** arguments) {
    FuzzRun run(count, arguments, "history");
    HistoryMutator mutator(run.seed());
    std::vector<Tree> pool;
    for (const Bytes& bytes : seedHistories()) {
        FuzzRun::current = bytes;
        if (Verdict verdict = probe(bytes); !verdict.accepted || !verdict.problem.empty()) {
            FuzzRun::keep("problem_seed", "a seed: " + verdict.problem);
            return 1;
        }
        pool.push_back(treeOf(bytes));
        bytesOf(pool.back());
        mutator.learn(pool.back());
    }
    const std::size_t recorded = pool.size();
    constexpr std::size_t mostTrees = 96;
    Tree fresh;  // what comes into the pool
    return run.run([&] {
        Tree& tree = pool[mutator.below(mutator.below(2) == 0 ? recorded : pool.size())];
        mutator.mutateForNow(tree);
        FuzzRun::current = bytesOf(tree);
        Verdict verdict = probe(FuzzRun::current);
        // One in four: a copy takes as long as a load.
        if (verdict.accepted && verdict.problem.empty() && FuzzRun::current.size() < 6000 &&
            mutator.below(4) == 0)
            fresh = tree;
        mutator.undo(tree);
        if (!fresh.sections.empty()) {
            if (pool.size() < mostTrees)
                pool.push_back(std::move(fresh));
            else
                pool[recorded + mutator.below(mostTrees - recorded)] = std::move(fresh);
            fresh = {};
        }
        return verdict;
    });
}
