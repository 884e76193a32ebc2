// DeltaApplier: moves the world over deltas, backward and forward, without calling listeners, and keeps the
// recorder's data in step. Owned by Recorder; used on the world's thread.
//
// Invariants: homeless_ maps each child that had to leave its parent to that parent, which is out but known;
// livingOn_ is empty while play goes on.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/record/births.hpp"
#include "rewind/record/custody.hpp"
#include "rewind/record/hook_states.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/outsiders.hpp"
#include "rewind/record/parking.hpp"
#include "rewind/record/shadow.hpp"

namespace revenant {

class DeltaApplier {
public:
    DeltaApplier(WorldCore& world, KnownEntities& known, Shadow& shadow, Parking& parking,
                 Births& births, HookStates& states, Outsiders& outsiders, Custody& custody)
        : world_(world),
          known_(known),
          shadow_(shadow),
          parking_(parking),
          births_(births),
          states_(states),
          outsiders_(outsiders),
          custody_(custody) {}

    // As Recorder has them.
    void undo(const Delta& delta, std::span<const Crossing> crossings, const FrameHeader& to);
    void redo(const Delta& delta, std::span<const Crossing> crossings, const FrameHeader& to);
    // Takes every known entity out of the world.
    void takeOutKnown();
    // Whether the reconcile under way belongs to a move: the journal ignores it.
    bool isApplying() const noexcept { return applying_ > 0; }

    // Play goes on: the history owns every entity of the frame.
    void endLivingOn() noexcept { livingOn_.clear(); }
    // Drops parents that cannot come back.
    void forgetHomes();
    void clear() noexcept;
    void validate(std::vector<std::string>& problems) const;

private:
    using Decisive = std::unordered_map<EntityId, const Crossing*>;
    // Children that the history does not know stay in the world as roots while their parent is
    // out, and are linked again when it returns.
    struct Homeless {
        EntityId child;
        EntityId home;
    };

    static Decisive decisiveOf(std::span<const Crossing> crossings, bool isUndone);
    void takeOutAll(const std::vector<Step>& steps, bool areArrivals);
    void partFrom(const Step& step, EntityRecord& record, bool isUndone);
    void putInAll(const Delta& delta, const std::vector<Step>& steps);
    void rebindAll(const Delta& delta, bool before);
    void settleAll(const Delta& delta, const std::vector<Step>& out, const std::vector<Step>& in);
    void follow(EntityId id);
    void unmakeAll(const Delta& delta, const Decisive& decisive, Clock clock);
    void hangAll(std::span<const Crossing> crossings, const Decisive& decisive, bool isUndone);
    void finish(const Delta& delta, const FrameHeader& to, bool isUndone);
    void reconcileSilently();
    void noteHomeless(const EntityRecord& parent);
    void bringHome(EntityRecord& parent);

    WorldCore& world_;
    KnownEntities& known_;
    Shadow& shadow_;
    Parking& parking_;
    Births& births_;
    HookStates& states_;
    Outsiders& outsiders_;
    Custody& custody_;
    std::vector<Homeless> homeless_;
    // Entities that the history no longer follows, but that were part of the past: at frames without them they
    // stay in the world all the same.
    std::unordered_set<EntityId> livingOn_;
    int applying_ = 0;  // silent reconciles under way
};

}  // namespace revenant
