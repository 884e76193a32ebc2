// Outsiders: what entities that are out are made of, frame by frame. An entity that is shown detached, or as a
// zombie, has the contents that it had at that frame, not those with which it came in later.
// Owned by Recorder; used on the world's thread.
//
// The components of zombies and unborn entities that a kept frame brings back are parked (Parking): the blob has
// what they were made of in the last frame, and where they hung. All other entities that are out are watched here: one of them may be
// added some day, and counts as the history's from when it was made. What changed goes into the frame as an
// Outside, and is applied only to known entities: one that is never added does not concern the history.
//
// Invariant: watched_ has makeup and place as of the last frame or move; watchedBytes_ is the sum of bytesOf.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "rewind/history/delta.hpp"
#include "rewind/record/births.hpp"
#include "rewind/record/known_entities.hpp"
#include "rewind/record/parking.hpp"
#include "rewind/record/shadow.hpp"

namespace revenant {

class Outsiders {
public:
    Outsiders(WorldCore& world, KnownEntities& known, Parking& parking, Births& births)
        : world_(world), known_(known), parking_(parking), births_(births) {}

    // ---- recording
    void watchAll();  // that are out
    // When play resumes: detached entities that were in before may become zombies without coming in again.
    void watchDetached();
    // When play goes on after moves that lead back to where it was.
    void notePlaces() { parking_.notePlaces(); }
    // The entity is about to be forgotten: it may come in again.
    void watchReleased(const EntityRecord& record);
    void unwatch(EntityId id) noexcept;
    // Adds to the delta what entities that came in, or are out, were made of in the last frame, where that is
    // not what they are made of now. Compares those that were marked changed, by Forest::noteOutside or in the pools, and some
    // others in turn; with `comparesAll` each.
    void note(Delta& delta, const Shadow& shadow, bool comparesAll);

    // ---- moving in time: see outsiders_restore.cpp
    // Entities that are out on the side that a move led to are made of what they were made of there, and hang
    // where they hung. `clock`: of that side; `before`: the move went back.
    void restore(const Delta& delta, Clock clock, bool before);
    // Discards what was written to entities that are out since the last frame or move.
    void revert();

    // What one that is out was made of in the last frame.
    Makeup makeupOf(const EntityRecord& record) const;
    std::size_t bytes() const noexcept { return watchedBytes_; }
    void clear() noexcept;

private:
    struct Watched {
        Makeup makeup;
        Outer outer;
    };
    using Notes = std::map<EntityId, Outside>;
    using Watch = std::map<EntityId, Watched>::iterator;

    void watch(EntityId id, Makeup makeup, const Outer& outer);
    void watchNow(const EntityRecord& record);
    void noteArrivals(const Delta& delta, Notes& notes);
    void noteWritten(Notes& notes);
    void noteParked(const EntityRecord& record, Notes& notes);
    void noteMoved(Notes& notes);
    void noteWatched(Notes& notes, const Shadow& shadow, bool comparesAll);
    Watch compare(Watch watch, Notes& notes);
    void noteDepartures(const Delta& delta, Notes& notes);
    void noteNewborns(Notes& notes);
    void noteDescendants(Notes& notes) const;
    void noteChange(const EntityRecord& record, const Makeup& before, const Outer& outer,
                    Notes& notes) const;
    void restoreBirth(const Outside& outside, EntityRecord& record, Clock clock, bool before);
    void hangAll(const std::vector<const Outside*>& all, bool before);
    void hang(EntityRecord& record, const Outer& outer);

    WorldCore& world_;
    KnownEntities& known_;
    Parking& parking_;
    Births& births_;
    std::map<EntityId, Watched> watched_;
    std::size_t watchedBytes_ = 0;
    EntityId cursor_;               // the next that is compared without a mark
    std::size_t comparesMore_ = 0;  // so many are due, beside a few in each frame
    bool anyChanged_ = true;        // since the last frame time was moved: marks are incomplete
};

}  // namespace revenant
