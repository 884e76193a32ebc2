// KnownEntities: the entities that a kept frame could bring back, by index, as of the last frame or move, and
// the sum of the hashes of their places. Owned by Recorder; used on the world's thread.
//
// Invariants, which Recorder::validateFrames checks:
// - An entry has one reference on its entity (EntityRecord::remembered) from the frame in which the entity came
//   until no kept frame mentions it. Custody makes and ends entries.
// - `isIn`: the entity is managed and rewindable, and Shadow follows each component of `shape`.
// - `mentions` counts the crossings of the entity in kept frames. An entry is in, or has some.
// - `parked` is set only while the entity is out, until the frame in which it returns, or while it is back but
//   not rewindable; see Parking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/record/blob_pool.hpp"
#include "rewind/record/paged_table.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/clock.hpp"
#include "world/compiler.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/component_store.hpp"

namespace revenant {

struct FreeParked {
    void operator()(std::byte* bytes) const noexcept { BlobPool::give(bytes); }
};
static_assert(BlobPool::alignment >= ComponentStore::parkedAlignment);
using ParkedBlob = std::unique_ptr<std::byte, FreeParked>;

struct KnownEntity {
    EntityId id;  // null: the entry is free
    bool isIn = false;
    bool enabled = true;
    bool isLate = false;  // it may have been made some frames before it was first added
    std::uint32_t mentions = 0;
    std::uint32_t parkedSize = 0;
    std::uint32_t rehashedIn = 0;  // the last call of rehashAll that did
    std::uint64_t disabled = 0;
    const Shape* shape = nullptr;
    std::uint64_t hash = 0;  // of its place
    ParkedBlob parked;       // its components while it is out

    Looks looks() const noexcept { return {shape, disabled, enabled}; }
    void setLooks(const Looks& looks) noexcept {
        enabled = looks.enabled;
        disabled = looks.disabled;
        shape = looks.shape;
    }
    void setLooks(const EntityRecord& record) noexcept {
        setLooks({record.shape, record.disabledComponents(), record.enabled});
    }
};

class KnownEntities {
public:
    explicit KnownEntities(WorldCore& world) : world_(world) {}

    bool knows(const EntityRecord& record) const noexcept {
        return record.id.index < table_.size() && table_[record.id.index].id == record.id;
    }
    bool isIn(const EntityRecord& record) const noexcept {
        return knows(record) && table_[record.id.index].isIn;
    }
    bool isOut(const EntityRecord& record) const noexcept {
        return knows(record) && !table_[record.id.index].isIn;
    }
    // The record of a known entity, null for any other.
    EntityRecord* find(EntityId id) const noexcept {
        if (id.isNull() || id.index >= table_.size() || table_[id.index].id != id) return nullptr;
        return &world_.forest().pool.at(id.index);
    }
    // Has the processor fetch what a loop over steps or crossings will read of the one so many ahead.
    template <class List>
    void prefetchAhead(const List& list, std::size_t position) const noexcept {
        constexpr std::size_t ahead = 8;
        if (position + ahead >= list.size()) return;
        const std::uint32_t index = list[position + ahead].id.index;
        if (index >= table_.size() || index >= world_.forest().pool.count()) return;
        detail::prefetchLine(&table_[index]);
        world_.forest().pool.at(index).prefetch();
    }
    // REQUIRE: the entity is, or was, known.
    KnownEntity& of(const EntityRecord& record) noexcept { return table_[record.id.index]; }
    const KnownEntity& of(const EntityRecord& record) const noexcept {
        return table_[record.id.index];
    }
    // All entries, the free ones included.
    std::size_t size() const noexcept { return table_.size(); }
    KnownEntity& operator[](std::size_t index) noexcept { return table_[index]; }
    const KnownEntity& operator[](std::size_t index) const noexcept { return table_[index]; }

    // What was written or made at this clock or later is in no frame yet.
    Clock since() const noexcept { return since_; }
    void setSince(Clock clock) noexcept { since_ = clock; }

    // The entity's entry, made where there is none, with a reference on the entity.
    KnownEntity& remember(EntityRecord& record);
    // Empties an entry and gives the reference back. REQUIRES: nothing is parked in it.
    void erase(EntityRecord& record) noexcept;
    void clear() noexcept;

    // ---- hashes of places, as of the last reconcile
    void rehash(EntityRecord* record);  // does nothing for null, and for one that is not known
    // All entities whose place, siblings or looks the delta changed, which was redone (or recorded) or undone.
    void rehashAll(const Delta& delta, bool isUndone = false);
    std::uint64_t hashSum() const noexcept { return hashSum_; }

    // For ParkedBlob.
    BlobPool& blobs() noexcept { return blobs_; }

    std::size_t bytes() const noexcept { return table_.bytes(); }
    void validate(std::vector<std::string>& problems) const;

private:
    void rehashNeighbours(const std::vector<Step>& steps, bool arePresent);
    void rehashOnce(EntityRecord* record);
    void rehash(const EntityRecord& record, KnownEntity& entry);

    WorldCore& world_;
    BlobPool blobs_;
    PagedTable<KnownEntity> table_;
    std::size_t count_ = 0;  // entries that are not free
    std::uint64_t hashSum_ = 0;
    std::uint32_t rehashes_ = 0;  // calls of rehashAll
    LooksHashes looksHashes_;     // of the one under way
    Clock since_ = 0;
};

}  // namespace revenant
