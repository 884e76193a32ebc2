#include "world/storage/entity_pool.hpp"

#include <algorithm>

#include "world/error.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

// Memory for one more chunk.
void EntityPool::growGenerations() {
    const std::size_t used = count_ * sizeof(std::uint32_t);
    const std::size_t wanted = used + chunkRecords * sizeof(std::uint32_t);
    if (wanted <= generationMemory_.bytes) return;
    GrowingMemory former = grow(generationMemory_, used, std::max(wanted, 2 * used));
    generations_ = reinterpret_cast<std::uint32_t*>(generationMemory_.data);
    release(former);
}

void EntityPool::addSlot() {
    if (count_ == UINT32_MAX) fail(ErrorCode::LimitReached, "the world is full");
    if (count_ == chunks_.size() * chunkRecords) {
        growGenerations();
        makeRoom(chunks_);
        free_.reserve((chunks_.size() + 1) * chunkRecords);
        // The first chunks are those of a small world.
        const bool isSmall = chunks_.size() < smallChunks;
        std::byte* memory =
            source_.take(std::bit_ceil(sizeof(Chunk)),
                         isSmall ? PageSource::Use::Partly : PageSource::Use::Wholly);
        chunks_.emplace_back(new (memory) Chunk);
    }
    EntityRecord& record = at(count_);
    record.id = {count_, 1};
    generations_[count_] = 1;
    free_.push_back(count_++);
}

void EntityPool::reserve(std::size_t slots) {
    const std::size_t before = free_.size();
    try {
        while (count_ < slots) addSlot();
    } catch (...) {
        std::reverse(free_.begin() + static_cast<std::ptrdiff_t>(before), free_.end());
        throw;
    }
    // Handed out in ascending order.
    std::reverse(free_.begin() + static_cast<std::ptrdiff_t>(before), free_.end());
}

bool EntityPool::canOpen(std::span<const EntityId> ids) const noexcept {
    return std::ranges::all_of(ids, [this](EntityId id) {
        if (id.generation > lastGeneration_) return false;
        if (id.index >= count_) return true;
        return id.generation >= generations_[id.index] && generations_[id.index] != lastGeneration_;
    });
}

void EntityPool::open(std::span<const std::uint32_t> generations, std::span<const EntityId> ids) {
    while (count_ < generations.size()) addSlot();
    for (std::uint32_t i = 0; i < generations.size(); ++i) {
        const bool isRetired = generations[i] == 0 || generations[i] > lastGeneration_;
        generations_[i] = std::max(generations_[i], isRetired ? lastGeneration_ : generations[i]);
        at(i).id.generation = generations_[i];
    }
    for (const EntityId id : ids) at(id.index).alive = true;
    alive_ = static_cast<std::uint32_t>(ids.size());
    // A slot that is at its last generation cannot be distinguished from a retired one.
    free_.clear();
    retired_ = 0;
    for (std::uint32_t i = count_; i-- > 0;) {
        if (at(i).alive) continue;
        if (generations_[i] == lastGeneration_)
            ++retired_;
        else
            free_.push_back(i);
    }
}

void EntityPool::addRest(EntityRecord& record) {
    if (freeRests_.empty()) {
        makeRoom(rests_);
        freeRests_.reserve((rests_.size() + 1) * chunkRests);
        rests_.push_back(std::make_unique<EntityRest[]>(chunkRests));
        for (std::size_t i = chunkRests; i-- > 0;) freeRests_.push_back(&rests_.back()[i]);
    }
    EntityRest& rest = *freeRests_.back();
    freeRests_.pop_back();
    rest.owner = &record;
    rest.closing.closes = true;
    rest.disabledComponents = 0;
    record.rest = &rest;
}

void EntityPool::takeRest(EntityRecord& record) noexcept {
    record.rest->owner = nullptr;
    freeRests_.push_back(record.rest);  // never allocates: addRest reserved the room
    record.rest = nullptr;
}

std::size_t EntityPool::bytes() const noexcept {
    return chunks_.size() * sizeof(Chunk) + rests_.size() * chunkRests * sizeof(EntityRest) +
           freeRests_.capacity() * sizeof(EntityRest*) + free_.capacity() * sizeof(std::uint32_t) +
           generationMemory_.bytes;
}

}  // namespace revenant
