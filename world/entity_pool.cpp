#include "world/entity_pool.hpp"

#include <algorithm>

#include "world/error.hpp"

namespace revenant {

EntityRecord& EntityPool::allocate() {
    if (free_.empty()) {
        if (count_ == UINT32_MAX) fail(ErrorCode::LimitReached, "the world is full");
        if (count_ % chunkRecords == 0) {
            chunks_.push_back(std::make_unique<Chunk>());
            // So that destroying every entity there is cannot need memory.
            free_.reserve(chunks_.size() * chunkRecords);
        }
        EntityRecord& record = at(count_);
        record.id = {count_, 1};
        record.opening.index = record.closing.index = count_;
        record.closing.closes = true;
        free_.push_back(count_++);
    }
    EntityRecord& record = at(free_.back());
    free_.pop_back();
    record.alive = true;
    ++alive_;
    return record;
}

void EntityPool::free(EntityRecord& record) noexcept {
    record.alive = false;
    --alive_;
    if (record.id.generation == lastGeneration_) {
        ++retired_;
        return;
    }
    ++record.id.generation;
    free_.push_back(record.id.index);
}

void EntityPool::growSlots(EntityRecord& record) {
    const auto capacity = static_cast<std::uint16_t>(record.slotCapacity * 2);
    auto room = std::make_unique<std::byte*[]>(capacity);
    std::copy_n(record.slots, record.slotCapacity, room.get());
    record.slots = room.get();
    record.slotCapacity = capacity;
    spilledSlots_.push_back(std::move(room));
}

std::size_t EntityPool::bytes() const noexcept {
    return chunks_.size() * sizeof(Chunk) + free_.capacity() * sizeof(std::uint32_t);
}

}  // namespace revenant
