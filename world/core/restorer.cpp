#include "world/core/restorer.hpp"

#include <cstring>

#include "world/core/world_core.hpp"

namespace revenant {

void Restorer::putIn(EntityRecord& record, EntityRecord* parent, EntityRecord* previous) {
    Forest& forest = world_.forest();
    Forest::cut(record);
    forest.unlinkRoot(record);
    SiblingList& siblings = parent ? forest.pool.makeRest(*parent).children : forest.roots;
    auto place = siblings.begin();
    if (previous) {
        const bool isThere = previous->parent == parent && (parent || previous->inRoots);
        REVENANT_ASSERT(isThere, "a previous sibling that was restored is not where it should be");
        place = isThere ? std::next(SiblingList::s_iterator_to(*previous)) : siblings.end();
    }
    if (parent)
        Forest::hang(record, *parent, place);
    else
        forest.roots.insert(place, record);
    record.inRoots = parent == nullptr;
    record.intent = Intent::In;
    record.moved = record.managed;
    forest.touchLast(record);
    // Children that it got while it was out, and that are not put in as well, are detached from it.
    if (record.hasChildren)
        for (EntityRecord& child : record.rest->children)
            if (!child.wantsIn()) forest.touch(child);
}

void Restorer::takeOut(EntityRecord& record, bool asZombie) {
    Forest& forest = world_.forest();
    if (record.hasChildren) {
        SiblingList& children = record.rest->children;
        for (auto at = children.begin(); at != children.end();) {
            EntityRecord& child = *at++;
            if (!child.rewindable && child.wantsIn()) forest.detach(child);
        }
    }
    record.intent = asZombie ? Intent::Remove : Intent::Detach;
    forest.touch(record);
}

void Restorer::setEnabled(EntityRecord& record, bool enabled, std::uint64_t disabledComponents) {
    record.toggled = record.toggled || record.enabled != enabled;
    record.rebound = record.rebound || record.disabledComponents() != disabledComponents;
    record.enabled = enabled;
    if (disabledComponents != 0) world_.forest().pool.makeRest(record);
    record.setDisabledComponents(disabledComponents);
    world_.forest().touchIfManaged(record);
}

void Restorer::setEnabledOutside(EntityRecord& record, bool enabled,
                                 std::uint64_t disabledComponents) {
    REVENANT_ASSERT(!record.managed, "an entity in the world is enabled by a reconcile");
    if (disabledComponents != 0) world_.forest().pool.makeRest(record);
    record.enabled = enabled;
    record.setDisabledComponents(disabledComponents);
}

void Restorer::strip(EntityRecord& record) {
    world_.components().unbindAll(record);
    record.setDisabledComponents(0);
}

void Restorer::bindComponent(EntityRecord& record, ComponentType& type, const std::byte* bytes) {
    std::byte* slot = world_.components().bind(record, type, world_.getClock());
    std::memcpy(slot, bytes, type.schema.size);
    world_.forest().touchIfManaged(record);
}

void Restorer::unbindComponent(EntityRecord& record, ComponentType& type) {
    world_.components().unbind(record, type, world_.getClock());
    world_.forest().touchIfManaged(record);
}

void Restorer::setUnborn(EntityRecord& record, bool unborn) {
    if (unborn) {
        // An entity that does not exist yet has no parent and no children, and is no zombie.
        Forest::cut(record);
        while (record.hasChildren) {
            EntityRecord& child = record.rest->children.front();
            Forest::cut(child);
            Forest::stayOut(child);
        }
        world_.forest().setRemoved(record, false);
        record.intent = Intent::Detach;
    }
    world_.forest().pool.setUnborn(record, unborn);
    world_.components().noteMove();
}

void Restorer::setZombie(EntityRecord& top, bool zombie) {
    // The child of a zombie becomes a zombie, too.
    zombie = zombie || (top.parent && top.parent->removed);
    forSubtree(top, [&](EntityRecord& record) {
        world_.forest().setRemoved(record, zombie);
        record.intent = zombie ? Intent::Remove : Intent::Detach;
    });
}

void Restorer::hangOn(EntityRecord& record, EntityRecord& parent) {
    Forest::hang(record, parent, world_.forest().pool.makeRest(parent).children.end());
}

void Restorer::ask(EntityRecord& record, Intent intent, bool moved) noexcept {
    Forest& forest = world_.forest();
    record.moved = record.managed && moved;
    record.toggled = record.toggled && record.managed;
    record.intent = intent;
    forest.touchLast(record);
    if (!record.staysOut()) return;
    forSubtree(record, [&](EntityRecord& each) {
        if (!each.staysOut()) return;
        each.intent = intent;
        forest.touch(each);
    });
}

void Restorer::setFree(EntityRecord& record) noexcept {
    if (record.holds == 0) record.dropped = false;
}

void Restorer::settleNewborns(Clock clock) noexcept {
    Forest& forest = world_.forest();
    for (const std::uint32_t index : forest.newborns)
        if (EntityRecord& record = forest.pool.at(index); record.alive && record.bornAt >= clock)
            record.bornAt = clock - 1;
    if (forest.lastBirth >= clock) forest.lastBirth = clock - 1;
}

void Restorer::letGo(EntityRecord& record) noexcept {
    setRemembered(record, false);
    if (record.managed) return;
    record.loosened = true;
    world_.forest().touch(record);
}

void Restorer::setRemembered(EntityRecord& record, bool remembered) noexcept {
    if (record.remembered == remembered) return;
    record.remembered = remembered;
    record.ownRefs += remembered ? 1 : -1;
}

void Restorer::destroy(EntityRecord& record) {
    record.ownRefs = 0;
    record.remembered = false;
    world_.forest().pool.setUnborn(record, false);
    world_.components().noteMove();
    world_.reconciler().destroyDetached(record);
}

void Restorer::finish(ReconcileMode mode) {
    world_.reconcileAs(mode);
}

}  // namespace revenant
