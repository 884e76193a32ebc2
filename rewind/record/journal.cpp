#include "rewind/record/journal.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/history/delta_composer.hpp"
#include "rewind/record/makeup.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

EntityId idOf(const EntityRecord* record) noexcept {
    return record ? record->id : EntityId{};
}

Step stepOf(const EntityRecord& record, const EntityRecord* parent, const EntityRecord* elder) {
    Step step;
    step.id = record.id;
    step.parent = idOf(parent);
    step.elder = idOf(elder);
    return step;
}

}  // namespace

Step Journal::settledStepOf(const EntityRecord& record) const {
    const Forest& forest = world_.forest();
    return stepOf(record, forest.settledParentOf(record), forest.settledElderOf(record));
}

Makeup Journal::settledMakeup(const EntityRecord& record) const {
    return settledMakeupOf(record, known_.of(record).looks(), shadow_, world_.components());
}

void Journal::dropIfEmpty() {
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

void Journal::onReconcile(const ChangeSet& changes) {
    pending_.emplace_back();
    // Entities that moved to where they are, or are not, rewindable any more: those come last.
    std::vector<EntityRecord*> rescoped;
    for (const Placing& placing : changes.departures) {
        EntityRecord& record = *placing.record;
        if (record.managed && isRewindable(record) != known_.isIn(record))
            rescoped.push_back(&record);
        if (!known_.isIn(record)) continue;
        Step step = stepOf(record, placing.parent, placing.elder);
        step.crosses = !record.managed;
        if (step.crosses) {
            noteLeft(record, step, &changes);
            step.detached = !record.removed;
            step.outer = idOf(record.parent);
        }
        pending_.back().departures.push_back(std::move(step));
    }
    for (const Change& change : changes.changed)
        if (known_.isIn(*change.record) && !change.entered()) noteRebound(*change.record, &changes);
    for (const Placing& placing : changes.arrivals) {
        EntityRecord& record = *placing.record;
        const bool crosses = !known_.isIn(record);
        if (crosses && (!isRewindable(record) || std::ranges::count(rescoped, &record) > 0))
            continue;
        Step step = stepOf(record, placing.parent, placing.elder);
        step.crosses = crosses;
        step.wasZombie = crosses && placing.resurrected;
        if (crosses) custody_.welcome(record);
        pending_.back().arrivals.push_back(std::move(step));
    }
    dropIfEmpty();
    if (rescoped.empty()) return;
    pending_.emplace_back();
    for (EntityRecord* top : rescoped) noteScope(*top);
    dropIfEmpty();
}

// Whether it is rewindable where the last reconcile put it, whatever parent was requested since.
bool Journal::isSettledRewindable(const EntityRecord& record) const {
    for (const EntityRecord* at = &record; at; at = world_.forest().settledParentOf(*at))
        if (!at->rewindable) return false;
    return true;
}

// Calls visit(EntityRecord&) for a managed entity and its descendants as of the last reconcile.
template <class Visit>
void Journal::forSettledSubtree(EntityRecord& top, Visit visit) {
    Forest& forest = world_.forest();
    visit(top);
    if (!top.hasClosing) return;
    for (const OrderNode* node = forest.order.after(top.opening); node != &top.closing;
         node = forest.order.after(*node))
        if (!node->closes) visit(forest.recordOf(*node));
}

// The entities of a subtree that became rewindable, or ceased to be, with its top.
void Journal::noteScope(EntityRecord& top) {
    forSettledSubtree(top, [&](EntityRecord& record) {
        const bool isIn = known_.isIn(record);
        if (isIn == isSettledRewindable(record)) return;
        Step step = settledStepOf(record);
        step.crosses = step.rescoped = true;
        if (isIn) {
            noteLeft(record, step, nullptr);
            pending_.back().departures.push_back(std::move(step));
        } else {
            step.wasZombie = known_.knows(record);
            custody_.welcome(record);
            pending_.back().arrivals.push_back(std::move(step));
        }
    });
}

void Journal::onRescope(EntityRecord& record, bool rewindable) {
    pending_.emplace_back();
    if (rewindable) {
        Restorer::setRewindable(record, true);
        noteScope(record);
    } else {
        // Places are noted before any of them leaves: those that stay see them as the history does.
        std::vector<Step> places;
        forSettledSubtree(record, [&](EntityRecord& each) {
            if (known_.isIn(each)) places.push_back(settledStepOf(each));
        });
        for (Step& step : places) {
            step.crosses = step.rescoped = true;
            noteLeft(*known_.find(step.id), step, nullptr);
            pending_.back().departures.push_back(std::move(step));
        }
    }
    dropIfEmpty();
}

void Journal::noteLeft(EntityRecord& record, Step& step, const ChangeSet* changes) {
    noteRebound(record, changes);
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (type.hooks) states_.noteGone({record.id, type.id});
        if (!shadow_.isTracked(type, record.slots[i])) continue;
        shadow_.takeChanges(record, type, record.slots[i], pending_.back().words, bases_);
        shadow_.untrack(type, record.slots[i]);
    }
    step.makeup = makeupOf(record, world_.components());
    known_.of(record).isIn = false;
}

// Compares the components of an entity with those known of it.
void Journal::noteRebound(EntityRecord& record, const ChangeSet* changes) {
    KnownEntity& entry = known_.of(record);
    Delta& delta = pending_.back();
    ComponentStore& components = world_.components();
    const std::span<const RetiredSlot> retired =
        changes ? changes->retired : std::span(components.retired());
    if (entry.shape == record.shape && entry.enabled == record.enabled &&
        entry.disabled == record.disabledComponents && !changes && retired.empty())
        return;
    const std::size_t reboundBefore = delta.rebindings.size();
    for (const ComponentTypeId id : entry.shape->types()) {
        ComponentType& type = components.at(id);
        const std::byte* slot = record.slotOf(id);
        if (!slot || !shadow_.isTracked(type, slot)) noteRemoved(record, type, retired);
    }
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = components.at(types[i]);
        if (entry.shape->has(types[i])) continue;
        Rebinding rebinding;
        rebinding.id = record.id;
        rebinding.type = types[i];
        rebinding.has = true;
        rebinding.after = wordsAt(type, record.slots[i]);
        shadow_.track(record, type, record.slots[i]);
        delta.rebindings.push_back(std::move(rebinding));
    }
    // A component that was bound again is enabled, whatever it was before: that needs a toggle even where
    // nothing differs.
    const bool isRebound = delta.rebindings.size() > reboundBefore;
    if (entry.enabled != record.enabled || entry.disabled != record.disabledComponents || isRebound)
        delta.toggles.push_back(
            {record.id, entry.enabled, record.enabled, entry.disabled, record.disabledComponents});
    entry.setLooks(record);
}

// The component of the last frame was removed, and perhaps replaced: it is in a retired slot.
void Journal::noteRemoved(EntityRecord& record, ComponentType& type,
                          std::span<const RetiredSlot> retired) {
    const auto found = std::ranges::find_if(retired, [&](const RetiredSlot& each) {
        return each.owner == record.id.index && each.type == type.id &&
               shadow_.isTracked(type, each.slot);
    });
    if (found == retired.end()) return;
    Delta& delta = pending_.back();
    const std::byte* slot = record.slotOf(type.id);
    shadow_.takeChanges(record, type, found->slot, delta.words, bases_);
    shadow_.untrack(type, found->slot);
    if (type.hooks && !slot) states_.noteGone({record.id, type.id});
    Rebinding rebinding;
    rebinding.id = record.id;
    rebinding.type = type.id;
    rebinding.had = true;
    rebinding.has = slot != nullptr;
    rebinding.before = wordsAt(type, found->slot);
    if (slot) {
        rebinding.after = wordsAt(type, slot);
        shadow_.track(record, type, slot);
    }
    delta.rebindings.push_back(std::move(rebinding));
}

Delta Journal::take(Words& bases) {
    bases = std::exchange(bases_, {});
    if (pending_.empty()) return {};
    Delta delta;
    if (pending_.size() == 1) {
        delta = std::move(pending_.front());
    } else {
        DeltaComposer composer;
        for (Delta& each : pending_) {
            for (Step& step : each.arrivals)
                if (const EntityRecord* record = known_.find(step.id); record && step.crosses)
                    step.makeup = known_.of(*record).isIn ? settledMakeup(*record)
                                                          : makeupOf(*record, world_.components());
            composer.add(each);
        }
        delta = composer.finish();
    }
    pending_.clear();
    return delta;
}

// Mostly nothing was written: then its copy and its hash are right already. Null where it is not followed.
const std::byte* Journal::refresh(const EntityRecord& record, ComponentType& type) {
    const std::byte* slot = shadow_.trackedSlotOf(record, type);
    if (!slot) return slot;
    if (std::memcmp(shadow_.copyOf(type, slot), slot, type.schema.size) == 0) return slot;
    shadow_.untrack(type, slot);
    shadow_.track(record, type, slot);
    return slot;
}

void Journal::refreshArrivals(Delta& delta) {
    for (Step& step : delta.arrivals) {
        const EntityRecord* record = known_.find(step.id);
        if (!record || !step.crosses || !known_.of(*record).isIn) continue;
        for (const ComponentTypeId id : known_.of(*record).shape->types())
            refresh(*record, world_.components().at(id));
        step.makeup = settledMakeup(*record);
    }
    for (Rebinding& rebinding : delta.rebindings) {
        const EntityRecord* record = known_.find(rebinding.id);
        if (!rebinding.has || !record || !known_.of(*record).isIn) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        if (const std::byte* slot = refresh(*record, type)) rebinding.after = wordsAt(type, slot);
    }
}

void Journal::clear() noexcept {
    pending_.clear();
    bases_.clear();
}

}  // namespace revenant
