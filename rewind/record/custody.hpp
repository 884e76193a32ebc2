// Custody: starts and stops following entities: the only code that makes and removes entries of KnownEntities
// during play and moves. It has no data of its own. Owned by Recorder; used on the
// world's thread.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/record/births.hpp"
#include "rewind/record/hook_states.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/outsiders.hpp"
#include "rewind/record/parking.hpp"
#include "rewind/record/shadow.hpp"

namespace revenant {

class Custody {
public:
    Custody(WorldCore& world, KnownEntities& known, Shadow& shadow, Parking& parking,
            Births& births, HookStates& states, Outsiders& outsiders)
        : world_(world),
          known_(known),
          shadow_(shadow),
          parking_(parking),
          births_(births),
          states_(states),
          outsiders_(outsiders) {}

    // The entity came in: follows it and its components from now on.
    void welcome(EntityRecord& record);
    // Forgets the entity and releases its reference. An entity that is out and has no other reference is
    // collected at the next reconcile; until then its components stay where they are.
    void letGo(EntityRecord& record);

    // A frame with these crossings is kept.
    void mention(std::span<const Crossing> crossings);
    // Frames with these crossings will not be shown again. Entities that left since the last frame (`unrecorded`) are in it:
    // the next one mentions them.
    void forget(std::span<const Crossing> crossings,
                const std::unordered_set<EntityId>& unrecorded);
    // Forgets an entity that is out if nothing but `crossings` mentions it. Returns whether that is so.
    bool forgetIfOnly(EntityId id, std::uint32_t crossings);
    // Those that are out, and that `forget` with these crossings would forget; ascending.
    std::vector<EntityId> keptOnlyBy(std::span<const Crossing> crossings) const;

private:
    WorldCore& world_;
    KnownEntities& known_;
    Shadow& shadow_;
    Parking& parking_;
    Births& births_;
    HookStates& states_;
    Outsiders& outsiders_;
};

}  // namespace revenant
