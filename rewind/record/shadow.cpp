#include "rewind/record/shadow.hpp"

#include <cstring>

#include "rewind/record/plain_hash.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

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
    const std::uint32_t inChunk = index % chunkSlots;
    // Most are there.
    Chunk* known = nullptr;
    if (type.id < types_.size() && page.number < types_[type.id].pages.size())
        if (auto& chunks = types_[type.id].pages[page.number]; !chunks.empty())
            known = &chunks[index / chunkSlots];
    Chunk& chunk = known && known->data ? *known : chunkFor(type, page.number, index);
    return {&chunk, inChunk, chunk.data.get() + std::size_t{inChunk} * type.schema.size};
}

Shadow::Place Shadow::findPlace(const ComponentType& type, const std::byte* slot) const noexcept {
    const ComponentPool::Page& page = type.pool.pageOf(slot);
    const std::uint32_t index = type.pool.indexIn(page, slot);
    if (type.id >= types_.size() || page.number >= types_[type.id].pages.size()) return {};
    const auto& chunks = types_[type.id].pages[page.number];
    const std::uint32_t inChunk = index % chunkSlots;
    if (chunks.empty() || !chunks[index / chunkSlots].tracks(inChunk)) return {};
    auto& chunk = const_cast<Chunk&>(chunks[index / chunkSlots]);  // for callers that may write
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

std::uint64_t Shadow::hashSum() {
    if (!std::exchange(hasUnhashed_, false)) return hashSum_;
    for (std::size_t id = 0; id < types_.size(); ++id) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        for (auto& chunks : types_[id].pages)
            for (Chunk& chunk : chunks)
                for (std::size_t word = 0; word < std::size(chunk.unhashed); ++word)
                    for (std::uint64_t bits =
                             std::exchange(chunk.unhashed[word], 0) & chunk.tracked[word];
                         bits != 0; bits &= bits - 1) {
                        const std::size_t slot =
                            word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                        setHash(type, chunk.notes[slot],
                                chunk.data.get() + slot * type.schema.size);
                    }
    }
    return hashSum_;
}

void Shadow::track(const EntityRecord& owner, ComponentType& type, const std::byte* slot) {
    track(owner, type, slot, placeOf(type, slot));
}

void Shadow::track(const EntityRecord& owner, const ComponentType& type, const std::byte* slot,
                   const Place& place) {
    place.chunk->tracked[place.slot / 64] |= std::uint64_t{1} << (place.slot % 64);
    ++place.chunk->live;
    std::memcpy(place.shadow, slot, type.schema.size);
    SlotNote& note = place.chunk->notes[place.slot];
    note = {0, owner.serial, 0};
    setHash(type, note, place.shadow);
}

void Shadow::untrack(ComponentType& type, const std::byte* slot) {
    untrack(type, placeOf(type, slot));
}

void Shadow::untrack(const ComponentType& type, const Place& place) {
    place.chunk->tracked[place.slot / 64] &= ~(std::uint64_t{1} << (place.slot % 64));
    hashSum_ -= place.chunk->notes[place.slot].hash;
    if (--place.chunk->live > 0) return;
    place.chunk->data = nullptr;
    place.chunk->notes = nullptr;
    bytes_ -= chunkSlots * (type.schema.size + sizeof(SlotNote));
}

void Shadow::trackAll(EntityRecord& owner, const Shape& settled) {
    for (const ComponentTypeId id : settled.types()) {
        ComponentType& type = world_.components().at(id);
        const std::byte* slot = owner.slotOf(id);
        if (owner.isPending())
            for (const RetiredSlot& retired : world_.components().retired())
                if (retired.owner == owner.id.index && retired.type == id) {
                    slot = retired.slot;  // the first was there longest
                    break;
                }
        const Place place = placeOf(type, slot);
        REVENANT_ASSERT(!place.chunk->tracks(place.slot),
                        "the history followed a component of an entity that it did not have in");
        track(owner, type, slot, place);
    }
}

void Shadow::untrackAll(EntityRecord& owner) {
    if (owner.parked) return;
    const auto& types = owner.shape->types();
    // A redo binds the components that the entity got before it takes the entity out, so that they are not followed yet.
    for (std::size_t i = 0; i < types.size(); ++i)
        if (ComponentType& type = world_.components().at(types[i]);
            isTracked(type, owner.slotAt(i)))
            untrack(type, owner.slotAt(i));
}

std::byte* Shadow::trackedSlotOf(const EntityRecord& owner, const ComponentType& type) const {
    std::byte* slot = owner.slotOf(type.id);
    if (slot && isTracked(type, slot)) return slot;
    for (const RetiredSlot& retired : world_.components().retired())
        if (retired.owner == owner.id.index && retired.type == type.id &&
            isTracked(type, retired.slot))
            return retired.slot;
    return nullptr;
}

// Unmarked writes to the entity are dropped with it.
void Shadow::revertAll(EntityRecord& owner) {
    if (owner.parked) return;  // its bytes are the history's already
    const auto& types = owner.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        revert(world_.components().at(types[i]), owner.slotAt(i));
}

bool Shadow::isTracked(const ComponentType& type, const std::byte* slot) const noexcept {
    return findPlace(type, slot).chunk != nullptr;
}

const std::byte* Shadow::copyOf(const ComponentType& type, const std::byte* slot) const noexcept {
    return findPlace(type, slot).shadow;
}

std::size_t Shadow::validate(std::vector<std::string>& problems) const {
    std::size_t known = 0;
    std::uint64_t sum = 0;
    for (std::size_t id = 0; id < types_.size(); ++id) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        for (std::size_t number = 0; number < types_[id].pages.size(); ++number)
            for (std::size_t i = 0; i < types_[id].pages[number].size(); ++i) {
                const Chunk& chunk = types_[id].pages[number][i];
                std::uint32_t live = 0;
                for (std::uint32_t slot = 0; slot < chunkSlots; ++slot) {
                    if (!chunk.tracks(slot)) continue;
                    ++live;
                    const SlotNote& note = chunk.notes[slot];
                    sum += note.hash;
                    const std::uint32_t owner =
                        type.pool.pages()[number]->owners[i * chunkSlots + slot];
                    const EntityRecord& record = world_.forest().pool.at(owner);
                    const std::byte* copy = chunk.data.get() + slot * type.schema.size;
                    const bool isHashed = (chunk.unhashed[slot / 64] >> (slot % 64) & 1) == 0;
                    if (record.serial != note.serial ||
                        (isHashed && note.hash != hashOf(type, note, copy)))
                        problems.push_back(sentence("the history's copy of '", type.schema.name,
                                                    "' of ", describe(world_.entity(record.id)),
                                                    " has another owner or hash"));
                }
                known += live;
                if (live != chunk.live)
                    problems.push_back(sentence("the history follows ", live, " '",
                                                type.schema.name, "' but counts ", chunk.live));
            }
    }
    if (sum != hashSum_)
        problems.emplace_back("the hashes of the history's copies add up to another sum");
    return known;
}

void Shadow::clear() noexcept {
    types_.clear();
    hashSum_ = 0;
    hasUnhashed_ = false;
    bytes_ = 0;
    cursor_ = {};
    scratch_ = {};
}

}  // namespace revenant
