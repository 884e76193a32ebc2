// Births: which known entities exist at the current frame though they are first added after it. Such an entity
// is detached, or unborn at frames from before it was made. Found from when entities were made, not from
// frames: what is detached is in none. Owned by Recorder; used on the world's thread.
//
// Invariant, checked by validate: an entity that is awaited is known, out, and unborn exactly where it was
// made at the clock of the current frame or later. Except for those that are no longer rewindable, which may be
// added and removed while the past is shown.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rewind/history/frame.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/parking.hpp"

namespace revenant {

class Births {
public:
    Births(WorldCore& world, KnownEntities& known, Parking& parking)
        : world_(world), known_(known), parking_(parking) {}

    // The entity is first added after the current frame, with `parent`, unless it was added in the tick that
    // made it.
    void await(const EntityRecord& record, EntityId parent);
    // The same for each entity whose first crossing after frame `shown` is its birth.
    void awaitAll(std::span<const Crossing> crossings, std::int64_t shown);
    void stopAwaiting(const EntityRecord& record);
    // Whether the entity is unborn exactly if it was made after the current frame.
    bool fits(const EntityRecord& record) const noexcept {
        return record.unborn == (record.bornAt >= shownClock_);
    }
    bool isAwaited(const EntityRecord& record) const noexcept {
        return awaited_.contains({record.bornAt, record.serial});
    }
    // The entity, if it is awaited, hangs on this parent until it is added.
    void setParent(const EntityRecord& record, EntityId parent);
    EntityId parentOf(const EntityRecord& record) const noexcept;  // likewise; null: none
    // Turns an entity that was just taken out back into what it was before it was first added. `parent`: the one
    // it was added with; `clock`: of the frame that is shown next.
    void unmake(EntityId id, EntityId parent, Clock clock);
    // Moves to another frame: entities that were made in between are born with it, or are not born yet.
    void settle(Clock clock);
    // Switches to another frame at which the same entities are born.
    void setClock(Clock clock) noexcept { shownClock_ = clock; }
    Clock clock() const noexcept { return shownClock_; }  // of the current frame

    // Entities that were made before the current frame and first added after it. That future is dropped:
    // they stay detached at every frame.
    void disregard(std::span<const Crossing> births);
    // Undoes that: these entities are born.
    void revive(std::span<const Crossing> births);
    // Play resumes from a frame: what was made since, and never added, counts as made there. Nothing is awaited
    // any more.
    void adoptStrays(const FrameHeader& frame);

    void clear() noexcept;
    void validate(std::vector<std::string>& problems) const;

private:
    struct Awaited {
        EntityId id;
        EntityId parent;
    };

    WorldCore& world_;
    KnownEntities& known_;
    Parking& parking_;
    // By EntityRecord::bornAt and serial: in the order in which they were made.
    std::map<std::pair<Clock, std::uint32_t>, Awaited> awaited_;
    Clock shownClock_ = 0;  // of the current frame
};

}  // namespace revenant
