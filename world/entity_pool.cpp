#include "world/entity_pool.hpp"

#include <algorithm>

#include "world/error.hpp"

namespace revenant {

void EntityPool::addSlot() {
    if (count_ == UINT32_MAX) fail(ErrorCode::LimitReached, "the world is full");
    if (count_ % chunkRecords == 0) {
        chunks_.push_back(std::make_unique<Chunk>());
        free_.reserve(chunks_.size() * chunkRecords);
    }
    EntityRecord& record = at(count_);
    record.id = {count_, 1};
    record.opening.index = record.closing.index = count_;
    generations_.push_back(1);
    record.closing.closes = true;
    free_.push_back(count_++);
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
    return chunks_.size() * sizeof(Chunk) +
           (free_.capacity() + generations_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace revenant
