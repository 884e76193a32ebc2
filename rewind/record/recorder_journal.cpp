// What a reconcile changed, written down as it happens: the structural half of a frame.
#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/history/delta_composer.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

EntityId idOf(const EntityRecord* record) noexcept {
    return record ? record->id : EntityId{};
}

Words wordsOfBytes(const std::byte* bytes, std::size_t size) {
    Words words((size + 3) / 4, 0);
    std::memcpy(words.data(), bytes, size);
    return words;
}

Step stepOf(const EntityRecord& record, const EntityRecord* parent, const EntityRecord* elder) {
    Step step;
    step.id = record.id;
    step.parent = idOf(parent);
    step.elder = idOf(elder);
    return step;
}

}  // namespace

void Recorder::onReconcile(const ChangeSet& changes) {
    if (!isOn_ || isRestoring_) return;
    freeReleased();
    auto isIn = [this](const EntityRecord& record) {
        return knows(record) && known_[record.id.index].isIn;
    };
    pending_.emplace_back();
    // Those that moved to where they are, or are not, rewindable any more: that is told next.
    std::vector<EntityRecord*> rescoped;
    for (const Placing& placing : changes.departures) {
        EntityRecord& record = *placing.record;
        if (record.managed && isRewindable(record) != isIn(record)) rescoped.push_back(&record);
        if (!isIn(record)) continue;
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
        if (isIn(*change.record) && !change.entered()) noteRebound(*change.record, &changes);
    for (const Placing& placing : changes.arrivals) {
        EntityRecord& record = *placing.record;
        const bool crosses = !isIn(record);
        if (crosses && (!isRewindable(record) || std::ranges::count(rescoped, &record) > 0))
            continue;
        Step step = stepOf(record, placing.parent, placing.elder);
        step.crosses = crosses;
        step.wasZombie = crosses && placing.resurrected;
        if (crosses) welcome(record);
        pending_.back().arrivals.push_back(std::move(step));
    }
    if (!pending_.back().hasStructure()) pending_.pop_back();
    if (rescoped.empty()) return;
    pending_.emplace_back();
    for (EntityRecord* top : rescoped) noteScope(*top);
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

// Of a subtree whose top has come or gone, those that are no longer, or now, rewindable.
void Recorder::noteScope(EntityRecord& top) {
    Delta& delta = pending_.back();
    forSubtree(top, [&](EntityRecord& record) {
        const bool isIn = knows(record) && known_[record.id.index].isIn;
        if (!record.managed || isIn == isRewindable(record)) return;
        const Forest& forest = world_.forest();
        Step step = stepOf(record, forest.settledParentOf(record), forest.settledElderOf(record));
        step.crosses = step.rescoped = true;
        if (isIn) {
            noteLeft(record, step, nullptr);
            delta.departures.push_back(std::move(step));
        } else {
            step.wasZombie = knows(record);
            welcome(record);
            delta.arrivals.push_back(std::move(step));
        }
    });
}

void Recorder::onRescope(EntityRecord& record, bool rewindable) {
    if (!isOn_) return;
    pending_.emplace_back();
    // Places are told while those that stay see it as the history does.
    std::vector<Step> places;
    if (!rewindable) {
        forSubtree(record, [&](EntityRecord& each) {
            if (knows(each) && known_[each.id.index].isIn)
                places.push_back(stepOf(each, world_.forest().settledParentOf(each),
                                        world_.forest().settledElderOf(each)));
        });
        for (Step& step : places) {
            EntityRecord& each = *find(step.id);
            step.crosses = step.rescoped = true;
            noteLeft(each, step, nullptr);
            pending_.back().departures.push_back(std::move(step));
        }
    } else {
        record.rewindable = true;
        noteScope(record);
    }
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

void Recorder::noteLeft(EntityRecord& record, Step& step, const ChangeSet* changes) {
    noteRebound(record, changes);
    Delta& delta = pending_.back();
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (type.hooks) gone_.push_back({record.id, type.id});
        if (!shadow_.isTracked(type, record.slots[i])) continue;
        shadow_.takeChanges(record, type, record.slots[i], delta.words, pendingBases_);
        shadow_.untrack(type, record.slots[i]);
    }
    step.makeup = makeupOf(record);
    known_[record.id.index].isIn = false;
}

// Compares what an entity is made of with what is known of it.
void Recorder::noteRebound(EntityRecord& record, const ChangeSet* changes) {
    Known& entry = known_[record.id.index];
    Delta& delta = pending_.back();
    ComponentStore& components = world_.components();
    const std::span<const RetiredSlot> allRetired =
        changes ? changes->retired : std::span(components.retired());
    if (entry.shape == record.shape && entry.enabled == record.enabled &&
        entry.disabled == record.disabledComponents && !changes && allRetired.empty())
        return;
    const std::size_t reboundBefore = delta.rebindings.size();
    for (const ComponentTypeId id : entry.shape->types()) {
        ComponentType& type = components.at(id);
        std::byte* slot = record.slotOf(id);
        if (slot && shadow_.isTracked(type, slot)) continue;
        // The component of the last frame was removed: it is in a retired slot.
        for (const RetiredSlot& retired : allRetired) {
            if (retired.owner != record.id.index || retired.type != id ||
                !shadow_.isTracked(type, retired.slot))
                continue;
            shadow_.takeChanges(record, type, retired.slot, delta.words, pendingBases_);
            shadow_.untrack(type, retired.slot);
            if (type.hooks && !slot) gone_.push_back({record.id, id});
            Rebinding rebinding;
            rebinding.id = record.id;
            rebinding.type = id;
            rebinding.had = true;
            rebinding.has = slot != nullptr;
            rebinding.before = wordsOfBytes(retired.slot, type.schema.size);
            if (slot) {
                rebinding.after = wordsOfBytes(slot, type.schema.size);
                shadow_.track(record, type, slot);
            }
            delta.rebindings.push_back(std::move(rebinding));
            break;
        }
    }
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = components.at(types[i]);
        if (entry.shape->has(types[i])) continue;
        Rebinding rebinding;
        rebinding.id = record.id;
        rebinding.type = types[i];
        rebinding.has = true;
        rebinding.after = wordsOfBytes(record.slots[i], type.schema.size);
        shadow_.track(record, type, record.slots[i]);
        delta.rebindings.push_back(std::move(rebinding));
    }
    // What is bound anew is enabled at first, whatever it was: it has to be told, even where nothing
    // differs.
    const bool isRebound = delta.rebindings.size() > reboundBefore;
    if (entry.enabled != record.enabled || entry.disabled != record.disabledComponents || isRebound)
        delta.toggles.push_back(
            {record.id, entry.enabled, record.enabled, entry.disabled, record.disabledComponents});
    entry.enabled = record.enabled;
    entry.disabled = record.disabledComponents;
    entry.shape = record.shape;
}

Delta Recorder::takePending() {
    if (pending_.empty()) return {};
    Delta delta;
    if (pending_.size() == 1) {
        delta = std::move(pending_.front());
    } else {
        DeltaComposer composer;
        for (Delta& each : pending_) {
            for (Step& step : each.arrivals)
                if (const EntityRecord* record = find(step.id); record && step.crosses)
                    step.makeup = known_[record->id.index].isIn ? settledMakeupOf(*record)
                                                                : makeupOf(*record);
            composer.add(each);
        }
        delta = composer.finish();
    }
    pending_.clear();
    return delta;
}

// What was written to a new component since it came is part of what it came as. What listeners bound
// and unbound since is not: it is waiting for the next reconcile.
void Recorder::refreshArrivals(Delta& delta) {
    auto refresh = [this](const EntityRecord& record, ComponentType& type) {
        const std::byte* slot = trackedSlotOf(record, type);
        if (!slot) return slot;
        // Mostly nothing was: then its copy and its hash are right already.
        if (std::memcmp(shadow_.copyOf(type, slot), slot, type.schema.size) == 0) return slot;
        shadow_.untrack(type, slot);
        shadow_.track(record, type, slot);
        return slot;
    };
    for (Step& step : delta.arrivals)
        if (EntityRecord* record = find(step.id);
            record && step.crosses && known_[record->id.index].isIn) {
            for (const ComponentTypeId id : known_[record->id.index].shape->types())
                refresh(*record, world_.components().at(id));
            step.makeup = settledMakeupOf(*record);
        }
    for (Rebinding& rebinding : delta.rebindings) {
        EntityRecord* record = find(rebinding.id);
        if (!rebinding.has || !record || !known_[record->id.index].isIn) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        if (const std::byte* slot = refresh(*record, type))
            rebinding.after = wordsOfBytes(slot, type.schema.size);
    }
}

}  // namespace revenant
