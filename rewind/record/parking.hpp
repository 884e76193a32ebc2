// Parking: the components of known entities that are out. They lie in a blob in the entity's entry instead
// of in the pools; the first write moves them back into the pools (ComponentStore::unpark), and the blob keeps
// what they were in the last frame. Owned by Recorder; used on the world's thread.
//
// Invariant: bytes() is the sum over all entries of parkedSize and a record, where something is parked. Blobs
// of entities that were released do not count: their components move back at the next reconcile.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rewind/record/known_entities.hpp"

namespace revenant {

class Parking {
public:
    Parking(WorldCore& world, KnownEntities& known) : world_(world), known_(known) {}

    // Does nothing for an entity that is in, or parked already. REQUIRES: the entity is known.
    void park(EntityRecord& record);
    // REQUIRES: its components are gone.
    void free(KnownEntity& entry) noexcept;
    // Whether the entity is out and was written since it was parked.
    bool wasWritten(const EntityRecord& record) const noexcept;
    // What the entity was made of when it was parked. REQUIRES: something is parked.
    Makeup makeupOf(const KnownEntity& entry) const;
    // Where the entity hung then, or at setOuter or notePlaces since. REQUIRE: something is parked, and it is not unborn.
    Outer outerOf(const KnownEntity& entry) const noexcept;
    void setOuter(KnownEntity& entry, const Outer& outer) noexcept;
    // Play begins: notes where all of them hang, as moves do not.
    void notePlaces() noexcept;
    // Calls visit(EntityRecord&) for each entity that was written since it was parked, and parks it again.
    // The list of them is empty afterwards.
    template <class Visit>
    void forWritten(Visit visit);

    // Keeps the blob of a forgotten entity until the next freeReleased.
    void release(KnownEntity& entry);
    // Gives forgotten entities that still exist their components back.
    void freeReleased();

    std::size_t bytes() const noexcept { return bytes_; }
    void validate(std::vector<std::string>& problems) const;
    void clear() noexcept;  // REQUIRES: the entries are gone

private:
    struct Released {
        EntityId id;
        ParkedBlob parked;
    };

    WorldCore& world_;
    KnownEntities& known_;
    std::vector<Released> released_;
    std::size_t bytes_ = 0;
};

// ------------------------------------------------------------------------------------------

template <class Visit>
void Parking::forWritten(Visit visit) {
    for (const std::uint32_t index : std::exchange(world_.components().unparked(), {})) {
        EntityRecord& record = world_.forest().pool.at(index);
        if (!wasWritten(record)) continue;
        visit(record);
        park(record);
    }
}

}  // namespace revenant
