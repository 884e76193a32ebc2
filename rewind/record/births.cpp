#include "rewind/record/births.hpp"

#include <unordered_set>

#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"

namespace revenant {

void Births::await(const EntityRecord& record, EntityId parent) {
    if (known_.of(record).isLate) awaited_[{record.bornAt, record.serial}] = {record.id, parent};
}

void Births::awaitAll(std::span<const Crossing> crossings, std::int64_t shown) {
    std::unordered_set<EntityId> seen;
    for (const Crossing& crossing : crossings) {
        if (crossing.frame <= shown || crossing.kind == Crossing::Kind::Request) continue;
        const EntityRecord* record = known_.find(crossing.id);
        const bool isFirst = seen.insert(crossing.id).second;
        if (isFirst && record && !record->managed && fits(*record) &&
            crossing.kind == Crossing::Kind::Birth)
            await(*record, crossing.parent);
    }
}

void Births::stopAwaiting(const EntityRecord& record) {
    if (!awaited_.empty()) awaited_.erase({record.bornAt, record.serial});
}

void Births::setParent(const EntityRecord& record, EntityId parent) {
    const auto awaited = awaited_.find({record.bornAt, record.serial});
    if (awaited != awaited_.end()) awaited->second.parent = parent;
}

EntityId Births::parentOf(const EntityRecord& record) const noexcept {
    const auto awaited = awaited_.find({record.bornAt, record.serial});
    return awaited == awaited_.end() ? EntityId{} : awaited->second.parent;
}

void Births::unmake(EntityId id, EntityId parent, Clock clock) {
    EntityRecord* record = known_.find(id);
    if (!record || record->managed) return;
    parking_.park(*record);
    await(*record, parent);
    Restorer restorer(world_);
    if (record->bornAt >= clock)
        restorer.setUnborn(*record, true);
    else
        restorer.setZombie(*record, false);
}

void Births::settle(Clock clock) {
    const Clock before = std::exchange(shownClock_, clock);
    if (awaited_.empty()) return;
    auto from = [this](Clock at) { return awaited_.lower_bound({at, 0}); };
    Restorer restorer(world_);
    for (auto each = from(clock); each != awaited_.end() && each->first.first < before; ++each) {
        EntityRecord& record = *known_.find(each->second.id);
        if (!record.isOut()) continue;
        parking_.park(record);
        restorer.setUnborn(record, true);
    }
    const auto end = from(clock);
    if (before >= clock) return;
    for (auto each = from(before); each != end; ++each) {
        EntityRecord& record = *known_.find(each->second.id);
        if (record.managed || !record.unborn) continue;
        restorer.setUnborn(record, false);
        restorer.setZombie(record, false);
    }
    // Attaches entities again that were trees outside of the world.
    for (auto each = from(before); each != end; ++each) {
        EntityRecord& record = *known_.find(each->second.id);
        EntityRecord* parent = known_.find(each->second.parent);
        if (record.managed || record.parent || !parent || !parent->isOut() || parent->removed ||
            Forest::isAncestor(record, *parent))
            continue;
        restorer.hangOn(record, *parent);
    }
}

void Births::disregard(std::span<const Crossing> births) {
    for (const Crossing& crossing : births)
        if (const EntityRecord* record = known_.find(crossing.id); record && !record->unborn)
            stopAwaiting(*record);
}

void Births::revive(std::span<const Crossing> births) {
    Restorer restorer(world_);
    for (const Crossing& crossing : births) {
        EntityRecord* record = known_.find(crossing.id);
        if (!record || !record->unborn) continue;
        restorer.setUnborn(*record, false);
        restorer.setZombie(*record, false);
    }
}

void Births::adoptStrays(const FrameHeader& frame) {
    Restorer(world_).adoptStrays(frame.clock, frame.globals.lastSerial,
                                 [this](const EntityRecord& each) { return known_.knows(each); });
    awaited_.clear();  // no frame adds them any more
}

void Births::clear() noexcept {
    awaited_.clear();
    shownClock_ = 0;
}

void Births::validate(std::vector<std::string>& problems) const {
    auto expect = [&](bool holds, EntityId id, const char* what) {
        if (!holds) problems.push_back(sentence(describe(world_.entity(id)), " ", what));
    };
    for (const auto& [key, awaited] : awaited_) {
        const EntityRecord* record = known_.find(awaited.id);
        // One that is not rewindable any more may have been added, and removed, while the past is shown.
        const bool isOutside =
            record && (!isRewindable(*record) || (record->removed && !record->parent));
        expect(record && (!record->managed || isOutside), awaited.id,
               "is yet to be added, but is in or gone");
        if (record && !isOutside)
            expect(record->unborn == (record->bornAt >= shownClock_), awaited.id,
                   "is unborn at a frame that has it, or the reverse");
    }
}

}  // namespace revenant
