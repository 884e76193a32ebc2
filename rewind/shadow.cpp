#include "rewind/shadow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "rewind/state_hash.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

constexpr std::size_t maskBits = 32;

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

}  // namespace

Shadow::Place Shadow::placeOf(const ComponentType& type, const std::byte* slot) {
    const ComponentPool::Page& page = type.pool.pageOf(slot);
    if (pages_.size() <= type.id) pages_.resize(type.id + 1U);
    auto& pages = pages_[type.id];
    if (pages.size() <= page.number) pages.resize(page.number + 1U);
    Page& shadow = pages[page.number];
    if (!shadow.data) {
        const std::size_t slots = type.pool.slotsPerPage();
        shadow.data = std::make_unique_for_overwrite<std::byte[]>(slots * type.schema.size);
        shadow.tracked.resize((slots + 63) / 64);
        shadow.hashes.resize(slots);
        bytes_ += slots * (type.schema.size + 8) + slots / 8;
    }
    const std::uint32_t index = type.pool.indexIn(page, slot);
    return {&shadow, index, shadow.data.get() + std::size_t{index} * type.schema.size};
}

void Shadow::setHash(const EntityRecord& owner, const ComponentType& type, const Place& place) {
    std::uint64_t& hash = place.page->hashes[place.slot];
    hashSum_ -= hash;
    hash = componentHash(world_, owner, type, place.shadow);
    hashSum_ += hash;
}

void Shadow::track(const EntityRecord& owner, ComponentType& type, const std::byte* slot) {
    const Place place = placeOf(type, slot);
    place.page->tracked[place.slot / 64] |= std::uint64_t{1} << (place.slot % 64);
    place.page->hashes[place.slot] = 0;
    std::memcpy(place.shadow, slot, type.schema.size);
    setHash(owner, type, place);
}

void Shadow::untrack(ComponentType& type, const std::byte* slot) {
    const Place place = placeOf(type, slot);
    place.page->tracked[place.slot / 64] &= ~(std::uint64_t{1} << (place.slot % 64));
    hashSum_ -= place.page->hashes[place.slot];
    place.page->hashes[place.slot] = 0;
}

bool Shadow::isTracked(const ComponentType& type, const std::byte* slot) const noexcept {
    const ComponentPool::Page& page = type.pool.pageOf(slot);
    if (type.id >= pages_.size() || page.number >= pages_[type.id].size()) return false;
    const Page& shadow = pages_[type.id][page.number];
    const std::uint32_t index = type.pool.indexIn(page, slot);
    return shadow.data && (shadow.tracked[index / 64] >> (index % 64) & 1) != 0;
}

void Shadow::takeChanges(const EntityRecord& owner, ComponentType& type, const std::byte* slot,
                         std::vector<std::uint32_t>& words) {
    const Place place = placeOf(type, slot);
    const std::size_t size = type.schema.size;
    if (std::memcmp(place.shadow, slot, size) == 0) return;
    const std::size_t count = wordsIn(size);
    const std::size_t masks = (count + maskBits - 1) / maskBits;
    const std::size_t head = words.size();
    words.push_back(owner.id.index);
    words.push_back(type.id | static_cast<std::uint32_t>(masks) << 16);
    words.resize(words.size() + masks);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t change = loadWord(place.shadow, size, i) ^ loadWord(slot, size, i);
        if (change == 0) continue;
        words[head + 2 + i / maskBits] |= 1U << (i % maskBits);
        words.push_back(change);
    }
    std::memcpy(place.shadow, slot, size);
    setHash(owner, type, place);
}

template <class Visit>
void Shadow::forOpenSlots(Tick since, Visit visit) {
    for (std::size_t id = 0; id < pages_.size(); ++id) {
        ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(id));
        const std::size_t size = type.schema.size;
        const auto& poolPages = type.pool.pages();
        for (std::size_t number = 0; number < pages_[id].size(); ++number) {
            Page& shadow = pages_[id][number];
            const ComponentPool::Page& page = *poolPages[number];
            if (!shadow.data) continue;
            const std::uint32_t slots = type.pool.slotsPerPage();
            for (std::uint32_t first = 0; first < slots; first += blockSlots) {
                if (page.openedAt < since && page.blockChangedAt[first / blockSlots] < since)
                    continue;
                const std::uint32_t count = std::min(blockSlots, slots - first);
                std::uint64_t tracked = shadow.tracked[first / 64] >> (first % 64);
                tracked &= (std::uint64_t{1} << count) - 1;
                if (tracked == 0) continue;
                // Most of what is open was not written: compare whole blocks first.
                if (std::has_single_bit(tracked + 1) &&
                    std::memcmp(shadow.data.get() + first * size, page.data + first * size,
                                static_cast<std::size_t>(std::popcount(tracked)) * size) == 0)
                    continue;
                for (; tracked != 0; tracked &= tracked - 1) {
                    const auto slot = first + static_cast<std::uint32_t>(std::countr_zero(tracked));
                    visit(type, page, shadow, slot);
                }
            }
        }
    }
}

void Shadow::takeAllChanges(Tick since, std::vector<std::uint32_t>& words) {
    forOpenSlots(since, [&](ComponentType& type, const ComponentPool::Page& page, Page&,
                            std::uint32_t slot) {
        takeChanges(world_.forest().pool.at(page.owners[slot]), type,
                    page.data + std::size_t{slot} * type.schema.size, words);
    });
}

void Shadow::revertAll(Tick since) {
    forOpenSlots(since, [](ComponentType& type, const ComponentPool::Page& page, Page& shadow,
                           std::uint32_t slot) {
        const std::size_t offset = std::size_t{slot} * type.schema.size;
        std::memcpy(page.data + offset, shadow.data.get() + offset, type.schema.size);
    });
}

void Shadow::apply(const std::vector<std::uint32_t>& words) {
    for (std::size_t at = 0; at < words.size();) {
        const EntityRecord& owner = world_.forest().pool.at(words[at]);
        ComponentType& type =
            world_.components().at(static_cast<ComponentTypeId>(words[at + 1] & 0xFFFF));
        const std::size_t masks = words[at + 1] >> 16;
        const std::uint32_t* mask = &words[at + 2];
        at += 2 + masks;
        std::byte* slot = owner.slotOf(type.id);
        const bool known = slot && owner.managed && isTracked(type, slot);
        const std::size_t size = type.schema.size;
        for (std::size_t group = 0; group < masks; ++group)
            for (std::uint32_t bits = mask[group]; bits != 0; bits &= bits - 1, ++at) {
                if (!known) continue;
                const std::size_t word =
                    group * maskBits + static_cast<std::size_t>(std::countr_zero(bits));
                xorWord(slot, size, word, words[at]);
            }
        if (!known) continue;
        type.pool.markChanged(slot, world_.getTick());
        const Place place = placeOf(type, slot);
        std::memcpy(place.shadow, slot, size);
        setHash(owner, type, place);
    }
}

std::size_t Shadow::bytes() const noexcept {
    return bytes_;
}

void Shadow::clear() noexcept {
    pages_.clear();
    hashSum_ = 0;
    bytes_ = 0;
}

}  // namespace revenant
