#include "rewind/record/blob_pool.hpp"

#include <new>

namespace revenant {

BlobPool::~BlobPool() {
    for (Slab* slab : withRoom_)
        if (slab) ::operator delete (slab, std::align_val_t{slabBytes});
}

void BlobPool::link(Slab& slab) noexcept {
    Slab*& first = withRoom_[slab.size];
    slab.previous = nullptr;
    slab.next = first;
    if (first) first->previous = &slab;
    first = &slab;
}

void BlobPool::unlink(Slab& slab) noexcept {
    (slab.previous ? slab.previous->next : withRoom_[slab.size]) = slab.next;
    if (slab.next) slab.next->previous = slab.previous;
}

BlobPool::Slab* BlobPool::addSlab(std::size_t size) {
    const bool isShared = size <= sizes;
    const std::size_t bytes = isShared ? slabBytes : sizeof(Slab) + size * alignment;
    auto* slab = new (::operator new (bytes, std::align_val_t{slabBytes})) Slab{};
    slab->pool = this;
    slab->size = static_cast<std::uint32_t>(size);
    slab->count =
        isShared ? static_cast<std::uint32_t>((slabBytes - sizeof(Slab)) / (size * alignment)) : 1;
    if (isShared) link(*slab);
    return slab;
}

std::byte* BlobPool::take(std::size_t bytes) {
    const std::size_t size = sizeFor(bytes) / alignment;
    Slab* slab = size <= sizes ? withRoom_[size] : nullptr;
    if (!slab) slab = addSlab(size);
    std::byte* block = nullptr;
    if (slab->free) {
        block = reinterpret_cast<std::byte*>(slab->free);
        slab->free = slab->free->next;
    } else {
        block = reinterpret_cast<std::byte*>(slab + 1) + slab->opened++ * size * alignment;
    }
    if (++slab->taken == slab->count && size <= sizes) unlink(*slab);
    return block;
}

void BlobPool::give(std::byte* block) noexcept {
    auto* slab = reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(block) &
                                         ~(std::uintptr_t{slabBytes} - 1));
    BlobPool& pool = *slab->pool;
    const bool isShared = slab->size <= sizes;
    if (isShared && slab->taken == slab->count) pool.link(*slab);
    slab->free = new (block) FreeBlock{slab->free};
    if (--slab->taken > 0) return;
    // The last with room stays: entities come and go.
    if (isShared) {
        if (!slab->previous && !slab->next) return;
        pool.unlink(*slab);
    }
    ::operator delete (slab, std::align_val_t{slabBytes});
}

}  // namespace revenant
