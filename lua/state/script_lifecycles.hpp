// ScriptLifecycles: calls onAdded, onRemoved, onRestored and onDestroyed of script components, and keeps what each
// was last called with. Components of classes without these methods are not tracked.
//
// Reconciles only note what may have changed. The calls follow from the difference between the last call
// and the state when listeners are called, so that the steps of a restore count as one.
//
// Owned by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "world/core/error_list.hpp"
#include "world/entity_id.hpp"
#include "world/storage/change_set.hpp"
#include "world/storage/make_room.hpp"

namespace revenant {

class WorldLink;

class ScriptLifecycles {
public:
    explicit ScriptLifecycles(WorldLink& link) : link_(link) {}
    ScriptLifecycles(const ScriptLifecycles&) = delete;
    ScriptLifecycles& operator=(const ScriptLifecycles&) = delete;

    // The component with this table of the link, which is about to be bound. `isOfFile`: frames of a history that was
    // saved elsewhere have it.
    void watch(std::uint32_t table, EntityId owner, ComponentTypeId type, bool isOfFile);
    // It was not bound after all.
    void unwatch(std::uint32_t table) noexcept;
    bool isWatched(std::uint32_t table) const noexcept {
        return table < entries_.size() && entries_[table].told != Told::Nothing;
    }
    bool any() const noexcept { return count_ > 0; }
    // A load made it without its constructor. Until it has its state it has nothing to destroy.
    void noteEmpty(std::uint32_t table) noexcept { setEmpty(table, true); }
    void noteFilled(std::uint32_t table) noexcept { setEmpty(table, false); }

    // It may have been unbound, or its entity destroyed.
    void noteUnbound(std::uint32_t table) { candidates_.push_back(table); }
    void makeRoomToNote() { makeRoom(candidates_); }
    void noteFreed(std::uint32_t table);

    void onReconcile(const ChangeSet& changes);
    void tellChanges(ErrorList& errors);
    void tellDestroyed(ErrorList& errors);
    // The entity is about to be destroyed by a call in the middle of a reconcile: calls the onRemoved that are still due,
    // while it can be read.
    void tellLeaving(const EntityRecord& record, ErrorList& errors);
    // The world ends: calls onDestroyed of all. `hasWorld`: it can still be read.
    void endAll(bool hasWorld, ErrorList& errors);

private:
    enum class Told : std::uint8_t { Nothing, Watched, Present, Absent };
    struct Entry {
        EntityId owner;
        ComponentTypeId type = 0;
        Told told = Told::Nothing;    // Nothing: it is not known
        bool isLost = false;          // no frame can bring it back
        bool isDead = false;          // onDestroyed is due
        bool isUnbound = false;       // its entity lives on without it
        bool isEmpty = false;         // made by a load that has not given it its state yet
        std::int64_t firstFrame = 0;  // that may show it, in or out of the world
        std::int64_t lastFrame = 0;   // likewise, where it is unbound
    };

    void setEmpty(std::uint32_t table, bool isEmpty) noexcept {
        if (isWatched(table)) entries_[table].isEmpty = isEmpty;
    }
    bool isPresent(std::uint32_t table) const;
    bool isOfLivingEntity(const Entry& entry) const;
    bool isBound(std::uint32_t table) const;  // to an entity that is in or out
    void noteShape(const EntityRecord& record);
    bool hasWatched(const Shape& shape);
    std::uint32_t labelOf(std::uint32_t table) const;
    void sortByOrder(std::vector<std::uint32_t>& tables) const;
    void settleUnbound(bool isShortened);
    void setFirstFrames(std::int64_t newest);
    void callRemoved(std::uint32_t table, bool withEntity, ErrorList& errors);
    void call(std::uint32_t table, const char* method, bool withEntity, ErrorList& errors);

    WorldLink& link_;
    std::vector<Entry> entries_;  // by table number
    std::size_t count_ = 0;
    std::vector<bool> types_;  // by type: some of its components are watched
    std::vector<std::int8_t>
        shapes_;  // by shape id: whether one of its types is; -1: not known yet
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint32_t> dead_;
    std::vector<std::uint32_t> unbound_;  // which a history may bring back
    std::vector<std::uint32_t> fresh_;    // bound since calls were last made
    std::int64_t newestSeen_ = 0;         // frame, when calls were last made
};

}  // namespace revenant
