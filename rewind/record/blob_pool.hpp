// BlobPool: blocks of memory for the components of entities that are out, many of one size in a slab: an entity that leaves
// costs no call of the allocator. Owned by KnownEntities; used on the world's thread.
//
// Invariant: a slab is aligned to its size, so that a block leads to it; slabs without a taken block are freed, but for one
// per size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace revenant {

class BlobPool {
public:
    static constexpr std::size_t alignment = 64;

    BlobPool() = default;
    BlobPool(const BlobPool&) = delete;
    BlobPool& operator=(const BlobPool&) = delete;
    ~BlobPool();  // REQUIRES: all blocks were given back

    // How many bytes a block takes that has room for so many.
    static constexpr std::size_t sizeFor(std::size_t bytes) noexcept {
        return (bytes + alignment - 1) / alignment * alignment;
    }
    // A block of sizeFor(bytes), aligned, with undefined contents.
    std::byte* take(std::size_t bytes);
    static void give(std::byte* block) noexcept;

private:
    static constexpr std::size_t slabBytes = std::size_t{32} << 10;
    static constexpr std::size_t sizes = 32;  // larger blocks have a slab of their own

    struct FreeBlock {
        FreeBlock* next;
    };
    struct alignas(alignment) Slab {
        BlobPool* pool;
        Slab* previous;
        Slab* next;  // of the same size, with room
        FreeBlock* free;
        std::uint32_t size;    // of its blocks, in units of the alignment
        std::uint32_t taken;   // blocks
        std::uint32_t opened;  // blocks that were ever taken: those behind them are in no list
        std::uint32_t count;   // blocks
    };

    Slab* addSlab(std::size_t size);
    void link(Slab& slab) noexcept;
    void unlink(Slab& slab) noexcept;

    std::array<Slab*, sizes + 1> withRoom_{};  // by size
};

}  // namespace revenant
