#include "rewind/record/known_entities.hpp"

#include <utility>

#include "world/core/restorer.hpp"

namespace revenant {

KnownEntity& KnownEntities::remember(EntityRecord& record) {
    if (table_.size() <= record.id.index) table_.growTo(record.id.index + 1);
    KnownEntity& entry = of(record);
    if (entry.id == record.id) return entry;
    entry = {};
    entry.id = record.id;
    entry.shape = record.shape;
    entry.isLate = record.bornAt < since_;
    Restorer::setRemembered(record, true);
    ++count_;
    return entry;
}

void KnownEntities::erase(EntityRecord& record) noexcept {
    KnownEntity& entry = of(record);
    hashSum_ -= entry.hash;
    entry = {};
    --count_;
    Restorer(world_).letGo(record);
}

void KnownEntities::clear() noexcept {
    table_.clear();
    count_ = 0;
    hashSum_ = 0;
}

void KnownEntities::rehash(EntityRecord* record) {
    if (!record || !knows(*record)) return;
    looksHashes_ = {};
    rehash(*record, of(*record));
}

void KnownEntities::rehash(const EntityRecord& record, KnownEntity& entry) {
    hashSum_ -= entry.hash;
    entry.hash = record.managed && entry.isIn
                     ? structureHash(world_, record, entry.looks(), looksHashes_)
                     : 0;
    hashSum_ += entry.hash;
}

void KnownEntities::rehashOnce(EntityRecord* record) {
    if (!record || !knows(*record)) return;
    KnownEntity& entry = of(*record);
    if (std::exchange(entry.rehashedIn, rehashes_) != rehashes_) rehash(*record, entry);
}

// Entities that are, or were, at the given places, and their next siblings, have a new previous sibling.
// All as of the last reconcile: listeners may have requested other places since. `arePresent`: the steps have the places of now.
void KnownEntities::rehashNeighbours(const std::vector<Step>& steps, bool arePresent) {
    const Forest& forest = world_.forest();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        prefetchAhead(steps, i);
        const Step& step = steps[i];
        EntityRecord* record = find(step.id);
        rehashOnce(record);
        if (record && record->managed) {
            rehashOnce(forest.settledNextAt(forest.settledParentOf(*record), record));
            if (arePresent) continue;  // what stands at the place now is the entity itself
        }
        const EntityRecord* parent = find(step.parent);
        if (!step.parent.isNull() && (!parent || !parent->managed)) continue;
        const EntityRecord* previous = find(step.previous);
        const bool previousIsThere =
            previous && previous->managed && forest.settledParentOf(*previous) == parent;
        if (step.previous.isNull() || previousIsThere)
            rehashOnce(forest.settledNextAt(parent, previous));
    }
}

void KnownEntities::rehashAll(const Delta& delta, bool isUndone) {
    ++rehashes_;
    looksHashes_ = {};
    rehashNeighbours(delta.departures, isUndone);
    rehashNeighbours(delta.arrivals, !isUndone);
    for (std::size_t i = 0; i < delta.rebindings.size(); ++i) {
        prefetchAhead(delta.rebindings, i);
        rehashOnce(find(delta.rebindings[i].id));
    }
    for (const Toggle& toggle : delta.toggles) rehashOnce(find(toggle.id));
}

void KnownEntities::validate(std::vector<std::string>& problems) const {
    std::size_t counted = 0;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < table_.size(); ++i) {
        counted += table_[i].id.isNull() ? 0 : 1;
        sum += table_[i].hash;
    }
    if (sum != hashSum_)
        problems.emplace_back("the hashes of places that the history notes add up to another sum");
    if (counted != count_)
        problems.push_back(
            sentence("the history knows ", counted, " entities, but notes ", count_));
}

}  // namespace revenant
