// libFuzzer over the loader of history files:
//
//     fuzz_history_file corpus/        where corpus/ has a few files that saveHistory wrote
//
// Checksums are not asked for, and the mutator works behind the compression: else it would take
// ages to get past either.
#include <cstring>

#include "tests/fuzz/history_mutation.hpp"

using namespace revenant;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned seed) {
    if (seed % 8 == 0) return LLVMFuzzerMutate(data, size, maxSize);
    try {
        const Bytes bytes =
            mutated(std::as_bytes(std::span(data, size)), seed / 8, [&](Bytes& part) {
                const std::size_t before = part.size();
                part.resize(before + 64);
                part.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), before,
                                             part.size()));
            });
        if (bytes.size() > maxSize) return size;
        std::memcpy(data, bytes.data(), bytes.size());
        return bytes.size();
    } catch (const Error&) {
        return LLVMFuzzerMutate(data, size, maxSize);
    }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    probe(std::as_bytes(std::span(data, size)));
    return 0;
}
