// The end of a reconcile: removed entities without references are destroyed, children before parents.
#include <algorithm>
#include <utility>

#include "world/core/reconciler.hpp"
#include "world/core/world_core.hpp"
#include "world/error.hpp"
#include "world/forest/forest.hpp"

namespace revenant {

namespace {

// Whether a walk through the subtree of a removed ancestor reaches the record as well.
bool isLookedAtFromAbove(const EntityRecord& record) noexcept {
    for (const EntityRecord* at = record.parent; at; at = at->parent) {
        if (!at->removed || at->intent != Intent::Remove) return false;
        if (at->visited) return true;
    }
    return false;
}

}  // namespace

void Reconciler::collect() {
    if (!uncollected_.empty()) {
        mayChange_ = true;
        checked_.insert(checked_.end(), uncollected_.begin(), uncollected_.end());
        uncollected_.clear();
    }
    // Entities that listeners released.
    world_.forest_.pending.forEach([this](EntityRecord& record) {
        if (record.loosened) checked_.push_back({&record, record.id});
    });
    if (world_.listeners_.any(EventKind::EntityDestroyed))
        std::ranges::sort(checked_, {}, [](const Checked& check) {
            return std::pair(check.record->opening.label, check.id);
        });
    // A tree is visited from its top, and its members not again. Leaves are the top of nothing and are
    // skipped: in a large world each visit waits for a cache line.
    auto setVisited = [&](bool visited) {
        for (const Checked& check : checked_)
            if (mayChange_ || !check.isLeaf) check.record->visited = visited;
    };
    setVisited(true);
    for (std::size_t i = 0; i < checked_.size(); ++i) {
        if (i + prefetchAhead < checked_.size()) checked_[i + prefetchAhead].record->prefetch();
        const auto& [record, id, isLeaf] = checked_[i];
        // A listener may have destroyed it, or added it again.
        if (record->id != id || !record->alive || record->managed || record->wantsIn()) continue;
        if (!record->removed || record->intent != Intent::Remove)
            roots_.push_back(&record->root());
        else if (!isLookedAtFromAbove(*record))
            collectZombies(*record);
    }
    setVisited(false);
    // Each detached tree is checked once, however many of its members were released.
    for (EntityRecord* root : roots_) {
        if (root->visited) continue;
        root->visited = true;
        collectDetached(*root);
    }
    for (EntityRecord* root : roots_) root->visited = false;
    roots_.clear();
    destroyGathered();
    fireDestroyed();
}

void Reconciler::forgetLeaving() noexcept {
    for (EntityRecord* record : leaving_) record->leaving = false;
    leaving_.clear();
}

void Reconciler::gather(EntityRecord& record) {
    if (record.gathered) return;
    record.gathered = true;
    gathered_.push_back(&record);
}

// Gathers the members of a removed subtree that have no references.
void Reconciler::collectZombies(EntityRecord& top) {
    if (top.parent && Forest::refCount(*top.parent) > 0) return;
    for (EntityRecord* at = &top; at;) {
        at->prefetchFellow();
        // A managed one was attached by a listener: it leaves at the next reconcile.
        EntityRecord* kept = at->ownRefs > 0 || at->managed ? at : nullptr;
        if (!kept) gather(*at);
        at = nextInSubtree(at, &top, !kept);
        if (!kept || kept == &top) continue;
        // Only a history refers to it, and it was attached to an entity that no frame knows: no mistake of the game's.
        const bool isMistake = !kept->managed && kept->ownRefs > (kept->remembered ? 1U : 0U);
        if (integrityError_.empty() && isMistake)
            integrityError_ = sentence(
                describe(world_.entity(kept->id)), " is retained while its parent ",
                describe(world_.entity(kept->parent->id)),
                " is not: the parent was destroyed and the child cut off; retain the parent, too");
        world_.forest_.noteNextSibling(*kept);
        world_.forest_.noteOutside(*kept);
        Forest::cut(*kept);
        if (kept->managed)
            world_.forest_.touchLast(*kept);  // as removeChild would
        else
            Forest::stayOut(*kept);
    }
}

// Gathers a detached tree that was released and that nothing keeps.
void Reconciler::collectDetached(EntityRecord& top) {
    if (top.managed || top.removed || top.gathered) return;
    bool dropped = false;
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top)) {
        if (at->holds > 0 || at->ownRefs > 0 || at->managed || at->wantsIn()) return;
        dropped = dropped || (at->dropped && !at->removed);
    }
    if (dropped) forSubtree(top, [this](EntityRecord& record) { gather(record); });
}

void Reconciler::destroyDetached(EntityRecord& top) {
    // A listener may be calling, in a reconcile that keeps an error for later.
    ErrorList errorsBefore = std::exchange(errors_, {});
    forSubtree(top, [this](EntityRecord& record) { gather(record); });
    destroyGathered();
    fireDestroyed();
    for (const auto& observer : world_.observers_) observer->onDestroyedTold(errors_);
    ErrorList errors = std::exchange(errors_, std::move(errorsBefore));
    if (holdDepth_ == 0)
        errors.raise();
    else
        heldErrors_.add(std::move(errors));
}

void Reconciler::destroyGathered() {
    Forest& forest = world_.forest_;
    if (world_.listeners_.any(EventKind::EntityDestroyed))
        for (const EntityRecord* record : gathered_)
            destroyed_.push_back({record->id, record->name});
    while (!gathered_.empty()) {
        if (gathered_.size() > prefetchAhead)
            gathered_[gathered_.size() - 1 - prefetchAhead]->prefetch();
        EntityRecord& record = *gathered_.back();
        gathered_.pop_back();
        if (record.isPending()) forest.pending.erase(record);
        // When a whole tree dies, its members need not be unlinked from each other. Listeners may have rearranged it
        // since its members were gathered, so that a parent may come before its children.
        if (mayChange_ || (record.parent && !record.parent->gathered)) {
            forest.noteNextSibling(record);
            Forest::cut(record);
        }
        if (!mayChange_) Forest::cutChildren(record);
        while (record.hasChildren) Forest::cut(record.rest->children.front());
        record.parent = nullptr;
        forest.setRemoved(record, false);
        // A current past frame keeps the entity's name, which is in its hash, though older frames are dropped.
        if (!world_.inPast_) clearSpecial(record);
        if (forest.keepsRoots && world_.components_.hasEntityFields())
            forest.lostSerials.add(record.id, record.serial);
        world_.components_.strings().dropName(record.name);
        world_.components_.unbindAll(record);
        record.visited = record.gathered = false;
        forest.pool.free(record);
    }
}

void Reconciler::fireDestroyed() {
    if (destroyed_.empty()) return;
    // Swapped out: a listener may destroy detached entities, which fires again.
    std::vector<Destroyed> destroyed;
    destroyed.swap(destroyed_);
    for (const Destroyed& each : destroyed) fire(EventKind::EntityDestroyed, each.id, each.name);
    destroyed.clear();
    destroyed.swap(destroyed_);  // keeps its memory for the next time
}

}  // namespace revenant
