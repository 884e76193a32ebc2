// HookStates: state outside the components' bytes: what the hooks of components and systems return, rewindable
// resources, and the pending requests (WaitingRequests). Keeps all of it as of the last frame or move, finds
// what changed, and restores it. Owned by Recorder; used on the world's thread.
//
// States of components whose entities are out (State::isOut) are kept where OutsideHooks give them: from the frame after
// an entity was made, or from the one in which it left. They count for no hash, and what is written to them is found in turn,
// some in each frame. Those of entities that the history does not know are noted, but not restored.
//
// Invariants:
// - The table has the states of the current frame. After a move the hooks may still have older ones: for each
//   of those, `given_` has the state that its hook was last given. It is empty once restore has returned.
// - hashSum() and stateBytes_ are sums over the table. `out_` has the keys of its entries that are out; if memory ran out, others,
//   too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/shadow.hpp"
#include "rewind/record/state_table.hpp"

namespace revenant {

class HookStates {
public:
    // Entities that are about to be forgotten, ascending, with the states of the frame in which play was left. They get those, as
    // no move will give them another one again.
    struct Leaving {
        std::vector<EntityId> ids;
        std::map<StateKey, State> states;
    };

    HookStates(WorldCore& world, KnownEntities& known, Shadow& shadow)
        : world_(world), known_(known), shadow_(shadow) {}

    // ---- recording
    // Asks hooks and systems for their states, and appends those that differ. Changes nothing, as
    // hooks may throw; what a state was before follows with `set`.
    void take(std::vector<StateChange>& changes);
    // The same for resources. They are taken when all hooks were asked: once they are taken, they are not looked at until
    // one is set again.
    void takeResources(std::vector<StateChange>& changes);
    // The same for components of entities that are out: those that have just left, were just made or changed, and some others,
    // or all of them. Notes the ones that are new and of no concern to a frame yet.
    void takeOutside(std::vector<StateChange>& changes, bool comparesAll);
    // The component of this state may be gone. takeGone appends the end of every state whose component is.
    void noteGone(const StateKey& key) { gone_.push_back(key); }
    void takeGone(std::vector<StateChange>& changes);
    // The history lets go of an entity: once that is destroyed, its states go, too.
    void release(EntityId id);
    // Takes the changes over, and completes what each state was before.
    void set(std::vector<StateChange>& changes);

    // ---- moving in time
    void undo(const std::vector<StateChange>& changes);
    void redo(const std::vector<StateChange>& changes);
    // A move has bound the component again, perhaps to another object (a script's table). The state of that object is unknown,
    // so restore sets it in any case.
    void noteBound(EntityId owner, const ComponentType& type);
    // The same for a component whose entity may be out, where its states are not kept.
    void noteStateless(EntityId owner, const ComponentType& type);
    // The hooks' states are no longer what they were given: restore will set them.
    void discardWrites();
    // The hooks may have any states: restore gives each its own.
    void doubtAll();
    // Gives the hooks the states that the moves led to. If a hook throws, the hooks before it get their old
    // states back and the error is rethrown: the caller then moves the world back.
    void restore(const Leaving& leaving = {});
    Leaving noteLeaving(std::vector<EntityId> ids) const;
    // Gives these hooks the states of the current frame once more.
    void give(const std::vector<StateKey>& keys);

    // Null where there is none. Good until the next call that is not const.
    const StateBytes* find(const StateKey& key) const noexcept;
    std::vector<StateChange> all() const;  // ascending by key, each as a change from nothing
    // The key of a system's state, if it ever had one.
    std::optional<StateKey> findSystemKey(const std::string& name) const;
    // The names behind StateKey::what of states that belong to no entity: 's' or 'r', and the name of the system
    // or resource.
    const std::vector<std::string>& names() const noexcept { return names_; }
    void setNames(std::vector<std::string> names) { names_ = std::move(names); }

    std::uint64_t hashSum() const noexcept { return hashSum_; }
    std::uint64_t resourcesHash() const noexcept { return resourcesHash_; }
    std::size_t bytes() const noexcept;
    void clear() noexcept;  // but for the names

private:
    void note(const StateKey& key, std::span<const std::byte> state,
              std::vector<StateChange>& changes);
    void takeComponents(std::vector<StateChange>& changes);
    // A component of an entity that is out.
    struct Outside {
        StateKey key;
        const std::byte* slot;
        State state;            // none: it cannot be had
        bool isPassed = false;  // it has no state while its entity is out
    };
    std::vector<Outside> listOutside(bool comparesAll);
    void addOutside(const EntityRecord& record, std::vector<Outside>& list);
    void addOutside(const StateKey& key, std::vector<Outside>& list);
    void ask(std::vector<Outside>& list);
    void eraseReleased();
    bool isThere(const StateKey& key) const;
    void move(const StateKey& key, const State& from, const State& to);
    void giveBack(const StateKey& key, const State& state);
    void tellStateless();
    void put(const StateKey& key, EntityRecord& record, std::span<const std::byte> state);
    State set(const StateKey& key, const State& state);  // returns what it was
    void apply(const StateKey& key, const State& state);
    StateKey keyOf(char kind, const std::string& name);
    std::uint64_t hashOf(const StateKey& key, std::span<const std::byte> state) const;

    WorldCore& world_;
    KnownEntities& known_;
    Shadow& shadow_;
    StateTable table_;
    std::map<StateKey, State> given_;
    std::set<StateKey> bound_;             // by moves since the last restore
    std::vector<StateKey> stateless_;      // likewise, of which no states are kept
    std::vector<StateKey> gone_;           // may have gone since the last frame
    std::vector<Outside> left_;            // of those that did: what takeOutside found
    std::vector<EntityId> released_;       // since takeOutside
    std::set<StateKey> out_;               // of states in the table that are out
    StateKey cursor_;                      // the next of them that takeOutside compares in turn
    std::size_t looksMore_ = 0;            // so many entries are due, beside a few in each frame
    bool isNew_ = true;                    // nothing outside was looked at yet
    std::vector<HookedComponent> hooked_;  // of takeComponents, for its memory
    std::vector<std::string> names_;
    std::uint64_t hashSum_ = 0;
    std::size_t stateBytes_ = 0;
    std::uint64_t resourcesAsOf_ = 0;  // Resources::rewindVersion of the hash below
    std::uint64_t resourcesHash_ = 0;
};

}  // namespace revenant
