#include "world/storage/region_bank.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
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
#ifdef __linux__
    madvise(region, bytes, MADV_DONTNEED);
#endif
    const std::lock_guard lock(bank().mutex);
    try {
        bank().regions.push_back({region, bytes});
    } catch (const std::bad_alloc&) {
        return;  // lost, but still mapped
    }
}

}  // namespace revenant
