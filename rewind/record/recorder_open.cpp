// How a recorder begins with the snapshot of a history file, and undoes that.
#include "rewind/record/recorder.hpp"
#include "rewind/record/snapshot.hpp"
#include "rewind/record/snapshot_writer.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

Snapshot Recorder::takeSnapshot() const {
    if (!journal_.isEmpty())
        fail(ErrorCode::WrongState,
             "the world has changed since its last frame in what the history knows of it (a "
             "reconcile by hand, or setRewindable); save after the next tick");
    return revenant::takeSnapshot(world_, known_, shadow_, states_, births_, outsiders_);
}

void Recorder::open(const Snapshot& snapshot, std::span<const Crossing> crossings,
                    const FrameHeader& to) {
    begin();
    world_.raiseClock(snapshot.clock);
    states_.setNames(snapshot.stateNames);
    createAll(snapshot);
    for (const Crossing& crossing : crossings)
        if (const EntityRecord* record = known_.find(crossing.id)) ++known_.of(*record).mentions;
    births_.setClock(to.clock);
    applier_.redo(snapshot.whole, {}, to);
    Restorer restorer(world_);
    for (const Snapshot::Known& each : snapshot.entities) {
        if (each.where == Snapshot::Whereabouts::In) continue;
        EntityRecord& record = *known_.find(each.id);
        Forest::cut(record);  // from where it hangs first
        if (!each.parent.isNull()) restorer.hangOn(record, *known_.find(each.parent));
    }
    for (const Snapshot::Known& each : snapshot.entities) {
        if (each.where == Snapshot::Whereabouts::In) continue;
        EntityRecord& record = *known_.find(each.id);
        parking_.park(record);
        known_.of(record).shape = record.shape;
        if (each.where == Snapshot::Whereabouts::Unborn)
            restorer.setUnborn(record, true);
        else
            restorer.setZombie(record, each.where == Snapshot::Whereabouts::Zombie);
    }
    births_.awaitAll(crossings, to.number);
    for (const Outside& each : snapshot.whole.outsides)
        if (const EntityRecord& record = *known_.find(each.id);
            each.outerAfter.state != Outer::State::Unsaid && births_.fits(record))
            births_.await(record, each.outerAfter.parent);
    // Entities that no frame brings back are released.
    for (const Snapshot::Known& each : snapshot.entities) {
        EntityRecord& record = *known_.find(each.id);
        const KnownEntity& entry = known_.of(record);
        if (entry.isIn || entry.mentions > 0) continue;
        custody_.letGo(record);
        if (each.where == Snapshot::Whereabouts::Unborn) restorer.destroy(record);
    }
}

// Makes the entities of a snapshot, which are out and made of nothing at first.
void Recorder::createAll(const Snapshot& snapshot) {
    Forest& forest = world_.forest();
    forest.lostSerials.clear();
    for (const Snapshot::Stranger& stranger : snapshot.strangers)
        forest.lostSerials.add(stranger.id, stranger.serial);
    std::vector<EntityId> ids;
    for (const Snapshot::Known& each : snapshot.entities) ids.push_back(each.id);
    forest.pool.open(snapshot.generations, ids);
    for (const Snapshot::Known& each : snapshot.entities) {
        world_.components().strings().useName(each.name);
        EntityRecord& record = forest.createAt(each.id.index, each.name, each.serial,
                                               world_.components().shapes().empty());
        Restorer::setBornAt(record, each.bornAt);
        Restorer::setRewindable(record, each.rewindable);
        known_.remember(record).isLate = true;
    }
}

void Recorder::close() {
    applier_.takeOutKnown();
    stop();
    world_.reconcileAs(ReconcileMode::Restore);
}

}  // namespace revenant
