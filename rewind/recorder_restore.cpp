// The second half of Recorder: putting back what the first half wrote down.
#include "rewind/recorder.hpp"
#include "rewind/state_hash.hpp"
#include "world/restorer.hpp"
#include "world/world.hpp"

namespace revenant {

void Recorder::takeOutAll(std::vector<Step>& steps, bool areArrivals) {
    Restorer restorer(world_);
    for (Step& step : steps)
        if (EntityRecord* record = find(step.id); record && step.crosses) {
            untrackAll(*record);
            known_[record->id.index].isIn = false;
            noteHomeless(*record);
            restorer.takeOut(*record, areArrivals ? step.wasZombie : true);
        }
}

void Recorder::putInAll(std::vector<Step>& steps) {
    Restorer restorer(world_);
    for (Step& step : steps)
        if (EntityRecord* record = find(step.id)) {
            if (step.crosses) {
                restorer.setUnborn(*record, false);
                comeBack(*record, step);
            }
            restorer.putIn(*record, find(step.parent), find(step.elder));
            if (step.crosses) bringHome(*record);
        }
}

// As it left, whatever became of it since.
void Recorder::comeBack(EntityRecord& record, Step& step) {
    ComponentStore& components = world_.components();
    if (Absence* absence = step.absence.get()) {
        if (record.parked != absence->blob.get())
            components.adopt(world_.forest().pool, record, absence->shape, absence->blob.get());
        record.disabledComponents = absence->disabled;
        record.enabled = absence->enabled;
    }
    if (record.parked) components.unpark(record, world_.getTick());
    step.absence = nullptr;
}

void Recorder::noteHomeless(const EntityRecord& parent) {
    for (const EntityRecord& child : parent.children)
        if (!child.rewindable && child.wantsIn()) homeless_.push_back({child.id, parent.id});
}

void Recorder::bringHome(EntityRecord& parent) {
    for (const Homeless& each : homeless_) {
        if (each.home != parent.id) continue;
        EntityRecord* child = world_.forest().pool.find(each.child);
        // It may have found another place, or an end, meanwhile.
        if (child && child->managed && !child->parent) world_.forest().attach(parent, *child);
    }
    std::erase_if(homeless_, [&](const Homeless& each) { return each.home == parent.id; });
}

// Reconciles what was put in and taken out, and keeps the books.
void Recorder::settleAll(Structure& structure, std::vector<Step>& out, std::vector<Step>& in,
                         ReconcileMode mode) {
    isRestoring_ = true;
    Restorer(world_).finish(mode);
    isRestoring_ = false;
    for (Step& step : in)
        if (EntityRecord* record = find(step.id); record && step.crosses) welcome(*record);
    for (Step& step : out)
        if (EntityRecord* record = find(step.id); record && step.crosses) park(*record, step);
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
    for (const Rebinding& rebinding : structure.rebindings) refresh(rebinding.id);
    for (const Toggle& toggle : structure.toggles) refresh(toggle.id);
}

void Recorder::unbind(Restorer& restorer, EntityRecord& record, ComponentType& type,
                      std::vector<std::byte>& bytes) {
    const std::byte* slot = record.slotOf(type.id);
    bytes.assign(slot, slot + type.schema.size);
    if (shadow_.isTracked(type, slot)) shadow_.untrack(type, slot);
    restorer.unbindComponent(record, type);
}

void Recorder::undo(Structure& structure, ReconcileMode mode) {
    takeOutAll(structure.arrivals, true);
    putInAll(structure.departures);
    Restorer restorer(world_);
    for (Rebinding& rebinding : structure.rebindings) {
        EntityRecord* record = find(rebinding.id);
        if (!record) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        if (rebinding.has) unbind(restorer, *record, type, rebinding.after);
        if (rebinding.had) restorer.bindComponent(*record, type, rebinding.before.data());
    }
    for (const Toggle& toggle : structure.toggles)
        if (EntityRecord* record = find(toggle.id))
            restorer.setEnabled(*record, toggle.enabledBefore, toggle.disabledBefore);
    settleAll(structure, structure.arrivals, structure.departures, mode);
}

void Recorder::redo(Structure& structure, std::int64_t number, ReconcileMode mode) {
    Restorer restorer(world_);
    for (Rebinding& rebinding : structure.rebindings) {
        EntityRecord* record = find(rebinding.id);
        if (!record) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        if (rebinding.had) unbind(restorer, *record, type, rebinding.before);
        if (rebinding.has) restorer.bindComponent(*record, type, rebinding.after.data());
    }
    for (const Toggle& toggle : structure.toggles)
        if (EntityRecord* record = find(toggle.id))
            restorer.setEnabled(*record, toggle.enabledAfter, toggle.disabledAfter);
    takeOutAll(structure.departures, false);
    putInAll(structure.arrivals);
    settleAll(structure, structure.departures, structure.arrivals, mode);
    for (const Step& step : structure.departures)
        if (const EntityRecord* record = find(step.id); record && step.crosses)
            known_[record->id.index].leftIn = number;
}

void Recorder::restoreResources(const Frame& frame, bool before) {
    if (frame.resources.empty()) return;
    auto set = [this](const std::string& name, const std::optional<Value>& value) {
        if (value) {
            world_.setResource(name, *value, {.rewind = true});
            resources_[name] = *value;
        } else {
            world_.removeResource(name);
            resources_.erase(name);
        }
    };
    // A frame that was amended may have two changes of one resource: the last holds.
    if (before)
        for (auto change = frame.resources.rbegin(); change != frame.resources.rend(); ++change)
            set(change->name, change->before);
    else
        for (const ResourceChange& change : frame.resources) set(change.name, change.after);
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = resourcesHash(world_);
}

void Recorder::discardWrites() {
    shadow_.revertAll(since_);
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    std::vector<std::string> unknown;
    for (const auto& [name, resource] : world_.resources().all())
        if (resource.rewind && !resources_.contains(name)) unknown.push_back(name);
    for (const std::string& name : unknown) world_.removeResource(name);
    for (const auto& [name, value] : resources_) world_.setResource(name, value, {.rewind = true});
    resourcesAsOf_ = world_.resources().rewindVersion();
}

void Recorder::restoreSystems(const Frame& frame) {
    for (const SystemSeconds& each : frame.systems)
        if (System* system = world_.getSystem(each.system))
            system->setAccumulatedSeconds(each.seconds);
}

void Recorder::undo(Frame& frame, const Frame& earlier, ReconcileMode mode) {
    shadow_.apply(frame.amended);
    for (auto structure = frame.structures.rbegin(); structure != frame.structures.rend();
         ++structure)
        undo(*structure, mode);
    shadow_.apply(frame.words);
    world_.setGlobals(earlier.globals);
    restoreResources(frame, true);
    restoreSystems(earlier);
    for (Structure& structure : frame.structures) {
        // Those that were made later than the frame on show do not exist in it.
        for (Step& step : structure.arrivals)
            if (EntityRecord* record = find(step.id);
                record && step.crosses && !step.wasZombie && record->bornAt >= earlier.tick)
                Restorer(world_).setUnborn(*record, true);
        rehashAll(structure);
    }
    since_ = world_.getTick();
}

void Recorder::redo(Frame& frame, ReconcileMode mode) {
    shadow_.apply(frame.words);
    for (Structure& structure : frame.structures) {
        redo(structure, frame.number, mode);
        rehashAll(structure);
    }
    shadow_.apply(frame.amended);
    world_.setGlobals(frame.globals);
    restoreResources(frame, false);
    restoreSystems(frame);
    since_ = world_.getTick();
}

void Recorder::forgetOldest(Frame& frame) {
    for (Structure& structure : frame.structures)
        for (Step& step : structure.departures) {
            EntityRecord* record = find(step.id);
            if (!record || !step.crosses) continue;
            // The blob goes with the frame.
            if (step.absence && record->parked == step.absence->blob.get())
                world_.components().unpark(*record, world_.getTick());
            const Known& entry = known_[record->id.index];
            if (!entry.isIn && entry.leftIn == frame.number) letGo(*record);
        }
    frame.structures = std::vector<Structure>();
    frame.words = {};
    frame.amended = {};
}

void Recorder::forgetNewest(Frame& frame) {
    for (Structure& structure : frame.structures)
        for (Step& step : structure.arrivals) {
            EntityRecord* record = find(step.id);
            if (!record || !step.crosses) continue;
            if (step.absence && record->parked == step.absence->blob.get())
                world_.components().unpark(*record, world_.getTick());
            if (step.wasZombie) continue;
            const bool unborn = record->unborn;
            letGo(*record);
            if (unborn) Restorer(world_).destroy(*record);
        }
}

}  // namespace revenant
