// What differs from the shadow: found where something was open for writing, and taken over, or back.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "rewind/record/component_words.hpp"
#include "rewind/record/plain_hash.hpp"
#include "rewind/record/shadow.hpp"
#include "world/compiler.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

// The most words that a component takes in Delta::words.
std::size_t mostWords(std::size_t size) noexcept {
    const std::size_t words = wordsIn(size);
    return WordGroup::mostHead((words + maskBits - 1) / maskBits) + words;
}

}  // namespace

// Measured: to pick out the words that differ one by one costs more than all else. Of what moves
// usually all do, or always the same.
template <class CountWords>
std::uint32_t* Shadow::emit(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                            std::byte* shadow, const std::byte* slot, CountWords count,
                            WordGroup& group, std::uint32_t* out, Words& bases) {
    // In pairs: as single words the compiler would gather them, and wait for each in memory.
    auto differences = [&](std::uint32_t* words) {
        for (std::uint32_t i = 0; i + 1 < count; i += 2) {
            const std::uint64_t pair = loadPair(shadow, i) ^ loadPair(slot, i);
            std::memcpy(words + i, &pair, sizeof pair);
        }
        if (count % 2 != 0)
            words[count - 1] = loadWhole(shadow, count - 1) ^ loadWhole(slot, count - 1);
    };
    std::uint32_t same = 0;
    for (std::uint32_t i = 0; i + 1 < count; i += 2) {
        const std::uint64_t pair = loadPair(shadow, i) ^ loadPair(slot, i);
        same += static_cast<std::uint32_t>(pair) == 0 ? 1 : 0;
        same += pair >> 32 == 0 ? 1 : 0;
    }
    if (count % 2 != 0) same += loadWhole(shadow, count - 1) == loadWhole(slot, count - 1) ? 1 : 0;
    if (same == count) return out;
    std::uint32_t mask = UINT32_MAX >> (maskBits - count);
    // Measured: computed twice, and not kept on the stack in between. Copied from there, pairs that were just stored are
    // loaded as more than that at once, which the processor waits for.
    if (same == 0) {
        out = group.add(scratch_.data(), out, owner, type.id, mask);
        differences(out);
        out += count;
    } else {
        std::uint32_t changes[maskBits];
        differences(changes);
        mask = 0;
        for (std::uint32_t i = 0; i < count; ++i) mask |= (changes[i] != 0 ? 1U : 0U) << i;
        out = group.add(scratch_.data(), out, owner, type.id, mask);
        for (std::uint32_t i = 0; i < count; ++i) {
            *out = changes[i];
            out += changes[i] != 0 ? 1 : 0;
        }
    }
    if (note.frameBlock != frameBlock_) [[unlikely]] {
        note.frameBlock = frameBlock_;
        bases.push_back(owner);
        bases.push_back(headOf(type.id, count));
        for (std::uint32_t i = 0; i < count; ++i) bases.push_back(loadWhole(shadow, i));
    }
    std::memcpy(shadow, slot, std::size_t{count} * 4);
    hashSum_ -= note.hash;
    note.hash = types_[type.id].isPlain
                    ? plainHash(note.serial, type.id, slot, std::size_t{count} * 4)
                    : hashOf(type, note, slot);
    hashSum_ += note.hash;
    return out;
}

// For components of more than 32 words, or whose last word is short.
std::uint32_t* Shadow::emitAny(const ComponentType& type, std::uint32_t owner, SlotNote& note,
                               std::byte* shadow, const std::byte* slot, WordGroup& group,
                               std::uint32_t* out, Words& bases) {
    const std::size_t size = type.schema.size;
    if (std::memcmp(shadow, slot, size) == 0) return out;
    const std::size_t count = wordsIn(size);
    masks_.assign((count + maskBits - 1) / maskBits, 0);
    for (std::size_t i = 0; i < count; ++i)
        if (loadWord(shadow, size, i) != loadWord(slot, size, i))
            masks_[i / maskBits] |= 1U << (i % maskBits);
    std::uint32_t* end = group.add(scratch_.data(), out, owner, type.id, std::span(masks_));
    for (std::size_t i = 0; i < count; ++i)
        if (const std::uint32_t change = loadWord(shadow, size, i) ^ loadWord(slot, size, i);
            change != 0)
            *end++ = change;
    if (note.frameBlock != frameBlock_) {
        note.frameBlock = frameBlock_;
        bases.push_back(owner);
        bases.push_back(headOf(type.id, count));
        for (std::size_t i = 0; i < count; ++i) bases.push_back(loadWord(shadow, size, i));
    }
    std::memcpy(shadow, slot, size);
    setHash(type, note, shadow);
    return end;
}

// Makes room for so many words after `end`, which may move together with what is before it.
std::uint32_t* Shadow::scratchFor(std::size_t words, std::uint32_t* end) {
    const auto used = static_cast<std::size_t>(end - scratch_.data());
    if (used + words > scratch_.size()) [[unlikely]]
        scratch_.resize(std::max(used + words, scratch_.size() * 2));
    return scratch_.data() + used;
}

// Measured at 10 000 components that all change: a copy of the words costs a fifth of the frame.
// So where the scratch is nearly full it becomes the frame's, and the next one is made to measure.
void Shadow::handOver(const std::uint32_t* end, Words& words) {
    constexpr std::size_t fewWords = 4096;
    const auto used = static_cast<std::size_t>(end - scratch_.data());
    const bool isFull = used >= scratch_.size() - scratch_.size() / 8;
    if (isFull && words.empty() && used > fewWords) {
        scratch_.resize(used);
        words = std::move(scratch_);
    } else {
        words.insert(words.end(), scratch_.data(), scratch_.data() + used);
        if (isFull || used <= fewWords) return;
    }
    scratch_ = Words(used + used / 16 + fewWords / 8);
}

void Shadow::takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                         Words& words, Words& bases) {
    const Place place = placeOf(type, slot);
    std::uint32_t* begin = scratchFor(mostWords(type.schema.size), scratch_.data());
    WordGroup group;
    const std::uint32_t* end = emitAny(type, owner.id.index, place.chunk->notes[place.slot],
                                       place.shadow, slot, group, begin, bases);
    words.insert(words.end(), begin, const_cast<std::uint32_t*>(end));
}

bool Shadow::takeLast(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                      Words& words, Words& bases) {
    const Place place = findPlace(type, slot);
    if (!place.chunk) return false;
    // Most were not written since the last frame.
    if (std::memcmp(place.shadow, slot, type.schema.size) != 0)
        takeChanges(owner, type, slot, words, bases);
    untrack(type, place);
    return true;
}

bool Shadow::refresh(const ComponentType& type, const std::byte* slot) {
    const Place place = findPlace(type, slot);
    if (!place.chunk) return false;
    // Mostly nothing was written: then its copy and its hash are right already.
    if (std::memcmp(place.shadow, slot, type.schema.size) == 0) return true;
    std::memcpy(place.shadow, slot, type.schema.size);
    SlotNote& note = place.chunk->notes[place.slot];
    note.frameBlock = 0;
    setHash(type, note, place.shadow);
    return true;
}

// Measured with 100 of 100 000 written: what costs is fetching their copies and notes from memory,
// so that is asked for some blocks ahead.
template <class Visit>
void Shadow::forOpenBlocks(Clock since, Visit visit) {
    constexpr std::size_t blocksAhead = 16;
    OpenBlock waiting[blocksAhead];
    std::size_t found = 0;
    std::size_t visited = 0;
    auto visitNext = [&] { visit(waiting[visited++ % blocksAhead]); };
    auto note = [&](const OpenBlock& block) {
        const auto one = static_cast<std::uint32_t>(std::countr_zero(block.slots));
        const std::uint32_t inChunk = block.first % chunkSlots + one;
        detail::prefetchLine(block.chunk->data.get() + inChunk * block.type->schema.size);
        detail::prefetchLine(&block.chunk->notes[inChunk]);
        detail::prefetchLine(&block.page->owners[block.first + one]);
        waiting[found++ % blocksAhead] = block;
        if (found - visited == blocksAhead) visitNext();
    };
    for (std::size_t id = 0; id < types_.size(); ++id) {
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        const std::size_t size = type.schema.size;
        const std::uint32_t blocks = type.pool.blocksPerPage();
        for (std::size_t number = 0; number < types_[id].pages.size(); ++number) {
            auto& chunks = types_[id].pages[number];
            if (chunks.empty()) continue;
            ComponentPool::Page& page = *type.pool.pages()[number];
            if (page.openedAt < since) {
                for (std::uint32_t word = 0; word * 64 < blocks; ++word)
                    for (std::uint64_t bits = std::exchange(page.touchedBlocks[word], 0); bits != 0;
                         bits &= bits - 1) {
                        const std::uint32_t block =
                            word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
                        const std::uint32_t first = block * blockSlots;
                        Chunk& chunk = chunks[first / chunkSlots];
                        const std::uint32_t slots =
                            std::exchange(page.touched[block], 0) & trackedIn(chunk, first);
                        if (slots != 0) note({&type, &page, &chunk, first, slots});
                    }
                continue;
            }
            type.pool.clearTouched(page);
            for (std::uint32_t first = 0; first < blocks * blockSlots; first += blockSlots) {
                Chunk& chunk = chunks[first / chunkSlots];
                const std::uint32_t slots = trackedIn(chunk, first);
                // Most of what is open was not written.
                const auto row = static_cast<std::size_t>(std::countr_one(slots));
                const bool isOneRow = (slots & (slots + 1)) == 0;
                if (slots == 0 ||
                    (isOneRow && std::memcmp(chunk.data.get() + first % chunkSlots * size,
                                             page.data + first * size, row * size) == 0))
                    continue;
                note({&type, &page, &chunk, first, slots});
            }
        }
    }
    while (visited < found) visitNext();  // NOLINT(bugprone-infinite-loop): it counts `visited`
}

void Shadow::takeAllChanges(Clock since, Words& words, Words& bases) {
    std::uint32_t* end = scratch_.data();
    WordGroup group;
    forOpenBlocks(since, [&](const OpenBlock& block) {
        const ComponentType& type = *block.type;
        const ComponentPool::Page& page = *block.page;
        Chunk& chunk = *block.chunk;
        const std::size_t size = type.schema.size;
        end = scratchFor(blockSlots * mostWords(size), end);
        auto each = [&](auto emitOne) {
            for (std::uint32_t bits = block.slots; bits != 0; bits &= bits - 1) {
                const auto slot = block.first + static_cast<std::uint32_t>(std::countr_zero(bits));
                const std::size_t inChunk = slot % chunkSlots;
                end = emitOne(page.owners[slot], chunk.notes[inChunk],
                              chunk.data.get() + inChunk * size, page.data + slot * size);
            }
        };
        auto ofWords = [&](auto count) {
            each([&, count](std::uint32_t owner, SlotNote& note, std::byte* copy,
                            const std::byte* now) {
                return emit(type, owner, note, copy, now, count, group, end, bases);
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
                        return emitAny(type, owner, note, copy, now, group, end, bases);
                    });
        }
    });
    handOver(end, words);
}

void Shadow::revertAll(Clock since) {
    forOpenBlocks(since, [](const OpenBlock& block) {
        const std::size_t size = block.type->schema.size;
        for (std::uint32_t bits = block.slots; bits != 0; bits &= bits - 1) {
            const std::size_t slot = block.first + static_cast<std::size_t>(std::countr_zero(bits));
            std::memcpy(block.page->data + slot * size,
                        block.chunk->data.get() + slot % chunkSlots * size, size);
        }
    });
}

}  // namespace revenant
