#include "rewind/record/delta_applier.hpp"

#include <algorithm>

#include "rewind/record/makeup.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

void DeltaApplier::undo(const Delta& delta, std::span<const Crossing> crossings,
                        const FrameHeader& to) {
    if (delta.hasStructure()) {
        takeOutAll(delta.arrivals, true);
        putInAll(delta, delta.departures);
        rebindAll(delta, true);
        settleAll(delta, delta.arrivals, delta.departures);
    }
    shadow_.apply(delta.words);
    world_.setGlobals(to.globals);
    states_.undo(delta.states);
    const Decisive decisive = decisiveOf(crossings, true);
    unmakeAll(delta, decisive, to.clock);
    hangAll(crossings, decisive, true);
    finish(delta, to, true);
}

void DeltaApplier::redo(const Delta& delta, std::span<const Crossing> crossings,
                        const FrameHeader& to) {
    shadow_.apply(delta.words);
    if (delta.hasStructure()) {
        rebindAll(delta, false);
        takeOutAll(delta.departures, false);
        putInAll(delta, delta.arrivals);
        settleAll(delta, delta.departures, delta.arrivals);
    }
    world_.setGlobals(to.globals);
    states_.redo(delta.states);
    // Entities that came and left in between get the state that they left with.
    Restorer restorer(world_);
    const Decisive decisive = decisiveOf(crossings, false);
    for (const auto& [id, crossing] : decisive)
        if (EntityRecord* record = known_.find(id);
            record && !record->managed && crossing->leaves()) {
            births_.stopAwaiting(*record);
            restorer.setUnborn(*record, false);
        }
    hangAll(crossings, decisive, false);
    finish(delta, to, false);
}

void DeltaApplier::finish(const Delta& delta, const FrameHeader& to, bool isUndone) {
    births_.settle(to.clock);
    outsiders_.restore(delta, to.clock, isUndone);
    for (const Outside& each : delta.outsides)
        if (const EntityRecord* record = known_.find(each.id); record && !record->managed)
            for (const ComponentTypeId type : record->shape->types())
                states_.noteStateless(record->id, world_.components().at(type));
    if (delta.hasStructure()) known_.rehashAll(delta, isUndone);
    known_.setSince(world_.getClock());
}

void DeltaApplier::takeOutAll(const std::vector<Step>& steps, bool areArrivals) {
    Restorer restorer(world_);
    auto staysIn = [this](const Step& step) {
        return step.rescoped || livingOn_.contains(step.id);
    };
    // Entities that only cease to be rewindable first: they stay when their parents go.
    for (const bool stays : {true, false})
        for (const Step& step : steps) {
            EntityRecord* record = known_.find(step.id);
            if (!record || !step.crosses || staysIn(step) != stays) continue;
            shadow_.revertAll(*record);
            shadow_.untrackAll(*record);
            known_.of(*record).isIn = false;
            if (stays) {
                Restorer::setRewindable(*record, false);
            } else {
                noteHomeless(*record);
                restorer.takeOut(*record, areArrivals ? step.wasZombie : !step.detached);
            }
        }
    for (const Step& step : steps)
        if (EntityRecord* record = known_.find(step.id); record && step.crosses && !staysIn(step))
            partFrom(step, *record, areArrivals);
}

// An entity that goes out stays with its parent only if both get the same state.
void DeltaApplier::partFrom(const Step& step, EntityRecord& record, bool isUndone) {
    EntityRecord* parent = record.parent;
    if (isUndone) {
        const bool follows = parent && parent->intent == Intent::Remove;
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

void DeltaApplier::putInAll(const Delta& delta, const std::vector<Step>& steps) {
    Restorer restorer(world_);
    for (const Step& step : steps) {
        EntityRecord* record = known_.find(step.id);
        if (!record) continue;
        if (step.crosses) {
            KnownEntity& entry = known_.of(*record);
            if (record->managed && record->wantsIn() && !entry.isIn) livingOn_.insert(record->id);
            births_.stopAwaiting(*record);
            outsiders_.unwatch(record->id);
            restorer.setUnborn(*record, false);
            Restorer::setRewindable(*record, true);
            makeUp(*record, delta.imageAt(step.image), step.enabled, step.disabled, world_);
            for (const ComponentTypeId type : record->shape->types())
                states_.noteBound(record->id, world_.components().at(type));
            parking_.free(entry);
        }
        restorer.putIn(*record, known_.find(step.parent), known_.find(step.previous));
        if (step.crosses) bringHome(*record);
    }
}

void DeltaApplier::rebindAll(const Delta& delta, bool before) {
    Restorer restorer(world_);
    ComponentStore& components = world_.components();
    for (const Rebinding& rebinding : delta.rebindings) {
        EntityRecord* record = known_.find(rebinding.id);
        if (!record) continue;
        ComponentType& type = components.at(rebinding.type);
        if (const std::byte* slot = record->slotOf(type.id)) {
            if (shadow_.isTracked(type, slot)) shadow_.untrack(type, slot);
            restorer.unbindComponent(*record, type);
        }
        if (!(before ? rebinding.had : rebinding.has)) continue;
        const auto words = delta.imageAt(before ? rebinding.before : rebinding.after);
        restorer.bindComponent(*record, type, std::as_bytes(words).data());
        states_.noteBound(record->id, type);
    }
    for (const Toggle& toggle : delta.toggles)
        if (EntityRecord* record = known_.find(toggle.id))
            restorer.setEnabled(*record, before ? toggle.enabledBefore : toggle.enabledAfter,
                                before ? toggle.disabledBefore : toggle.disabledAfter);
}

void DeltaApplier::reconcileSilently() {
    const CountScope applying(applying_);
    Restorer(world_).finish(ReconcileMode::Silent);
}

// Reconciles what was put in and taken out, and notes it.
void DeltaApplier::settleAll(const Delta& delta, const std::vector<Step>& out,
                             const std::vector<Step>& in) {
    reconcileSilently();
    for (const Step& step : in)
        if (EntityRecord* record = known_.find(step.id); record && step.crosses)
            custody_.welcome(*record);
    for (const Step& step : in)
        if (EntityRecord* record = known_.find(step.id); record && record->hasChildren)
            for (EntityRecord& child : record->rest->children)
                // Children that it got while it was outside of the history stay outside of it.
                if (child.managed && !known_.isIn(child)) Restorer::setRewindable(child, false);
    for (const Step& step : out)
        if (EntityRecord* record = known_.find(step.id); record && step.crosses)
            parking_.park(*record);
    for (const Rebinding& rebinding : delta.rebindings) follow(rebinding.id);
    for (const Toggle& toggle : delta.toggles) follow(toggle.id);
}

// Notes what the entity looks like now, and follows its new components.
void DeltaApplier::follow(EntityId id) {
    EntityRecord* record = known_.find(id);
    if (!record) return;
    KnownEntity& entry = known_.of(*record);
    entry.setLooks(*record);
    if (!entry.isIn) return;
    const auto& types = record->shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (!shadow_.isTracked(world_.components().at(types[i]), record->slotAt(i)))
            shadow_.track(*record, world_.components().at(types[i]), record->slotAt(i));
}

// Of several crossings of an entity, the one that gives its state on the side that a move leads to: the
// first when going back, else the last.
DeltaApplier::Decisive DeltaApplier::decisiveOf(std::span<const Crossing> crossings,
                                                bool isUndone) {
    Decisive decisive;
    for (const Crossing& crossing : crossings) {
        if (crossing.kind == Crossing::Kind::Request) continue;
        auto [found, isFirst] = decisive.try_emplace(crossing.id, &crossing);
        if (!isFirst && !isUndone) found->second = &crossing;
    }
    return decisive;
}

// Gives entities that were taken out the state from before they were first added.
void DeltaApplier::unmakeAll(const Delta& delta, const Decisive& decisive, Clock clock) {
    for (const Step& step : delta.arrivals)
        if (step.crosses && !step.wasZombie && !step.rescoped)
            births_.unmake(step.id, step.parent, clock);
    // An entity may have become a zombie on another without ever having been in: then its birth lies before that.
    for (const Step& step : delta.arrivals)
        if (const EntityRecord* record = known_.find(step.id);
            record && step.crosses && step.wasZombie && !record->managed)
            births_.await(*record, {});
    for (const auto& [id, crossing] : decisive)
        if (crossing->kind == Crossing::Kind::Birth)
            births_.unmake(id, crossing->parent, clock);
        else if (const EntityRecord* record = known_.find(id); record && !record->managed)
            births_.await(*record, {});
}

// Entities that are out are attached to the parent they first came with, or last left with.
void DeltaApplier::hangAll(std::span<const Crossing> crossings, const Decisive& decisive,
                           bool isUndone) {
    Restorer restorer(world_);
    for (const Crossing& crossing : crossings) {
        EntityRecord* record = known_.find(crossing.id);
        if (crossing.kind == Crossing::Kind::Request || decisive.at(crossing.id) != &crossing ||
            !record || !record->isOut())
            continue;
        Forest::cut(*record);
        const bool isZombie = isUndone ? crossing.kind == Crossing::Kind::Return
                                       : crossing.kind == Crossing::Kind::Departure;
        EntityRecord* parent =
            isUndone ? known_.find(crossing.parent) : world_.forest().pool.find(crossing.parent);
        auto other = decisive.find(crossing.parent);
        const bool goesWith = other != decisive.end() && other->second->frame == crossing.frame &&
                              other->second->kind == crossing.kind;
        const bool canHang = parent && parent->isOut() && !Forest::isAncestor(*record, *parent);
        if (canHang && (goesWith || (!isUndone && parent->removed == isZombie)))
            restorer.hangOn(*record, *parent);
        restorer.setZombie(*record, isZombie);
    }
}

void DeltaApplier::noteHomeless(const EntityRecord& parent) {
    for (const EntityRecord& child : parent.children())
        if (!child.rewindable && child.wantsIn()) homeless_.push_back({child.id, parent.id});
}

void DeltaApplier::bringHome(EntityRecord& parent) {
    for (const Homeless& each : homeless_) {
        if (each.home != parent.id) continue;
        EntityRecord* child = world_.forest().pool.find(each.child);
        // Meanwhile it may have another place, be destroyed, or belong to the history.
        if (child && child->managed && !child->parent && !child->rewindable) {
            world_.forest().pool.makeRest(parent);
            world_.forest().attach(parent, *child);
        }
    }
    std::erase_if(homeless_, [&](const Homeless& each) { return each.home == parent.id; });
}

void DeltaApplier::forgetHomes() {
    std::erase_if(homeless_, [this](const Homeless& each) { return !known_.find(each.home); });
}

void DeltaApplier::takeOutKnown() {
    Restorer restorer(world_);
    const std::uint32_t count = world_.forest().pool.count();
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i);
            known_.knows(record) && record.managed)
            restorer.takeOut(record, true);
    reconcileSilently();
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); known_.knows(record)) {
            restorer.setUnborn(record, false);
            restorer.setZombie(record, true);
        }
}

void DeltaApplier::clear() noexcept {
    homeless_.clear();
    livingOn_.clear();
}

void DeltaApplier::validate(std::vector<std::string>& problems) const {
    for (const Homeless& each : homeless_)
        if (!known_.find(each.home))
            problems.emplace_back("a child waits for a home that cannot come back");
}

}  // namespace revenant
