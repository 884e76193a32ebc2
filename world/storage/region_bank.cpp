#include "world/storage/region_bank.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#elif defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif

namespace revenant {

namespace {

struct Region {
    std::byte* memory;
    std::size_t bytes;
};

struct Bank {
    std::mutex mutex;
    std::vector<Region> regions;
};

// Never freed: worlds may end after everything else.
Bank& bank() {
    static Bank* const only = new Bank;
    return *only;
}

// Gives the memory back to the system and keeps the addresses; the content is lost.
void lend([[maybe_unused]] std::byte* region, [[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
    madvise(region, bytes, MADV_DONTNEED);
#elif defined(_WIN32)
    VirtualAlloc(region, bytes, MEM_RESET, PAGE_READWRITE);
#endif
}

}  // namespace

std::byte* RegionBank::take(std::size_t bytes) noexcept {
    const std::lock_guard lock(bank().mutex);
    auto& regions = bank().regions;
    auto found = std::ranges::find(regions, bytes, &Region::bytes);
    if (found == regions.end()) return nullptr;
    std::byte* memory = found->memory;
    regions.erase(found);
    return memory;
}

void RegionBank::give(std::byte* region, std::size_t bytes) noexcept {
    lend(region, bytes);
    const std::lock_guard lock(bank().mutex);
    try {
        bank().regions.push_back({region, bytes});
    } catch (const std::bad_alloc&) {
        return;  // lost, but still mapped
    }
}

}  // namespace revenant
