// Forest: the entities of a world, their hierarchy, and what is asked of them.
//
// Present truth (parents, children, intents, counts) changes at the call; what is as of the last
// reconcile (the order, zombies, managed flags) changes only in Reconciler. Every request ends
// in the one pending list. Functions here take records and assume that the call is allowed:
// World checks and says why not.
#pragma once

#include <boost/intrusive/parent_from_member.hpp>
#include <cstdint>
#include <vector>

#include "world/forest/lost_serials.hpp"
#include "world/forest/pending_list.hpp"
#include "world/storage/entity_pool.hpp"
#include "world/storage/entity_record.hpp"
#include "world/storage/order_list.hpp"

namespace revenant {

struct Forest {
    explicit Forest(std::uint32_t lastGeneration) : pool(lastGeneration) {}

    EntityPool pool;
    OrderList order;          // managed entities, as of the last reconcile
    OrderList::List zombies;  // by their opening nodes, in the order they were removed
    PendingList pending;
    // Managed roots in world order, by their sibling hooks. Kept only for a history: the order
    // alone leads to them, and each list more costs cache lines.
    SiblingList roots;
    bool keepsRoots = false;
    std::uint32_t lastSerial = 0;
    // Serials are rewound with the world, so that a resumed run counts as an uninterrupted one did. Entities
    // that are no part of that (made in the past that is shown, or in a future that was dropped) have serials
    // from the other end, which are not.
    static constexpr std::uint32_t firstStraySerial = UINT32_MAX - 1;
    std::uint32_t nextStraySerial = firstStraySerial;
    std::uint32_t lastBirth = 0;  // the latest EntityRecord::bornAt
    // While there is a history: the indices of those that were made since its last frame.
    std::vector<std::uint32_t> newborns;
    // Likewise: indices of entities that are out and may have been moved, rebound or toggled since, some of them more than
    // once. Where there was no room for one, any may have been.
    std::vector<std::uint32_t> changedOutside;
    bool anyChangedOutside = false;
    LostSerials lostSerials;
    std::uint32_t managedCount = 0;
    std::uint32_t zombieCount = 0;
    std::uint64_t requests = 0;  // grows with each change asked for

    EntityRecord& create(StringId name, const Shape* shape, bool isStray = false);
    static bool isStraySerial(std::uint32_t serial) noexcept { return serial > UINT32_MAX / 2; }
    // As create, in a slot that EntityPool::open took.
    EntityRecord& createAt(std::uint32_t index, StringId name, std::uint32_t serial,
                           const Shape* shape);

    // Puts the record at the end of the pending list, unless it is in it.
    void touch(EntityRecord& record) noexcept {
        ++requests;
        noteOutside(record);
        if (!record.isPending()) pending.pushBack(record);
    }
    // Notes a change of what one that is in looks like; of others it is seen when they come in.
    void touchIfManaged(EntityRecord& record) noexcept {
        if (record.managed) {
            touch(record);
            return;
        }
        ++requests;
        noteOutside(record);
    }
    // Lists a record that is out in changedOutside, while there is a history.
    void noteOutside(const EntityRecord& record) noexcept {
        if (!keepsRoots || record.managed) return;
        if (changedOutside.size() < changedOutside.capacity())
            changedOutside.push_back(record.id.index);
        else
            anyChangedOutside = true;
    }
    // The same for the next sibling of an entity that is about to leave its parent.
    void noteNextSibling(EntityRecord& record) noexcept {
        if (!keepsRoots || !record.parent || record.parent->managed) return;
        const auto next = std::next(SiblingList::s_iterator_to(record));
        if (next != record.parent->children().end()) noteOutside(*next);
    }
    // As touch, but last even if it was in it: roots come in in the order of the requests.
    void touchLast(EntityRecord& record) noexcept {
        if (record.isPending()) pending.erase(record);
        touch(record);
    }

    // Intent `in` or `out` for the record and all its descendants.
    void bringIn(EntityRecord& top) noexcept;
    void takeOut(EntityRecord& top) noexcept;
    // Intent `out`, of either kind, for the record alone.
    void sendOut(EntityRecord& record, Intent intent) noexcept {
        // A request to bring it back may be what kept it.
        if (record.isArriving() && (record.removed || record.dropped)) record.loosened = true;
        record.intent = intent;
        touch(record);
    }

    // Makes `child` the last child of `parent`; its subtree follows the parent in or out. Here and below:
    // REQUIRES: a parent that gets a child has a rest (EntityPool::makeRest).
    void attach(EntityRecord& parent, EntityRecord& child) noexcept;
    // Makes `child` a root with its subtree. If it is managed or to come in, its intent stays.
    void detach(EntityRecord& child) noexcept;
    // Notes that `child` will be cut from its parent: each may have been kept by the other's references.
    void loosen(EntityRecord& child) noexcept;
    // For an entity that is out and now a root: it no longer depends on a parent.
    static void stayOut(EntityRecord& top) noexcept;
    // Makes the record a child of `parent`, before `place`, without further consequences.
    static void hang(EntityRecord& record, EntityRecord& parent,
                     SiblingList::iterator place) noexcept {
        parent.rest->children.insert(place, record);
        parent.hasChildren = true;
        record.parent = &parent;
    }
    // Makes the record a root, without further consequences.
    static void cut(EntityRecord& record) noexcept {
        if (!record.parent) return;
        SiblingList& siblings = record.parent->rest->children;
        siblings.erase(SiblingList::s_iterator_to(record));
        record.parent->hasChildren = !siblings.empty();
        record.parent = nullptr;
    }
    static void cutChildren(EntityRecord& record) noexcept {
        if (record.hasChildren) record.rest->children.clear();
        record.hasChildren = false;
    }
    // Enters or leaves the list of roots, where there is one.
    void linkRoot(EntityRecord& record) noexcept {
        if (!keepsRoots || record.inRoots) return;
        roots.push_back(record);
        record.inRoots = true;
    }
    void unlinkRoot(EntityRecord& record) noexcept {
        if (!keepsRoots || !record.inRoots) return;
        roots.erase(SiblingList::s_iterator_to(record));
        record.inRoots = false;
    }
    // Starts or stops keeping the list of roots, and of newborns.
    void setKeepsRoots(bool keeps) noexcept;
    // Where the record stands as of the last reconcile, among those a history knows of.
    EntityRecord* settledParentOf(const EntityRecord& record) const noexcept {
        return record.settledParent == 0 ? nullptr : &pool.at(record.settledParent - 1);
    }
    EntityRecord* settledPreviousOf(const EntityRecord& record) const noexcept;
    // The next sibling of a record, or the first child of a parent, or the first of all (where those
    // are nullptr). REQUIRES: they are in the world.
    EntityRecord* settledNextAt(const EntityRecord* parent,
                                const EntityRecord* previous) const noexcept;
    // Takes the record out of the world's order.
    void unplace(EntityRecord& record) noexcept {
        order.erase(record.opening);
        if (record.hasClosing) order.erase(record.rest->closing);
        record.hasClosing = false;
    }
    // Moves the record into or out of the list of zombies. REQUIRES: it is not managed.
    void setRemoved(EntityRecord& record, bool removed) noexcept {
        if (record.removed == removed) return;
        record.removed = removed;
        if (removed) {
            zombies.push_back(record.opening);
            ++zombieCount;
        } else {
            zombies.erase(OrderList::List::s_iterator_to(record.opening));
            --zombieCount;
        }
    }

    // Own references and those of all ancestors.
    static std::uint64_t refCount(const EntityRecord& record) noexcept;
    static bool isAncestor(const EntityRecord& ancestor, const EntityRecord& record) noexcept;
    static bool hasChangeWaiting(const EntityRecord& record) noexcept;
    static EntityRecord& recordOf(const OrderNode& node) noexcept {
        auto& own = const_cast<OrderNode&>(node);
        return node.closes
                   ? *boost::intrusive::get_parent_from_member(&own, &EntityRest::closing)->owner
                   : *boost::intrusive::get_parent_from_member(&own, &EntityRecord::opening);
    }
};

// The record behind `at` in a depth-first walk of `top`'s subtree, or nullptr at its end.
// No recursion: trees may be deeper than the stack. `descend` false skips at's descendants.
inline EntityRecord* nextInSubtree(EntityRecord* at, const EntityRecord* top,
                                   bool descend = true) noexcept {
    if (descend && at->hasChildren) return &at->rest->children.front();
    while (at != top) {
        auto next = std::next(SiblingList::s_iterator_to(*at));
        if (next != at->parent->rest->children.end()) return &*next;
        at = at->parent;
    }
    return nullptr;
}

template <class Visit>
void forSubtree(EntityRecord& top, Visit visit) {
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top)) visit(*at);
}

}  // namespace revenant
