// EntityPool: entity records in chunks of stable address, and the handles to them.
//
// Invariant: a generation of a slot is used once. It is raised when the entity is destroyed, so
// that every older handle is found stale; a slot whose generations are used up is retired.
// Owned by Forest.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "world/compiler.hpp"
#include "world/storage/entity_record.hpp"
#include "world/storage/growing_memory.hpp"
#include "world/storage/page_source.hpp"

namespace revenant {

class EntityPool {
public:
    // `lastGeneration` is the last one handed out for a slot; smaller only in tests.
    explicit EntityPool(std::uint32_t lastGeneration) : lastGeneration_(lastGeneration) {}
    EntityPool(const EntityPool&) = delete;
    EntityPool& operator=(const EntityPool&) = delete;
    ~EntityPool() { release(generationMemory_); }

    EntityRecord& allocate() {
        if (free_.empty()) [[unlikely]]
            addSlot();
        EntityRecord& record = at(free_.back());
        free_.pop_back();
        if (free_.size() >= prefetchAhead) {
            // It was freed a while ago, and is far away now.
            at(free_[free_.size() - prefetchAhead]).prefetch();
        }
        record.alive = true;
        ++alive_;
        return record;
    }
    // Makes slots until there are so many. Allocates what they take; those that are free already are used after them.
    void reserve(std::size_t slots);
    // REQUIRES: it has no children, and its closing node is not in the order.
    void free(EntityRecord& record) noexcept {
        record.alive = false;
        --alive_;
        if (record.rest) takeRest(record);
        if (record.id.generation == lastGeneration_) [[unlikely]] {
            ++retired_;
            return;
        }
        generations_[record.id.index] = ++record.id.generation;
        free_.push_back(record.id.index);  // never allocates: addSlot reserved the room
    }

    // Gives the record a rest if it has none: before it gets a child or a disabled component.
    EntityRest& makeRest(EntityRecord& record) {
        if (!record.rest) addRest(record);
        return *record.rest;
    }

    // For loading a history: gives each slot its generation from `generations` (by index: that of the
    // entity in `ids`, or of the next one to be made there; 0: retired) and makes `ids` alive.
    // REQUIRES: nothing is alive, and canOpen.
    void open(std::span<const std::uint32_t> generations, std::span<const EntityId> ids);
    // Whether no handle that was ever given out here could mean one of these.
    bool canOpen(std::span<const EntityId> ids) const noexcept;
    std::uint32_t lastGeneration() const noexcept { return lastGeneration_; }

    // The record of a living entity, or nullptr for a stale or null id.
    EntityRecord* find(EntityId id) const noexcept {
        if (id.index >= count_) return nullptr;
        EntityRecord& record = at(id.index);
        return record.id == id && record.alive ? &record : nullptr;
    }
    // The same, unborn entities included.
    EntityRecord* findKnown(EntityId id) const noexcept {
        if (id.index >= count_) return nullptr;
        EntityRecord& record = at(id.index);
        return record.id == id && record.exists() ? &record : nullptr;
    }
    // Only findKnown finds an unborn entity; it keeps its slot and its generation.
    void setUnborn(EntityRecord& record, bool unborn) noexcept {
        if (record.unborn == unborn) return;
        record.unborn = unborn;
        record.alive = !unborn;
        alive_ += unborn ? -1 : 1;
        unborn_ += unborn ? 1 : -1;
    }
    // Whether handles of some are not to be found, though their slots have not gone on.
    bool hasUnborn() const noexcept { return unborn_ > 0; }
    // Whether the slot has gone on to another generation; a living entity's has not.
    bool isStale(EntityId id) const noexcept {
        return id.index >= count_ || generations_[id.index] != id.generation;
    }
    // The id of the living entity at an index, from a dense array: records are far apart.
    EntityId idAt(std::uint32_t index) const noexcept { return {index, generations_[index]}; }
    // By index: of the entity that is there, or of the next one. For loops that go on while entities are made, which may
    // move them.
    const std::uint32_t* const* generationsPlace() const noexcept { return &generations_; }
    // REQUIRES: index < count().
    EntityRecord& at(std::uint32_t index) const noexcept {
        return chunks_[index / chunkRecords]->records[index % chunkRecords];
    }
    // Slots ever used, living or free.
    std::uint32_t count() const noexcept { return count_; }
    std::uint32_t alive() const noexcept { return alive_; }
    std::uint32_t retired() const noexcept { return retired_; }
    std::size_t bytes() const noexcept;

private:
    static constexpr std::uint32_t chunkRecords = 256;
    static constexpr std::size_t smallChunks = 64;  // 2 MiB
    static constexpr std::size_t chunkRests = 64;
    static constexpr std::size_t prefetchAhead = 4;
    struct Chunk {
        EntityRecord records[chunkRecords];
    };

    struct Destroy {
        void operator()(Chunk* chunk) const noexcept { std::destroy_at(chunk); }
    };

    void addSlot();
    void growGenerations();
    void addRest(EntityRecord& record);
    void takeRest(EntityRecord& record) noexcept;

    PageSource source_;
    std::vector<std::unique_ptr<Chunk, Destroy>> chunks_;
    std::vector<std::unique_ptr<EntityRest[]>> rests_;
    std::vector<EntityRest*> freeRests_;
    GrowingMemory generationMemory_;
    std::uint32_t* generations_ = nullptr;  // of the records' ids
    std::vector<std::uint32_t> free_;
    std::uint32_t count_ = 0;
    std::uint32_t alive_ = 0;
    std::uint32_t unborn_ = 0;
    std::uint32_t retired_ = 0;
    std::uint32_t lastGeneration_;
};

}  // namespace revenant
