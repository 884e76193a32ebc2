#include "world/core/reconciler.hpp"

#include <algorithm>
#include <utility>

#include "world/compiler.hpp"
#include "world/core/world_core.hpp"
#include "world/error.hpp"
#include "world/forest/forest.hpp"

namespace revenant {

namespace {

// What taking the record out of the order will touch.
void prefetchNeighbours(const EntityRecord& record) noexcept {
    if (!record.opening.linked) return;
    const auto place = OrderList::List::s_iterator_to(record.opening);
    detail::prefetchLine(&*std::prev(place));
    detail::prefetchLine(&*std::next(place));
}

// Whether both are removed, as members of a removed subtree are.
bool sharesFate(const EntityRecord& record, const EntityRecord& parent) noexcept {
    return record.removed && record.intent == Intent::Remove && parent.removed &&
           parent.intent == Intent::Remove;
}

}  // namespace

void Reconciler::run(ReconcileMode mode) {
    if (isUnfinished_)
        fail(ErrorCode::WrongState,
             "memory ran out in the middle of an earlier reconcile, and what was kept for that was "
             "not enough; reset the world");
    isUnfinished_ = true;
    const bool hasPeakPassed =
        peaks_.note(std::max({work_.size(), changes_.changed.size(), changes_.left.size()}));
    work_.clear();
    changes_.clear();
    if (hasPeakPassed) giveBackPeak();
    givenBack_.freeSome();
    changes_.clock = world_.clock_;
    world_.forest_.order.relabelledRanges().clear();
    if (!world_.forest_.pending.empty()) {
        classify(mode);
        follow();
        unplaceMovers();
        noteChanged();
        place();
        settleAll();
        changes_.relabelled = world_.forest_.order.relabelledRanges();
        if (world_.forest_.keepsRoots) noteArrivals();
        changes_.retired = retired_;
        if (!changes_.empty())
            for (const auto& observer : world_.observers_) observer->onReconcile(changes_);
        world_.components_.free(retired_);
        if (mode == ReconcileMode::Silent) {
            keepSilent();
            keepUncollected();
        } else {
            tellChanges();
            collect();
        }
    } else if (mode != ReconcileMode::Silent) {
        tellChanges();
        checked_.clear();
        if (!uncollected_.empty()) collect();
    }
    if (mode != ReconcileMode::Silent)
        for (const auto& observer : world_.observers_) observer->onDestroyedTold(errors_);
    world_.collisionEvents_.clear();
    isUnfinished_ = false;
    const std::string integrityError = std::exchange(integrityError_, {});
    ErrorList errors = std::exchange(errors_, {});
    if (validating) {
        const auto problems = world_.validate();
        REVENANT_ASSERT(problems.empty(), "the world is inconsistent: ", problems.front());
    }
    REVENANT_ASSERT(integrityError.empty(), integrityError);
    // After the assertions: if one throws, an error of a listener is not kept for the next reconcile.
    heldErrors_.add(std::move(errors));
    raiseHeldError();
}

// The lists are those of the last reconcile. Those that are not empty are still needed.
void Reconciler::giveBackPeak() {
    arrivals_.clear();
    movers_.clear();
    toggled_.clear();
    rebound_.clear();
    strays_.clear();
    retired_.clear();
    sortKeys_.clear();
    sortScratch_.clear();
    givenBack_.take(sortKeys_, sortScratch_);
    givenBack_.take(work_, arrivals_, movers_, toggled_, rebound_, strays_, checked_, leaving_,
                    roots_, gathered_, destroyed_, silenced_, uncollected_, revived_, retired_);
    givenBack_.take(changes_.left, changes_.changed, changes_.departures, changes_.arrivals);
    world_.forest_.pending.giveBack(givenBack_);
}

void Reconciler::reset() noexcept {
    isUnfinished_ = false;
    work_.clear();
    changes_.clear();
    silenced_.clear();
    uncollected_.clear();
    revived_.clear();
    gathered_.clear();
    destroyed_.clear();
    leaving_.clear();
    roots_.clear();
    integrityError_.clear();
}

void Reconciler::raiseHeldError() {
    if (holdDepth_ == 0) heldErrors_.raise();
}

// Swaps the requests out of the forest, so that requests made from here on are for the next
// reconcile, and sorts them by what has to be done. Leaving entities are out after this.
//
// Measured: in a large world a phase costs what fetching the records' cache lines costs. So the
// lines are fetched ahead, each phase goes only through those it concerns, and the flags are
// cleared here.
// Road not taken: generations, intents and flags in a dense array of their own, so that code that asks
// need not wait for the record; measured, random churn among 100 000 gained nothing by it, as long
// as requests were linked through the records. That first look is a fifth of what is left.
void Reconciler::classify(ReconcileMode mode) {
    arrivals_.clear();
    movers_.clear();
    toggled_.clear();
    rebound_.clear();
    strays_.clear();
    checked_.clear();
    forgetLeaving();  // of a reconcile that an observer called off
    mayChange_ = isAnyoneListening() || mayObserversAct() || mode == ReconcileMode::Silent ||
                 !uncollected_.empty();
    retired_.clear();
    world_.components_.takeRetired(retired_);
    world_.forest_.pending.takeAll(work_);
    if (world_.forest_.keepsRoots) noteDepartures();
    for (std::size_t i = 0; i < work_.size(); ++i) {
        if (i + 2 * prefetchAhead < work_.size()) work_[i + 2 * prefetchAhead]->prefetch();
        if (i + prefetchAhead < work_.size()) prefetchNeighbours(*work_[i + prefetchAhead]);
        EntityRecord& record = *work_[i];
        record.pendingPlace = 0;
        if (record.wantsIn()) {
            if (!record.managed || record.moved) arrivals_.push_back(&record);
            if (record.managed && record.moved) movers_.push_back(&record);
            if (record.managed && record.toggled) toggled_.push_back(&record);
            if (record.managed && record.rebound) rebound_.push_back(&record);
        } else {
            world_.forest_.noteOutside(record);
            if (record.managed)
                leave(record);
            else if (record.loosened)
                checked_.push_back({&record, record.id});
            if (record.parent && !sharesFate(record, *record.parent)) strays_.push_back(&record);
            record.rebound = record.replaced = false;
        }
        record.moved = record.toggled = record.loosened = false;
    }
}

void Reconciler::leave(EntityRecord& record) {
    Forest& forest = world_.forest_;
    changes_.left.push_back(changeOf(record));
    --forest.managedCount;
    record.managed = record.active = false;
    record.settledShape = record.visibleShape = nullptr;
    forest.unplace(record);
    forest.unlinkRoot(record);
    if (record.intent == Intent::Remove)
        forest.setRemoved(record, true);
    else
        record.dropped = false;
    const bool isLeaf = !record.hasChildren;
    if (!isLeaf) leaving_.push_back(&record);
    if (forest.keepsRoots)
        for (const EntityRecord& child : record.children()) forest.noteOutside(child);
    record.leaving = !isLeaf;
    // An entity that left with its parent is checked with it.
    const bool isBelow = !mayChange_ && record.parent && record.parent->leaving &&
                         sharesFate(record, *record.parent);
    if ((record.removed || record.moved) && !isBelow)
        checked_.push_back({&record, record.id, isLeaf});
    clearSpecial(record);
}

// Clears the main character or camera if it left, or became a zombie.
void Reconciler::clearSpecial(const EntityRecord& record) noexcept {
    if (record.id == world_.mainCharacter_) world_.mainCharacter_ = {};
    if (record.id == world_.mainCamera_) world_.mainCamera_ = {};
}

// Entities that are out are detached from a parent that is in, or that is not removed with them; where they
// stay with a parent that is out, they share its state.
void Reconciler::follow() {
    for (EntityRecord* record : strays_) {
        const bool removedAlone = record->removed && record->intent == Intent::Remove &&
                                  record->parent->intent != Intent::Remove;
        if (!record->parent->wantsIn() && !removedAlone) {
            record->visited = !sharesFate(*record, *record->parent);
            continue;
        }
        // Each may have been what kept the other alive.
        checked_.push_back({record, record->id});
        checked_.push_back({record->parent, record->parent->id});
        world_.forest_.noteNextSibling(*record);
        Forest::cut(*record);
    }
    for (EntityRecord* record : strays_) {
        // Up to an ancestor whose state is known, then the same path again: each entity is passed once.
        EntityRecord* known = record;
        while (known->visited) known = known->parent;
        for (EntityRecord* at = record; at != known; at = at->parent) {
            if (known->removed && !at->removed) {
                checked_.push_back({at, at->id});
                clearSpecial(*at);
            }
            if (!known->removed && at->removed) at->dropped = false;
            world_.forest_.setRemoved(*at, known->removed);
            at->intent = known->removed ? Intent::Remove : Intent::Detach;
            at->visited = false;
        }
    }
}

// The old places of entities that will leave or move, noted before anything does.
void Reconciler::noteDepartures() {
    Forest& forest = world_.forest_;
    for (EntityRecord* record : work_)
        if (record->managed && (!record->wantsIn() || record->moved))
            changes_.departures.push_back(
                {record, forest.settledParentOf(*record), forest.settledPreviousOf(*record)});
    auto labelOf = [](const Placing& placing) { return placing.record->opening.label; };
    if (!std::ranges::is_sorted(changes_.departures, {}, labelOf))
        std::ranges::sort(changes_.departures, {}, labelOf);
}

}  // namespace revenant
