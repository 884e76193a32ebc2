#include "world/storage/page_source.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#include "world/storage/region_bank.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace revenant {

namespace {

constexpr std::size_t hugeBytes = std::size_t{2} << 20;

}  // namespace

PageSource::~PageSource() {
    for (const Region& region : regions_)
        if (isKeptMapped_)
            RegionBank::give(region.memory, region.bytes);
        else
            ::operator delete (region.memory, std::align_val_t{region.bytes});
}

std::byte* PageSource::take(std::size_t bytes, Use use) {
    Room& room = rooms_[static_cast<std::size_t>(use)];
    const std::size_t gap = (bytes - reinterpret_cast<std::uintptr_t>(room.next) % bytes) % bytes;
    if (!room.next || gap + bytes > static_cast<std::size_t>(room.end - room.next)) {
        const std::size_t regionBytes = std::max(bytes, hugeBytes);
        regions_.reserve(regions_.size() + 1);
        room.next = isKeptMapped_ ? RegionBank::take(regionBytes) : nullptr;
        if (!room.next)
            room.next = static_cast<std::byte*>(
                ::operator new (regionBytes, std::align_val_t{regionBytes}));
        room.end = room.next + regionBytes;
        regions_.push_back({room.next, regionBytes});
#ifdef __linux__
        // If it will not, all is as it was.
        madvise(room.next, regionBytes, use == Use::Wholly ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
#endif
    } else {
        room.next += gap;
    }
    std::byte* page = room.next;
    room.next += bytes;
    return page;
}

}  // namespace revenant
