#include "rewind/record/custody.hpp"

#include <algorithm>

#include "world/core/restorer.hpp"

namespace revenant {

namespace {

// What the last reconcile left, whatever was requested since. The flags of an entity that was not active then are
// those of now: they had no effect.
Looks settledLooksOf(const WorldCore& world, const EntityRecord& record) {
    Looks looks{record.shape, record.disabledComponents(), record.enabled};
    if (!record.isPending()) return looks;
    const EntityRecord* parent = world.forest().settledParentOf(record);
    if (record.toggled && (!parent || parent->active)) looks.enabled = record.active;
    if (!record.rebound) return looks;
    looks.shape = record.settledShape;
    looks.disabled = 0;
    const auto& types = looks.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        const int now = record.shape->positionOf(types[i]);
        const bool isDisabled =
            record.visibleShape
                ? !record.visibleShape->has(types[i])
                : now != Shape::absent && (record.disabledComponents() >> now & 1) != 0;
        if (isDisabled) looks.disabled |= std::uint64_t{1} << i;
    }
    return looks;
}

}  // namespace

void Custody::welcome(EntityRecord& record) {
    KnownEntity& entry = known_.remember(record);
    births_.stopAwaiting(record);
    entry.isIn = true;
    entry.setLooks(settledLooksOf(world_, record));
    shadow_.trackAll(record, *entry.shape);
}

void Custody::letGo(EntityRecord& record) {
    parking_.release(known_.of(record));
    births_.stopAwaiting(record);
    states_.release(record.id);
    known_.erase(record);
}

void Custody::mention(std::span<const Crossing> crossings) {
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        known_.prefetchAhead(crossings, i);
        // What the frame before has a request of may have been destroyed since.
        if (EntityRecord* record = world_.forest().pool.findKnown(crossings[i].id))
            ++known_.remember(*record).mentions;
    }
}

void Custody::forget(std::span<const Crossing> crossings,
                     const std::unordered_set<EntityId>& unrecorded) {
    for (std::size_t i = 0; i < crossings.size(); ++i) {
        known_.prefetchAhead(crossings, i);
        EntityRecord* record = known_.find(crossings[i].id);
        if (!record) continue;
        KnownEntity& entry = known_.of(*record);
        if (--entry.mentions > 0 || entry.isIn || unrecorded.contains(entry.id)) continue;
        const bool unborn = record->unborn;
        outsiders_.watchReleased(*record);
        letGo(*record);
        if (unborn) Restorer(world_).destroy(*record);
    }
}

std::vector<EntityId> Custody::keptOnlyBy(std::span<const Crossing> crossings) const {
    std::vector<EntityId> ids;
    ids.reserve(crossings.size());
    for (const Crossing& crossing : crossings) ids.push_back(crossing.id);
    std::sort(ids.begin(), ids.end());
    std::vector<EntityId> kept;
    for (auto begin = ids.begin(); begin != ids.end();) {
        const auto end = std::upper_bound(begin, ids.end(), *begin);
        const EntityRecord* record = known_.find(*begin);
        if (record && !known_.of(*record).isIn &&
            known_.of(*record).mentions <= static_cast<std::uint32_t>(end - begin))
            kept.push_back(*begin);
        begin = end;
    }
    return kept;
}

bool Custody::forgetIfOnly(EntityId id, std::uint32_t crossings) {
    EntityRecord* record = known_.find(id);
    if (!record || known_.of(*record).isIn || known_.of(*record).mentions != crossings)
        return false;
    outsiders_.watchReleased(*record);
    letGo(*record);
    return true;
}

}  // namespace revenant
