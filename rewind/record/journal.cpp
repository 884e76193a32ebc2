// Over 300 lines: one class, with a short function per kind of structural change.
#include "rewind/record/journal.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/history/delta_composer.hpp"
#include "rewind/history/frame.hpp"
#include "rewind/record/makeup.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

EntityId idOf(const EntityRecord* record) noexcept {
    return record ? record->id : EntityId{};
}

void prefetchAhead(const std::vector<Placing>& placings, std::size_t position) noexcept {
    constexpr std::size_t ahead = 8;
    if (position + ahead < placings.size()) placings[position + ahead].record->prefetch();
}

// Makes room for so many more images of so many words: most that come or leave together are alike.
void reserveAlike(Words& images, std::size_t words, std::size_t more) {
    constexpr std::size_t mostWords = std::size_t{1} << 20;
    if (images.capacity() - images.size() < words)
        images.reserve(images.size() + std::min(words * more, mostWords));
}

Step stepOf(const EntityRecord& record, const EntityRecord* parent, const EntityRecord* previous) {
    Step step;
    step.id = record.id;
    step.parent = idOf(parent);
    step.previous = idOf(previous);
    return step;
}

}  // namespace

Step Journal::settledStepOf(const EntityRecord& record) const {
    const Forest& forest = world_.forest();
    return stepOf(record, forest.settledParentOf(record), forest.settledPreviousOf(record));
}

// In place of the image that the step has, if it is as long.
void Journal::setSettledMakeup(Delta& delta, Step& step, const EntityRecord& record) {
    const Looks looks = known_.of(record).looks();
    const std::size_t begin = delta.images.size();
    for (const ComponentTypeId id : looks.shape->types()) {
        const ComponentType& type = world_.components().at(id);
        if (const std::byte* slot = refresh(record, type)) appendImage(delta.images, type, slot);
    }
    step.disabled = looks.disabled;
    step.enabled = looks.enabled;
    const std::size_t words = delta.images.size() - begin;
    if (words > 0 && words == step.image.words) {
        std::copy_n(&delta.images[begin], words, &delta.images[step.image.begin]);
        delta.images.resize(begin);
    } else {
        step.image = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(words)};
    }
}

ImagePart Journal::addWords(Delta& delta, const ComponentType& type, const std::byte* slot) const {
    const std::size_t begin = delta.images.size();
    appendWords(delta.images, type, slot);
    return {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(delta.images.size() - begin)};
}

void Journal::dropIfEmpty() {
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

void Journal::onReconcile(const ChangeSet& changes) {
    pending_.emplace_back();
    pending_.back().departures.reserve(changes.departures.size());
    pending_.back().arrivals.reserve(changes.arrivals.size());
    retired_.build(changes.retired);
    // Entities that moved to where they are, or are not, rewindable any more: those come last.
    std::vector<EntityRecord*> rescoped;
    const auto& departures = changes.departures;
    for (std::size_t i = 0; i < departures.size(); ++i) {
        prefetchAhead(departures, i);
        const Placing& placing = departures[i];
        EntityRecord& record = *placing.record;
        if (record.managed && isRewindable(record) != known_.isIn(record))
            rescoped.push_back(&record);
        if (!known_.isIn(record)) continue;
        Step step = stepOf(record, placing.parent, placing.previous);
        step.crosses = !record.managed;
        if (step.crosses) {
            noteLeft(record, step);
            step.detached = !record.removed;
            step.outer = idOf(record.parent);
            reserveAlike(pending_.back().images, step.image.words, departures.size() - i - 1);
        }
        pending_.back().departures.push_back(step);
    }
    for (std::size_t i = 0; i < changes.changed.size(); ++i) {
        known_.prefetchAhead(changes.changed, i);
        const Change& change = changes.changed[i];
        if (!change.entered() && known_.isIn(*change.record)) noteRebound(*change.record);
    }
    const auto& arrivals = changes.arrivals;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
        prefetchAhead(arrivals, i);
        const Placing& placing = arrivals[i];
        EntityRecord& record = *placing.record;
        const bool crosses = !known_.isIn(record);
        if (crosses && (!isRewindable(record) || std::ranges::count(rescoped, &record) > 0))
            continue;
        Step step = stepOf(record, placing.parent, placing.previous);
        step.crosses = crosses;
        step.wasZombie = crosses && placing.resurrected;
        if (crosses) custody_.welcome(record);
        pending_.back().arrivals.push_back(step);
    }
    dropIfEmpty();
    if (rescoped.empty()) return;
    pending_.emplace_back();
    retired_.build(world_.components().retired());
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
    for (const OrderNode* node = forest.order.after(top.opening); node != &top.rest->closing;
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
            noteLeft(record, step);
            pending_.back().departures.push_back(step);
        } else {
            step.wasZombie = known_.knows(record);
            custody_.welcome(record);
            pending_.back().arrivals.push_back(step);
        }
    });
}

void Journal::onRescope(EntityRecord& record, bool rewindable) {
    pending_.emplace_back();
    retired_.build(world_.components().retired());
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
            noteLeft(*known_.find(step.id), step);
            pending_.back().departures.push_back(step);
        }
    }
    dropIfEmpty();
}

void Journal::noteLeft(EntityRecord& record, Step& step) {
    noteRebound(record);
    Delta& delta = pending_.back();
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (type.hooks) states_.noteGone({record.id, type.id});
        shadow_.takeLast(record, type, record.slotAt(i), delta.words, bases_);
    }
    step.enabled = record.enabled;
    step.disabled = record.disabledComponents();
    const std::size_t begin = delta.images.size();
    appendImage(delta.images, record, world_.components());
    step.image = {static_cast<std::uint32_t>(begin),
                  static_cast<std::uint32_t>(delta.images.size() - begin)};
    known_.of(record).isIn = false;
}

// Compares the components of an entity with those known of it.
void Journal::noteRebound(EntityRecord& record) {
    KnownEntity& entry = known_.of(record);
    Delta& delta = pending_.back();
    ComponentStore& components = world_.components();
    if (entry.shape == record.shape && entry.enabled == record.enabled &&
        entry.disabled == record.disabledComponents() && retired_.isEmpty())
        return;
    const std::size_t reboundBefore = delta.rebindings.size();
    retired_.forOwner(record.id.index,
                      [&](const RetiredSlot& retired) { noteRemoved(record, retired); });
    const auto& types = record.shape->types();
    for (std::size_t i = 0; entry.shape != record.shape && i < types.size(); ++i) {
        ComponentType& type = components.at(types[i]);
        if (entry.shape->has(types[i])) continue;
        Rebinding rebinding;
        rebinding.id = record.id;
        rebinding.type = types[i];
        rebinding.has = true;
        rebinding.after = addWords(delta, type, record.slotAt(i));
        shadow_.track(record, type, record.slotAt(i));
        delta.rebindings.push_back(rebinding);
    }
    // A component that was bound again is enabled, whatever it was before: that needs a toggle even where
    // nothing differs.
    const bool isRebound = delta.rebindings.size() > reboundBefore;
    if (entry.enabled != record.enabled || entry.disabled != record.disabledComponents() ||
        isRebound)
        delta.toggles.push_back({record.id, entry.enabled, record.enabled, entry.disabled,
                                 record.disabledComponents()});
    entry.setLooks(record);
}

// The component of the last frame was removed, and perhaps replaced: it is in a retired slot. Others were added and removed
// since, and never followed.
void Journal::noteRemoved(EntityRecord& record, const RetiredSlot& retired) {
    Delta& delta = pending_.back();
    ComponentType& type = world_.components().at(retired.type);
    if (!shadow_.takeLast(record, type, retired.slot, delta.words, bases_)) return;
    const std::byte* slot = record.slotOf(type.id);
    if (type.hooks && !slot) states_.noteGone({record.id, type.id});
    Rebinding rebinding;
    rebinding.id = record.id;
    rebinding.type = type.id;
    rebinding.had = true;
    rebinding.has = slot != nullptr;
    rebinding.before = addWords(delta, type, retired.slot);
    if (slot) {
        rebinding.after = addWords(delta, type, slot);
        shadow_.track(record, type, slot);
    }
    delta.rebindings.push_back(rebinding);
}

const std::byte* Journal::refresh(const EntityRecord& record, const ComponentType& type) {
    const std::byte* slot = record.slotOf(type.id);
    if (slot && shadow_.refresh(type, slot)) return slot;
    const RetiredSlot* removed =
        retired_.find(record.id.index, type.id,
                      [&](const RetiredSlot& each) { return shadow_.refresh(type, each.slot); });
    return removed ? removed->slot : nullptr;
}

Delta Journal::take(Words& bases) {
    retired_.build(world_.components().retired());
    bases = std::exchange(bases_, {});
    if (pending_.empty()) return {};
    Delta delta;
    if (pending_.size() == 1) {
        delta = std::move(pending_.front());
    } else {
        DeltaComposer composer;
        for (Delta& each : pending_) {
            for (Step& step : each.arrivals) {
                const EntityRecord* record = known_.find(step.id);
                if (!record || !step.crosses) continue;
                if (known_.of(*record).isIn)
                    setSettledMakeup(each, step, *record);
                else
                    each.setMakeup(step, makeupOf(*record, world_.components()));
            }
            composer.add(each);
        }
        delta = composer.finish();
    }
    pending_.clear();
    return delta;
}

void Journal::refreshArrivals(Delta& delta) {
    for (std::size_t i = 0; i < delta.arrivals.size(); ++i) {
        known_.prefetchAhead(delta.arrivals, i);
        Step& step = delta.arrivals[i];
        const EntityRecord* record = known_.find(step.id);
        if (!record || !step.crosses || !known_.of(*record).isIn) continue;
        setSettledMakeup(delta, step, *record);
        reserveAlike(delta.images, step.image.words, delta.arrivals.size() - i - 1);
    }
    tighten(delta.images);
    for (std::size_t i = 0; i < delta.rebindings.size(); ++i) {
        known_.prefetchAhead(delta.rebindings, i);
        const Rebinding& rebinding = delta.rebindings[i];
        const EntityRecord* record = known_.find(rebinding.id);
        if (!rebinding.has || !record || !known_.of(*record).isIn) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        if (const std::byte* slot = refresh(*record, type))
            std::memcpy(&delta.images[rebinding.after.begin], slot, type.schema.size);
    }
}

void Journal::clear() noexcept {
    pending_.clear();
    bases_.clear();
}

}  // namespace revenant
