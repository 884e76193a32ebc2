// The bytes of a component as words of 32 bits, of which the last may be short.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace revenant {

inline std::size_t wordsIn(std::size_t bytes) noexcept {
    return (bytes + 3) / 4;
}

inline std::uint32_t loadWord(const std::byte* bytes, std::size_t size, std::size_t word) noexcept {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes + word * 4, std::min<std::size_t>(4, size - word * 4));
    return value;
}

inline void xorWord(std::byte* bytes, std::size_t size, std::size_t word,
                    std::uint32_t change) noexcept {
    const std::uint32_t value = loadWord(bytes, size, word) ^ change;
    std::memcpy(bytes + word * 4, &value, std::min<std::size_t>(4, size - word * 4));
}

// Of a word that is not short.
inline std::uint32_t loadWhole(const std::byte* bytes, std::size_t word) noexcept {
    std::uint32_t value;
    std::memcpy(&value, bytes + word * 4, 4);
    return value;
}

// Two of them, the first in the lower half.
inline std::uint64_t loadPair(const std::byte* bytes, std::size_t word) noexcept {
    std::uint64_t value;
    std::memcpy(&value, bytes + word * 4, 8);
    return value;
}

}  // namespace revenant
