// Words: 32-bit words in memory that is written once, not zeroed before: a frame's differences, and the
// values over time. RawBytes: the same of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace revenant {

// Leaves what is not given a value undefined.
template <class T>
struct UndefinedAllocator : std::allocator<T> {
    template <class Other>
    struct rebind {
        using other = UndefinedAllocator<Other>;
    };
    UndefinedAllocator() = default;
    template <class Other>
    UndefinedAllocator(const UndefinedAllocator<Other>& /*other*/) noexcept {}
    template <class Other>
    void construct(Other* place) noexcept {
        ::new (static_cast<void*>(place)) Other;
    }
    template <class Other, class... Arguments>
    void construct(Other* place, Arguments&&... arguments) {
        ::new (static_cast<void*>(place)) Other(std::forward<Arguments>(arguments)...);
    }
};
using Words = std::vector<std::uint32_t, UndefinedAllocator<std::uint32_t>>;
using RawBytes = std::vector<std::byte, UndefinedAllocator<std::byte>>;

}  // namespace revenant
