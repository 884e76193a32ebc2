#include "world/reconciler.hpp"

#include <algorithm>
#include <utility>

#include "world/error.hpp"
#include "world/forest.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

bool inOrder(const Change& a, const Change& b) noexcept {
    return a.record->opening.label < b.record->opening.label;
}

// What is known of a record before it changes.
Change changeOf(EntityRecord& record) noexcept {
    Change change;
    change.record = &record;
    change.id = record.id;
    change.name = record.name;
    change.settledBefore = record.settledShape;
    change.visibleBefore = record.visibleShape;
    change.labelBefore = record.opening.label;
    change.activeBefore = record.active;
    change.resurrected = record.resurrected;
    change.rebound = record.rebound;
    return change;
}

bool byOwner(const ComponentStore::Retired& a, const ComponentStore::Retired& b) noexcept {
    return a.owner != b.owner ? a.owner < b.owner : a.type < b.type;
}

void sortByOrder(std::vector<Change>& changes) {
    if (!std::ranges::is_sorted(changes, inOrder)) std::ranges::sort(changes, inOrder);
}

}  // namespace

void Reconciler::run() {
    changes_.clear();
    changes_.tick = world_.tick_;
    changes_.relabelledBefore = world_.forest_.order.relabelled();
    if (!world_.forest_.pending.empty()) {
        classify();
        leave();
        follow();
        unplaceMovers();
        place();
        settle();
        if (!changes_.empty())
            for (const auto& observer : world_.observers_) observer->onReconcile(changes_);
        world_.components_.free(retired_);
        fireEvents();
        collect();
    }
    world_.collisionEvents_.clear();
    if (validating) {
        const auto problems = world_.validate();
        REVENANT_ASSERT(problems.empty(), "the world is inconsistent: ", problems.front());
    }
    const std::string integrityError = std::move(integrityError_);
    integrityError_.clear();
    REVENANT_ASSERT(integrityError.empty(), integrityError);
    if (firstError_) std::rethrow_exception(std::exchange(firstError_, nullptr));
}

// Swaps what was asked for out of the forest, so that requests from here on are for the next
// reconcile, and notes who leaves, who moves and who may have to be collected.
void Reconciler::classify() {
    work_.clear();
    movers_.clear();
    checked_.clear();
    retired_.clear();
    world_.components_.takeRetired(retired_);
    for (EntityRecord& record : world_.forest_.pending) {
        record.pending = false;
        work_.push_back(&record);
        if (record.managed && !record.wantsIn()) {
            changes_.left.push_back(changeOf(record));
        } else if (record.managed && record.moved) {
            movers_.push_back(&record);
        } else if (!record.managed && record.dropped) {
            checked_.push_back(record.id);
        }
    }
    world_.forest_.pending.clear();
}

void Reconciler::leave() {
    Forest& forest = world_.forest_;
    if (world_.listeners_.any(EventKind::EntityRemoved) ||
        world_.listeners_.any(EventKind::ComponentRemoved) ||
        world_.listeners_.any(EventKind::EntityDestroyed))
        sortByOrder(changes_.left);
    forest.managedCount -= static_cast<std::uint32_t>(changes_.left.size());
    for (const Change& change : changes_.left) {
        EntityRecord& record = *change.record;
        record.managed = record.active = false;
        record.settledShape = record.visibleShape = nullptr;
        forest.order.erase(record.opening);
        if (record.closing.linked) forest.order.erase(record.closing);
        if (record.siblings == &forest.roots) Forest::unlinkSibling(record);
        if (record.intent == Intent::Remove) {
            forest.setRemoved(record, true);
            checked_.push_back(record.id);
        }
        if (record.id == world_.mainCharacter_) world_.mainCharacter_ = {};
        if (record.id == world_.mainCamera_) world_.mainCamera_ = {};
    }
}

// Those that are out part from a parent that is in, or that is not removed with them; where they
// stay with one that is out, they share its fate.
void Reconciler::follow() {
    for (EntityRecord* record : work_) {
        if (record->wantsIn() || !record->parent) continue;
        const bool removedAlone = record->removed && record->intent == Intent::Remove &&
                                  record->parent->intent != Intent::Remove;
        if (!record->parent->wantsIn() && !removedAlone) continue;
        Forest::unlinkSibling(*record);
        record->parent = nullptr;
    }
    for (EntityRecord* record : work_) {
        if (record->wantsIn() || !record->parent) continue;
        const bool removed = record->root().removed;
        if (removed && !record->removed) checked_.push_back(record->id);
        world_.forest_.setRemoved(*record, removed);
        record->intent = removed ? Intent::Remove : Intent::Detach;
    }
}

// Takes moved subtrees out of the order before anything is placed: whatever was above whom.
void Reconciler::unplaceMovers() {
    OrderList& order = world_.forest_.order;
    for (EntityRecord* mover : movers_)
        forSubtree(*mover, [&](EntityRecord& record) {
            if (!record.managed || !record.opening.linked) return;
            order.erase(record.opening);
            if (record.closing.linked) order.erase(record.closing);
        });
}

void Reconciler::place() {
    for (EntityRecord* record : work_) {
        if (!record->wantsIn()) continue;
        if (record->removed) {
            world_.forest_.setRemoved(*record, false);
            record->resurrected = true;
        }
    }
    for (EntityRecord* record : work_) {
        if (!record->wantsIn()) continue;
        // Its parent and its elder siblings come first.
        while (!record->opening.linked) {
            EntityRecord* next = record;
            while (next->parent && !next->parent->opening.linked) next = next->parent;
            while (next->parent && next != &next->parent->children.front()) {
                EntityRecord& elder = *std::prev(SiblingList::s_iterator_to(*next));
                if (elder.opening.linked) break;
                next = &elder;
            }
            placeSubtree(*next);
        }
    }
}

void Reconciler::placeSubtree(EntityRecord& top) {
    Forest& forest = world_.forest_;
    OrderNode* last = nullptr;  // behind which the next node goes; null: at the end
    if (top.parent) {
        EntityRecord& parent = *top.parent;
        if (!parent.closing.linked) forest.order.insertAfter(parent.opening, parent.closing);
        last = &top == &parent.children.front()
                   ? &parent.opening
                   : &std::prev(SiblingList::s_iterator_to(top))->lastNode();
    } else {
        top.siblings = &forest.roots;
        forest.roots.push_back(top);
        last = forest.order.last();
    }
    auto append = [&](OrderNode& node) {
        if (last)
            forest.order.insertAfter(*last, node);
        else
            forest.order.pushBack(node);
        last = &node;
    };
    EntityRecord* at = &top;
    while (true) {
        addChange(*at).moved = at->managed;  // while the label is the old one
        append(at->opening);
        forest.managedCount += at->managed ? 0 : 1;
        at->managed = true;
        if (!at->children.empty()) {
            at = &at->children.front();
            continue;
        }
        // Back up to the next sibling, closing every stretch that ends on the way.
        while (at != &top && at == &at->parent->children.back()) {
            at = at->parent;
            append(at->closing);
        }
        if (at == &top) return;
        at = &*std::next(SiblingList::s_iterator_to(*at));
    }
}

Change& Reconciler::addChange(EntityRecord& record) {
    record.visited = true;
    return changes_.changed.emplace_back(changeOf(record));
}

// Brings activity and shapes of all that changed up to date, parents first, and clears the flags
// of everything that was pending.
void Reconciler::settle() {
    for (EntityRecord* record : work_) {
        if (!record->managed) continue;
        if (record->toggled) {
            forSubtree(*record, [this](EntityRecord& each) {
                if (each.managed && !each.visited) addChange(each);
            });
        } else if (record->rebound && !record->visited) {
            addChange(*record);
        }
    }
    sortByOrder(changes_.changed);
    for (Change& change : changes_.changed) {
        EntityRecord& record = *change.record;
        record.visited = false;
        record.active = change.activeAfter =
            record.enabled && (!record.parent || record.parent->active);
        record.settledShape = change.settledAfter = record.shape;
        record.visibleShape = change.visibleAfter =
            record.active ? world_.components_.enabledShape(record) : nullptr;
    }
    for (EntityRecord* record : work_)
        record->moved = record->rebound = record->toggled = record->dropped = record->resurrected =
            false;
}

void Reconciler::fireEvents() {
    const Listeners& listeners = world_.listeners_;
    bool anyone = false;
    for (std::size_t kind = 0; kind < eventKinds; ++kind)
        anyone = anyone || listeners.any(static_cast<EventKind>(kind));
    if (!anyone) return;
    std::ranges::sort(retired_, byOwner);
    for (const Change& change : changes_.left) {
        fireComponents(EventKind::ComponentRemoved, change, change.settledBefore, nullptr);
        fire(EventKind::EntityRemoved, change.id, change.name);
    }
    for (const Change& change : changes_.changed) {
        const Shape* shape = change.settledAfter;
        if (change.entered())
            fire(change.resurrected ? EventKind::EntityResurrected : EventKind::EntityAdded,
                 change.id, change.name);
        if (change.entered() || change.rebound) {
            fireComponents(EventKind::ComponentRemoved, change, change.settledBefore, shape);
            fireComponents(EventKind::ComponentAdded, change, shape, change.settledBefore);
        }
        if (!change.entered() && change.activeBefore != change.activeAfter)
            fire(change.activeAfter ? EventKind::EntityEnabled : EventKind::EntityDisabled,
                 change.id, change.name);
    }
}

void Reconciler::fireComponents(EventKind kind, const Change& change, const Shape* in,
                                const Shape* notIn) {
    if (!in || !world_.listeners_.any(kind)) return;
    for (const ComponentTypeId type : in->types()) {
        if (notIn && notIn->has(type) && !wasReplaced(change.id.index, type)) continue;
        fire(kind, change.id, change.name, world_.components_.at(type).schema.name);
    }
}

bool Reconciler::wasReplaced(std::uint32_t owner, ComponentTypeId type) const noexcept {
    const ComponentStore::Retired wanted{owner, type, nullptr};
    return std::ranges::binary_search(retired_, wanted, byOwner);
}

void Reconciler::fire(EventKind kind, EntityId id, StringId name, std::string_view component) {
    if (!world_.listeners_.any(kind)) return;
    Event event;
    event.id = static_cast<std::uint16_t>(kind);
    event.entity = Entity(world_, id);
    event.name = world_.components_.strings().text(name);
    event.component = component;
    world_.listeners_.fire(event, firstError_);
}

void Reconciler::collect() {
    Forest& forest = world_.forest_;
    // Members of a tree that is looked at from its top need not be looked at again.
    for (const EntityId id : checked_)
        if (EntityRecord* record = forest.pool.find(id)) record->visited = true;
    for (const EntityId id : checked_) {
        EntityRecord* record = forest.pool.find(id);
        if (!record || record->managed || record->wantsIn()) continue;
        if (!record->removed)
            collectDetached(record->root());
        else if (!record->parent || !record->parent->visited || !record->parent->removed)
            collectZombies(*record);
    }
    for (const EntityId id : checked_)
        if (EntityRecord* record = forest.pool.find(id)) record->visited = false;
    destroyGathered();
    fireDestroyed();
}

// Gathers the members of a removed subtree that nobody counts on.
void Reconciler::collectZombies(EntityRecord& top) {
    if (top.parent && Forest::refCount(*top.parent) > 0) return;
    for (EntityRecord* at = &top; at;) {
        const bool counted = at->ownRefs > 0;
        EntityRecord* kept = counted ? at : nullptr;
        if (!counted) gathered_.push_back(at);
        at = nextInSubtree(at, &top, !counted);
        if (!kept || kept == &top) continue;
        if (integrityError_.empty())
            integrityError_ = sentence(
                describe(Entity(world_, kept->id)), " is retained while its parent ",
                describe(Entity(world_, kept->parent->id)),
                " is not: the parent was destroyed and the child cut off; retain the parent, too");
        Forest::unlinkSibling(*kept);
        kept->parent = nullptr;
    }
}

void Reconciler::collectDetached(EntityRecord& top) {
    if (top.managed || top.visitedTree) return;
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top))
        if (at->holds > 0 || at->ownRefs > 0 || at->managed || at->wantsIn()) return;
    top.visitedTree = true;
    forSubtree(top, [this](EntityRecord& record) { gathered_.push_back(&record); });
}

void Reconciler::destroyDetached(EntityRecord& top) {
    forSubtree(top, [this](EntityRecord& record) { gathered_.push_back(&record); });
    destroyGathered();
    fireDestroyed();
    if (firstError_) std::rethrow_exception(std::exchange(firstError_, nullptr));
}

void Reconciler::destroyGathered() {
    Forest& forest = world_.forest_;
    for (const EntityRecord* record : gathered_) destroyed_.push_back({record->id, record->name});
    while (!gathered_.empty()) {
        EntityRecord& record = *gathered_.back();
        gathered_.pop_back();
        if (record.pending) forest.pending.erase(PendingList::s_iterator_to(record));
        Forest::unlinkSibling(record);
        forest.setRemoved(record, false);
        if (record.id == world_.mainCharacter_) world_.mainCharacter_ = {};
        if (record.id == world_.mainCamera_) world_.mainCamera_ = {};
        world_.components_.unbindAll(record);
        record.visited = record.visitedTree = record.pending = false;
        forest.pool.free(record);
    }
}

void Reconciler::fireDestroyed() {
    if (!world_.listeners_.any(EventKind::EntityDestroyed)) {
        destroyed_.clear();
        return;
    }
    // Swapped out: a listener may destroy detached entities, which fires again.
    std::vector<Destroyed> destroyed;
    destroyed.swap(destroyed_);
    for (const Destroyed& each : destroyed) fire(EventKind::EntityDestroyed, each.id, each.name);
}

}  // namespace revenant
