#include "rewind/recorder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "rewind/delta_composer.hpp"
#include "rewind/state_hash.hpp"
#include "rewind/value_bytes.hpp"
#include "world/restorer.hpp"
#include "world/world.hpp"

namespace revenant {

namespace {

EntityId idOf(const EntityRecord* record) noexcept {
    return record ? record->id : EntityId{};
}

Words wordsOfBytes(const std::byte* bytes, std::size_t size) {
    Words words((size + 3) / 4);
    std::memcpy(words.data(), bytes, size);
    return words;
}

Step stepOf(const EntityRecord& record, const EntityRecord* parent, const EntityRecord* elder) {
    Step step;
    step.id = record.id;
    step.parent = idOf(parent);
    step.elder = idOf(elder);
    return step;
}

}  // namespace

void appendCrossings(const Frame& frame, std::vector<Crossing>& crossings) {
    using enum Crossing::Kind;
    for (const Step& step : frame.delta.arrivals)
        if (step.crosses)
            crossings.push_back({frame.number, step.id, step.parent,
                                 step.wasZombie || step.rescoped ? Return : Birth});
    for (const Step& step : frame.delta.departures)
        if (step.crosses) crossings.push_back({frame.number, step.id, step.parent, Departure});
}

Recorder::Known& Recorder::known(const EntityRecord& record) {
    if (known_.size() <= record.id.index) known_.resize(world_.forest().pool.count());
    return known_[record.id.index];
}

bool Recorder::knows(const EntityRecord& record) const noexcept {
    return record.id.index < known_.size() && known_[record.id.index].id == record.id;
}

EntityRecord* Recorder::find(EntityId id) const noexcept {
    if (id.isNull() || id.index >= known_.size() || known_[id.index].id != id) return nullptr;
    return &world_.forest().pool.at(id.index);
}

void Recorder::start() {
    isOn_ = true;
    ++run_;
    world_.forest().setKeepsRoots(true);
    for (const OrderNode& node : world_.forest().order.nodes())
        if (EntityRecord& record = world_.forest().recordOf(node);
            !node.closes && isRewindable(record)) {
            welcome(record);
            rehash(&record);
        }
    since_ = world_.getTick();
}

void Recorder::stop() {
    for (std::uint32_t i = 0; i < known_.size(); ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); knows(record)) {
            letGo(record);
            if (record.unborn) {
                world_.forest().pool.setUnborn(record, false);
                world_.forest().touch(record);
            }
        }
    freeReleased();
    known_.clear();
    knownCount_ = parkedBytes_ = 0;
    placeSum_ = 0;
    homeless_.clear();
    states_.clear();
    restored_.clear();
    stateSum_ = 0;
    stateBytes_ = 0;
    resourcesAsOf_ = 0;
    resourcesHash_ = 0;
    shadow_.clear();
    pending_.clear();
    pendingBases_.clear();
    gone_.clear();
    isOn_ = false;
    world_.forest().lostSerials.clear();
    world_.forest().setKeepsRoots(false);
}

void Recorder::welcome(EntityRecord& record) {
    Known& entry = known(record);
    if (entry.id != record.id) {
        entry = {};
        entry.id = record.id;
        Restorer::setRemembered(record, true);
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
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (shadow_.isTracked(type, record.slots[i])) shadow_.untrack(type, record.slots[i]);
        shadow_.track(record, type, record.slots[i]);
    }
}

void Recorder::untrackAll(EntityRecord& record) {
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i)
        if (shadow_.isTracked(world_.components().at(types[i]), record.slots[i]))
            shadow_.untrack(world_.components().at(types[i]), record.slots[i]);
}

// Gives the reference back. One that is out and counted on by nobody else goes at the next
// reconcile, as ever; until then its components stay where they are.
void Recorder::letGo(EntityRecord& record) {
    Known& entry = known_[record.id.index];
    if (entry.parked) {
        parkedBytes_ -= entry.parkedSize + sizeof(EntityRecord);
        released_.push_back({record.id, std::move(entry.parked)});
    }
    placeSum_ -= entry.hash;
    entry = {};
    --knownCount_;
    Restorer::setRemembered(record, false);
    if (record.managed) return;
    record.loosened = true;
    world_.forest().touch(record);
}

// Those that outlived the history's interest get their components back.
void Recorder::freeReleased() {
    for (const Released& each : released_)
        if (EntityRecord& record = world_.forest().pool.at(each.id.index);
            record.id == each.id && record.parked == each.parked.get())
            world_.components().unpark(record, world_.getTick());
    released_.clear();
}

Makeup Recorder::makeupOf(const EntityRecord& record) const {
    Makeup makeup;
    makeup.disabled = record.disabledComponents;
    makeup.enabled = record.enabled;
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        const std::size_t size = world_.components().at(types[i]).schema.size;
        const std::size_t words = (size + 3) / 4;
        const std::size_t at = makeup.image.size();
        makeup.image.resize(at + 1 + words);
        makeup.image[at] = headOf(types[i], words);
        std::memcpy(&makeup.image[at + 1], record.slots[i], size);
    }
    return makeup;
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

void Recorder::rehashAll(const Delta& delta) {
    rehashNeighbours(delta.departures);
    rehashNeighbours(delta.arrivals);
    for (const Rebinding& rebinding : delta.rebindings) rehash(find(rebinding.id));
    for (const Toggle& toggle : delta.toggles) rehash(find(toggle.id));
}

void Recorder::onReconcile(const ChangeSet& changes) {
    if (!isOn_ || isRestoring_) return;
    freeReleased();
    auto isIn = [this](const EntityRecord& record) {
        return knows(record) && known_[record.id.index].isIn;
    };
    pending_.emplace_back();
    // Those that moved to where they are, or are not, rewindable any more: that is told next.
    std::vector<EntityRecord*> rescoped;
    for (const Placing& placing : changes.departures) {
        EntityRecord& record = *placing.record;
        if (record.managed && isRewindable(record) != isIn(record)) rescoped.push_back(&record);
        if (!isIn(record)) continue;
        Step step = stepOf(record, placing.parent, placing.elder);
        step.crosses = !record.managed;
        if (step.crosses) noteLeft(record, step, &changes);
        pending_.back().departures.push_back(std::move(step));
    }
    for (const Change& change : changes.changed)
        if (isIn(*change.record) && !change.entered()) noteRebound(*change.record, &changes);
    for (const Placing& placing : changes.arrivals) {
        EntityRecord& record = *placing.record;
        const bool crosses = !isIn(record);
        if (crosses && (!isRewindable(record) || std::ranges::count(rescoped, &record) > 0))
            continue;
        Step step = stepOf(record, placing.parent, placing.elder);
        step.crosses = crosses;
        step.wasZombie = crosses && knows(record);
        if (crosses) welcome(record);
        pending_.back().arrivals.push_back(std::move(step));
    }
    if (!pending_.back().hasStructure()) pending_.pop_back();
    if (rescoped.empty()) return;
    pending_.emplace_back();
    for (EntityRecord* top : rescoped) noteScope(*top);
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

// Of a subtree whose top has come or gone, those that are no longer, or now, rewindable.
void Recorder::noteScope(EntityRecord& top) {
    Delta& delta = pending_.back();
    forSubtree(top, [&](EntityRecord& record) {
        const bool isIn = knows(record) && known_[record.id.index].isIn;
        if (!record.managed || isIn == isRewindable(record)) return;
        const Forest& forest = world_.forest();
        Step step = stepOf(record, forest.settledParentOf(record), forest.settledElderOf(record));
        step.crosses = step.rescoped = true;
        if (isIn) {
            noteLeft(record, step, nullptr);
            delta.departures.push_back(std::move(step));
        } else {
            step.wasZombie = knows(record);
            welcome(record);
            delta.arrivals.push_back(std::move(step));
        }
    });
}

void Recorder::onRescope(EntityRecord& record, bool rewindable) {
    if (!isOn_) return;
    pending_.emplace_back();
    // Places are told while those that stay see it as the history does.
    std::vector<Step> places;
    if (!rewindable) {
        forSubtree(record, [&](EntityRecord& each) {
            if (knows(each) && known_[each.id.index].isIn)
                places.push_back(stepOf(each, world_.forest().settledParentOf(each),
                                        world_.forest().settledElderOf(each)));
        });
        for (Step& step : places) {
            EntityRecord& each = *find(step.id);
            step.crosses = step.rescoped = true;
            noteLeft(each, step, nullptr);
            pending_.back().departures.push_back(std::move(step));
        }
    } else {
        record.rewindable = true;
        noteScope(record);
    }
    if (!pending_.back().hasStructure()) pending_.pop_back();
}

void Recorder::noteLeft(EntityRecord& record, Step& step, const ChangeSet* changes) {
    noteRebound(record, changes);
    Delta& delta = pending_.back();
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = world_.components().at(types[i]);
        if (type.hooks) gone_.push_back({record.id, type.id});
        if (!shadow_.isTracked(type, record.slots[i])) continue;
        shadow_.takeChanges(record, type, record.slots[i], delta.words, pendingBases_);
        shadow_.untrack(type, record.slots[i]);
    }
    step.makeup = makeupOf(record);
    known_[record.id.index].isIn = false;
}

// Compares what an entity is made of with what is known of it.
void Recorder::noteRebound(EntityRecord& record, const ChangeSet* changes) {
    Known& entry = known_[record.id.index];
    Delta& delta = pending_.back();
    ComponentStore& components = world_.components();
    const std::span<const RetiredSlot> allRetired =
        changes ? changes->retired : std::span(components.retired());
    if (entry.shape == record.shape && entry.enabled == record.enabled &&
        entry.disabled == record.disabledComponents && !changes && allRetired.empty())
        return;
    for (const ComponentTypeId id : entry.shape->types()) {
        ComponentType& type = components.at(id);
        std::byte* slot = record.slotOf(id);
        if (slot && shadow_.isTracked(type, slot)) continue;
        // The component of the last frame was removed: it is in a retired slot.
        for (const RetiredSlot& retired : allRetired) {
            if (retired.owner != record.id.index || retired.type != id ||
                !shadow_.isTracked(type, retired.slot))
                continue;
            shadow_.takeChanges(record, type, retired.slot, delta.words, pendingBases_);
            shadow_.untrack(type, retired.slot);
            if (type.hooks && !slot) gone_.push_back({record.id, id});
            Rebinding rebinding;
            rebinding.id = record.id;
            rebinding.type = id;
            rebinding.had = true;
            rebinding.has = slot != nullptr;
            rebinding.before = wordsOfBytes(retired.slot, type.schema.size);
            if (slot) {
                rebinding.after = wordsOfBytes(slot, type.schema.size);
                shadow_.track(record, type, slot);
            }
            delta.rebindings.push_back(std::move(rebinding));
            break;
        }
    }
    const auto& types = record.shape->types();
    for (std::size_t i = 0; i < types.size(); ++i) {
        ComponentType& type = components.at(types[i]);
        if (entry.shape->has(types[i])) continue;
        Rebinding rebinding;
        rebinding.id = record.id;
        rebinding.type = types[i];
        rebinding.has = true;
        rebinding.after = wordsOfBytes(record.slots[i], type.schema.size);
        shadow_.track(record, type, record.slots[i]);
        delta.rebindings.push_back(std::move(rebinding));
    }
    if (entry.enabled != record.enabled || entry.disabled != record.disabledComponents ||
        entry.shape != record.shape)
        delta.toggles.push_back(
            {record.id, entry.enabled, record.enabled, entry.disabled, record.disabledComponents});
    entry.enabled = record.enabled;
    entry.disabled = record.disabledComponents;
    entry.shape = record.shape;
}

Delta Recorder::takePending() {
    if (pending_.empty()) return {};
    Delta delta;
    if (pending_.size() == 1) {
        delta = std::move(pending_.front());
    } else {
        DeltaComposer composer;
        for (Delta& each : pending_) {
            for (Step& step : each.arrivals)
                if (const EntityRecord* record = find(step.id); record && step.crosses)
                    step.makeup = makeupOf(*record);
            composer.add(each);
        }
        delta = composer.finish();
    }
    pending_.clear();
    return delta;
}

// What was written to a new component since it came is part of what it came as.
void Recorder::refreshArrivals(Delta& delta) {
    for (Step& step : delta.arrivals)
        if (EntityRecord* record = find(step.id); record && step.crosses) {
            trackAll(*record);
            step.makeup = makeupOf(*record);
        }
    for (Rebinding& rebinding : delta.rebindings) {
        EntityRecord* record = find(rebinding.id);
        if (!rebinding.has || !record || !known_[record->id.index].isIn) continue;
        ComponentType& type = world_.components().at(rebinding.type);
        const std::byte* slot = record->slotOf(rebinding.type);
        shadow_.untrack(type, slot);
        shadow_.track(*record, type, slot);
        rebinding.after = wordsOfBytes(slot, type.schema.size);
    }
}

Frame Recorder::takeFrame(std::int64_t number) {
    Frame frame;
    frame.number = number;
    // First, as hooks may throw: then nothing is taken.
    Delta states;
    takeStates(states);
    frame.delta = takePending();
    frame.bases = std::exchange(pendingBases_, {});
    for (const StateKey& key : std::exchange(gone_, {})) {
        const EntityRecord* record = find(key.id);
        const bool isThere = record && known_[record->id.index].isIn &&
                             record->slotOf(static_cast<ComponentTypeId>(key.what));
        if (auto found = states_.find(key); found != states_.end() && !isThere)
            states.states.push_back({key, found->second, {}});
    }
    frame.delta.states = std::move(states.states);
    for (const StateChange& change : frame.delta.states) setState(change.key, change.after);
    refreshArrivals(frame.delta);
    shadow_.takeAllChanges(since_, frame.delta.words, frame.bases);
    since_ = world_.getTick();
    frame.tick = world_.getTick();
    frame.globals = world_.getGlobals();
    for (const auto* steps : {&frame.delta.departures, &frame.delta.arrivals})
        for (const Step& step : *steps)
            if (step.crosses) ++known_[step.id.index].mentions;
    for (const Step& step : frame.delta.departures)
        if (EntityRecord* record = find(step.id); record && step.crosses) park(*record);
    rehashAll(frame.delta);
    frame.hash = hash();
    return frame;
}

StateKey Recorder::nameKey(char kind, const std::string& name) {
    const std::string full = kind + name;
    auto found = std::ranges::find(stateNames_, full);
    if (found == stateNames_.end()) found = stateNames_.insert(stateNames_.end(), full);
    return {{}, static_cast<std::uint32_t>(found - stateNames_.begin())};
}

// Compares the states that hooks and names give with those of the last frame.
void Recorder::takeStates(Delta& delta) {
    const auto types = static_cast<ComponentTypeId>(world_.components().count());
    for (ComponentTypeId id = 0; id < types; ++id) {
        const ComponentType& type = world_.components().at(id);
        if (!type.hooks) continue;
        shadow_.forTracked(type, [&](std::uint32_t owner, const std::byte* slot) {
            const EntityId entity = world_.forest().pool.at(owner).id;
            std::vector<std::byte> state;
            type.hooks->getRewindState(entity, slot, state);
            noteState({entity, id}, std::move(state), delta);
        });
    }
    for (const auto& system : world_.getSystems())
        if (hasState(*system)) {
            std::vector<std::byte> state;
            getState(*system, state);
            noteState(nameKey('s', system->getName()), std::move(state), delta);
        }
    if (resourcesAsOf_ == world_.resources().rewindVersion()) return;
    resourcesAsOf_ = world_.resources().rewindVersion();
    resourcesHash_ = resourcesHash(world_);
    for (const auto& [name, resource] : world_.resources().all())
        if (const auto* value = std::any_cast<Value>(&resource.value); value && resource.rewind) {
            std::vector<std::byte> state;
            appendValue(state, *value);
            noteState(nameKey('r', name), std::move(state), delta);
        }
    for (const auto& [key, state] : states_) {
        if (!key.id.isNull() || stateNames_[key.what][0] != 'r') continue;
        const auto* resource = world_.resources().find(stateNames_[key.what].substr(1));
        if (!resource || !resource->rewind) delta.states.push_back({key, state, {}});
    }
}

void Recorder::noteState(const StateKey& key, std::vector<std::byte> state, Delta& delta) {
    auto known = states_.find(key);
    if (known == states_.end())
        delta.states.push_back({key, {}, std::move(state)});
    else if (known->second != state)
        delta.states.push_back({key, known->second, std::move(state)});
}

std::uint64_t Recorder::hashOf(const StateKey& key, std::span<const std::byte> state) const {
    if (!key.id.isNull()) {
        const ComponentType& type = world_.components().at(static_cast<ComponentTypeId>(key.what));
        // A tool may have opened a history without having its hooks.
        if (!type.hooks) return 0;
        return hookedHash(type, world_.forest().pool.at(key.id.index).serial, state);
    }
    const std::string& name = stateNames_[key.what];
    return name[0] == 's' ? systemHash(name.substr(1), state) : 0;
}

void Recorder::setState(const StateKey& key, const State& state) {
    auto found = states_.find(key);
    if (found != states_.end()) {
        stateSum_ -= hashOf(key, found->second);
        stateBytes_ -= found->second.capacity();
    }
    if (!state) {
        if (found != states_.end()) states_.erase(found);
        return;
    }
    stateSum_ += hashOf(key, *state);
    stateBytes_ += state->size();
    states_.insert_or_assign(key, *state);
}

void Recorder::amend(Frame& frame) {
    const double seconds = frame.globals.seconds;
    Frame more = takeFrame(frame.number);
    std::vector<Crossing> apart;
    appendCrossings(frame, apart);
    appendCrossings(more, apart);
    DeltaComposer composer;
    composer.add(frame.delta);
    composer.add(more.delta);
    frame.delta = composer.finish();
    frame.bases.insert(frame.bases.end(), more.bases.begin(), more.bases.end());
    std::vector<Crossing> together;
    appendCrossings(frame, together);
    for (const Crossing& crossing : together) ++known_[crossing.id.index].mentions;
    forget(apart);
    // The frame is on show once more: its time has not passed yet.
    frame.globals = more.globals;
    frame.globals.seconds = seconds;
    world_.setGlobals(frame.globals);
    frame.hash = hash();
}

std::uint64_t Recorder::hash() const {
    return finishHash(placeSum_ + shadow_.hashSum() + stateSum_, globalsHash(world_),
                      resourcesHash_);
}

std::size_t Recorder::bytes() const noexcept {
    constexpr std::size_t bytesPerNode = 48;  // of a map
    return shadow_.bytes() + known_.capacity() * sizeof(Known) + parkedBytes_ + stateBytes_ +
           states_.size() * bytesPerNode + world_.forest().lostSerials.size() * bytesPerNode;
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
