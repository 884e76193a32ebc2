// Puts differences into components and their shadows.
#include <cstring>

#include "rewind/record/component_words.hpp"
#include "rewind/record/shadow.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// Inline: without hardware support assumed, std::popcount is a call.
std::size_t countBits(std::uint32_t bits) noexcept {
    bits -= bits >> 1 & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2 & 0x33333333U);
    return (((bits + (bits >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
}

// Where the words of the component behind this one begin.
const std::uint32_t* nextComponent(const std::uint32_t* at) noexcept {
    const std::size_t masks = wordsOf(at[1]);
    const std::uint32_t* next = at + 2 + masks;
    for (std::size_t i = 0; i < masks; ++i) next += countBits(at[2 + i]);
    return next;
}

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

void xorSome(std::byte* slot, std::byte* shadow, std::size_t size, const std::uint32_t* masks,
             std::size_t maskCount, const std::uint32_t* changes) noexcept {
    const std::size_t wholeWords = size / 4;
    for (std::size_t group = 0; group < maskCount; ++group)
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

// Returns the end of the component's words.
inline const std::uint32_t* xorComponent(std::byte* slot, std::byte* shadow, std::size_t size,
                                         const std::uint32_t* at) noexcept {
    const std::size_t masks = wordsOf(at[1]);
    const std::uint32_t* changes = at + 2 + masks;
    // All words of a usual size: what something in motion looks like.
    if (masks == 1 && size % 8 == 0 && size <= 32 && at[2] == UINT32_MAX >> (maskBits - size / 4)) {
        switch (size) {
            case 8: xorAll<2>(slot, shadow, changes); break;
            case 16: xorAll<4>(slot, shadow, changes); break;
            case 24: xorAll<6>(slot, shadow, changes); break;
            default: xorAll<8>(slot, shadow, changes); break;
        }
        return changes + size / 4;
    }
    xorSome(slot, shadow, size, at + 2, masks, changes);
    return nextComponent(at);
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
    const std::uint32_t* ahead = words.data();  // the component whose record is fetched next
    std::size_t fetched = 0;
    const std::uint32_t* const end = words.data() + words.size();
    for (const std::uint32_t* at = words.data(); at<end; fetched -= fetched> 0 ? 1 : 0) {
        if (!type || type->id != typeOf(at[1])) {
            type = &world_.components().at(typeOf(at[1]));
            page = nullptr;
        }
        ++index;
        if (!page || index >= type->pool.slotsPerPage() || page->owners[index] != at[0] ||
            !chunks[index / chunkSlots].tracks(index % chunkSlots)) {
            if (ahead < at) ahead = at, fetched = 0;
            for (; fetched < recordsAhead && ahead < end; ++fetched) {
                const EntityRecord& coming = pool.at(*ahead);
                __builtin_prefetch(&coming);
                __builtin_prefetch(&coming.shape);
                ahead = nextComponent(ahead);
            }
            const EntityRecord& record = pool.at(at[0]);
            std::byte* slot = record.managed ? record.slotOf(type->id) : nullptr;
            page = slot && isTracked(*type, slot) ? &type->pool.pageOf(slot) : nullptr;
            if (!page) {
                at = nextComponent(at);
                continue;
            }
            index = type->pool.indexIn(*page, slot);
            chunks = types_[type->id].pages[page->number].data();
        }
        const std::size_t size = type->schema.size;
        const std::uint32_t inChunk = index % chunkSlots;
        Chunk& chunk = chunks[index / chunkSlots];
        chunk.unhashed[inChunk / 64] |= std::uint64_t{1} << (inChunk % 64);
        page->blockChangedAt[index / blockSlots] = tick;
        at = xorComponent(page->data + index * size, chunk.data.get() + inChunk * size, size, at);
    }
    hasUnhashed_ = hasUnhashed_ || !words.empty();
}

}  // namespace revenant
