#include "rewind/record/recorder.hpp"

#include <algorithm>
#include <utility>

#include "rewind/history/delta_composer.hpp"
#include "rewind/record/record_validator.hpp"
#include "rewind/record/state_hash.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

namespace revenant {

Recorder::Recorder(WorldCore& world)
    : world_(world),
      known_(world),
      shadow_(world),
      parking_(world, known_),
      births_(world, known_, parking_),
      states_(world, known_, shadow_),
      outsiders_(world, known_, parking_, births_),
      custody_(world, known_, shadow_, parking_, births_, states_, outsiders_),
      journal_(world, known_, shadow_, states_, custody_),
      requests_(world, states_),
      applier_(world, known_, shadow_, parking_, births_, states_, outsiders_, custody_) {}

void Recorder::begin() {
    isOn_ = true;
    ++run_;
    world_.forest().setKeepsRoots(true);
}

void Recorder::start() {
    begin();
    for (const OrderNode& node : world_.forest().order.nodes())
        if (EntityRecord& record = world_.forest().recordOf(node);
            !node.closes && isRewindable(record)) {
            custody_.welcome(record);
            known_.rehash(&record);
        }
    outsiders_.watchAll();
    known_.setSince(world_.getClock());
}

void Recorder::stop() {
    requests_.drop();
    Restorer restorer(world_);
    const auto count = static_cast<std::uint32_t>(
        std::min<std::size_t>(known_.size(), world_.forest().pool.count()));
    for (std::uint32_t i = 0; i < count; ++i)
        if (EntityRecord& record = world_.forest().pool.at(i); known_.knows(record)) {
            custody_.letGo(record);
            if (!record.unborn) continue;
            restorer.setUnborn(record, false);
            world_.forest().touch(record);
        }
    parking_.freeReleased();
    known_.clear();
    shadow_.clear();
    parking_.clear();
    births_.clear();
    states_.clear();
    outsiders_.clear();
    journal_.clear();
    applier_.clear();
    resetCall_ = nullptr;
    strays_ = {};
    isOn_ = false;
    world_.forest().lostSerials.clear();
    world_.components().strings().forgetSweeps();
    world_.forest().setKeepsRoots(false);
}

// The next frame begins with a new snapshot of the world.
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

void Recorder::onReconcile(const ChangeSet& changes) {
    if (!isOn_ || applier_.isApplying()) return;
    parking_.freeReleased();
    journal_.onReconcile(changes);
}

void Recorder::onRescope(EntityRecord& record, bool rewindable) {
    if (isOn_) journal_.onRescope(record, rewindable);
}

void Recorder::onUnborn(EntityRecord& record) {
    if (known_.knows(record)) parking_.park(record);
}

namespace {

// Blocks that a frame compares though nothing marks them: a world of 10 000 components is compared once in
// 79 frames. Measured: as many as cost nothing that can be seen beside a frame that changes little.
constexpr std::size_t blocksPerFrame = 4;

}  // namespace

Frame Recorder::takeFrame(std::int64_t number, Look look) {
    // First, as hooks may throw: then nothing is taken.
    std::vector<StateChange> states;
    states_.take(states);
    states_.takeOutside(states, validating || look == Look::All);
    requests_.note(states);
    states_.takeResources(states);
    return finishFrame(number, std::move(states), look);
}

Frame Recorder::finishFrame(std::int64_t number, std::vector<StateChange> states, Look look) {
    Frame frame;
    frame.number = number;
    applier_.endLivingOn();
    const std::vector<EntityId> departed = journal_.departed();
    frame.delta = journal_.take(frame.bases);
    states_.takeGone(states);
    frame.delta.states = std::move(states);
    states_.set(frame.delta.states);
    journal_.refreshArrivals(frame.delta);
    const bool comparesAll = validating || look == Look::All;
    outsiders_.note(frame.delta, shadow_, comparesAll);
    shadow_.takeAllChanges(known_.since(), frame.delta.words, frame.bases);
    const std::size_t blocks = comparesAll ? SIZE_MAX : blocksPerFrame;
    if (auto stray = shadow_.takeStrays(blocks, frame.delta.words, frame.bases)) {
        ++strays_.frames;
        if (!strays_.first) strays_.first = std::move(stray);
    }
    frame.clock = world_.getClock();
    known_.setSince(frame.clock);
    births_.setClock(frame.clock);
    frame.globals = world_.getGlobals();
    std::vector<Crossing> crossings;
    crossings.reserve(frame.delta.arrivals.size() + frame.delta.departures.size());
    appendCrossings(frame, crossings);
    custody_.mention(crossings);
    const std::vector<Step>& departures = frame.delta.departures;
    for (std::size_t i = 0; i < departures.size(); ++i) {
        known_.prefetchAhead(departures, i);
        if (EntityRecord* record = known_.find(departures[i].id); record && departures[i].crosses)
            parking_.park(*record);
    }
    for (const EntityId id : departed) custody_.forgetIfOnly(id, 0);
    known_.rehashAll(frame.delta);
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
    custody_.mention(together);
    forget(apart);
}

void Recorder::extend(Frame& frame, Look look) {
    const Frame more = takeFrame(frame.number, look);
    append(frame, more);
    frame.clock = more.clock;
    frame.globals = more.globals;
    frame.hash = more.hash;
}

void Recorder::amend(Frame& frame, const Frame* unrecorded) {
    // The frame is current once more: its tick has not run yet. Hooks are to see the time that they saw then.
    const Clock clock = frame.clock;
    WorldGlobals globals = world_.getGlobals();
    globals.seconds = frame.globals.seconds;
    globals.ticks = frame.globals.ticks;
    world_.setGlobals(globals);
    const Frame more = takeFrame(frame.number);
    if (unrecorded) append(frame, *unrecorded);
    append(frame, more);
    frame.clock = clock;
    births_.setClock(clock);
    frame.globals = more.globals;
    frame.hash = more.hash;
}

std::vector<Crossing> Recorder::forgetWay(Frame& frame) {
    std::vector<Crossing> crossings;
    appendCrossings(frame, crossings);
    frame.delta = {};
    frame.bases = {};
    frame.crossings = {};
    beginBlock();
    return crossings;
}

void Recorder::settleNewborns(Clock clock) {
    Restorer(world_).settleNewborns(clock);
}

void Recorder::forget(std::span<const Crossing> crossings) {
    custody_.forget(crossings, journal_.crossing());
    applier_.forgetHomes();
}

void Recorder::expectWrites() noexcept {
    known_.setSince(world_.getClock() + 1);
}

void Recorder::discardWrites() {
    constexpr std::size_t blocksPerMove = 4;
    shadow_.revertAll(known_.since());
    shadow_.revertStrays(blocksPerMove);
    outsiders_.revert();
    states_.discardWrites();
}

std::vector<Crossing> Recorder::dropRequests(const FrameHeader& last, Clock clock) {
    std::vector<Crossing> crossings;
    if (world_.forest().pending.empty()) return crossings;
    world_.reconcileAs(ReconcileMode::Silent);
    const Frame asked = takeStructure(last.number + 1);
    FrameHeader to = last;
    to.clock = clock;
    undo(asked.delta, {}, to);
    births_.setClock(last.clock);
    appendCrossings(asked, crossings);
    return crossings;
}

std::uint64_t Recorder::hash() {
    return finishHash(known_.hashSum() + shadow_.hashSum() + states_.hashSum(), globalsHash(world_),
                      states_.resourcesHash());
}

std::size_t Recorder::bytes() const noexcept {
    return shadow_.bytes() + known_.bytes() + parking_.bytes() + outsiders_.bytes() +
           states_.bytes() + world_.forest().lostSerials.bytes();
}

void Recorder::validate(std::vector<std::string>& problems) const {
    if (!isOn_) return;
    known_.validate(problems);
    applier_.validate(problems);
}

void Recorder::validateFrames(std::span<const Crossing> kept,
                              std::vector<std::string>& problems) const {
    if (!isOn_) return;
    validateKnown(world_, known_, shadow_, journal_, kept, problems);
    births_.validate(problems);
    parking_.validate(problems);
}

}  // namespace revenant
