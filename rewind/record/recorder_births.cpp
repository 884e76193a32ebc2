// When entities come into being: unborn at frames before they were made, detached until they were first
// added. Found from when they were made, not from frames: what is detached is in none.
#include <unordered_set>
#include <utility>

#include "rewind/record/recorder.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void Recorder::await(const EntityRecord& record, EntityId parent) {
    if (known_[record.id.index].isLate)
        awaited_[{record.bornAt, record.serial}] = {record.id, parent};
}

void Recorder::stopAwaiting(const EntityRecord& record) {
    if (!awaited_.empty()) awaited_.erase({record.bornAt, record.serial});
}

// Makes an entity, which has just been taken out, what it was before it was first added; `parent`: with
// which it came.
void Recorder::unmake(EntityId id, EntityId parent, Clock clock) {
    EntityRecord* record = find(id);
    if (!record || record->managed) return;
    park(*record);  // unless it is already
    await(*record, parent);
    Restorer restorer(world_);
    if (record->bornAt >= clock)
        restorer.setUnborn(*record, true);
    else
        restorer.setZombie(*record, false);
}

// Moves the time that is shown to that of another frame: those that were made in between are born with it,
// or are not born yet.
void Recorder::settleBirths(Clock clock) {
    const Clock before = std::exchange(shownClock_, clock);
    if (awaited_.empty()) return;
    auto from = [this](Clock at) { return awaited_.lower_bound({at, 0}); };
    Restorer restorer(world_);
    for (auto each = from(clock); each != awaited_.end() && each->first.first < before; ++each) {
        EntityRecord& record = *find(each->second.id);
        if (record.managed || record.unborn) continue;
        park(record);
        restorer.setUnborn(record, true);
    }
    const auto end = from(clock);
    if (before >= clock) return;
    for (auto each = from(before); each != end; ++each) {
        EntityRecord& record = *find(each->second.id);
        if (record.managed || !record.unborn) continue;
        restorer.setUnborn(record, false);
        restorer.setZombie(record, false);
    }
    // Trees that were built outside are trees again.
    for (auto each = from(before); each != end; ++each) {
        EntityRecord& record = *find(each->second.id);
        EntityRecord* parent = find(each->second.parent);
        if (record.managed || record.parent || !parent || parent->managed || parent->unborn ||
            parent->removed || Forest::isAncestor(record, *parent))
            continue;
        restorer.hangOn(record, *parent);
    }
}

// Those that are to be added first in a frame behind the one on show.
void Recorder::awaitAll(std::span<const Crossing> crossings, std::int64_t shown) {
    std::unordered_set<EntityId> seen;
    for (const Crossing& crossing : crossings) {
        if (crossing.frame <= shown || crossing.kind == Crossing::Kind::Request) continue;
        const EntityRecord* record = find(crossing.id);
        const bool isFirst = seen.insert(crossing.id).second;
        if (isFirst && record && !record->managed && crossing.kind == Crossing::Kind::Birth)
            await(*record, crossing.parent);
    }
}

void Recorder::disregard(std::span<const Crossing> births) {
    for (const Crossing& crossing : births)
        if (const EntityRecord* record = find(crossing.id); record && !record->unborn)
            stopAwaiting(*record);
}

void Recorder::onUnborn(EntityRecord& record) {
    if (knows(record)) park(record);
}

void Recorder::adoptStrays(const Frame& frame) {
    Forest& forest = world_.forest();
    if (forest.lastBirth < frame.clock) return;
    for (std::uint32_t i = 0; i < forest.pool.count(); ++i) {
        EntityRecord& record = forest.pool.at(i);
        const bool isStray = Forest::isStraySerial(record.serial);
        if (!isStray && record.serial <= frame.globals.lastSerial) continue;
        if (!record.alive || knows(record)) continue;
        if (record.bornAt >= frame.clock) record.bornAt = frame.clock - 1;
        if (!isStray) record.serial = forest.nextStraySerial--;
    }
    forest.lastBirth = frame.clock - 1;
}

}  // namespace revenant
