// Restorer: puts a world back to an earlier state, for a history. Its calls change present
// truth, as the calls of gameplay do; `finish` reconciles, so that order, lists, views and
// listeners follow by the same rules as ever, once, for the net difference. What a history writes to an
// EntityRecord, it writes through here. Made on the spot; used on the world's thread.
// REQUIRES: the forest keeps its roots (Forest::setKeepsRoots), nothing is pending.
#pragma once

#include <cstddef>

#include "world/clock.hpp"
#include "world/core/reconciler.hpp"
#include "world/core/world_core.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

class Restorer {
public:
    explicit Restorer(WorldCore& world) : world_(world) {}

    // Brings the entity in, at this place. REQUIRES: its parent and its previous sibling are in.
    void putIn(EntityRecord& record, EntityRecord* parent, EntityRecord* previous);
    // Takes the entity out. Children that the history does not know stay in, as roots.
    void takeOut(EntityRecord& record, bool asZombie);
    void setEnabled(EntityRecord& record, bool enabled, std::uint64_t disabledComponents);
    // The same for an entity that is out: nothing waits for a reconcile.
    void setEnabledOutside(EntityRecord& record, bool enabled, std::uint64_t disabledComponents);
    // Takes all components from an entity that is out.
    void strip(EntityRecord& record);
    static void setRewindable(EntityRecord& record, bool rewindable) noexcept {
        record.rewindable = rewindable;
    }
    void bindComponent(EntityRecord& record, ComponentType& type, const std::byte* bytes);
    void unbindComponent(EntityRecord& record, ComponentType& type);
    // Makes an entity that is out one that is not born yet, or the reverse.
    void setUnborn(EntityRecord& record, bool unborn);
    // Makes an entity that is out, and what hangs on it, zombies, or such as were never in.
    // REQUIRES: not unborn.
    void setZombie(EntityRecord& top, bool zombie);
    // Makes one that is out the last child of another that is.
    void hangOn(EntityRecord& record, EntityRecord& parent);
    // Asks for the entity to be in or out at the next reconcile, as it was asked before; `moved`: its parent
    // changed while it was managed. If it stays out, so does its subtree.
    void ask(EntityRecord& record, Intent intent, bool moved) noexcept;
    // If the last hold on the entity was released, undoes that: it lives like one that was never held.
    static void setFree(EntityRecord& record) noexcept;

    // When the entity was made, by the world's clock.
    static void setBornAt(EntityRecord& record, Clock clock) noexcept { record.bornAt = clock; }
    // Entities that were made since the last frame count as made before `clock`.
    void settleNewborns(Clock clock) noexcept;
    // Entities that were made at `clock` or later, or behind `lastSerial`, count as made before it, and their
    // serials no longer among those that are rewound; but for those of which isKnown(record).
    template <class IsKnown>
    void adoptStrays(Clock clock, std::uint32_t lastSerial, IsKnown isKnown);

    // Counts a reference of the history's on the entity.
    static void setRemembered(EntityRecord& record, bool remembered) noexcept;
    // Gives it back. One that is out and has no other is collected at the next reconcile.
    void letGo(EntityRecord& record) noexcept;
    // Destroys an entity that is out, whatever kept it.
    void destroy(EntityRecord& record);
    void finish(ReconcileMode mode);

private:
    WorldCore& world_;
};

// ------------------------------------------------------------------------------------------

template <class IsKnown>
void Restorer::adoptStrays(Clock clock, std::uint32_t lastSerial, IsKnown isKnown) {
    Forest& forest = world_.forest();
    if (forest.lastBirth < clock) return;
    for (std::uint32_t i = 0; i < forest.pool.count(); ++i) {
        EntityRecord& record = forest.pool.at(i);
        const bool isStray = Forest::isStraySerial(record.serial);
        if (!isStray && record.serial <= lastSerial) continue;
        if (!record.alive || isKnown(record)) continue;
        if (record.bornAt >= clock) record.bornAt = clock - 1;
        if (!isStray) record.serial = forest.nextStraySerial--;
    }
    forest.lastBirth = clock - 1;
}

}  // namespace revenant
