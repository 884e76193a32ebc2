// The hash of a component that is nothing but its bytes; inline, as a frame may take thousands.
// The only header that includes xxHash; nothing outside of rewind/ needs it.
#pragma once

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include <cstddef>
#include <cstdint>

#include "world/storage/shape.hpp"

namespace revenant {

inline std::uint64_t componentSeed(std::uint32_t ownerSerial, ComponentTypeId type) noexcept {
    return (std::uint64_t{ownerSerial} << 16 | type) * 0x9E3779B97F4A7C15U;
}

inline std::uint64_t plainHash(std::uint32_t ownerSerial, ComponentTypeId type,
                               const std::byte* bytes, std::size_t size) noexcept {
    return XXH3_64bits_withSeed(bytes, size, componentSeed(ownerSerial, type));
}

}  // namespace revenant
