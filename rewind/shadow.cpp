#include "rewind/shadow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "rewind/plain_hash.hpp"
#include "rewind/state_hash.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

std::size_t wordsIn(std::size_t bytes) noexcept {
    return (bytes + 3) / 4;
}

// A component's last word may be short.
std::uint32_t loadWord(const std::byte* bytes, std::size_t size, std::size_t word) noexcept {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes + word * 4, std::min<std::size_t>(4, size - word * 4));
    return value;
}

void xorWord(std::byte* bytes, std::size_t size, std::size_t word, std::uint32_t change) noexcept {
    const std::uint32_t value = loadWord(bytes, size, word) ^ change;
    std::memcpy(bytes + word * 4, &value, std::min<std::size_t>(4, size - word * 4));
}

std::uint32_t loadWhole(const std::byte* bytes, std::size_t word) noexcept {
    std::uint32_t value;
    std::memcpy(&value, bytes + word * 4, 4);
    return value;
}

// At most so many words does a component take in Delta::words.
std::size_t mostWords(std::size_t size) noexcept {
    const std::size_t words = wordsIn(size);
    return 2 + (words + maskBits - 1) / maskBits + words;
}

}  // namespace

Shadow::Chunk& Shadow::chunkFor(const ComponentType& type, std::uint32_t page, std::uint32_t slot) {
    while (types_.size() <= type.id) {
        const ComponentType& next =
            world_.components().at(static_cast<ComponentTypeId>(types_.size()));
        types_.push_back({{}, !next.hooks && isPlain(next.schema), !next.hooks});
    }
    auto& pages = types_[type.id].pages;
    if (pages.size() <= page) pages.resize(page + 1U);
    auto& chunks = pages[page];
    if (chunks.empty()) chunks.resize((type.pool.slotsPerPage() + chunkSlots - 1) / chunkSlots);
    Chunk& chunk = chunks[slot / chunkSlots];
    if (!chunk.data) {
        chunk.data = std::make_unique_for_overwrite<std::byte[]>(chunkSlots * type.schema.size);
        chunk.notes = std::make_unique_for_overwrite<SlotNote[]>(chunkSlots);
        bytes_ += chunkSlots * (type.schema.size + sizeof(SlotNote));
    }
    return chunk;
}

Shadow::Place Shadow::placeOf(const ComponentType& type, const std::byte* slot) {
    const ComponentPool::Page& page = type.pool.pageOf(slot);
    const std::uint32_t index = type.pool.indexIn(page, slot);
    Chunk& chunk = chunkFor(type, page.number, index);
    const std::uint32_t inChunk = index % chunkSlots;
    return {&chunk, inChunk, chunk.data.get() + std::size_t{inChunk} * type.schema.size};
}

std::uint64_t Shadow::hashOf(const ComponentType& type, const SlotNote& note,
                             const std::byte* bytes) const {
    const Type& known = types_[type.id];
    if (known.isPlain) return plainHash(note.serial, type.id, bytes, type.schema.size);
    return known.isHashed ? componentHash(world_, note.serial, type, bytes) : 0;
}

void Shadow::setHash(const ComponentType& type, SlotNote& note, const std::byte* bytes) {
    hashSum_ -= note.hash;
    note.hash = hashOf(type, note, bytes);
    hashSum_ += note.hash;
}

void Shadow::track(const EntityRecord& owner, ComponentType& type, const std::byte* slot) {
    const Place place = placeOf(type, slot);
    place.chunk->tracked[place.slot / 64] |= std::uint64_t{1} << (place.slot % 64);
    ++place.chunk->live;
    std::memcpy(place.shadow, slot, type.schema.size);
    SlotNote& note = place.chunk->notes[place.slot];
    note = {0, owner.serial, 0};
    setHash(type, note, place.shadow);
}

void Shadow::untrack(ComponentType& type, const std::byte* slot) {
    const Place place = placeOf(type, slot);
    place.chunk->tracked[place.slot / 64] &= ~(std::uint64_t{1} << (place.slot % 64));
    hashSum_ -= place.chunk->notes[place.slot].hash;
    if (--place.chunk->live > 0) return;
    place.chunk->data = nullptr;
    place.chunk->notes = nullptr;
    bytes_ -= chunkSlots * (type.schema.size + sizeof(SlotNote));
}

bool Shadow::isTracked(const ComponentType& type, const std::byte* slot) const noexcept {
    const ComponentPool::Page& page = type.pool.pageOf(slot);
    return isTracked(type, page, type.pool.indexIn(page, slot));
}

inline bool Shadow::isTracked(const ComponentType& type, const ComponentPool::Page& page,
                              std::uint32_t index) const noexcept {
    if (type.id >= types_.size() || page.number >= types_[type.id].pages.size()) return false;
    const auto& chunks = types_[type.id].pages[page.number];
    if (chunks.empty()) return false;
    return (chunks[index / chunkSlots].tracked[index % chunkSlots / 64] >> (index % 64) & 1) != 0;
}

const std::byte* Shadow::copyOf(const ComponentType& type, const std::byte* slot) const noexcept {
    if (!isTracked(type, slot)) return nullptr;
    return const_cast<Shadow*>(this)->placeOf(type, slot).shadow;  // which is there already
}

template <class CountWords>
std::uint32_t* Shadow::emit(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                            std::byte* shadow, const std::byte* slot, CountWords count,
                            std::uint32_t* out, Words& bases) {
    std::uint32_t mask = 0;
    std::uint32_t* end = out + 3;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t change = loadWhole(shadow, i) ^ loadWhole(slot, i);
        *end = change;
        end += change != 0 ? 1 : 0;
        mask |= (change != 0 ? 1U : 0U) << i;
    }
    if (mask == 0) return out;
    out[0] = owner;
    out[1] = headOf(type.id, 1);
    out[2] = mask;
    if (note.stretch != stretch_) [[unlikely]] {
        note.stretch = stretch_;
        bases.push_back(owner);
        bases.push_back(headOf(type.id, count));
        for (std::uint32_t i = 0; i < count; ++i) bases.push_back(loadWhole(shadow, i));
    }
    std::memcpy(shadow, slot, std::size_t{count} * 4);
    hashSum_ -= note.hash;
    note.hash = types_[type.id].isPlain
                    ? plainHash(note.serial, type.id, shadow, std::size_t{count} * 4)
                    : hashOf(type, note, shadow);
    hashSum_ += note.hash;
    return end;
}

// For components of more than 32 words, or whose last word is short.
std::uint32_t* Shadow::emitAny(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                               std::byte* shadow, const std::byte* slot, std::uint32_t* out,
                               Words& bases) {
    const std::size_t size = type.schema.size;
    if (std::memcmp(shadow, slot, size) == 0) return out;
    const std::size_t count = wordsIn(size);
    const std::size_t masks = (count + maskBits - 1) / maskBits;
    out[0] = owner;
    out[1] = headOf(type.id, masks);
    std::fill_n(out + 2, masks, 0);
    std::uint32_t* end = out + 2 + masks;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t change = loadWord(shadow, size, i) ^ loadWord(slot, size, i);
        if (change == 0) continue;
        out[2 + i / maskBits] |= 1U << (i % maskBits);
        *end++ = change;
    }
    if (note.stretch != stretch_) {
        note.stretch = stretch_;
        bases.push_back(owner);
        bases.push_back(headOf(type.id, count));
        for (std::size_t i = 0; i < count; ++i) bases.push_back(loadWord(shadow, size, i));
    }
    std::memcpy(shadow, slot, size);
    setHash(type, note, shadow);
    return end;
}

// Room for so many words behind `end`, which may move with what is in front of it.
std::uint32_t* Shadow::scratchFor(std::size_t words, std::uint32_t* end) {
    const auto used = static_cast<std::size_t>(end - scratch_.get());
    if (used + words <= scratchWords_) [[likely]]
        return end;
    const std::size_t room = std::max(used + words, scratchWords_ * 2);
    auto larger = std::make_unique_for_overwrite<std::uint32_t[]>(room);
    std::copy_n(scratch_.get(), used, larger.get());
    scratch_ = std::move(larger);
    scratchWords_ = room;
    return scratch_.get() + used;
}

void Shadow::takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                         Words& words, Words& bases) {
    const Place place = placeOf(type, slot);
    std::uint32_t* begin = scratchFor(mostWords(type.schema.size), scratch_.get());
    const std::uint32_t* end = emitAny(type, owner.id.index, place.chunk->notes[place.slot],
                                       place.shadow, slot, begin, bases);
    words.insert(words.end(), begin, const_cast<std::uint32_t*>(end));
}

namespace {

// The first block from `block` on that was marked at `since` or later.
std::uint32_t nextOpen(const Tick* changedAt, std::uint32_t block, std::uint32_t end,
                       Tick since) noexcept {
    constexpr std::uint32_t group = 16;  // a few instructions where the compiler vectorises
    while (block + group <= end) {
        std::uint32_t any = 0;
        for (std::uint32_t i = 0; i < group; ++i) any |= changedAt[block + i] >= since ? 1U : 0U;
        if (any != 0) break;
        block += group;
    }
    while (block < end && changedAt[block] < since) ++block;
    return block;
}

}  // namespace

// Measured with 100 of 100 000 written: what costs is fetching their copies and notes from memory,
// so that is asked for some blocks ahead.
template <class Visit>
void Shadow::forOpenBlocks(Tick since, Visit visit) {
    constexpr std::size_t blocksAhead = 16;
    OpenBlock waiting[blocksAhead];
    std::size_t found = 0;
    std::size_t visited = 0;
    auto visitNext = [&] { visit(waiting[visited++ % blocksAhead]); };
    for (std::size_t id = 0; id < types_.size(); ++id) {
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        const std::size_t size = type.schema.size;
        const auto& poolPages = type.pool.pages();
        const std::uint32_t blocks = (type.pool.slotsPerPage() + blockSlots - 1) / blockSlots;
        const bool isTouchKnown = type.pool.touchedSince() <= since;
        for (std::size_t number = 0; number < types_[id].pages.size(); ++number) {
            auto& chunks = types_[id].pages[number];
            if (chunks.empty()) continue;
            const ComponentPool::Page& page = *poolPages[number];
            const bool isOpen = page.openedAt >= since;
            for (std::uint32_t block = 0; block < blocks; ++block) {
                if (!isOpen) block = nextOpen(page.blockChangedAt, block, blocks, since);
                if (block == blocks) break;
                const std::uint32_t first = block * blockSlots;
                const std::uint32_t inChunk = first % chunkSlots;
                Chunk& chunk = chunks[first / chunkSlots];
                std::uint64_t slots = chunk.tracked[inChunk / 64] >> (inChunk % 64) & UINT32_MAX;
                if (!isOpen && isTouchKnown) {
                    slots &= page.touched[block];
                } else if (std::has_single_bit(slots + 1) && slots != 0 &&
                           std::memcmp(chunk.data.get() + inChunk * size, page.data + first * size,
                                       static_cast<std::size_t>(std::countr_one(slots)) * size) ==
                               0) {
                    continue;  // most of what is open was not written
                }
                if (slots == 0) continue;
                const auto one = static_cast<std::uint32_t>(std::countr_zero(slots));
                __builtin_prefetch(chunk.data.get() + (inChunk + one) * size);
                __builtin_prefetch(&chunk.notes[inChunk + one]);
                __builtin_prefetch(&page.owners[first + one]);
                waiting[found++ % blocksAhead] = {&type, &page, &chunk, first, slots};
                if (found - visited == blocksAhead) visitNext();
            }
        }
    }
    while (visited < found) visitNext();
}

void Shadow::takeAllChanges(Tick since, Words& words, Words& bases) {
    std::uint32_t* end = scratch_.get();
    forOpenBlocks(since, [&](const OpenBlock& block) {
        const ComponentType& type = *block.type;
        const ComponentPool::Page& page = *block.page;
        Chunk& chunk = *block.chunk;
        const std::size_t size = type.schema.size;
        end = scratchFor(blockSlots * mostWords(size), end);
        auto each = [&](auto emitOne) {
            for (std::uint64_t bits = block.slots; bits != 0; bits &= bits - 1) {
                const auto slot = block.first + static_cast<std::uint32_t>(std::countr_zero(bits));
                const std::size_t inChunk = slot % chunkSlots;
                end = emitOne(page.owners[slot], chunk.notes[inChunk],
                              chunk.data.get() + inChunk * size, page.data + slot * size);
            }
        };
        auto ofWords = [&](auto count) {
            each([&, count](std::uint32_t owner, SlotNote& note, std::byte* copy,
                            const std::byte* now) {
                return emit(type, owner, note, copy, now, count, end, bases);
            });
        };
        // The usual sizes unroll.
        switch (size) {
            case 4: ofWords(std::integral_constant<std::uint32_t, 1>()); break;
            case 8: ofWords(std::integral_constant<std::uint32_t, 2>()); break;
            case 16: ofWords(std::integral_constant<std::uint32_t, 4>()); break;
            case 24: ofWords(std::integral_constant<std::uint32_t, 6>()); break;
            case 32: ofWords(std::integral_constant<std::uint32_t, 8>()); break;
            default:
                if (size % 4 == 0 && size / 4 <= maskBits)
                    ofWords(static_cast<std::uint32_t>(size / 4));
                else
                    each([&](std::uint32_t owner, SlotNote& note, std::byte* copy,
                             const std::byte* now) {
                        return emitAny(type, owner, note, copy, now, end, bases);
                    });
        }
    });
    words.insert(words.end(), scratch_.get(), end);
    for (std::size_t id = 0; id < types_.size(); ++id)
        world_.components()
            .at(static_cast<ComponentTypeId>(id))
            .pool.setTouchedSince(world_.getTick());
}

void Shadow::revertAll(Tick since) {
    forOpenBlocks(since, [](const OpenBlock& block) {
        const std::size_t size = block.type->schema.size;
        for (std::uint64_t bits = block.slots; bits != 0; bits &= bits - 1) {
            const std::size_t slot = block.first + static_cast<std::size_t>(std::countr_zero(bits));
            std::memcpy(block.page->data + slot * size,
                        block.chunk->data.get() + slot % chunkSlots * size, size);
        }
    });
}

namespace {

// Inline: without hardware support assumed, std::popcount is a call.
std::size_t countBits(std::uint32_t bits) noexcept {
    bits -= bits >> 1 & 0x55555555U;
    bits = (bits & 0x33333333U) + (bits >> 2 & 0x33333333U);
    return (((bits + (bits >> 4)) & 0x0F0F0F0FU) * 0x01010101U) >> 24;
}

// Where the words of the component behind this one begin.
std::size_t nextComponent(const Words& words, std::size_t at) noexcept {
    const std::size_t masks = wordsOf(words[at + 1]);
    std::size_t next = at + 2 + masks;
    for (std::size_t i = 0; i < masks; ++i) next += countBits(words[at + 2 + i]);
    return next;
}

// Returns the end of the changes.
const std::uint32_t* xorWords(std::byte* slot, std::byte* shadow, std::size_t size,
                              std::span<const std::uint32_t> masks,
                              const std::uint32_t* changes) noexcept {
    const std::size_t wholeWords = size / 4;
    auto change = [&](std::size_t word, std::uint32_t by) {
        const std::uint32_t value = loadWhole(slot, word) ^ by;
        std::memcpy(slot + word * 4, &value, 4);
        std::memcpy(shadow + word * 4, &value, 4);
    };
    // All of eight words is what a moving thing of 32 bytes looks like.
    // In pairs: the hash reads pairs, and would wait for single words to arrive in memory.
    if (size == 32 && masks[0] == 0xFF) {
        for (std::size_t pair = 0; pair < 4; ++pair) {
            std::uint64_t value;
            std::uint64_t by;
            std::memcpy(&value, slot + pair * 8, 8);
            std::memcpy(&by, changes + pair * 2, 8);
            value ^= by;
            std::memcpy(slot + pair * 8, &value, 8);
            std::memcpy(shadow + pair * 8, &value, 8);
        }
        return changes + 8;
    }
    for (std::size_t group = 0; group < masks.size(); ++group)
        for (std::uint32_t bits = masks[group]; bits != 0; bits &= bits - 1, ++changes) {
            const std::size_t word =
                group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
            if (word < wholeWords) [[likely]] {
                change(word, *changes);
            } else {
                xorWord(slot, size, word, *changes);
                xorWord(shadow, size, word, *changes);
            }
        }
    return changes;
}

std::uint64_t inlinedHash(const std::byte* bytes, std::size_t size, std::uint32_t serial,
                          ComponentTypeId type) noexcept {
    // Of a size that is known the hash is a few instructions.
    switch (size) {
        case 8: return plainHash(serial, type, bytes, 8);
        case 16: return plainHash(serial, type, bytes, 16);
        case 32: return plainHash(serial, type, bytes, 32);
        default: return plainHash(serial, type, bytes, size);
    }
}

}  // namespace

// XORs the changes of one component into it and its copy; returns their end.
inline const std::uint32_t* Shadow::applyOne(ComponentType& type, ComponentPool::Page& page,
                                             std::uint32_t index,
                                             std::span<const std::uint32_t> masks,
                                             const std::uint32_t* changes) {
    const std::size_t size = type.schema.size;
    Chunk& chunk = types_[type.id].pages[page.number][index / chunkSlots];
    std::byte* shadow = chunk.data.get() + index % chunkSlots * size;
    changes = xorWords(page.data + index * size, shadow, size, masks, changes);
    type.pool.markChanged(page, index, world_.getTick());
    SlotNote& note = chunk.notes[index % chunkSlots];
    if (types_[type.id].isPlain) {
        hashSum_ -= note.hash;
        note.hash = inlinedHash(shadow, size, note.serial, type.id);
        hashSum_ += note.hash;
    } else {
        setHash(type, note, shadow);
    }
    return changes;
}

// Measured: a component that is found by way of its owner's record costs two fetches from memory.
// But changes lie in the order of the slots, as they were found; so the next one is looked for in
// the slot behind the last one first. Where it is not there, records are fetched ahead.
void Shadow::apply(const Words& words) {
    constexpr std::size_t recordsAhead = 16;
    const EntityPool& pool = world_.forest().pool;
    ComponentStore& components = world_.components();
    ComponentType* type = nullptr;
    ComponentPool::Page* page = nullptr;
    std::uint32_t index = 0;
    std::size_t ahead = 0;  // the component whose record is fetched next
    std::size_t fetched = 0;
    const std::uint32_t* const begin = words.data();
    for (std::size_t at = 0; at<words.size(); fetched -= fetched> 0 ? 1 : 0) {
        const std::uint32_t owner = words[at];
        const std::uint32_t head = words[at + 1];
        const std::size_t masks = wordsOf(head);
        if (!type || type->id != typeOf(head)) {
            type = &components.at(typeOf(head));
            page = nullptr;
        }
        ++index;
        bool isThere = page && index < type->pool.slotsPerPage() &&
                       isTracked(*type, *page, index) && page->owners[index] == owner;
        if (!isThere) {
            if (ahead < at) ahead = at, fetched = 0;
            for (; fetched < recordsAhead && ahead < words.size(); ++fetched) {
                const EntityRecord& coming = pool.at(words[ahead]);
                __builtin_prefetch(&coming);
                __builtin_prefetch(&coming.shape);
                ahead = nextComponent(words, ahead);
            }
            const EntityRecord& record = pool.at(owner);
            std::byte* slot = record.managed ? record.slotOf(type->id) : nullptr;
            page = slot ? &type->pool.pageOf(slot) : nullptr;
            if (slot) index = type->pool.indexIn(*page, slot);
            isThere = slot && isTracked(*type, *page, index);
        }
        if (isThere)
            at = static_cast<std::size_t>(
                applyOne(*type, *page, index, {begin + at + 2, masks}, begin + at + 2 + masks) -
                begin);
        else
            at = nextComponent(words, at);
    }
}

void Shadow::clear() noexcept {
    types_.clear();
    hashSum_ = 0;
    bytes_ = 0;
    scratch_ = nullptr;
    scratchWords_ = 0;
}

}  // namespace revenant
