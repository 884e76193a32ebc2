// EntityRecord: everything the world knows of one entity. Plain data apart from behaviour;
// records are pooled and their addresses stable. Only the files of world/ write them, which a test checks: other
// folders read them, and a history changes them through Restorer. Programs hold an `Entity` instead. Used on the
// world's thread.
//
// The flags of a record are one of its states, which have the names of EntityState:
//
//     state          alive  unborn  managed  removed  intent
//     Destroyed                                       any     the slot is free; its other flags mean nothing
//     Unborn                  x                       Detach  a history's: the current frame is older than it
//     Detached         x                              out
//     Zombie           x                        x     out
//     PendingAdd       x                     either   In      pending
//     Managed          x              x               In
//     PendingRemove    x              x               out     pending
//
// "out" is Detach or Remove; "pending" says that it is in the pending list. The other flags go with a state:
//
//     active, hasClosing           of a managed one
//     inRoots                      of a root that is managed or about to be, while there is a history
//     moved, toggled, replaced     of a managed one that is pending
//     loosened                     of a pending one
//     dropped                      of a living one
//     parked                       of one out of the world, or unborn
//     remembered                   counted in ownRefs
//     rest                         where there are or were children or disabled components
//     visited, leaving, gathered   only within a reconcile
//
// WorldCore::validate checks all of it.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>

#include "world/compiler.hpp"
#include "world/entity_id.hpp"
#include "world/entity_state.hpp"
#include "world/storage/component_pool.hpp"
#include "world/storage/order_list.hpp"
#include "world/storage/shape.hpp"
#include "world/storage/string_table.hpp"

namespace revenant {

// What is asked for at the next reconcile. An entity that is out and stays out may carry either
// of the last two; they differ for one that is managed.
enum class Intent : std::uint8_t {
    In,
    Detach,  // out, because it was attached to a parent that is out: never collected for that
    Remove,  // out, by removeEntity: collected unless something counts on it
};

struct EntityRecord;

struct SiblingTag;
using SiblingHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<SiblingTag>,
                                     boost::intrusive::link_mode<boost::intrusive::normal_link>>;
// The children of a parent; or, while there is a history, the roots of the world.
using SiblingList = boost::intrusive::list<EntityRecord, boost::intrusive::base_hook<SiblingHook>,
                                           boost::intrusive::constant_time_size<false>>;

inline constexpr std::size_t maxComponentsPerEntity = 64;

// What only parents, and entities with disabled components, have. Given by EntityPool::makeRest, kept until the entity is
// destroyed.
struct EntityRest {
    SiblingList children;  // changed only by Forest::hang and cut
    OrderNode closing;
    std::uint64_t disabledComponents = 0;  // one bit per position in the shape; see hasDisabled
    EntityRecord* owner = nullptr;
};

// Every request and every phase of a reconcile reads the first cache line, where the neighbours and siblings of an entity
// that comes or goes are linked, too. Processors fetch lines in pairs: with it comes the second.
// Where its components are is not in the record: the pools know it by entity index (ComponentPool::findPlace).
struct alignas(128) EntityRecord : SiblingHook {
    // In the world's order, or in the list of zombies. The flags go into its padding.
    [[no_unique_address]] OrderNode opening;
    // -- present truth
    Intent intent : 2 = Intent::Detach;
    bool alive : 1 = false;  // false: the slot is free
    bool enabled : 1 = true;
    bool rewindable : 1 = true;
    bool hasChildren : 1 = false;
    bool hasDisabled : 1 = false;  // some of its components are
    // -- as of the last reconcile
    bool managed : 1 = false;
    bool active : 1 = false;
    bool removed : 1 = false;     // a zombie: out, in the list of them by its opening node
    bool hasClosing : 1 = false;  // its closing node is in the order
    // -- what is waiting
    bool moved : 1 = false;     // its parent changed while it was managed
    bool rebound : 1 = false;   // components were added, removed, enabled or disabled
    bool replaced : 1 = false;  // a component that it has in the world was removed, and added again
    bool toggled : 1 = false;   // it was enabled or disabled
    bool loosened : 1 = false;  // a hold, a reference or a part of its tree went
    // -- scratch of reconcile
    bool visited : 1 = false;
    bool leaving : 1 = false;   // it has just left, and its subtree with it
    bool gathered : 1 = false;  // for destruction
    // -- seldom used
    bool inRoots : 1 = false;     // it is in the list of roots
    bool remembered : 1 = false;  // one of its own references is the history's
    bool unborn : 1 = false;      // the current frame is older than it: neither alive nor free
    bool persistent : 1 = true;   // false: saves leave its subtree out
    // Of a detached one: its last hold or reference went, so that its tree lives only while
    // something else keeps it. (A tree that was never held lives until it is destroyed.)
    bool dropped : 1 = false;

    EntityId id;
    EntityRecord* parent = nullptr;  // null: it is a root
    std::uint32_t pendingPlace = 0;  // in the pending list, from 1; 0: it is not in it
    std::uint32_t ownRefs = 0;

    const Shape* shape = nullptr;
    const Shape* settledShape = nullptr;  // what it has in the world; null: nothing, it is out
    const Shape* visibleShape = nullptr;  // what views see of it; null: nothing
    EntityRest* rest = nullptr;           // null: it needs none
    std::byte* parked = nullptr;  // its components while a history keeps them for it, else null
    std::uint32_t holds = 0;      // by Lua values or HeldEntity: they keep a detached tree alive
    StringId name;
    std::uint32_t serial = 0;         // which one of all that were ever made
    std::uint32_t bornAt = 0;         // the clock at its creation
    std::uint32_t settledParent = 0;  // index of its parent at the last reconcile + 1; 0: a root

    // Has the processor fetch what a reconcile reads of most records, and go on meanwhile.
    void prefetch() const noexcept {
        detail::prefetchLine(&opening);
        detail::prefetchLine(&shape);
    }
    // The same for a record that was probably made soon after this one, and so lies behind it: for walks
    // through children, where the next is known only when this one is loaded.
    void prefetchFellow() const noexcept {
        constexpr std::uintptr_t fellowsAhead = 8;
        detail::prefetchLine(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(this) +
                                                           fellowsAhead * sizeof(EntityRecord)));
    }
    const SiblingList& children() const noexcept;
    // One bit per position in the shape.
    std::uint64_t disabledComponents() const noexcept {
        return hasDisabled ? rest->disabledComponents : 0;
    }
    // REQUIRES: it has a rest, or bits is 0.
    void setDisabledComponents(std::uint64_t bits) noexcept {
        hasDisabled = bits != 0;
        if (rest) rest->disabledComponents = bits;
    }
    bool isPending() const noexcept { return pendingPlace != 0; }
    bool wantsIn() const noexcept { return intent == Intent::In; }
    // ---- names of the legal combinations: see the top of this file
    EntityState state() const noexcept {
        if (!alive) return unborn ? EntityState::Unborn : EntityState::Destroyed;
        if (managed) return wantsIn() ? EntityState::Managed : EntityState::PendingRemove;
        if (wantsIn()) return EntityState::PendingAdd;
        return removed ? EntityState::Zombie : EntityState::Detached;
    }
    // Whether its slot is taken: its handle means something, now or at a later frame.
    bool exists() const noexcept { return alive || unborn; }
    // Detached, a zombie, or to come in: it is there, but not in the world.
    bool isOut() const noexcept { return alive && !managed; }
    bool isArriving() const noexcept { return !managed && wantsIn(); }
    bool isDeparting() const noexcept { return managed && !wantsIn(); }
    // Neither in nor asked to come in.
    bool staysOut() const noexcept { return !managed && !wantsIn(); }
    // The last node of the entity and its descendants in the world's order.
    OrderNode& lastNode() noexcept { return hasClosing ? rest->closing : opening; }
    // By position in the shape.
    std::byte* slotAt(std::size_t position) const noexcept {
        if (parked) [[unlikely]]
            return parked + shape->parkedOffset(position);
        const ComponentPool& pool = shape->poolAt(position);
        return pool.at(pool.findPlace(id.index));
    }
    std::byte* slotOf(ComponentTypeId type) const noexcept {
        const int position = shape->positionOf(type);
        return position == Shape::absent ? nullptr : slotAt(static_cast<std::size_t>(position));
    }
    EntityRecord& root() noexcept {
        EntityRecord* at = this;
        while (at->parent) at = at->parent;
        return *at;
    }
};

static_assert(sizeof(EntityRecord) == 128);

inline const SiblingList noChildren;

inline const SiblingList& EntityRecord::children() const noexcept {
    return rest ? rest->children : noChildren;
}

}  // namespace revenant
