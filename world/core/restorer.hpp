// Restorer: puts a world back to an earlier state, for a history. Its calls change present
// truth, as the calls of gameplay do; `finish` reconciles, so that order, lists, views and
// listeners follow by the same rules as ever, once, for the net difference.
// REQUIRES: the forest keeps its roots (Forest::setKeepsRoots), nothing is pending.
#pragma once

#include <cstddef>

#include "world/core/reconciler.hpp"
#include "world/storage/component_store.hpp"
#include "world/storage/entity_record.hpp"

namespace revenant {

class WorldCore;

class Restorer {
public:
    explicit Restorer(WorldCore& world) : world_(world) {}

    // The entity is to be in, at this place. Its parent and its elder are there already.
    void putIn(EntityRecord& record, EntityRecord* parent, EntityRecord* elder);
    // The entity is to be out. Children of it that the history does not know stay in, as roots.
    void takeOut(EntityRecord& record, bool asZombie);
    void setEnabled(EntityRecord& record, bool enabled, std::uint64_t disabledComponents);
    void bindComponent(EntityRecord& record, ComponentType& type, const std::byte* bytes);
    void unbindComponent(EntityRecord& record, ComponentType& type);
    // Makes an entity that is out one that is not born yet, or the reverse.
    void setUnborn(EntityRecord& record, bool unborn);
    // Makes an entity that is out, and what hangs on it, zombies, or such as were never in.
    // REQUIRES: not unborn.
    void setZombie(EntityRecord& top, bool zombie);
    // Makes one that is out the last child of another that is.
    void hangOn(EntityRecord& record, EntityRecord& parent);
    // Counts a reference of the history's on the entity, or gives it back.
    static void setRemembered(EntityRecord& record, bool remembered) noexcept;
    // Destroys an entity that is out, whatever kept it.
    void destroy(EntityRecord& record);
    void finish(ReconcileMode mode);

private:
    WorldCore& world_;
};

}  // namespace revenant
