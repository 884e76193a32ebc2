// Counts every `new` of the test program, from wherever it comes.
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

}  // namespace revenant
