#include "world/storage/peak_watch.hpp"

#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace revenant {

namespace {

constexpr std::size_t sliceBytes = std::size_t{2} << 20;
[[maybe_unused]] constexpr std::uintptr_t pageBytes = 4096;

}  // namespace

void GivenBack::freeSome() noexcept {
    if (pieces_.empty()) return;
#if defined(__linux__)
    Piece& piece = *pieces_.back();
    // Whole pages within the memory, which stays the allocator's: what is freed afterwards is empty already. Where pages are
    // larger than that the call fails, and all goes at once.
    const auto begin = reinterpret_cast<std::uintptr_t>(piece.begin);
    const std::uintptr_t first = (begin + pageBytes - 1) / pageBytes * pageBytes;
    const std::uintptr_t end = (begin + piece.bytes) / pageBytes * pageBytes;
    const std::uintptr_t from = first + piece.emptied;
    if (from < end) {
        const std::size_t slice = std::min(sliceBytes, static_cast<std::size_t>(end - from));
        if (madvise(piece.begin + (from - begin), slice, MADV_DONTNEED) == 0) {
            piece.emptied += slice;
            if (from + slice < end) return;
        }
    }
#endif
    pieces_.pop_back();
}

}  // namespace revenant
