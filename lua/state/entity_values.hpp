// EntityValues: which entities have a value in one Lua state, and how strongly it is held: strongly while
// the entity is managed, a zombie or unborn, weakly while it is detached. The hold of a value keeps a
// detached tree alive until the value is collected. The Lua half keeps the two tables
// (entity_values.lua); `moves` lists what it has to do to stay in step.
//
// The value of a new entity is strong until its first reconcile is over: most enter the world there, and
// would only move back and forth.
//
// Owned by WorldLink. One thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "world/core/world_core.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

class EntityValues {
public:
    // `world` outlives it, or `clear` is called before it ends.
    explicit EntityValues(WorldCore& world) : world_(world) {}
    EntityValues(const EntityValues&) = delete;
    EntityValues& operator=(const EntityValues&) = delete;
    ~EntityValues() = default;

    // Notes a new value, also of an entity that is not born yet. 1: hold it strongly; 0: weakly;
    // -1: its entity was destroyed.
    int note(EntityId id);
    // The same for an entity that was just made: strongly. REQUIRES: makeRoomForNew, before it was made.
    void noteNew(Entity entity) noexcept;
    void makeRoomForNew();
    // So that values of `roots` of `count` new entities can be noted.
    void makeRoomFor(std::uint32_t count, std::uint32_t roots);
    void drop(std::uint32_t index) noexcept;
    bool isWeak(EntityId id) const noexcept {
        return isOf(id) && values_[id.index].held == Held::Weakly;
    }
    // Copies indices of those held weakly, from the `first` on; none twice. Returns how many.
    std::uint32_t copyWeak(std::uint32_t first, std::span<std::uint32_t> out);
    void clear() noexcept;

    void onReconcile(const ChangeSet& changes);
    // Between reconciles: finds values of entities that were destroyed, or that stayed detached.
    void sweep();

    // By index; the link passes them to Lua.
    struct Moves {
        std::vector<std::uint32_t> promoted, demoted, dropped;

        bool empty() const noexcept {
            return promoted.empty() && demoted.empty() && dropped.empty();
        }
        void clear() noexcept {
            promoted.clear();
            demoted.clear();
            dropped.clear();
        }
        void addBefore(const Moves& earlier) {
            promoted.insert(promoted.begin(), earlier.promoted.begin(), earlier.promoted.end());
            demoted.insert(demoted.begin(), earlier.demoted.begin(), earlier.demoted.end());
            dropped.insert(dropped.begin(), earlier.dropped.begin(), earlier.dropped.end());
        }
    } moves;

private:
    enum class Held : std::uint8_t { No, Weakly, Strongly };
    // Eight bytes: under random churn each entry is a cache miss. To keep it that small, the world's hold on
    // the entity (HeldEntity) is counted by hand.
    struct Value {
        std::uint32_t generation = 0;  // of the entity it is of; 0: of none
        Held held = Held::No;
        bool isListed = false;  // in weak_
    };

    void makeRoomFor(std::uint32_t index);
    // REQUIRES: there is room, in weak_ too if it is held weakly.
    void hold(EntityId id, Held held) noexcept;
    void setHeld(std::uint32_t index, Held held);
    bool isOf(EntityId id) const noexcept {
        return id.index < values_.size() && values_[id.index].generation == id.generation;
    }
    // What may be said of a value whose entity left the world, or never came in; false: no more.
    bool settle(EntityId id);

    WorldCore& world_;
    std::vector<Value> values_;        // by entity index
    std::vector<std::uint32_t> weak_;  // indices of those held weakly, and of some that were
    std::vector<EntityId> fresh_;      // of new entities
    std::vector<EntityId> watched_;    // left the world with a value: may be destroyed any time
    std::size_t nextWatched_ = 0;      // the place behind the one that `sweep` looks at next
};

}  // namespace revenant
