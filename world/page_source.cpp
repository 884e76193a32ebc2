#include "world/page_source.hpp"

#include <algorithm>
#include <cstdint>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace revenant {

namespace {

constexpr std::size_t hugeBytes = std::size_t{2} << 20;

}  // namespace

PageSource::~PageSource() {
    for (const Region& region : regions_)
        ::operator delete (region.memory, std::align_val_t{region.bytes});
}

std::byte* PageSource::take(std::size_t bytes) {
    auto address = reinterpret_cast<std::uintptr_t>(next_);
    const std::size_t gap = (bytes - address % bytes) % bytes;
    if (!next_ || gap + bytes > static_cast<std::size_t>(end_ - next_)) {
        const std::size_t regionBytes = std::max(bytes, hugeBytes);
        regions_.reserve(regions_.size() + 1);
        next_ =
            static_cast<std::byte*>(::operator new (regionBytes, std::align_val_t{regionBytes}));
        end_ = next_ + regionBytes;
        regions_.push_back({next_, regionBytes});
#ifdef __linux__
        // If it will not, all is as it was.
        if (regions_.size() > 1) madvise(next_, regionBytes, MADV_HUGEPAGE);
#endif
    } else {
        next_ += gap;
    }
    std::byte* page = next_;
    next_ += bytes;
    return page;
}

}  // namespace revenant
