// Puts differences into components and their shadows.
#include <cstring>

#include "rewind/record/component_words.hpp"
#include "rewind/record/shadow.hpp"
#include "world/compiler.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// The copy is what the differences are of: the component itself may have been written meanwhile through a
// reference that was kept, and is brought in line word by word.
template <std::size_t Words>
void xorAll(std::byte* slot, std::byte* shadow, const std::uint32_t* changes) noexcept {
    std::uint32_t values[Words];
    std::memcpy(values, shadow, sizeof values);
    for (std::size_t i = 0; i < Words; ++i) values[i] ^= changes[i];
    std::memcpy(slot, values, sizeof values);
    std::memcpy(shadow, values, sizeof values);
}

void xorSome(std::byte* slot, std::byte* shadow, std::size_t size,
             std::span<const std::uint32_t> masks, const std::uint32_t* changes) noexcept {
    const std::size_t wholeWords = size / 4;
    for (std::size_t group = 0; group < masks.size(); ++group)
        for (std::uint32_t bits = masks[group]; bits != 0; bits &= bits - 1, ++changes) {
            const std::size_t word =
                group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
            if (word < wholeWords) [[likely]] {
                const std::uint32_t value = loadWhole(shadow, word) ^ *changes;
                std::memcpy(shadow + word * 4, &value, 4);
            } else {
                xorWord(shadow, size, word, *changes);
            }
        }
    std::memcpy(slot, shadow, size);
}

inline void xorComponent(std::byte* slot, std::byte* shadow, std::size_t size,
                         const WordCursor& at) noexcept {
    const std::uint32_t* changes = at.words().data();
    // All words of a usual size: what something in motion looks like.
    if (size % 8 == 0 && size <= 32 && at.words().size() == size / 4 && at.masks().size() == 1) {
        switch (size) {
            case 8: xorAll<2>(slot, shadow, changes); return;
            case 16: xorAll<4>(slot, shadow, changes); return;
            case 24: xorAll<6>(slot, shadow, changes); return;
            default: xorAll<8>(slot, shadow, changes); return;
        }
    }
    xorSome(slot, shadow, size, at.masks(), changes);
}

}  // namespace

// Measured: a component that is found by way of its owner's record costs two fetches from memory.
// But changes lie in the order of the slots, as they were found; so the next one is looked for in
// the slot behind the last one first. Where it is not there, records are fetched ahead.
void Shadow::apply(const Words& words) {
    constexpr std::size_t recordsAhead = 16;
    const EntityPool& pool = world_.forest().pool;
    const Clock tick = world_.getClock();
    ComponentType* type = nullptr;
    ComponentPool::Page* page = nullptr;
    Chunk* chunks = nullptr;  // of the page
    std::uint32_t index = 0;
    WordCursor ahead(words);  // the component whose record is fetched next
    std::size_t fetched = 0;  // of those between
    for (WordCursor at(words); !at.isAtEnd(); at.next(), --fetched) {
        if (fetched == 0) ahead = at, fetched = 1, ahead.next();
        if (!type || type->id != at.type()) {
            type = &world_.components().at(at.type());
            page = nullptr;
        }
        ++index;
        if (!page || index >= type->pool.slotsPerPage() || page->owners[index] != at.index() ||
            !chunks[index / chunkSlots].tracks(index % chunkSlots)) {
            for (; fetched < recordsAhead && !ahead.isAtEnd(); ++fetched) {
                const EntityRecord& coming = pool.at(ahead.index());
                detail::prefetchLine(&coming);
                detail::prefetchLine(&coming.shape);
                ahead.next();
            }
            const EntityRecord& record = pool.at(at.index());
            std::byte* slot = record.managed ? record.slotOf(type->id) : nullptr;
            page = slot && isTracked(*type, slot) ? &type->pool.pageOf(slot) : nullptr;
            if (!page) continue;
            index = type->pool.indexIn(*page, slot);
            chunks = types_[type->id].pages[page->number].data();
        }
        const std::size_t size = type->schema.size;
        const std::uint32_t inChunk = index % chunkSlots;
        Chunk& chunk = chunks[index / chunkSlots];
        chunk.unhashed[inChunk / 64] |= std::uint64_t{1} << (inChunk % 64);
        page->blockChangedAt[index / blockSlots] = tick;
        xorComponent(page->data + index * size, chunk.data.get() + inChunk * size, size, at);
    }
    hasUnhashed_ = hasUnhashed_ || !words.empty();
}

}  // namespace revenant
