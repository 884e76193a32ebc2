// Counts every `new` of the test program, from wherever it comes, and lets chosen ones fail.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define REVENANT_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REVENANT_COUNTS_ALLOCATIONS 0
#endif
#endif
#ifndef REVENANT_COUNTS_ALLOCATIONS
#define REVENANT_COUNTS_ALLOCATIONS 1
#endif

namespace revenant {

// False under the address sanitizer, which has its own `new`.
inline constexpr bool countsAllocations = REVENANT_COUNTS_ALLOCATIONS;

std::size_t allocationsSoFar() noexcept;
// Of memory from `new`.
std::size_t bytesInUseNow() noexcept;

// While it lives, memory runs out at the n-th allocation, from 1, of the thread that made it, or of
// all others.
class FailingMemory {
public:
    enum class How {
        Once,  // this one allocation fails
        Full,  // from then on there is only as much memory as is given back
    };
    enum class Where { Here, Elsewhere };
    explicit FailingMemory(std::size_t n, How how = How::Once, Where where = Where::Here) noexcept;
    FailingMemory(const FailingMemory&) = delete;
    FailingMemory& operator=(const FailingMemory&) = delete;
    ~FailingMemory();

    // Whether memory has run out.
    bool hasFailed() const noexcept;
};

}  // namespace revenant
