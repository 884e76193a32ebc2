// Mutates history files and tries each, with nothing but the library:
//
//     fuzz_histories INPUTS [SEED]
//
// Mutations that the loader accepts are mutated further, so that it wanders through what is just about
// accepted. Input i of a seed is always the same. It stops at the first input that breaks something, and
// writes that to a file.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/history_mutator.hpp"
#include "tests/fuzz/history_probe.hpp"

using namespace revenant;
using namespace revenant::fuzz;

namespace {

Bytes current;  // what is being tried

void keep(const char* path) {
    if (std::FILE* file = std::fopen(path, "wb")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
    }
}

// Not what a signal handler may do, but all is lost anyway.
void onSignal(int signal) {
    keep("crash.history");
    std::fprintf(stderr, "signal %d: see crash.history\n", signal);
    std::_Exit(1);
}

}  // namespace

int main(int count, char** arguments) {
    const std::uint64_t inputs = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 100000;
    const std::uint64_t seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 1;
    const std::uint64_t mostProblems = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGBUS, SIGILL})
        std::signal(signal, onSignal);
    HistoryMutator mutator(seed);
    std::vector<Tree> pool;
    for (const Bytes& bytes : seedHistories()) {
        current = bytes;
        if (const Verdict verdict = probe(bytes); !verdict.accepted || !verdict.problem.empty()) {
            std::fprintf(stderr, "a seed: %s\n", verdict.problem.c_str());
            keep("problem_seed.history");
            return 1;
        }
        pool.push_back(treeOf(bytes));
        bytesOf(pool.back());
        mutator.learn(pool.back());
    }
    const std::size_t recorded = pool.size();
    constexpr std::size_t mostTrees = 96;
    std::uint64_t accepted = 0;
    std::uint64_t problems = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::uint64_t i = 1; i <= inputs; ++i) {
        Tree tree = pool[mutator.below(mutator.below(2) == 0 ? recorded : pool.size())];
        mutator.mutate(tree);
        current = bytesOf(tree);
        const Verdict verdict = probe(current);
        if (!verdict.problem.empty()) {
            const std::string path = "problem_" + std::to_string(i) + ".history";
            keep(path.c_str());
            std::fprintf(stderr, "%s: %s\n", path.c_str(), verdict.problem.c_str());
            if (++problems >= mostProblems) return 1;
            continue;
        }
        if (verdict.accepted) {
            ++accepted;
            if (current.size() < 6000) {
                if (pool.size() < mostTrees)
                    pool.push_back(std::move(tree));
                else
                    pool[recorded + mutator.below(mostTrees - recorded)] = std::move(tree);
            }
        }
        if (i % 10000 == 0) {
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            std::printf("%llu inputs, %llu accepted, %.0f per second\n",
                        static_cast<unsigned long long>(i),
                        static_cast<unsigned long long>(accepted),
                        static_cast<double>(i) / seconds.count());
            std::fflush(stdout);
        }
    }
    return problems > 0 ? 1 : 0;
}
