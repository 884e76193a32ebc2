// libFuzzer over the loader of history files:
//
//     fuzz_history_file corpus/        where corpus/ has a few files that saveHistory wrote
//
// Most mutations work on the tree of the file (history_tree.hpp): byte by byte it would take ages to get
// past checksums and compression.
#include "tests/fuzz/history_mutator.hpp"
#include "tests/fuzz/history_probe.hpp"
#include "tests/fuzz/mutate_input.hpp"

using namespace revenant;
using namespace revenant::fuzz;

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned seed) {
    if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, maxSize);
    return mutateInput(data, size, maxSize, [&] {
        Tree tree = treeOf(std::as_bytes(std::span(data, size)));
        HistoryMutator mutator(seed);
        mutator.learn(tree);
        mutator.mutate(tree);
        return bytesOf(tree);
    });
}

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer looks for this name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (!probe(std::as_bytes(std::span(data, size))).problem.empty()) __builtin_trap();
    return 0;
}
