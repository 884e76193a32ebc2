#include "rewind/record/recorder.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "world/codec/value_bytes.hpp"
#include "rewind/history/delta_composer.hpp"
#include "rewind/record/component_words.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

Recorder::Known& Recorder::known(const EntityRecord& record) {
    if (known_.size() <= record.id.index) known_.growTo(record.id.index + 1);
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
    since_ = world_.getClock();
}

void Recorder::stop() {
    dropAwaited();
    const auto count = static_cast<std::uint32_t>(
        std::min<std::size_t>(known_.size(), world_.forest().pool.count()));
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); knows(record)) {
            letGo(record);
            if (record.unborn) {
                world_.forest().pool.setUnborn(record, false);
                world_.components().noteMove();
                world_.forest().touch(record);
            }
        }
    freeReleased();
    known_.clear();
    knownCount_ = parkedBytes_ = 0;
    placeSum_ = 0;
    homeless_.clear();
    awaited_.clear();
    shownClock_ = 0;
    livingOn_.clear();
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
    resetCall_ = nullptr;
    strays_ = {};
    isOn_ = false;
    world_.forest().lostSerials.clear();
    world_.components().strings().forgetSweeps();
    world_.forest().setKeepsRoots(false);
}

// The next frame begins to know the world anew.
void Recorder::onReplace() {
    if (!isOn_) return;
    const auto call = std::exchange(resetCall_, nullptr);
    stop();
    if (call) call();
}

void Recorder::onReset() {
    const auto call = std::exchange(resetCall_, nullptr);
    stop();
    claimedBy_ = nullptr;
    if (call) call();
}

Recorder::Known& Recorder::remember(EntityRecord& record) {
    Known& entry = known(record);
    if (entry.id == record.id) return entry;
    entry = {};
    entry.id = record.id;
    entry.shape = record.shape;
    entry.isLate = record.bornAt < since_;
    Restorer::setRemembered(record, true);
    ++knownCount_;
    return entry;
}

void Recorder::welcome(EntityRecord& record) {
    Known& entry = remember(record);
    stopAwaiting(record);
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
    if (record.parked) return;
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
    stopAwaiting(record);
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
            world_.components().unpark(record, world_.getClock());
    released_.clear();
}

std::byte* Recorder::trackedSlotOf(const EntityRecord& record, const ComponentType& type) const {
    std::byte* slot = record.slotOf(type.id);
    if (slot && shadow_.isTracked(type, slot)) return slot;
    for (const RetiredSlot& retired : world_.components().retired())
        if (retired.owner == record.id.index && retired.type == type.id &&
            shadow_.isTracked(type, retired.slot))
            return retired.slot;
    return nullptr;
}

namespace {

void appendImage(Words& image, const ComponentType& type, const std::byte* slot) {
    const std::size_t words = (type.schema.size + 3) / 4;
    const std::size_t at = image.size();
    image.resize(at + 1 + words, 0);
    image[at] = headOf(type.id, words);
    std::memcpy(&image[at + 1], slot, type.schema.size);
}

std::size_t imageWords(const Shape& shape, const ComponentStore& components) {
    std::size_t words = 0;
    for (const ComponentTypeId id : shape.types())
        words += 1 + wordsIn(components.at(id).schema.size);
    return words;
}

}  // namespace

Makeup Recorder::makeupOf(const EntityRecord& record) const {
    Makeup makeup;
    makeup.disabled = record.disabledComponents;
    makeup.enabled = record.enabled;
    const auto& types = record.shape->types();
    makeup.image.reserve(imageWords(*record.shape, world_.components()));
    for (std::size_t i = 0; i < types.size(); ++i)
        appendImage(makeup.image, world_.components().at(types[i]), record.slots[i]);
    return makeup;
}

Makeup Recorder::settledMakeupOf(const EntityRecord& record) const {
    const Known& entry = known_[record.id.index];
    Makeup makeup;
    makeup.disabled = entry.disabled;
    makeup.enabled = entry.enabled;
    makeup.image.reserve(imageWords(*entry.shape, world_.components()));
    for (const ComponentTypeId id : entry.shape->types()) {
        const ComponentType& type = world_.components().at(id);
        if (const std::byte* slot = trackedSlotOf(record, type))
            appendImage(makeup.image, type, slot);
    }
    return makeup;
}

void Recorder::rehash(EntityRecord* record) {
    if (!record || !knows(*record)) return;
    Known& entry = known_[record->id.index];
    placeSum_ -= entry.hash;
    entry.hash = record->managed && entry.isIn
                     ? structureHash(world_, *record, {entry.shape, entry.disabled, entry.enabled})
                     : 0;
    placeSum_ += entry.hash;
}

// Those that stand, or stood, at the given places, and their younger siblings, have new elders. All of
// it as of the last reconcile: listeners may have asked for other places since.
void Recorder::rehashNeighbours(const std::vector<Step>& steps) {
    const Forest& forest = world_.forest();
    for (const Step& step : steps) {
        EntityRecord* record = find(step.id);
        rehash(record);
        if (record && record->managed)
            rehash(forest.settledYoungerAt(forest.settledParentOf(*record), record));
        const EntityRecord* parent = find(step.parent);
        if (!step.parent.isNull() && (!parent || !parent->managed)) continue;
        const EntityRecord* elder = find(step.elder);
        const bool elderIsThere =
            elder && elder->managed && forest.settledParentOf(*elder) == parent;
        if (step.elder.isNull() || elderIsThere) rehash(forest.settledYoungerAt(parent, elder));
    }
}

void Recorder::rehashAll(const Delta& delta) {
    rehashNeighbours(delta.departures);
    rehashNeighbours(delta.arrivals);
    for (const Rebinding& rebinding : delta.rebindings) rehash(find(rebinding.id));
    for (const Toggle& toggle : delta.toggles) rehash(find(toggle.id));
}

namespace {

// Blocks that a frame compares though nothing marks them: a world of 10 000 components is compared once in
// 79 frames. Measured: as many as cost nothing that can be seen beside a frame that changes little.
constexpr std::size_t blocksPerFrame = 4;

}  // namespace

Frame Recorder::takeFrame(std::int64_t number, Look look) {
    // First, as hooks may throw: then nothing is taken.
    Delta states;
    takeStates(states);
    noteRequests(states);
    return finishFrame(number, std::move(states), look);
}

Frame Recorder::takeStructure(std::int64_t number) {
    return finishFrame(number, {}, Look::Some);
}

Frame Recorder::finishFrame(std::int64_t number, Delta states, Look look) {
    Frame frame;
    frame.number = number;
    livingOn_.clear();  // play goes on: whoever is part of the frame is the history's
    frame.delta = takePending();
    frame.bases = std::exchange(pendingBases_, {});
    for (const StateKey& key : std::exchange(gone_, {})) {
        const EntityRecord* record = find(key.id);
        const bool isThere =
            record && known_[record->id.index].isIn &&
            trackedSlotOf(*record, world_.components().at(static_cast<ComponentTypeId>(key.what)));
        if (const auto* entry = states_.find(key); entry && !isThere)
            states.states.push_back({key, entry->bytes, {}});
    }
    frame.delta.states = std::move(states.states);
    for (StateChange& change : frame.delta.states) {
        State had = setState(change.key, change.after);
        if (!change.before) change.before = std::move(had);
    }
    refreshArrivals(frame.delta);
    shadow_.takeAllChanges(since_, frame.delta.words, frame.bases);
    const std::size_t blocks = validating || look == Look::All ? SIZE_MAX : blocksPerFrame;
    if (auto stray = shadow_.takeStrays(blocks, frame.delta.words, frame.bases)) {
        ++strays_.frames;
        if (!strays_.first) strays_.first = std::move(stray);
    }
    since_ = world_.getClock();
    shownClock_ = frame.clock = world_.getClock();
    frame.globals = world_.getGlobals();
    std::vector<Crossing> crossings;
    appendCrossings(frame, crossings);
    for (const Crossing& crossing : crossings)
        ++remember(world_.forest().pool.at(crossing.id.index)).mentions;
    for (const Step& step : frame.delta.departures)
        if (EntityRecord* record = find(step.id); record && step.crosses) park(*record);
    rehashAll(frame.delta);
    frame.hash = hash();
    return frame;
}

void Recorder::append(Frame& frame, const Frame& next) {
    std::vector<Crossing> apart;
    appendCrossings(frame, apart);
    appendCrossings(next, apart);
    DeltaComposer composer;
    composer.add(frame.delta);
    composer.add(next.delta);
    frame.delta = composer.finish();
    frame.bases.insert(frame.bases.end(), next.bases.begin(), next.bases.end());
    // A frame that leads over thinned ones lists its crossings itself.
    if (!frame.crossings.empty()) {
        frame.crossings = std::move(apart);
        return;
    }
    std::vector<Crossing> together;
    appendCrossings(frame, together);
    for (const Crossing& crossing : together) ++known_[crossing.id.index].mentions;
    forget(apart);
}

void Recorder::extend(Frame& frame, Look look) {
    const Frame more = takeFrame(frame.number, look);
    append(frame, more);
    frame.clock = more.clock;
    frame.globals = more.globals;
    frame.hash = more.hash;
}

void Recorder::amend(Frame& frame) {
    const Clock clock = frame.clock;
    const double seconds = frame.globals.seconds;
    const std::uint64_t ticks = frame.globals.ticks;
    extend(frame);
    // The frame is on show once more: its time has not passed yet.
    shownClock_ = frame.clock = clock;
    frame.globals.seconds = seconds;
    frame.globals.ticks = ticks;
    world_.setGlobals(frame.globals);
    frame.hash = hash();
}

void Recorder::forgetWay(Frame& frame) {
    std::vector<Crossing> crossings;
    appendCrossings(frame, crossings);
    frame.delta = {};
    frame.bases = {};
    frame.crossings = {};
    forget(crossings);
    beginStretch();
}

std::uint64_t Recorder::hash() {
    return finishHash(placeSum_ + shadow_.hashSum() + stateSum_, globalsHash(world_),
                      resourcesHash_);
}

std::size_t Recorder::bytes() const noexcept {
    return shadow_.bytes() + known_.bytes() + parkedBytes_ + stateBytes_ + states_.bytes() +
           world_.forest().lostSerials.bytes();
}

}  // namespace revenant
