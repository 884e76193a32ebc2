// The third part of Recorder: what it knows as plain data, and back from there.
#include <algorithm>
#include <cstring>

#include "rewind/record/recorder.hpp"
#include "rewind/record/snapshot.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

// What an entity that is in was made of in the last frame, whatever was written since.
Makeup Recorder::recordedMakeup(const EntityRecord& record) const {
    const Known& entry = known_[record.id.index];
    Makeup makeup;
    makeup.disabled = entry.disabled;
    makeup.enabled = entry.enabled;
    for (const ComponentTypeId id : entry.shape->types()) {
        const ComponentType& type = world_.components().at(id);
        const std::byte* slot = record.slotOf(id);
        const std::byte* bytes = slot ? shadow_.copyOf(type, slot) : nullptr;
        for (const RetiredSlot& retired : world_.components().retired())
            if (!bytes && retired.owner == record.id.index && retired.type == id)
                bytes = shadow_.copyOf(type, retired.slot);
        const std::size_t words = (type.schema.size + 3U) / 4;
        const std::size_t at = makeup.image.size();
        makeup.image.resize(at + 1 + words, 0);
        makeup.image[at] = headOf(id, words);
        if (bytes) std::memcpy(&makeup.image[at + 1], bytes, type.schema.size);
    }
    return makeup;
}

// Those that are out, of one tree, parents first.
void Recorder::addOutside(EntityRecord& top, Snapshot& snapshot) const {
    auto isOut = [this](const EntityRecord& record) {
        return knows(record) && !known_[record.id.index].isIn;
    };
    bool descend = true;
    for (EntityRecord* at = &top; at; at = nextInSubtree(at, &top, descend)) {
        descend = isOut(*at);
        if (!descend) continue;
        using enum Snapshot::Whereabouts;
        Snapshot::Known known = tableEntry(*at);
        if (at != &top) known.parent = at->parent->id;
        // Those that hang on others share their fate.
        known.where = at->unborn ? Unborn : (top.removed ? Zombie : Detached);
        snapshot.entities.push_back(known);
        if (!at->unborn) snapshot.whole.outsides.push_back({at->id, {}, makeupOf(*at)});
    }
}

Snapshot::Known Recorder::tableEntry(const EntityRecord& record) {
    Snapshot::Known known;
    known.id = record.id;
    known.name = record.name;
    known.serial = record.serial;
    known.bornAt = record.bornAt;
    known.rewindable = record.rewindable;
    return known;
}

Snapshot Recorder::takeSnapshot() const {
    if (!pending_.empty())
        fail(ErrorCode::WrongState,
             "the world has changed since its last frame in what the history knows of it (a "
             "reconcile by hand, or setRewindable); save after the next tick");
    const Forest& forest = world_.forest();
    Snapshot snapshot;
    snapshot.clock = world_.getClock();
    snapshot.stateNames = stateNames_;
    for (const OrderNode& node : forest.order.nodes()) {
        const EntityRecord& record = forest.recordOf(node);
        if (node.closes || !knows(record) || !known_[record.id.index].isIn) continue;
        snapshot.entities.push_back(tableEntry(record));
        Step step;
        step.id = record.id;
        if (const EntityRecord* parent = forest.settledParentOf(record)) step.parent = parent->id;
        if (const EntityRecord* elder = forest.settledElderOf(record)) step.elder = elder->id;
        step.crosses = true;
        step.makeup = recordedMakeup(record);
        snapshot.whole.arrivals.push_back(std::move(step));
    }
    auto addTop = [&](EntityRecord& record) {
        const EntityRecord* parent = record.parent;
        const bool hangs = parent && knows(*parent) && !known_[parent->id.index].isIn;
        if (knows(record) && !known_[record.id.index].isIn && !hangs) addOutside(record, snapshot);
    };
    // Zombies first, in their own order.
    for (const OrderNode& node : forest.zombies) addTop(forest.recordOf(node));
    for (std::uint32_t i = 0; i < forest.pool.count(); ++i) {
        EntityRecord& record = forest.pool.at(i);
        if (!record.removed) addTop(record);
        const bool isStranger = record.alive && !knows(record);
        const bool isLast = record.id.generation == forest.pool.lastGeneration();
        if (isStranger) snapshot.strangers.push_back({record.id, record.serial});
        std::uint32_t generation = record.id.generation;
        if (!knows(record)) generation = isLast ? 0 : generation + (isStranger ? 1 : 0);
        snapshot.generations.push_back(generation);
    }
    forest.lostSerials.forEach([&](EntityId id, std::uint32_t serial) {
        snapshot.strangers.push_back({id, serial});
    });
    std::ranges::sort(snapshot.strangers, {}, &Snapshot::Stranger::id);
    for (const StateTable::Entry* entry : states_.sorted())
        snapshot.whole.states.push_back({entry->key, {}, entry->bytes});
    return snapshot;
}

void Recorder::open(const Snapshot& snapshot, std::span<const Crossing> crossings,
                    const Frame& to) {
    Forest& forest = world_.forest();
    isOn_ = true;
    ++run_;
    forest.setKeepsRoots(true);
    world_.raiseClock(snapshot.clock);
    stateNames_ = snapshot.stateNames;
    forest.lostSerials.clear();
    for (const Snapshot::Stranger& stranger : snapshot.strangers)
        forest.lostSerials.add(stranger.id, stranger.serial);
    std::vector<EntityId> ids;
    for (const Snapshot::Known& each : snapshot.entities) ids.push_back(each.id);
    forest.pool.open(snapshot.generations, ids);
    known_.growTo(forest.pool.count());
    for (const Snapshot::Known& each : snapshot.entities) {
        world_.components().strings().useName(each.name);
        EntityRecord& record = forest.createAt(each.id.index, each.name, each.serial,
                                               world_.components().shapes().empty());
        record.bornAt = each.bornAt;
        record.rewindable = each.rewindable;
        Restorer::setRemembered(record, true);
        Known& entry = known_[each.id.index];
        entry.id = each.id;
        entry.shape = record.shape;
        entry.isLate = true;
        ++knownCount_;
    }
    for (const Crossing& crossing : crossings) ++known_[crossing.id.index].mentions;
    shownClock_ = to.clock;
    redo(snapshot.whole, {}, to);
    Restorer restorer(world_);
    for (const Snapshot::Known& each : snapshot.entities)
        if (!each.parent.isNull()) restorer.hangOn(*find(each.id), *find(each.parent));
    for (const Snapshot::Known& each : snapshot.entities) {
        if (each.where == Snapshot::Whereabouts::In) continue;
        EntityRecord& record = *find(each.id);
        park(record);
        known_[each.id.index].shape = record.shape;
        if (each.where == Snapshot::Whereabouts::Unborn)
            restorer.setUnborn(record, true);
        else
            restorer.setZombie(record, each.where == Snapshot::Whereabouts::Zombie);
    }
    awaitAll(crossings, to.number);
    // Those that no frame brings back are let go.
    for (const Snapshot::Known& each : snapshot.entities) {
        const Known& entry = known_[each.id.index];
        if (entry.isIn || entry.mentions > 0) continue;
        EntityRecord& record = *find(each.id);
        letGo(record);
        if (each.where == Snapshot::Whereabouts::Unborn) restorer.destroy(record);
    }
}

// The way back for a caller whose load was called off.
void Recorder::close() {
    Restorer restorer(world_);
    isRestoring_ = true;
    const std::uint32_t count = world_.forest().pool.count();
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); knows(record) && record.managed)
            restorer.takeOut(record, true);
    restorer.finish(ReconcileMode::Silent);
    isRestoring_ = false;
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); knows(record)) {
            restorer.setUnborn(record, false);
            restorer.setZombie(record, true);
        }
    stop();
    world_.reconcileAs(ReconcileMode::Restore);
}

}  // namespace revenant
