// Mutates libFuzzer's inputs by their meaning, where they can be read, else byte by byte.
#pragma once

#include <cstdint>
#include <cstring>

#include "tests/fuzz/fuzz_run.hpp"
#include "world/error.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer has it
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);

namespace revenant::fuzz {

// `mutated()` returns the new input, empty where there is none; it may throw Error.
template <class Mutated>
std::size_t mutateInput(std::uint8_t* data, std::size_t size, std::size_t maxSize,
                        Mutated mutated) {
    try {
        const Bytes bytes = mutated();
        if (!bytes.empty() && bytes.size() <= maxSize) {
            std::memcpy(data, bytes.data(), bytes.size());
            return bytes.size();
        }
    } catch (const Error&) {  // the input cannot be read
    }
    return LLVMFuzzerMutate(data, size, maxSize);
}

}  // namespace revenant::fuzz
