#include "tests/soak/tester.hpp"

#include <algorithm>

#include "rewind/state_hash.hpp"

namespace soak {

namespace {

constexpr std::uint64_t ticksBetweenDeeds = 60;
constexpr std::uint64_t ticksBetweenChecks = 16;
constexpr std::size_t keptDeeds = 24;

RewindOptions firstOptions(std::mt19937_64& random) {
    static constexpr std::size_t blocks[] = {3, 16, 64, 600};
    return {.seconds = 20,
            .bytes = std::size_t{1} << 20,
            .blockFrames = blocks[random() % 4],
            .pack = random() % 8 != 0,
            .packInBackground = random() % 3 != 0};
}

}  // namespace

Tester::Tester(std::uint64_t seed, std::string scratchFile, Tally& tally)
    : random_(seed),
      scratchFile_(std::move(scratchFile)),
      tally_(tally),
      playground_(firstOptions(random_)) {
    playground_.world.setRandomSeed(random_());
    // Right after the frame was recorded, before anything else happens.
    playground_.world.registerSystem(
        "WitnessSys",
        [this](World& world, double) {
            checkBudget();
            if (tally_.ticks % ticksBetweenChecks == 0)
                require(stateHash(world) == playground_.rewind->frameHash(shownFrame()),
                        "the hash of the recorded frame is not that of the world");
        },
        {.priority = 1 << 30});
}

const std::vector<Tester::Choice>& Tester::choices() {
    static const std::vector<Choice> all = {
        {"scrub", 20, &Tester::scrub},
        {"wind back", 15, &Tester::windBack},
        {"resume somewhere", 20, &Tester::resumeSomewhere},
        {"write in the past", 5, &Tester::writeInThePast},
        {"write in the past and leave", 5, &Tester::dropWrites},
        {"change the budget", 6, &Tester::changeBudget},
        {"set a checkpoint", 5, &Tester::setCheckpoint},
        {"seek a checkpoint", 5, &Tester::seekCheckpoint},
        {"clear", 1, &Tester::clear},
        {"save and load", 1, &Tester::saveAndLoad},
        {"compare frames", 1, &Tester::compare},
        {"toggle the sync test", 1, &Tester::toggleSyncTest},
        {"retain or release", 12, &Tester::retainOrRelease},
        {"resurrect", 6, &Tester::resurrect},
        {"add a stranger", 6, &Tester::addStranger},
        {"remove a stranger", 5, &Tester::removeStranger},
        {"edit", 3, &Tester::edit},
    };
    return all;
}

void Tester::tick() {
    if (hasHistory() && draw(ticksBetweenDeeds) == 0) {
        static const unsigned total = [] {
            unsigned sum = 0;
            for (const Choice& choice : choices()) sum += choice.weight;
            return sum;
        }();
        auto at = static_cast<unsigned>(draw(total));
        auto choice = choices().begin();
        while (at >= choice->weight) at -= (choice++)->weight;
        deeds_.push_back(sentence("frame ", shownFrame(), ": ", choice->name));
        if (deeds_.size() > keptDeeds) deeds_.pop_front();
        (this->*choice->deed)();
        checkWorld();
    }
    play();
}

std::vector<std::string> Tester::lastDeeds() const {
    return {deeds_.begin(), deeds_.end()};
}

std::string Tester::describe() const {
    const WorldStats stats = playground_.world.getStats();
    const TimeRewindSys& rewind = *playground_.rewind;
    return sentence(stats.managed, " entities, ", stats.zombies, " zombies, ", stats.shapes,
                    " shapes, ", stats.strings, " strings, frames ",
                    rewind.getOldestFrame().value_or(0), " to ",
                    rewind.getNewestFrame().value_or(0), " in ", rewind.getMemory() / 1024, " KiB");
}

void Tester::require(bool holds, const std::string& sentence) const {
    if (!holds) throw Failure(sentence);
}

std::int64_t Tester::nextFrame() const {
    return resuming_ ? shownFrame() : lastFrame_ + 1;
}

std::int64_t Tester::anyFrame() {
    const std::int64_t oldest = *playground_.rewind->getOldestFrame();
    const std::int64_t newest = *playground_.rewind->getNewestFrame();
    return oldest +
           static_cast<std::int64_t>(draw(static_cast<std::uint64_t>(newest - oldest + 1)));
}

// Something is done that the systems would not do again.
void Tester::meddle() {
    ledger_.meddle(nextFrame());
    playground_.rewind->forgetSyncSteps();
    ++tally_.meddled;
}

void Tester::play() {
    TimeRewindSys& rewind = *playground_.rewind;
    playground_.tick(nextFrame());
    ++tally_.ticks;
    const bool wasResuming = std::exchange(resuming_, false);
    const std::int64_t frame = lastFrame_ = shownFrame();
    const std::uint64_t hash = rewind.frameHash(frame);
    if (const auto expected = ledger_.expected(frame)) {
        require(hash == *expected, sentence("frame ", frame, wasResuming ? ", resumed from," : ",",
                                            " came out differently when it was played again"));
        ++tally_.resimulated;
    }
    ledger_.record(frame, hash);
    ledger_.forgetBefore(*rewind.getOldestFrame());
    if (const auto& report = rewind.getSyncReport())
        throw Failure("sync test: " + report->describe());
    if (tally_.ticks % ticksBetweenChecks == 0) checkWorld();
}

void Tester::checkBudget() {
    const TimeRewindSys& rewind = *playground_.rewind;
    require(
        rewind.getMemory() <= rewind.getBudget().bytes ||
            rewind.getOldestFrame() == rewind.getFrame(),
        sentence("the history holds ", rewind.getMemory(), " bytes of ", rewind.getBudget().bytes));
}

void Tester::checkWorld() {
    const std::vector<std::string> problems = playground_.world.validate();
    if (!problems.empty()) throw Failure("validator: " + problems.front());
}

void Tester::checkShown() {
    World& world = playground_.world;
    const std::int64_t frame = shownFrame();
    const std::uint64_t recorded = playground_.rewind->frameHash(frame);
    const auto expected = ledger_.expected(frame);
    require(!expected || *expected == recorded,
            sentence("the hash of frame ", frame, " is not the one it was recorded with"));
    require(stateHash(world) == recorded, sentence("frame ", frame, " is shown wrongly"));
    checkWorld();
    ++tally_.shown;
}

void Tester::show(std::int64_t frame) {
    playground_.rewind->seek(frame);
    require(shownFrame() == frame, sentence("frame ", frame, " was sought, and another is shown"));
    checkShown();
}

void Tester::resume() {
    ledger_.resumeFrom(shownFrame());
    playground_.rewind->stop();
    resuming_ = true;
    require(playground_.rewind->getNewestFrame() == playground_.rewind->getFrame(),
            "play was resumed, and there is a future");
    // Entities of a future that was dropped are gone, no matter what counts on them.
    std::erase_if(retained_, [this](const Retained& each) {
        return each.since > shownFrame() && !each.entity.isValid();
    });
}

}  // namespace soak
