#include "rewind/recorder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/state_hash.hpp"
#include "world/restorer.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

EntityId idOf(const EntityRecord* record) noexcept {
    return record ? record->id : EntityId{};
}

}  // namespace

Recorder::Known& Recorder::known(const EntityRecord& record) {
    if (known_.size() <= record.id.index) known_.resize(world_.forest().pool.count());
    return known_[record.id.index];
}

bool Recorder::knows(const EntityRecord& record) const noexcept {
    return record.id.index < known_.size() && known_[record.id.index].id == record.id;
}

EntityRecord* Recorder::find(EntityId id) const noexcept {
    if (id.isNull() || id.index >= known_.size() || known_[id.index].id != id) return nullptr;
    EntityRecord& record = world_.forest().pool.at(id.index);
    return record.rewindable ? &record : nullptr;
}

void Recorder::start() {
    isOn_ = true;
    world_.forest().setKeepsRoots(true);
    for (const OrderNode& node : world_.forest().order.nodes())
        if (EntityRecord& record = world_.forest().recordOf(node);
            !node.closes && isRewindable(record)) {
            welcome(record);
            rehash(&record);
        }
    Frame unused;
    noteResources(unused);
    since_ = world_.getTick();
}

void Recorder::stop() {
    for (std::uint32_t i = 0; i < known_.size(); ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); knows(record)) letGo(record);
    known_.clear();
    knownCount_ = 0;
    placeSum_ = 0;
    homeless_.clear();
    resources_.clear();
    resourcesAsOf_ = 0;
    resourcesHash_ = 0;
    shadow_.clear();
    pending_ = {};
    isOn_ = false;
    world_.forest().setKeepsRoots(false);
}

void Recorder::welcome(EntityRecord& record) {
    Known& entry = known(record);
    if (entry.id != record.id) {
        entry = {};
        entry.id = record.id;
        ++record.ownRefs;
        ++knownCount_;
    }
    entry.isIn = true;
    entry.enabled = record.enabled;
    entry.disabled = record.disabledComponents;
    entry.shape = record.shape;
    trackAll(record);
}

void Recorder::trackAll(EntityRecord& record) {
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        shadow_.track(record, world_.components().at(types[i]), record.slots[i]);
}

void Recorder::untrackAll(EntityRecord& record) {
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (shadow_.isTracked(world_.components().at(types[i]), record.slots[i]))
            shadow_.untrack(world_.components().at(types[i]), record.slots[i]);
}

// Gives the reference back. One that is out and counted on by nobody else goes at the next
// reconcile, as ever.
void Recorder::letGo(EntityRecord& record) {
    Known& entry = known_[record.id.index];
    if (record.parked) world_.components().unpark(record, world_.getTick());
    placeSum_ -= entry.hash;
    entry = {};
    --knownCount_;
    --record.ownRefs;
    if (record.managed) return;
    record.loosened = true;
    world_.forest().touch(record);
}

void Recorder::park(EntityRecord& record, Step& step) {
    if (record.managed || record.parked) return;
    step.absence = std::make_unique<Absence>(world_.components().parkedBytes(*record.shape) + 1);
    step.absence->shape = record.shape;
    step.absence->disabled = record.disabledComponents;
    step.absence->enabled = record.enabled;
    world_.components().park(record, step.absence->blob.get());
}

void Recorder::rehash(EntityRecord* record) {
    if (!record || !knows(*record)) return;
    Known& entry = known_[record->id.index];
    placeSum_ -= entry.hash;
    entry.hash = record->managed && entry.isIn ? structureHash(world_, *record) : 0;
    placeSum_ += entry.hash;
}

// Those that stand, or stood, at the given places, and their younger siblings, have new elders.
void Recorder::rehashNeighbours(const std::vector<Step>& steps) {
    Forest& forest = world_.forest();
    for (const Step& step : steps) {
        EntityRecord* record = find(step.id);
        rehash(record);
        auto younger = [&](SiblingList& siblings, SiblingList::iterator at) {
            while (at != siblings.end() && !at->rewindable) ++at;
            if (at != siblings.end()) rehash(&*at);
        };
        EntityRecord* parent = find(step.parent);
        if (!step.parent.isNull() && !parent) continue;
        SiblingList& siblings = parent ? parent->children : forest.roots;
        EntityRecord* elder = find(step.elder);
        const bool elderIsThere = elder && elder->managed && elder->parent == parent;
        if (step.elder.isNull())
            younger(siblings, siblings.begin());
        else if (elderIsThere)
            younger(siblings, std::next(SiblingList::s_iterator_to(*elder)));
        if (record && record->managed) {
            SiblingList& own = record->parent ? record->parent->children : forest.roots;
            younger(own, std::next(SiblingList::s_iterator_to(*record)));
        }
    }
}

void Recorder::onReconcile(const ChangeSet& changes) {
    if (!isOn_ || isRestoring_) return;
    current_ = &pending_.structures.emplace_back();
    for (const Placing& placing : changes.departures) {
        EntityRecord& record = *placing.record;
        if (!knows(record)) continue;
        Step step{record.id, idOf(placing.parent), idOf(placing.elder), !record.managed, false, {}};
        current_->departures.push_back(std::move(step));
    }
    for (const Change& change : changes.changed)
        if (knows(*change.record) && known_[change.record->id.index].isIn && !change.entered())
            noteRebound(*change.record, changes);
    for (const Change& change : changes.left)
        if (knows(*change.record)) noteLeft(*change.record, changes);
    for (const Placing& placing : changes.arrivals) {
        EntityRecord& record = *placing.record;
        if (!isRewindable(record)) continue;
        const bool wasKnown = knows(record);
        const bool wasIn = wasKnown && known_[record.id.index].isIn;
        if (!wasIn) welcome(record);
        Step step{record.id, idOf(placing.parent), idOf(placing.elder),
                  !wasIn,    wasKnown && !wasIn,   {}};
        current_->arrivals.push_back(std::move(step));
    }
    if (current_->empty()) pending_.structures.pop_back();
}

void Recorder::noteLeft(EntityRecord& record, const ChangeSet& changes) {
    noteRebound(record, changes);
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (!shadow_.isTracked(type, record.slots[i])) continue;
        shadow_.takeChanges(record, type, record.slots[i], pending_.words);
        shadow_.untrack(type, record.slots[i]);
    }
    known_[record.id.index].isIn = false;
}

// Compares what an entity is made of with what is known of it.
void Recorder::noteRebound(EntityRecord& record, const ChangeSet& changes) {
    Known& entry = known_[record.id.index];
    auto copyOf = [](const ComponentType& type, const std::byte* slot) {
        return std::vector<std::byte>(slot, slot + type.schema.size);
    };
    for (const ComponentTypeId id : entry.shape->types()) {
        ComponentType& type = world_.components().at(id);
        std::byte* slot = record.slotOf(id);
        if (slot && shadow_.isTracked(type, slot)) continue;
        // The component of the last frame was removed: it is in a retired slot.
        for (const RetiredSlot& retired : changes.retired) {
            if (retired.owner != record.id.index || retired.type != id ||
                !shadow_.isTracked(type, retired.slot))
                continue;
            shadow_.takeChanges(record, type, retired.slot, pending_.words);
            shadow_.untrack(type, retired.slot);
            Rebinding rebinding;
            rebinding.id = record.id;
            rebinding.type = id;
            rebinding.had = true;
            rebinding.has = slot != nullptr;
            rebinding.before = copyOf(type, retired.slot);
            if (slot) {
                rebinding.after = copyOf(type, slot);
                shadow_.track(record, type, slot);
            }
            current_->rebindings.push_back(std::move(rebinding));
            break;
        }
    }
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (entry.shape->has(types[i])) continue;
        Rebinding rebinding;
        rebinding.id = record.id;
        rebinding.type = types[i];
        rebinding.has = true;
        rebinding.after = copyOf(type, record.slots[i]);
        shadow_.track(record, type, record.slots[i]);
        current_->rebindings.push_back(std::move(rebinding));
    }
    if (entry.enabled != record.enabled || entry.disabled != record.disabledComponents ||
        entry.shape != record.shape)
        current_->toggles.push_back(
            {record.id, entry.enabled, record.enabled, entry.disabled, record.disabledComponents});
    entry.enabled = record.enabled;
    entry.disabled = record.disabledComponents;
    entry.shape = record.shape;
}

Frame Recorder::takeFrame(std::int64_t number) {
    Frame frame = std::exchange(pending_, {});
    frame.number = number;
    shadow_.takeAllChanges(since_, frame.words);
    since_ = world_.getTick();
    frame.tick = world_.getTick();
    frame.globals = world_.getGlobals();
    noteResources(frame);
    for (Structure& structure : frame.structures) {
        for (Step& step : structure.departures)
            if (EntityRecord* record = find(step.id); record && step.crosses) {
                park(*record, step);
                known_[record->id.index].leftIn = number;
            }
        rehashAll(structure);
    }
    frame.hash = hash();
    return frame;
}

void Recorder::noteResources(Frame& frame) {
    frame.systems.clear();
    for (const auto& system : world_.getSystems())
        if (system->getOptions().fixedStepSeconds > 0)
            frame.systems.push_back({system->getName(), system->getAccumulatedSeconds()});
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    resourcesAsOf_ = world_.resources().rewindVersion();
    std::map<std::string, Value> now;
    for (const auto& [name, resource] : world_.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind)
            now.emplace(name, *value);
    for (const auto& [name, value] : now) {
        auto old = resources_.find(name);
        if (old == resources_.end())
            frame.resources.push_back({name, std::nullopt, value});
        else if (old->second != value)
            frame.resources.push_back({name, old->second, value});
    }
    for (const auto& [name, value] : resources_)
        if (!now.contains(name)) frame.resources.push_back({name, value, std::nullopt});
    resources_ = std::move(now);
    resourcesHash_ = resourcesHash(world_);
}

void Recorder::rehashAll(const Structure& structure) {
    rehashNeighbours(structure.departures);
    rehashNeighbours(structure.arrivals);
    for (const Rebinding& rebinding : structure.rebindings) rehash(find(rebinding.id));
    for (const Toggle& toggle : structure.toggles) rehash(find(toggle.id));
}

void Recorder::amend(Frame& frame) {
    shadow_.takeAllChanges(since_, frame.amended);
    since_ = world_.getTick();
    // The frame is on show once more: its time has not passed yet.
    World::Globals globals = world_.getGlobals();
    globals.seconds = frame.globals.seconds;
    world_.setGlobals(globals);
    frame.globals = globals;
    noteResources(frame);
    frame.hash = hash();
}

std::uint64_t Recorder::hash() const {
    return finishHash(placeSum_ + shadow_.hashSum(), globalsHash(world_), resourcesHash_);
}

std::size_t Recorder::bytes() const noexcept {
    constexpr std::size_t bytesPerLostSerial = 48;  // a node of the map and its bucket
    return shadow_.bytes() + known_.capacity() * sizeof(Known) +
           world_.forest().lostSerials.size() * bytesPerLostSerial;
}

void Recorder::validate(std::vector<std::string>& problems) const {
    if (!isOn_) return;
    std::size_t counted = 0;
    for (const Known& entry : known_) counted += entry.id.isNull() ? 0 : 1;
    if (counted != knownCount_)
        problems.push_back(
            sentence("the history knows ", counted, " entities, but notes ", knownCount_));
}

}  // namespace revenant
