#include "rewind/record/snapshot_writer.hpp"

#include <algorithm>
#include <unordered_set>

#include "rewind/history/request.hpp"
#include "rewind/record/makeup.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

namespace {

using enum Snapshot::Whereabouts;

Snapshot::Known tableEntry(const EntityRecord& record) {
    Snapshot::Known known;
    known.id = record.id;
    known.name = record.name;
    known.serial = record.serial;
    known.bornAt = record.bornAt;
    known.rewindable = record.rewindable;
    return known;
}

class SnapshotWriter {
public:
    SnapshotWriter(const WorldCore& world, const KnownEntities& known, const Births& births,
                   const Outsiders& outsiders)
        : forest_(world.forest()), known_(known), births_(births), outsiders_(outsiders) {}

    void addManaged(const ComponentStore& components, const Shadow& shadow);
    void addZombies();
    // Those of other slots; `asked`: entities that are asked to come in. They are part of the frame, though it
    // may be the only one.
    void addOthers(const std::unordered_set<EntityId>& asked);

    Snapshot snapshot;

private:
    void addTree(EntityRecord& top);
    void addIfTop(EntityRecord& record);
    void addSlot(const EntityRecord& record);

    const Forest& forest_;
    const KnownEntities& known_;
    const Births& births_;
    const Outsiders& outsiders_;
};

void SnapshotWriter::addManaged(const ComponentStore& components, const Shadow& shadow) {
    for (const OrderNode& node : forest_.order.nodes()) {
        const EntityRecord& record = Forest::recordOf(node);
        if (node.closes || !known_.isIn(record)) continue;
        snapshot.entities.push_back(tableEntry(record));
        Step step;
        step.id = record.id;
        if (const EntityRecord* parent = forest_.settledParentOf(record)) step.parent = parent->id;
        if (const EntityRecord* previous = forest_.settledPreviousOf(record))
            step.previous = previous->id;
        step.crosses = true;
        snapshot.whole.setMakeup(
            step, recordedMakeupOf(record, known_.of(record).looks(), shadow, components));
        snapshot.whole.arrivals.push_back(step);
    }
}

// Entities that are out, of one tree, parents first.
void SnapshotWriter::addTree(EntityRecord& top) {
    bool descend = true;
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top, descend)) {
        descend = known_.isOut(*at);
        if (!descend) continue;
        Snapshot::Known known = tableEntry(*at);
        if (at != &top) known.parent = at->parent->id;
        // Children have the state of their parent.
        known.where = at->unborn ? Unborn : (top.removed ? Zombie : Detached);
        snapshot.entities.push_back(known);
        Outside outside{at->id, {}, outsiders_.makeupOf(*at)};
        if (births_.isAwaited(*at)) {
            const bool isZombie = known.where == Snapshot::Whereabouts::Zombie;
            outside.outerAfter = {isZombie ? Outer::State::Zombie : Outer::State::Detached,
                                  births_.parentOf(*at),
                                  {}};
        }
        snapshot.whole.outsides.push_back(std::move(outside));
    }
}

void SnapshotWriter::addIfTop(EntityRecord& record) {
    const bool hangs = record.parent && known_.isOut(*record.parent);
    if (known_.isOut(record) && !hangs) addTree(record);
}

void SnapshotWriter::addZombies() {
    for (const OrderNode& node : forest_.zombies) addIfTop(Forest::recordOf(node));
}

void SnapshotWriter::addOthers(const std::unordered_set<EntityId>& asked) {
    for (std::uint32_t i = 0; i < forest_.pool.count(); ++i) {
        EntityRecord& record = forest_.pool.at(i);
        if (!record.removed) addIfTop(record);
        if (!record.isOut() || known_.knows(record) || !asked.contains(record.id)) {
            addSlot(record);
            continue;
        }
        snapshot.entities.push_back(tableEntry(record));
        snapshot.entities.back().where = record.removed ? Zombie : Detached;
        snapshot.whole.outsides.push_back({record.id, {}, outsiders_.makeupOf(record)});
        snapshot.generations.push_back(record.id.generation);
    }
    forest_.lostSerials.forEach([&](EntityId id, std::uint32_t serial) {
        snapshot.strangers.push_back({id, serial});
    });
    std::ranges::sort(snapshot.strangers, {}, &Snapshot::Stranger::id);
}

void SnapshotWriter::addSlot(const EntityRecord& record) {
    const bool isKnown = known_.knows(record);
    const bool isStranger = record.alive && !isKnown;
    const bool isLast = record.id.generation == forest_.pool.lastGeneration();
    if (isStranger) snapshot.strangers.push_back({record.id, record.serial});
    std::uint32_t generation = record.id.generation;
    if (!isKnown) generation = isLast ? 0 : generation + (isStranger ? 1 : 0);
    snapshot.generations.push_back(generation);
}

}  // namespace

Snapshot takeSnapshot(const WorldCore& world, const KnownEntities& known, const Shadow& shadow,
                      const HookStates& states, const Births& births, const Outsiders& outsiders) {
    SnapshotWriter writer(world, known, births, outsiders);
    writer.snapshot.clock = world.getClock();
    writer.snapshot.stateNames = states.names();
    writer.addManaged(world.components(), shadow);
    // Zombies before others, in their own order.
    writer.addZombies();
    std::unordered_set<EntityId> asked;
    if (const auto* waiting = states.find(requestsKey))
        for (const Request& request : readRequests(*waiting)) asked.insert(request.id);
    writer.addOthers(asked);
    writer.snapshot.whole.states = states.all();
    return std::move(writer.snapshot);
}

}  // namespace revenant
