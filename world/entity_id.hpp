// EntityId: the identity of an entity as a plain 64-bit value, index + generation.
// It can be copied, compared, hashed and stored in components; it owns nothing and does
// not say which world it belongs to (`Entity` does). Generation 0 is never handed out, so
// that 64 zero bits mean "no entity".
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>  // std::hash, and little else

namespace revenant {

struct EntityId {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;

    constexpr bool isNull() const noexcept { return generation == 0; }
    constexpr std::uint64_t bits() const noexcept {
        return (std::uint64_t{generation} << 32) | index;
    }
    static constexpr EntityId fromBits(std::uint64_t bits) noexcept {
        return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
    }

    friend constexpr bool operator==(EntityId, EntityId) noexcept = default;
    friend constexpr auto operator<=>(EntityId, EntityId) noexcept = default;
};

static_assert(sizeof(EntityId) == 8);

}  // namespace revenant

template <>
struct std::hash<revenant::EntityId> {
    std::size_t operator()(revenant::EntityId id) const noexcept {
        // Fibonacci hashing: the indices are dense, the multiplication spreads them.
        return static_cast<std::size_t>(id.bits() * 0x9E3779B97F4A7C15U);
    }
};
