#include "rewind/record/outsiders.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rewind/record/makeup.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

std::size_t bytesOf(const Makeup& makeup) noexcept {
    constexpr std::size_t bytesPerNode = 96;  // of the map
    return bytesPerNode + makeup.image.capacity() * sizeof(std::uint32_t);
}

}  // namespace

Makeup Outsiders::makeupOf(const EntityRecord& record) const {
    if (known_.knows(record) && known_.of(record).parked)
        return parking_.makeupOf(known_.of(record));
    const auto found = watched_.find(record.id);
    return found == watched_.end() ? revenant::makeupOf(record, world_.components())
                                   : found->second.makeup;
}

void Outsiders::watch(EntityId id, Makeup makeup, const Outer& outer) {
    auto [found, isNew] = watched_.try_emplace(id);
    if (!isNew) watchedBytes_ -= bytesOf(found->second.makeup);
    // Destroyed ones are found in turn: so their number stays in proportion to the others.
    if (isNew) comparesMore_ += 2;
    found->second = {std::move(makeup), outer};
    watchedBytes_ += bytesOf(found->second.makeup);
}

void Outsiders::watchNow(const EntityRecord& record) {
    watch(record.id, revenant::makeupOf(record, world_.components()), outerOf(record));
}

void Outsiders::unwatch(EntityId id) noexcept {
    const auto found = watched_.find(id);
    if (found == watched_.end()) return;
    watchedBytes_ -= bytesOf(found->second.makeup);
    watched_.erase(found);
}

void Outsiders::clear() noexcept {
    watched_.clear();
    watchedBytes_ = 0;
    cursor_ = {};
    comparesMore_ = 0;
    anyChanged_ = true;
}

void Outsiders::watchAll() {
    for (std::uint32_t i = 0; i < world_.forest().pool.count(); ++i)
        if (const EntityRecord& record = world_.forest().pool.at(i); record.isOut())
            watchNow(record);
}

void Outsiders::watchDetached() {
    anyChanged_ = true;
    parking_.notePlaces();
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const EntityRecord* record = known_.find(known_[i].id);
        if (record && record->isOut() && !record->removed)
            watch(record->id, makeupOf(*record), outerOf(*record));
    }
}

// An entity that will be destroyed at the next reconcile is checked after it.
void Outsiders::watchReleased(const EntityRecord& record) {
    if (!record.isOut()) return;
    const bool stays = !record.removed || record.wantsIn() || record.ownRefs > 1;
    if (stays || world_.isInPast())
        watch(record.id, makeupOf(record), outerOf(record));
    else
        world_.forest().newborns.push_back(record.id.index);
}

void Outsiders::note(Delta& delta, const Shadow& shadow, bool comparesAll) {
    Notes notes;
    for (Outside& outside : delta.outsides) notes.emplace(outside.id, std::move(outside));
    // Those that came and went since.
    for (auto& [id, outside] : notes)
        if (const EntityRecord* record = known_.find(id); record && outside.before)
            outside.before = makeupOf(*record);
    noteArrivals(delta, notes);
    noteWritten(notes);
    noteWatched(notes, shadow, comparesAll);
    noteDepartures(delta, notes);
    noteNewborns(notes);
    noteDescendants(notes);
    delta.outsides.clear();
    for (auto& [id, outside] : notes) delta.outsides.push_back(std::move(outside));
}

void Outsiders::noteArrivals(const Delta& delta, Notes& notes) {
    for (const Step& step : delta.arrivals) {
        const EntityRecord* record = known_.find(step.id);
        if (!record || !step.crosses) continue;
        KnownEntity& entry = known_.of(*record);
        if (step.rescoped) {
            // It came back while it was no concern of the history's.
            if (!record->parked) parking_.free(entry);
            continue;
        }
        if (!entry.parked && !watched_.contains(record->id)) continue;
        Outer outer;
        if (const auto watched = watched_.find(record->id); watched != watched_.end())
            outer = watched->second.outer;
        if (Makeup before = makeupOf(*record);
            before != delta.makeupOf(step) || outer.state != Outer::State::Unsaid)
            notes[step.id] = {step.id, std::move(before), {}, outer, {}};
        unwatch(record->id);
        if (!record->parked) parking_.free(entry);
    }
}

void Outsiders::noteChange(const EntityRecord& record, const Makeup& before, const Outer& outer,
                           Notes& notes) const {
    auto [found, isNew] = notes.try_emplace(record.id, Outside{record.id, before, {}});
    if (isNew) found->second.outerBefore = outer;
    found->second.after = revenant::makeupOf(record, world_.components());
    found->second.outerAfter = outerOf(record);
}

void Outsiders::noteWritten(Notes& notes) {
    parking_.forWritten([&](EntityRecord& record) { noteParked(record, notes); });
}

void Outsiders::noteParked(const EntityRecord& record, Notes& notes) {
    KnownEntity& entry = known_.of(record);
    const auto watched = watched_.find(record.id);
    const Outer outer = watched == watched_.end() ? parking_.outerOf(entry) : watched->second.outer;
    const Makeup before = parking_.makeupOf(entry);
    const Outer now = outerOf(record);
    if (outer == now && isMadeOf(record, before, world_.components())) return;
    noteChange(record, before, outer, notes);
    parking_.setOuter(entry, now);
}

// Those that were moved while they were out.
void Outsiders::noteMoved(Notes& notes) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const EntityRecord* record = known_[i].parked ? known_.find(known_[i].id) : nullptr;
        if (record && record->isOut() && parking_.outerOf(known_[i]) != outerOf(*record))
            noteParked(*record, notes);
    }
}

// Returns the next.
Outsiders::Watch Outsiders::compare(Watch watch, Notes& notes) {
    const auto next = std::next(watch);
    const EntityRecord& record = world_.forest().pool.at(watch->first.index);
    if (record.id != watch->first || !record.isOut()) {
        unwatch(watch->first);
    } else if (outerOf(record) != watch->second.outer ||
               !isMadeOf(record, watch->second.makeup, world_.components())) {
        noteChange(record, watch->second.makeup, watch->second.outer, notes);
        watchNow(record);
    }
    return next;
}

void Outsiders::noteWatched(Notes& notes, const Shadow& shadow, bool comparesAll) {
    constexpr std::size_t comparesPerFrame = 8;
    Forest& forest = world_.forest();
    auto compareMarked = [&](std::uint32_t index) {
        if (index >= forest.pool.count()) return;
        const EntityRecord& record = forest.pool.at(index);
        if (!record.isOut()) return;
        const auto watch = watched_.find(record.id);
        if (watch != watched_.end())
            compare(watch, notes);
        else if (known_.knows(record) && known_.of(record).parked)
            noteParked(record, notes);
    };
    if (comparesAll || anyChanged_ || forest.anyChangedOutside) {
        noteMoved(notes);
        for (auto each = watched_.begin(); each != watched_.end();) each = compare(each, notes);
    } else {
        for (const std::uint32_t index : forest.changedOutside) compareMarked(index);
    }
    if (watched_.empty()) {
        comparesMore_ = 0;
    } else if (!comparesAll && !anyChanged_ && !forest.anyChangedOutside) {
        shadow.forTouchedOthers(compareMarked);
        auto each = watched_.lower_bound(cursor_);
        const std::size_t most = std::min(watched_.size(), comparesPerFrame + comparesMore_);
        comparesMore_ = 0;
        for (std::size_t i = 0; i < most; ++i) {
            if (each == watched_.end()) each = watched_.begin();
            if (each == watched_.end()) break;
            each = compare(each, notes);
        }
        cursor_ = each == watched_.end() ? EntityId{} : each->first;
    }
    constexpr std::size_t leastRoom = 256;
    if (std::exchange(forest.anyChangedOutside, false))
        forest.changedOutside.reserve(std::max(leastRoom, 2 * forest.changedOutside.capacity()));
    forest.changedOutside.clear();
    anyChanged_ = false;
}

void Outsiders::noteDepartures(const Delta& delta, Notes& notes) {
    for (const Step& step : delta.departures) {
        const EntityRecord* record = known_.find(step.id);
        if (!record || !step.crosses || step.rescoped || record->managed) continue;
        const Outer outer = outerOf(*record);
        // An entity that left with its parent, from the same place below it, has not moved.
        const bool isElsewhere = !outer.parent.isNull() &&
                                 (outer.parent != step.parent || outer.previous != step.previous);
        if (!step.detached && !isElsewhere) continue;
        if (step.detached) watch(record->id, delta.makeupOf(step), outer);
        Outside& outside = notes.try_emplace(record->id, Outside{record->id, {}, {}}).first->second;
        outside.after = delta.makeupOf(step);
        outside.outerAfter = outer;
    }
}

// Begins to watch entities that were made since the last frame.
void Outsiders::noteNewborns(Notes& notes) {
    for (const std::uint32_t index : world_.forest().newborns) {
        const EntityRecord& record = world_.forest().pool.at(index);
        const bool isParked = known_.knows(record) && known_[index].parked && record.removed;
        if (!record.isOut() || isParked || watched_.contains(record.id)) continue;
        watchNow(record);
        // It was made and attached to an entity that the history knows.
        if (record.parent && (record.removed || known_.knows(*record.parent))) {
            const Watched& watched = watched_[record.id];
            notes.try_emplace(record.id, Outside{record.id, {}, watched.makeup, {}, watched.outer});
        }
    }
    world_.forest().newborns.clear();
}

// An entity that is attached to another may be born, and come in, with it; so may its own children. They stay
// a tree at all frames.
void Outsiders::noteDescendants(Notes& notes) const {
    std::vector<EntityRecord*> tops;
    for (const auto& [id, outside] : notes)
        if (outside.after && outside.outerAfter.isBound() && !outside.outerBefore.isBound())
            tops.push_back(&world_.forest().pool.at(id.index));
    for (EntityRecord* top : tops)
        forSubtree(*top, [&](const EntityRecord& record) {
            if (record.managed || notes.contains(record.id)) return;
            const Outer outer = outerOf(record);
            Outside outside{record.id, {}, makeupOf(record), {}, outer};
            if (record.bornAt < births_.clock()) {
                outside.before = outside.after;
                outside.outerBefore = outer;
            }
            notes.emplace(record.id, std::move(outside));
        });
}

}  // namespace revenant
