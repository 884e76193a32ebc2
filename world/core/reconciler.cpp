#include "world/core/reconciler.hpp"

#include <algorithm>
#include <utility>

#include "world/core/world_core.hpp"
#include "world/error.hpp"
#include "world/forest/forest.hpp"

namespace revenant {

namespace {

constexpr std::size_t prefetchAhead = 16;

// What taking the record out of the order will touch.
void prefetchNeighbours(const EntityRecord& record) noexcept {
    if (!record.opening.linked) return;
    const auto place = OrderList::List::s_iterator_to(record.opening);
    __builtin_prefetch(&*std::prev(place));
    __builtin_prefetch(&*std::next(place));
}

bool isBefore(const Change& a, const Change& b) noexcept {
    return a.label < b.label;
}

// Whether both are removed, as members of a removed subtree are.
bool sharesFate(const EntityRecord& record, const EntityRecord& parent) noexcept {
    return record.removed && record.intent == Intent::Remove && parent.removed &&
           parent.intent == Intent::Remove;
}

// What is known of a record before it changes.
Change changeOf(EntityRecord& record) noexcept {
    return {&record,
            record.id,
            record.settledShape,
            record.visibleShape,
            nullptr,
            record.opening.label,
            0,
            record.active,
            false,
            false,
            record.rebound};
}

}  // namespace

void Reconciler::run(ReconcileMode mode) {
    if (isUnfinished_)
        fail(ErrorCode::WrongState,
             "memory ran out in the middle of an earlier reconcile, and what was kept for that was "
             "not enough; reset the world");
    isUnfinished_ = true;
    changes_.clear();
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
    // Behind the assertions: where they throw, what a listener threw is not kept for the next time.
    heldErrors_.add(std::move(errors));
    raiseHeldError();
}

void Reconciler::reset() noexcept {
    isUnfinished_ = false;
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

// Swaps what was asked for out of the forest, so that requests from here on are for the next
// reconcile, and sorts it by what has to be done. Those that leave are out after this.
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
            if (record.managed)
                leave(record);
            else if (record.loosened)
                checked_.push_back({&record, record.id});
            if (record.parent && !sharesFate(record, *record.parent)) strays_.push_back(&record);
            record.rebound = false;
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
    record.leaving = !isLeaf;
    // One that left with its parent is looked at with it.
    const bool isBelow = !mayChange_ && record.parent && record.parent->leaving &&
                         sharesFate(record, *record.parent);
    if ((record.removed || record.moved) && !isBelow)
        checked_.push_back({&record, record.id, isLeaf});
    if (record.id == world_.mainCharacter_) world_.mainCharacter_ = {};
    if (record.id == world_.mainCamera_) world_.mainCamera_ = {};
}

// Those that are out part from a parent that is in, or that is not removed with them; where they
// stay with one that is out, they share its fate.
void Reconciler::follow() {
    for (EntityRecord* record : strays_) {
        const bool removedAlone = record->removed && record->intent == Intent::Remove &&
                                  record->parent->intent != Intent::Remove;
        if (!record->parent->wantsIn() && !removedAlone) {
            record->visited = !sharesFate(*record, *record->parent);
            continue;
        }
        // What kept one may have been the other.
        checked_.push_back({record, record->id});
        checked_.push_back({record->parent, record->parent->id});
        Forest::cut(*record);
    }
    for (EntityRecord* record : strays_) {
        // Up to an ancestor whose fate is known, then the same way again: each is passed once.
        EntityRecord* known = record;
        while (known->visited) known = known->parent;
        for (EntityRecord* at = record; at != known; at = at->parent) {
            if (known->removed && !at->removed) checked_.push_back({at, at->id});
            if (!known->removed && at->removed) at->dropped = false;
            world_.forest_.setRemoved(*at, known->removed);
            at->intent = known->removed ? Intent::Remove : Intent::Detach;
            at->visited = false;
        }
    }
}

// Takes moved subtrees out of the order before anything is placed: whatever was above whom.
void Reconciler::unplaceMovers() {
    for (EntityRecord* mover : movers_)
        forSubtree(*mover, [&](EntityRecord& record) {
            if (record.opening.linked) world_.forest_.unplace(record);
        });
}

// Notes those that change where they are, while their labels are the old ones.
void Reconciler::noteChanged() {
    auto note = [this](EntityRecord& record) {
        if (record.managed && record.opening.linked && !record.visited) addChange(record);
    };
    for (EntityRecord* record : toggled_) forSubtree(*record, note);
    for (EntityRecord* record : rebound_) note(*record);
}

void Reconciler::place() {
    entered_ = 0;
    settlesAtOnce_ = toggled_.empty() && rebound_.empty() && movers_.empty();
    // Roots in the order of the requests for them, not of those for their descendants.
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
        if (i + prefetchAhead < arrivals_.size()) {
            arrivals_[i + prefetchAhead]->prefetch();
            __builtin_prefetch(&arrivals_[i + prefetchAhead]->settledParent, 1);
        }
        if (!arrivals_[i]->parent) placeSubtree(*arrivals_[i]);
    }
    if (entered_ == arrivals_.size()) return;
    for (EntityRecord* record : arrivals_) {
        // Its ancestors and the elder siblings of each come first.
        while (!record->opening.linked) {
            EntityRecord* last = record;
            while (last->parent && !last->parent->opening.linked) last = last->parent;
            EntityRecord* next = last;
            while (next->parent && next != &next->parent->children.front()) {
                EntityRecord& elder = *std::prev(SiblingList::s_iterator_to(*next));
                if (elder.opening.linked) break;
                next = &elder;
            }
            placeSubtree(*next);
            while (next != last) {
                next = &*std::next(SiblingList::s_iterator_to(*next));
                placeSubtree(*next);
            }
        }
    }
}

void Reconciler::placeSubtree(EntityRecord& top) {
    Forest& forest = world_.forest_;
    OrderNode* last = nullptr;  // behind which the next node goes; null: at the end
    if (top.parent) {
        EntityRecord& parent = *top.parent;
        if (!parent.hasClosing) forest.order.insertAfter(parent.opening, parent.closing);
        parent.hasClosing = true;
        last = &top == &parent.children.front()
                   ? &parent.opening
                   : &std::prev(SiblingList::s_iterator_to(top))->lastNode();
    } else if (forest.keepsRoots && top.inRoots) {
        // A restore has put it back into the list of roots already.
        last = &top == &forest.roots.front()
                   ? nullptr
                   : &std::prev(SiblingList::s_iterator_to(top))->lastNode();
    } else {
        forest.linkRoot(top);
        last = forest.order.last();
    }
    auto append = [&](OrderNode& node) {
        if (last)
            forest.order.insertAfter(*last, node);
        else
            forest.order.pushFront(node);
        last = &node;
    };
    EntityRecord* at = &top;
    while (true) {
        Change& change = addChange(*at);  // while the label is the old one
        change.moved = at->managed;
        change.resurrected = at->removed;
        forest.setRemoved(*at, false);
        append(at->opening);
        at->settledParent = at->parent ? at->parent->id.index + 1 : 0;
        if (settlesAtOnce_) {
            change.label = at->opening.label;
            settle(change);
        }
        if (!at->managed) {
            at->managed = true;
            ++forest.managedCount;
            ++entered_;
            if (world_.components_.isParked(*at)) world_.components_.unpark(*at, world_.clock_);
        }
        if (at->hasChildren) {
            at = &at->children.front();
            continue;
        }
        // Back up to the next sibling, closing every range that ends on the way.
        while (at != &top && at == &at->parent->children.back()) {
            at = at->parent;
            append(at->closing);
            at->hasClosing = true;
        }
        if (at == &top) return;
        at = &*std::next(SiblingList::s_iterator_to(*at));
    }
}

// Where those stand that will leave or move, before anything does.
void Reconciler::noteDepartures() {
    Forest& forest = world_.forest_;
    for (EntityRecord* record : work_)
        if (record->managed && (!record->wantsIn() || record->moved))
            changes_.departures.push_back(
                {record, forest.settledParentOf(*record), forest.settledElderOf(*record)});
    std::ranges::sort(changes_.departures, {},
                      [](const Placing& placing) { return placing.record->opening.label; });
}

// Where those stand that came or moved, when everything does.
void Reconciler::noteArrivals() {
    Forest& forest = world_.forest_;
    for (EntityRecord* record : movers_) record->visited = true;
    for (const Change& change : changes_.changed)
        if (change.entered() || change.record->visited)
            changes_.arrivals.push_back({change.record, change.record->parent,
                                         forest.settledElderOf(*change.record),
                                         change.resurrected});
    for (EntityRecord* record : movers_) record->visited = false;
}

Change& Reconciler::addChange(EntityRecord& record) {
    record.visited = true;
    Change& change = changes_.changed.emplace_back(changeOf(record));
    record.rebound = false;
    return change;
}

void Reconciler::sortByOrder(std::vector<Change>& changes) {
    for (Change& change : changes) change.label = change.record->opening.label;
    if (!std::ranges::is_sorted(changes, isBefore)) std::ranges::sort(changes, isBefore);
}

// Brings activity and shapes up to date. REQUIRES: those of its parent are.
void Reconciler::settle(Change& change) {
    EntityRecord& record = *change.record;
    record.visited = false;
    record.active = record.enabled && (!record.parent || record.parent->active);
    record.settledShape = record.shape;
    record.visibleShape = record.active ? world_.components_.enabledShape(record) : nullptr;
    change.visible = record.visibleShape;
}

void Reconciler::settleAll() {
    std::vector<Change>& changed = changes_.changed;
    if (!settlesAtOnce_ || !world_.forest_.order.relabelledRanges().empty())
        sortByOrder(changed);
    else if (!std::ranges::is_sorted(changed, isBefore))
        std::ranges::sort(changed, isBefore);
    if (settlesAtOnce_) return;
    for (Change& change : changed) settle(change);
}

}  // namespace revenant
