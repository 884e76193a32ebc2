// What compilers offer beyond the standard, and what takes its place where a compiler does not. The only file that uses it:
// everything else is standard C++, apart from calls of the operating system.
#pragma once

#if defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64)
#include <intrin.h>
#endif

namespace revenant::detail {

// Has the processor fetch a cache line, and go on meanwhile. Any address will do.
inline void prefetchLine(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address);
#elif defined(_MSC_VER) && defined(_M_X64)
    _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
    static_cast<void>(address);
#endif
}

// The same for a line that will be written.
inline void prefetchLineToWrite(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address, 1);
#else
    prefetchLine(address);
#endif
}

// The same for a line that is needed somewhat later: into the second cache.
inline void prefetchLineForLater(const void* address) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(address, 0, 2);
#else
    prefetchLine(address);
#endif
}

// Called where a loop goes on to its next block: what it has written counts as changed for g++, which then finds the loop
// over a block as an inner one (views/detail/row_iterator.hpp). The processor does nothing.
inline void newInnerLoop() noexcept {
#if defined(__GNUC__) && !defined(__clang__)
    __atomic_signal_fence(__ATOMIC_ACQ_REL);
#endif
}

}  // namespace revenant::detail
