// The actions of the tester beside playing.
#include <algorithm>

#include "rewind/file/history_file.hpp"
#include "rewind/state_hash.hpp"
#include "tests/soak/tester.hpp"

namespace soak {

void Tester::scrub() {
    for (std::uint64_t i = 1 + draw(6); i > 0; --i) {
        if (draw(3) > 0) {
            show(anyFrame());
        } else {
            playground_.rewind->step(static_cast<std::int64_t>(draw(9)) - 4);
            checkShown();
        }
    }
    show(*playground_.rewind->getNewestFrame());
    resume();
}

void Tester::windBack() {
    TimeRewindSys& rewind = *playground_.rewind;
    static constexpr double speeds[] = {0.25, 1, 4, -1, -0.5, 30};
    rewind.start();
    for (std::uint64_t i = 1 + draw(40); i > 0; --i) {
        if (draw(8) == 0) rewind.setSpeed(speeds[draw(std::size(speeds))]);
        playground_.world.update(1.0 / 64);
        ++tally_.ticks;
        checkShown();
        if (const Entity one = playground_.pick(random_()); one && one.hasComponent("BodyCMP"))
            require(rewind.getDisplay(one, "BodyCMP") != nullptr, "nothing is there to display");
    }
    rewind.setSpeed(1);
    resume();
}

void Tester::resumeSomewhere() {
    show(anyFrame());
    resume();
}

// What is written in the past counts where play resumes.
void Tester::writeInThePast() {
    show(anyFrame());
    Entity one = playground_.pick(random_());
    if (!one) return resume();
    bool refused = false;
    try {
        playground_.world.removeEntity(one);
    } catch (const Error&) {
        refused = true;
    }
    require(refused, "an entity was removed from the past");
    if (auto* gauge = one.findComponent<Gauge>()) ++gauge->ticks;
    resume();
    meddle();
}

void Tester::dropWrites() {
    show(anyFrame());
    for (int i = 0; i < 3; ++i) {
        const Entity one = playground_.pick(random_());
        if (!one) continue;
        if (auto* body = one.findComponent<Body>()) body->x = -1;
        if (auto* gauge = one.findComponent<Gauge>()) gauge->tag = 99;
    }
    playground_.world.random();
    show(anyFrame());
    resume();
}

void Tester::changeBudget() {
    static constexpr std::size_t bytes[] = {256 << 10, 1 << 20, 2 << 20, 4 << 20};
    static constexpr double seconds[] = {0.5, 4, 20, 60};
    RewindOptions options = playground_.rewind->getBudget();
    options.bytes = bytes[draw(4)];
    options.seconds = seconds[draw(4)];
    playground_.rewind->setBudget(options);
    ledger_.forgetBefore(*playground_.rewind->getOldestFrame());
    checkBudget();
}

void Tester::setCheckpoint() {
    playground_.rewind->setCheckpoint("mark " + std::to_string(draw(8)));
}

void Tester::seekCheckpoint() {
    const std::vector<Checkpoint> all = playground_.rewind->getCheckpoints();
    if (all.empty()) return;
    const auto& [name, frame] = all[draw(all.size())];
    playground_.rewind->seekCheckpoint(name);
    require(shownFrame() == frame, "a checkpoint led to another frame");
    checkShown();
    if (draw(4) == 0) playground_.rewind->removeCheckpoint(name);
    resume();
}

void Tester::clear() {
    playground_.rewind->clear();
    ledger_.clear();
    resuming_ = false;
    require(!hasHistory(), "the history was cleared, and has frames");
}

// Another world opens the file, shows the same frames and plays on in the same way.
void Tester::saveAndLoad() {
    playground_.rewind->saveHistory(scratchFile_);
    Playground other({.packInBackground = draw(2) == 0});
    other.rewind->loadHistory(scratchFile_);
    ++tally_.files;
    for (int i = 0; i < 4; ++i) {
        const std::int64_t frame = anyFrame();
        other.rewind->seek(frame);
        require(stateHash(other.world) == playground_.rewind->frameHash(frame),
                sentence("frame ", frame, " of a saved history is shown wrongly"));
    }
    const std::int64_t from = *other.rewind->getFrame();
    const std::int64_t last = std::min(ledger_.lastFrom(from), from + 50);
    other.rewind->stop();
    for (std::int64_t frame = from; frame <= last; ++frame) {
        other.tick(frame);
        require(
            other.rewind->frameHash(frame) == *ledger_.expected(frame),
            sentence("frame ", frame, " came out differently in a world that loaded the history"));
        ++tally_.resimulated;
    }
    const std::vector<std::string> problems = other.world.validate();
    if (!problems.empty())
        throw Failure("validator, of the world that loaded: " + problems.front());
}

void Tester::compare() {
    const auto found = playground_.rewind->compareFrames(anyFrame(), anyFrame(), 4);
    require(found.size() <= 4, "more differences than were asked for");
    checkShown();
    resume();
}

void Tester::toggleSyncTest() {
    TimeRewindSys& rewind = *playground_.rewind;
    rewind.setSyncTest(rewind.getSyncTest() > 0 ? 0 : 1 + draw(4));
}

void Tester::retainOrRelease() {
    if (retained_.size() > 6 || (!retained_.empty() && draw(2) == 0)) {
        const auto which = retained_.begin() + static_cast<std::ptrdiff_t>(draw(retained_.size()));
        require(which->entity.isValid(), "an entity was destroyed that is still counted on");
        which->entity.release();
        retained_.erase(which);
    } else if (Entity one = playground_.pick(random_());
               one && one.hasComponent<Keepsake>() && !one.getParent().isValid()) {
        one.retain();
        retained_.push_back({one, shownFrame()});
    }
}

// A zombie comes back, no matter what counts on it.
void Tester::resurrect() {
    for (const Entity zombie : playground_.world.getZombies()) {
        if (zombie.getParent().isValid() || !zombie.isRewindable() || draw(4) > 0) continue;
        meddle();
        playground_.world.addEntity(zombie);
        return;
    }
}

void Tester::addStranger() {
    if (strangers_.size() > 12) return removeStranger();
    const bool isInThePast = draw(2) == 0;
    if (isInThePast)
        show(anyFrame());
    else
        meddle();  // entities that come later have other serials
    World& world = playground_.world;
    Entity made = world.newEntity("stranger");
    made.setRewindable(false);
    made.addComponent<Gauge>();
    strangers_.push_back(made);
    Entity parent =
        draw(2) == 0 ? strangers_[draw(strangers_.size())] : playground_.pick(random_());
    const bool canHang = parent != made && parent.getState() == EntityState::Managed &&
                         !(isInThePast && parent.isRewindable());
    if (canHang)
        parent.addChild(made);
    else
        world.addEntity(made);
    if (!isInThePast) return;
    world.update(0);
    resume();
    meddle();
}

void Tester::removeStranger() {
    if (strangers_.empty()) return;
    const Entity gone = strangers_[draw(strangers_.size())];
    std::erase(strangers_, gone);
    if (gone.isValid() && gone.getState() == EntityState::Managed)
        playground_.world.removeEntity(gone);
}

// As a tool does: whatever it likes, between ticks.
void Tester::edit() {
    meddle();
    World& world = playground_.world;
    world.setRandomSeed(random_());
    world.setResource("edited", Value(static_cast<std::int64_t>(draw(99))), {.rewind = true});
    for (std::uint64_t i = draw(3); i > 0; --i) {
        Entity one = playground_.pick(random_());
        if (one && one.getState() == EntityState::Managed) world.removeEntity(one);
    }
}

}  // namespace soak
