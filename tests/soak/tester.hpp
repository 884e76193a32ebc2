// Tester: plays in a playground, scrubs through its past, loads, saves, changes budgets and meddles,
// all at random, and checks after each step everything that must hold. Throws Failure where it does not.
// One seed plays one game; only the time at which packed frames are ready differs from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/soak/ledger.hpp"
#include "tests/soak/playground.hpp"

namespace soak {

struct Failure : std::runtime_error {
    using runtime_error::runtime_error;
};

struct Tally {
    std::uint64_t ticks = 0;
    std::uint64_t shown = 0;        // frames that were sought and looked at
    std::uint64_t resimulated = 0;  // frames that came again as they had been
    std::uint64_t meddled = 0;
    std::uint64_t files = 0;
};

class Tester {
public:
    Tester(std::uint64_t seed, std::string scratchFile, Tally& tally);

    // One tick of play, and now and then something else before it.
    void tick();
    std::string describe() const;                // in a few words
    std::vector<std::string> lastDeeds() const;  // the newest last

private:
    using Deed = void (Tester::*)();
    struct Choice {
        const char* name;
        unsigned weight;
        Deed deed;
    };
    static const std::vector<Choice>& choices();

    // What a tester does.
    void scrub();
    void windBack();
    void resumeSomewhere();
    void writeInThePast();
    void dropWrites();
    void changeBudget();
    void setCheckpoint();
    void seekCheckpoint();
    void clear();
    void saveAndLoad();
    void compare();
    void toggleSyncTest();
    void retainOrRelease();
    void resurrect();
    void addStranger();
    void removeStranger();
    void edit();

    void play();
    void show(std::int64_t frame);
    void resume();
    void checkShown();
    void checkWorld();
    void checkBudget();
    void meddle();
    void require(bool holds, const std::string& sentence) const;
    bool hasHistory() const { return playground_.rewind->getFrame().has_value(); }
    std::int64_t shownFrame() const { return *playground_.rewind->getFrame(); }
    std::int64_t nextFrame() const;
    std::int64_t anyFrame();
    std::uint64_t draw(std::uint64_t below) { return random_() % below; }

    std::mt19937_64 random_;
    std::string scratchFile_;
    Tally& tally_;
    Playground playground_;
    Ledger ledger_;
    struct Retained {
        Entity entity;
        std::int64_t since;  // a frame at which it was in
    };
    std::vector<Retained> retained_;
    std::vector<Entity> strangers_;  // that the history does not know
    std::deque<std::string> deeds_;
    std::int64_t lastFrame_ = 0;
    bool resuming_ = false;  // the current frame is amended by the next tick
};

}  // namespace soak
