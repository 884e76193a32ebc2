// EntityRecord: everything the world knows of one entity. Plain data apart from behaviour;
// records are pooled, their addresses stable, and written by the files of world/ (views
// read them; a history counts its references there). Whoever uses the engine holds an `Entity` instead.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>

#include "world/component_pool.hpp"
#include "world/entity_id.hpp"
#include "world/order_list.hpp"
#include "world/shape.hpp"
#include "world/string_table.hpp"

namespace revenant {

// What is asked for at the next reconcile. An entity that is out and stays out may carry either
// of the last two; they differ for one that is managed.
enum class Intent : std::uint8_t {
    In,
    Detach,  // out, because it was attached to a parent that is out: never collected for that
    Remove,  // out, by removeEntity: collected unless something counts on it
};

struct SiblingTag;
struct PendingTag;

template <class Tag>
using RecordHook =
    boost::intrusive::list_base_hook<boost::intrusive::tag<Tag>,
                                     boost::intrusive::link_mode<boost::intrusive::normal_link>>;
using SiblingHook = RecordHook<SiblingTag>;
using PendingHook = RecordHook<PendingTag>;

struct EntityRecord;

template <class Hook>
using RecordList = boost::intrusive::list<EntityRecord, boost::intrusive::base_hook<Hook>,
                                          boost::intrusive::constant_time_size<false>>;
// The children of a parent; or, while there is a history, the roots of the world.
using SiblingList = RecordList<SiblingHook>;
// Records with a change waiting for the next reconcile, in the order of the requests.
using PendingList = RecordList<PendingHook>;

inline constexpr std::size_t inlineComponents = 4;
inline constexpr std::size_t maxComponentsPerEntity = 64;

// Laid out by use, in four cache lines: every request and every phase of a reconcile reads the
// first, leaving and coming the second, walks and views the third. Aligned to all four, as
// processors fetch lines in pairs: with the first comes the second.
struct alignas(256) EntityRecord : PendingHook, SiblingHook {
    // -- present truth
    Intent intent = Intent::Detach;
    bool alive = false;  // false: the slot is free
    bool enabled = true;
    bool rewindable = true;
    // -- as of the last reconcile
    bool managed = false;
    bool active = false;
    bool removed = false;     // it is a zombie: out, and in the list of zombies by its opening node
    bool hasClosing = false;  // its closing node is in the order
    // -- what is waiting
    bool pending = false;   // it is in the pending list
    bool moved = false;     // its parent changed while it was managed
    bool rebound = false;   // components were added, removed, enabled or disabled
    bool toggled = false;   // it was enabled or disabled
    bool loosened = false;  // a hold, a reference or a part of its tree went
    // -- scratch of reconcile
    bool resurrected = false;
    bool visited = false;
    bool gathered = false;  // for destruction

    EntityId id;
    EntityRecord* parent = nullptr;  // null: it is a root

    OrderNode opening;                     // in the world's order, or in the list of zombies
    const Shape* settledShape = nullptr;   // what it has in the world; null: nothing, it is out
    const Shape* visibleShape = nullptr;   // what views see of it; null: nothing
    std::uint64_t disabledComponents = 0;  // one bit per position in the shape
    std::uint32_t ownRefs = 0;
    std::uint32_t holds = 0;  // by Lua values or HeldEntity: they keep a detached tree alive

    const Shape* shape = nullptr;
    std::array<std::byte*, inlineComponents> inlineSlots{};
    std::byte** slots = inlineSlots.data();  // in the shape's order
    SiblingList children;

    OrderNode closing;
    std::byte* parked = nullptr;  // its components while a history keeps them for it, else null
    StringId name;
    std::uint32_t serial = 0;         // which one of all that were ever made
    std::uint32_t bornAt = 0;         // tick of its creation
    std::uint32_t settledParent = 0;  // index of its parent at the last reconcile + 1; 0: a root
    std::uint16_t slotCapacity = inlineComponents;
    bool inRoots = false;     // it is in the list of roots
    bool remembered = false;  // one of its own references is the history's
    bool unborn = false;      // the past on show is older than it: neither alive nor free
    // Of a detached one: its last hold or reference went, so that its tree lives only while
    // something else keeps it. (A tree that nobody ever held lives until it is destroyed.)
    bool dropped = false;

    bool wantsIn() const noexcept { return intent == Intent::In; }
    // The last node of the entity's stretch in the world's order.
    OrderNode& lastNode() noexcept { return hasClosing ? closing : opening; }
    std::byte* slotOf(ComponentTypeId type) const noexcept {
        const int position = shape->positionOf(type);
        return position == Shape::absent ? nullptr : slots[position];
    }
    EntityRecord& root() noexcept {
        EntityRecord* at = this;
        while (at->parent) at = at->parent;
        return *at;
    }
};

static_assert(sizeof(EntityRecord) == 256);

}  // namespace revenant
