// Journal: what reconciles have changed since the last frame, noted as it happens: the structural half of a
// frame. Owned by Recorder; used on the world's thread.
//
// Invariant: pending_ has one delta per reconcile (and one more where it changed what is rewindable), in order,
// each with some structure. An arrival has the makeup of the last reconcile, until refreshArrivals.
#pragma once

#include <unordered_set>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/record/custody.hpp"
#include "rewind/record/hook_states.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/retired_index.hpp"
#include "rewind/record/shadow.hpp"
#include "world/storage/change_set.hpp"

namespace revenant {

class Journal {
public:
    Journal(WorldCore& world, KnownEntities& known, Shadow& shadow, HookStates& states,
            Custody& custody)
        : world_(world), known_(known), shadow_(shadow), states_(states), custody_(custody) {}

    // See WorldObserver.
    void onReconcile(const ChangeSet& changes);
    void onRescope(EntityRecord& record, bool rewindable);

    bool isEmpty() const noexcept { return pending_.empty(); }
    // Entities that left since the last frame, if there was more than one change. They may also have come since it; then
    // no frame mentions them.
    std::vector<EntityId> departed() const {
        std::vector<EntityId> ids;
        if (pending_.size() < 2) return ids;
        for (const Delta& delta : pending_)
            for (const Step& step : delta.departures)
                if (step.crosses) ids.push_back(step.id);
        return ids;
    }
    // The entities that came, left or changed their scope since the last frame.
    std::unordered_set<EntityId> crossing() const {
        std::unordered_set<EntityId> ids;
        for (const Delta& delta : pending_)
            for (const auto* steps : {&delta.departures, &delta.arrivals})
                for (const Step& step : *steps)
                    if (step.crosses) ids.insert(step.id);
        return ids;
    }
    // The structure of the next frame: all that is pending, as one delta. `bases`: see Frame::bases.
    Delta take(Words& bases);
    // Writes to a new component since it came count as part of its first value. What listeners have bound
    // and unbound since does not: that waits for the next reconcile. REQUIRES: `delta` was just taken.
    void refreshArrivals(Delta& delta);
    void clear() noexcept;

private:
    // All of these REQUIRE: retired_ has the slots that were retired until now.
    void noteLeft(EntityRecord& record, Step& step);
    void noteRebound(EntityRecord& record);
    void noteRemoved(EntityRecord& record, const RetiredSlot& retired);
    bool isSettledRewindable(const EntityRecord& record) const;
    template <class Visit>
    void forSettledSubtree(EntityRecord& top, Visit visit);
    void noteScope(EntityRecord& top);
    void dropIfEmpty();
    // The slot of the component that the last reconcile left, perhaps removed since; null where it is not followed. What was
    // written to it since is what it came as.
    const std::byte* refresh(const EntityRecord& record, const ComponentType& type);
    Step settledStepOf(const EntityRecord& record) const;
    void setSettledMakeup(Delta& delta, Step& step, const EntityRecord& record);
    ImagePart addWords(Delta& delta, const ComponentType& type, const std::byte* slot) const;

    WorldCore& world_;
    KnownEntities& known_;
    Shadow& shadow_;
    HookStates& states_;
    Custody& custody_;
    std::vector<Delta> pending_;
    RetiredIndex retired_;
    Words bases_;  // of components that changed for the first time in a block, and left
};

}  // namespace revenant
