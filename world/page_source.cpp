#include "world/page_source.hpp"

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

std::byte* PageSource::take() {
    if (left_ == 0) {
        const bool isHuge = taken_ >= hugeBytes && pageBytes_ < hugeBytes;
        const std::size_t bytes = isHuge ? hugeBytes : pageBytes_;
        regions_.reserve(regions_.size() + 1);
        auto* memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{bytes}));
        regions_.push_back({memory, bytes});
        left_ = bytes;
#ifdef __linux__
        if (isHuge) madvise(memory, bytes, MADV_HUGEPAGE);  // if it will not, all is as it was
#endif
    }
    const Region& region = regions_.back();
    std::byte* page = region.memory + (region.bytes - left_);
    left_ -= pageBytes_;
    taken_ += pageBytes_;
    return page;
}

}  // namespace revenant
