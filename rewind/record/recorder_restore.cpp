// The second half of Recorder: putting back what the first half wrote down.
#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "world/codec/value_bytes.hpp"
#include "rewind/record/recorder.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

// The components of one that is out lie here rather than in the pools.
void Recorder::park(EntityRecord& record) {
    if (record.managed || record.parked) return;
    Known& entry = known_[record.id.index];
    const std::size_t size = world_.components().parkedBytes(*record.shape) + 1;
    if (entry.parked) parkedBytes_ -= entry.parkedSize + sizeof(EntityRecord);
    entry.parked = Blob(static_cast<std::byte*>(
        ::operator new (size, std::align_val_t{ComponentStore::parkedAlignment})));
    entry.parkedSize = static_cast<std::uint32_t>(size);
    parkedBytes_ += size + sizeof(EntityRecord);
    world_.components().park(record, entry.parked.get());
}

// Gives the entity these components, whatever it has.
void Recorder::makeUp(EntityRecord& record, const Makeup& makeup) {
    ComponentStore& components = world_.components();
    const Words& image = makeup.image;
    if (record.managed) {
        Restorer restorer(world_);
        const auto types = record.shape->types();
        for (const ComponentTypeId type : types)
            if (findInImage(image, type) == image.size())
                restorer.unbindComponent(record, components.at(type));
    } else {
        components.unbindAll(record);
        record.setDisabledComponents(0);
    }
    for (std::size_t at = 0; at < image.size(); at += 1 + wordsOf(image[at])) {
        ComponentType& type = components.at(typeOf(image[at]));
        std::byte* slot = record.slotOf(type.id);
        if (!slot) slot = components.bind(world_.forest().pool, record, type, world_.getClock());
        std::memcpy(slot, &image[at + 1], type.schema.size);
        type.pool.markChanged(slot, world_.getClock());
    }
    if (record.managed) {
        Restorer(world_).setEnabled(record, makeup.enabled, makeup.disabled);
    } else {
        record.enabled = makeup.enabled;
        record.setDisabledComponents(makeup.disabled);
    }
}

// What was written to the entity without a mark leaves with nobody.
void Recorder::revertAll(EntityRecord& record) {
    if (record.parked) return;  // its bytes are the history's already
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        shadow_.revert(world_.components().at(types[i]), record.slots[i]);
}

void Recorder::takeOutAll(const std::vector<Step>& steps, bool areArrivals) {
    Restorer restorer(world_);
    auto staysIn = [this](const Step& step) {
        return step.rescoped || livingOn_.contains(step.id);
    };
    // Those that only cease to be rewindable first: they stay when their parents go.
    for (const bool stays : {true, false})
        for (const Step& step : steps) {
            EntityRecord* record = find(step.id);
            if (!record || !step.crosses || staysIn(step) != stays) continue;
            revertAll(*record);
            untrackAll(*record);
            known_[record->id.index].isIn = false;
            if (stays) {
                record->rewindable = false;
            } else {
                noteHomeless(*record);
                restorer.takeOut(*record, areArrivals ? step.wasZombie : !step.detached);
            }
        }
    for (const Step& step : steps)
        if (EntityRecord* record = find(step.id); record && step.crosses && !staysIn(step))
            partFrom(step, *record, areArrivals);
}

// Those that go out stay with their parent only if they become the same as it.
void Recorder::partFrom(const Step& step, EntityRecord& record, bool isUndone) {
    EntityRecord* parent = record.parent;
    if (isUndone) {
        const bool follows = parent && !parent->wantsIn() && parent->intent == Intent::Remove;
        if (follows && !step.wasZombie) Forest::cut(record);
        return;
    }
    if (parent ? parent->id == step.outer : step.outer.isNull()) return;
    Forest::cut(record);
    EntityRecord* outer = world_.forest().pool.find(step.outer);
    const Intent intent = step.detached ? Intent::Detach : Intent::Remove;
    if (!outer || outer->intent != intent || Forest::isAncestor(record, *outer)) return;
    world_.forest().unlinkRoot(record);
    Restorer(world_).hangOn(record, *outer);
}

void Recorder::putInAll(const std::vector<Step>& steps) {
    Restorer restorer(world_);
    for (const Step& step : steps) {
        EntityRecord* record = find(step.id);
        if (!record) continue;
        if (step.crosses) {
            Known& entry = known_[record->id.index];
            if (record->managed && record->wantsIn() && !entry.isIn) livingOn_.insert(record->id);
            stopAwaiting(*record);
            restorer.setUnborn(*record, false);
            record->rewindable = true;
            makeUp(*record, step.makeup);
            if (entry.parked) parkedBytes_ -= entry.parkedSize + sizeof(EntityRecord);
            entry.parked = nullptr;
        }
        restorer.putIn(*record, find(step.parent), find(step.elder));
        if (step.crosses) bringHome(*record);
    }
}

void Recorder::noteHomeless(const EntityRecord& parent) {
    for (const EntityRecord& child : parent.children)
        if (!child.rewindable && child.wantsIn()) homeless_.push_back({child.id, parent.id});
}

void Recorder::bringHome(EntityRecord& parent) {
    for (const Homeless& each : homeless_) {
        if (each.home != parent.id) continue;
        EntityRecord* child = world_.forest().pool.find(each.child);
        // It may have found another place, or an end, or be the history's own, meanwhile.
        if (child && child->managed && !child->parent && !child->rewindable)
            world_.forest().attach(parent, *child);
    }
    std::erase_if(homeless_, [&](const Homeless& each) { return each.home == parent.id; });
}

void Recorder::rebindAll(const Delta& delta, bool before) {
    Restorer restorer(world_);
    ComponentStore& components = world_.components();
    for (const Rebinding& rebinding : delta.rebindings) {
        EntityRecord* record = find(rebinding.id);
        if (!record) continue;
        ComponentType& type = components.at(rebinding.type);
        if (const std::byte* slot = record->slotOf(type.id)) {
            if (shadow_.isTracked(type, slot)) shadow_.untrack(type, slot);
            restorer.unbindComponent(*record, type);
        }
        if (before ? rebinding.had : rebinding.has)
            restorer.bindComponent(*record, type,
                                   reinterpret_cast<const std::byte*>(
                                       (before ? rebinding.before : rebinding.after).data()));
    }
    for (const Toggle& toggle : delta.toggles)
        if (EntityRecord* record = find(toggle.id))
            restorer.setEnabled(*record, before ? toggle.enabledBefore : toggle.enabledAfter,
                                before ? toggle.disabledBefore : toggle.disabledAfter);
}

// Reconciles what was put in and taken out, and keeps the books.
void Recorder::settleAll(const Delta& delta, const std::vector<Step>& out,
                         const std::vector<Step>& in) {
    isRestoring_ = true;
    Restorer(world_).finish(ReconcileMode::Silent);
    isRestoring_ = false;
    for (const Step& step : in)
        if (EntityRecord* record = find(step.id); record && step.crosses) welcome(*record);
    for (const Step& step : in)
        if (EntityRecord* record = find(step.id))
            for (EntityRecord& child : record->children)
                // What hung on it while it was no concern of the history's stays none.
                if (child.managed && (!knows(child) || !known_[child.id.index].isIn))
                    child.rewindable = false;
    for (const Step& step : out)
        if (EntityRecord* record = find(step.id); record && step.crosses) park(*record);
    auto refresh = [this](EntityId id) {
        EntityRecord* record = find(id);
        if (!record) return;
        Known& entry = known_[record->id.index];
        entry.enabled = record->enabled;
        entry.disabled = record->disabledComponents;
        entry.shape = record->shape;
        if (!entry.isIn) return;
        const auto& types = record->shape->types();
        for (std::size_t i = 0; i < types.size(); ++i)
            if (!shadow_.isTracked(world_.components().at(types[i]), record->slots[i]))
                shadow_.track(*record, world_.components().at(types[i]), record->slots[i]);
    };
    for (const Rebinding& rebinding : delta.rebindings) refresh(rebinding.id);
    for (const Toggle& toggle : delta.toggles) refresh(toggle.id);
}

// Those that are out on one side are made of what they were made of there.
void Recorder::makeUpOutside(const Delta& delta, bool before) {
    for (const Outside& outside : delta.outsides) {
        const auto& makeup = before ? outside.before : outside.after;
        EntityRecord* record = find(outside.id);
        if (!makeup || !record || record->managed) continue;
        makeUp(*record, *makeup);
        park(*record);
    }
}

// Of several crossings of an entity, the one that tells what it is on the side that a move leads to: the
// first when it is undone, else the last.
Recorder::Decisive Recorder::decisiveOf(std::span<const Crossing> crossings, bool isUndone) {
    Decisive decisive;
    for (const Crossing& crossing : crossings) {
        if (crossing.kind == Crossing::Kind::Request) continue;
        auto [found, isFirst] = decisive.try_emplace(crossing.id, &crossing);
        if (!isFirst && !isUndone) found->second = &crossing;
    }
    return decisive;
}

// Those that are out hang on whom they came with, at first, or left with, at last.
void Recorder::hangAll(std::span<const Crossing> crossings, const Decisive& decisive,
                       bool isUndone) {
    Restorer restorer(world_);
    for (const Crossing& crossing : crossings) {
        EntityRecord* record = find(crossing.id);
        if (crossing.kind == Crossing::Kind::Request || decisive.at(crossing.id) != &crossing ||
            !record || record->managed || record->unborn)
            continue;
        Forest::cut(*record);
        const bool isZombie = isUndone ? crossing.kind == Crossing::Kind::Return
                                       : crossing.kind == Crossing::Kind::Departure;
        EntityRecord* parent =
            isUndone ? find(crossing.parent) : world_.forest().pool.find(crossing.parent);
        auto other = decisive.find(crossing.parent);
        const bool goesWith = other != decisive.end() && other->second->frame == crossing.frame &&
                              other->second->kind == crossing.kind;
        const bool canHang =
            parent && !parent->managed && !parent->unborn && !Forest::isAncestor(*record, *parent);
        if (canHang && (goesWith || (!isUndone && parent->removed == isZombie)))
            restorer.hangOn(*record, *parent);
        restorer.setZombie(*record, isZombie);
    }
}

void Recorder::undo(const Delta& delta, std::span<const Crossing> crossings, const Frame& to) {
    if (delta.hasStructure()) {
        takeOutAll(delta.arrivals, true);
        putInAll(delta.departures);
        rebindAll(delta, true);
        settleAll(delta, delta.arrivals, delta.departures);
    }
    shadow_.apply(delta.words);
    world_.setGlobals(to.globals);
    for (const StateChange& change : delta.states) {
        restored_.try_emplace(change.key, change.after);
        setState(change.key, change.before);
    }
    for (const Step& step : delta.arrivals)
        if (step.crosses && !step.wasZombie && !step.rescoped)
            unmake(step.id, step.parent, to.clock);
    // One may have become a zombie without ever having been in, on another: then its birth lies before.
    for (const Step& step : delta.arrivals)
        if (const EntityRecord* record = find(step.id);
            record && step.crosses && step.wasZombie && !record->managed)
            await(*record, {});
    const Decisive decisive = decisiveOf(crossings, true);
    for (const auto& [id, crossing] : decisive)
        if (crossing->kind == Crossing::Kind::Birth)
            unmake(id, crossing->parent, to.clock);
        else if (const EntityRecord* record = find(id); record && !record->managed)
            await(*record, {});
    hangAll(crossings, decisive, true);
    settleBirths(to.clock);
    makeUpOutside(delta, true);
    if (delta.hasStructure()) rehashAll(delta);
    since_ = world_.getClock();
}

void Recorder::redo(const Delta& delta, std::span<const Crossing> crossings, const Frame& to) {
    shadow_.apply(delta.words);
    if (delta.hasStructure()) {
        rebindAll(delta, false);
        takeOutAll(delta.departures, false);
        putInAll(delta.arrivals);
        settleAll(delta, delta.departures, delta.arrivals);
    }
    world_.setGlobals(to.globals);
    for (const StateChange& change : delta.states) {
        restored_.try_emplace(change.key, change.before);
        setState(change.key, change.after);
    }
    // Those that came and left in between are what they were when they had left.
    Restorer restorer(world_);
    const Decisive decisive = decisiveOf(crossings, false);
    for (const auto& [id, crossing] : decisive)
        if (EntityRecord* record = find(id); record && !record->managed && crossing->leaves()) {
            stopAwaiting(*record);
            restorer.setUnborn(*record, false);
        }
    hangAll(crossings, decisive, false);
    settleBirths(to.clock);
    makeUpOutside(delta, false);
    if (delta.hasStructure()) rehashAll(delta);
    since_ = world_.getClock();
}

void Recorder::expectWrites() noexcept {
    since_ = world_.getClock() + 1;
}

void Recorder::discardWrites() {
    constexpr std::size_t blocksPerMove = 4;
    shadow_.revertAll(since_);
    shadow_.revertStrays(blocksPerMove);
    Delta written;
    takeStates(written);
    // Given theirs by restoreStates, once: what they have may be what the frame to come wants.
    for (StateChange& change : written.states)
        restored_.try_emplace(change.key, std::move(change.after));
}

bool Recorder::forgetIfOnly(EntityId id, std::uint32_t crossings) {
    EntityRecord* record = find(id);
    if (!record || known_[id.index].isIn || known_[id.index].mentions != crossings) return false;
    letGo(*record);
    return true;
}

void Recorder::forget(std::span<const Crossing> crossings) {
    for (const Crossing& crossing : crossings) {
        EntityRecord* record = find(crossing.id);
        if (!record) continue;
        Known& entry = known_[crossing.id.index];
        if (--entry.mentions > 0 || entry.isIn) continue;
        const bool unborn = record->unborn;
        letGo(*record);
        if (unborn) Restorer(world_).destroy(*record);
    }
    // A home that cannot come back is waited for by nobody.
    std::erase_if(homeless_, [this](const Homeless& each) { return !find(each.home); });
}

}  // namespace revenant
