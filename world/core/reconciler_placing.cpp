// The half of Reconciler that gives entities their places: moves them in the order, and records what changed.
#include <algorithm>
#include <iterator>
#include <utility>

#include "world/compiler.hpp"
#include "world/core/reconciler.hpp"
#include "world/core/world_core.hpp"
#include "world/forest/forest.hpp"
#include "world/storage/bucket_sort.hpp"

namespace revenant {

// Takes moved subtrees out of the order before anything is placed: an entity may now be below one that was below it.
void Reconciler::unplaceMovers() {
    for (EntityRecord* mover : movers_)
        forSubtree(*mover, [&](EntityRecord& record) {
            if (record.opening.linked) world_.forest_.unplace(record);
        });
}

// Records those that change in place, while their labels are still the old ones.
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
            detail::prefetchLineToWrite(&arrivals_[i + prefetchAhead]->settledParent);
        }
        if (!arrivals_[i]->parent) placeSubtree(*arrivals_[i]);
    }
    if (entered_ == arrivals_.size()) return;
    for (EntityRecord* record : arrivals_) {
        // Its ancestors and the previous siblings of each come first.
        while (!record->opening.linked) {
            EntityRecord* last = record;
            while (last->parent && !last->parent->opening.linked) last = last->parent;
            EntityRecord* next = last;
            while (next->parent && next != &next->parent->children().front()) {
                EntityRecord& previous = *std::prev(SiblingList::s_iterator_to(*next));
                if (previous.opening.linked) break;
                next = &previous;
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
        if (!parent.hasClosing) forest.order.insertAfter(parent.opening, parent.rest->closing);
        parent.hasClosing = true;
        last = &top == &parent.children().front()
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
            at = &at->rest->children.front();
            continue;
        }
        // Back up to the next sibling, closing every range that ends on the way.
        while (at != &top && at == &at->parent->children().back()) {
            at = at->parent;
            append(at->rest->closing);
            at->hasClosing = true;
        }
        if (at == &top) return;
        at = &*std::next(SiblingList::s_iterator_to(*at));
    }
}

// The new places of entities that came or moved, noted when all have theirs.
void Reconciler::noteArrivals() {
    Forest& forest = world_.forest_;
    for (EntityRecord* record : movers_) record->visited = true;
    for (const Change& change : changes_.changed)
        if (change.entered() || change.record->visited)
            changes_.arrivals.push_back({change.record, change.record->parent,
                                         forest.settledPreviousOf(*change.record),
                                         change.resurrected});
    for (EntityRecord* record : movers_) record->visited = false;
}

Change& Reconciler::addChange(EntityRecord& record) {
    record.visited = true;
    Change& change = changes_.changed.emplace_back(changeOf(record));
    record.rebound = record.replaced = false;
    return change;
}

void Reconciler::sortByOrder(std::vector<Change>& changes) {
    for (Change& change : changes) change.label = change.record->opening.label;
    sortByLabel(changes);
}

void Reconciler::sortByLabel(std::vector<Change>& changes) {
    if (std::ranges::is_sorted(changes, {}, &Change::label)) return;
    // Changes are large: labels with their indices are sorted in their stead, and each change is moved once.
    sortKeys_.clear();
    for (std::size_t i = 0; i < changes.size(); ++i)
        sortKeys_.push_back(std::uint64_t{changes[i].label} << 32 | i);
    bucketSort(sortKeys_, sortScratch_);
    auto takeSource = [this](std::size_t place) {
        return static_cast<std::uint32_t>(std::exchange(sortKeys_[place], place));
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        std::size_t from = takeSource(i);
        if (from == i) continue;
        const Change first = changes[i];
        std::size_t to = i;
        while (from != i) {
            changes[to] = changes[from];
            to = std::exchange(from, takeSource(from));
        }
        changes[to] = first;
    }
}

// Updates activity and shapes. REQUIRES: those of its parent are up to date.
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
    else
        sortByLabel(changed);
    if (settlesAtOnce_) return;
    for (Change& change : changed) settle(change);
}

}  // namespace revenant
