#include "lua/state/entity_values.hpp"

#include <algorithm>
#include <utility>

#include "world/storage/make_room.hpp"

namespace revenant {

void EntityValues::setHeld(std::uint32_t index, Held held) {
    Value& value = values_[index];
    value.held = held;
    if (held == Held::Weakly && !value.isListed) {
        weak_.push_back(index);
        value.isListed = true;
    }
}

void EntityValues::makeRoomFor(std::uint32_t index) {
    if (index >= values_.size())
        values_.resize(std::max<std::size_t>(index + 1, values_.size() * 2));
}

void EntityValues::makeRoomFor(std::uint32_t count, std::uint32_t roots) {
    makeRoomFor(world_.forest().pool.count() + count);
    makeRoom(weak_, roots);
}

void EntityValues::makeRoomForNew() {
    makeRoomFor(world_.forest().pool.count());
    makeRoom(fresh_);
}

void EntityValues::hold(EntityId id, Held held) noexcept {
    world_.hold(id);
    drop(id.index);
    values_[id.index].generation = id.generation;
    setHeld(id.index, held);
}

std::uint32_t EntityValues::copyWeak(std::uint32_t first, std::span<std::uint32_t> out) {
    if (first == 0)
        std::erase_if(weak_, [this](std::uint32_t index) {
            values_[index].isListed = values_[index].held == Held::Weakly;
            return !values_[index].isListed;
        });
    const std::size_t left = weak_.size() - std::min<std::size_t>(first, weak_.size());
    const std::size_t count = std::min(out.size(), left);
    std::copy_n(weak_.begin() + first, count, out.begin());
    return static_cast<std::uint32_t>(count);
}

void EntityValues::noteNew(Entity entity) noexcept {
    hold(entity.getId(), Held::Strongly);
    fresh_.push_back(entity.getId());
}

int EntityValues::note(EntityId id) {
    const EntityRecord* record = world_.forest().pool.findKnown(id);
    if (!record) return -1;
    const bool isOut = record->removed || record->unborn;
    const bool strongly = record->managed || isOut;
    makeRoomFor(id.index);
    if (strongly)
        makeRoom(watched_);
    else
        makeRoom(weak_);
    hold(id, strongly ? Held::Strongly : Held::Weakly);
    if (isOut) watched_.push_back(id);
    return strongly ? 1 : 0;
}

void EntityValues::drop(std::uint32_t index) noexcept {
    if (index >= values_.size()) return;
    values_[index].held = Held::No;
    if (const std::uint32_t generation = std::exchange(values_[index].generation, 0))
        world_.dropHold({index, generation});
}

void EntityValues::clear() noexcept {
    for (std::uint32_t index = 0; index < values_.size(); ++index) drop(index);
    values_.clear();
    weak_.clear();
    fresh_.clear();
    watched_.clear();
    nextWatched_ = 0;
    moves.clear();
}

bool EntityValues::settle(EntityId id) {
    if (!isOf(id)) return false;
    const EntityPool& pool = world_.forest().pool;
    const EntityRecord& record = pool.at(id.index);
    // Checks the generation first: most are gone, and both the record and the hold are far away in memory.
    if (pool.isStale(id)) {
        moves.dropped.push_back(id.index);
        values_[id.index].held = Held::No;
        values_[id.index].generation = 0;
        return false;
    }
    if (!record.alive && !record.unborn) {
        moves.dropped.push_back(id.index);
        drop(id.index);
        return false;
    }
    if (record.managed) return false;
    if (!record.alive || record.removed) return true;
    if (record.wantsIn()) return true;  // comes in at the next reconcile
    if (values_[id.index].held == Held::Strongly) moves.demoted.push_back(id.index);
    setHeld(id.index, Held::Weakly);
    return false;
}

void EntityValues::sweep() {
    std::erase_if(fresh_, [this](EntityId id) { return !settle(id); });
    // A long history keeps many zombies, so each call looks at a share of them only, going on behind the last.
    std::size_t looks =
        std::min(watched_.size(), std::max<std::size_t>(1024, watched_.size() / 16));
    for (; looks > 0; --looks) {
        if (nextWatched_ == 0 || nextWatched_ > watched_.size()) nextWatched_ = watched_.size();
        EntityId& id = watched_[--nextWatched_];
        if (settle(id)) continue;
        id = watched_.back();
        watched_.pop_back();
    }
}

void EntityValues::onReconcile(const ChangeSet& changes) {
    for (const Change& change : changes.left)
        if (isOf(change.id)) watched_.push_back(change.id);
    for (const Change& change : changes.changed) {
        const std::uint32_t index = change.id.index;
        if (!change.entered() || index >= values_.size() || values_[index].held == Held::No)
            continue;
        if (values_[index].generation != change.id.generation) {
            drop(index);  // of an entity that had the slot before
            moves.dropped.push_back(index);
        } else if (values_[index].held == Held::Weakly) {
            setHeld(index, Held::Strongly);
            moves.promoted.push_back(index);
        }
    }
}

}  // namespace revenant
