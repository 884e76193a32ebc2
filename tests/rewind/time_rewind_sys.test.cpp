// Over 300 lines: a list of independent claims about one stage.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "tests/rewind/stage.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("time moves back with the ticks, at any speed, and stops at both ends", "[rewind]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(50);
    stage.rewind->start();
    CHECK(stage.rewind->getFrame() == 50);
    stage.ticks(10);
    CHECK(stage.rewind->getFrame() == 40);
    CHECK(entity.getComponent<const Position>().x == 39);
    stage.rewind->setSpeed(3);
    stage.ticks(5);
    CHECK(stage.rewind->getFrame() == 25);
    stage.rewind->setSpeed(-2);
    stage.ticks(100);
    CHECK(stage.rewind->getFrame() == 50);
    stage.rewind->setSpeed(1000);
    stage.ticks(1);
    CHECK(stage.rewind->getFrame() == 1);
    stage.rewind->stop();
    stage.rewind->stop();
    stage.ticks(2);
    CHECK(stage.rewind->getNewestFrame() == 2);
}

TEST_CASE("at speed 0 the current frame stays what it is, its time included", "[rewind]") {
    Stage stage;
    stage.spawn("walker");
    stage.ticks(10);
    const double seconds = stage.world.getTime();
    stage.rewind->start();
    stage.rewind->setSpeed(0);
    for (int i = 0; i < 3; ++i) {
        stage.ticks(1);
        CHECK(stage.world.getTime() == seconds);
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(10));
    }
    stage.rewind->stop();
    stage.ticks(2);
    CHECK(stage.rewind->getFrame() == 11);
    CHECK(stage.world.getTime() == seconds + 1.0 / 64);
}

TEST_CASE("in a hand-written loop, time passes and moves back as it does with update", "[rewind]") {
    Stage updated(RewindOptions{.seconds = 0.5});
    Stage byHand(RewindOptions{.seconds = 0.5});
    updated.spawn("entity");
    byHand.spawn("entity");
    auto tick = [&byHand] {
        byHand.world.reconcile();
        byHand.rewind->tick(1.0 / 64);
        byHand.world.getSystem("MoveSys")->tick(1.0 / 64);
    };
    auto tickBoth = [&](int count) {
        for (int i = 0; i < count; ++i) {
            updated.ticks(1);
            tick();
            REQUIRE(byHand.world.getTime() == updated.world.getTime());
            REQUIRE(byHand.rewind->getFrame() == updated.rewind->getFrame());
            REQUIRE(byHand.rewind->getOldestFrame() == updated.rewind->getOldestFrame());
            REQUIRE(stateHash(byHand.world) == stateHash(updated.world));
        }
    };
    tickBoth(100);
    CHECK(byHand.rewind->getOldestFrame() > 1);
    updated.rewind->start();
    byHand.rewind->start();
    tickBoth(10);
    CHECK(byHand.rewind->getFrame() == 90);
    updated.rewind->stop();
    byHand.rewind->stop();
    tickBoth(20);
    CHECK(byHand.rewind->getFrame() == 109);
}

TEST_CASE("a seek from inside a system acts at the next tick", "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    bool asked = false;
    stage.world.registerSystem("AskSys", [&](World&, double) {
        if (!std::exchange(asked, true)) stage.rewind->seek(3);
    });
    stage.ticks(1);
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.ticks(1);
    CHECK(stage.rewind->getFrame() == 3);
}

TEST_CASE(
    "a stop from inside a system acts at the next tick: the run goes on as if it had not been",
    "[rewind]") {
    // The system that asks ticks before those that move things, or behind them.
    const int priority = GENERATE(100, -100);
    const bool seeks = GENERATE(false, true);
    CAPTURE(priority, seeks);
    Stage straight;
    straight.spawn("entity");
    straight.ticks(40);
    Stage stage;
    stage.spawn("entity");
    bool isAsked = false;
    int ended = 0;
    stage.world.on("rewindEnded", [&](const Event&) { ++ended; });
    stage.world.registerSystem("AskSys",
                               [&](World&, double) {
                                   if (!std::exchange(isAsked, false)) return;
                                   if (seeks) stage.rewind->seek(11);
                                   stage.rewind->stop();
                                   CHECK(stage.rewind->isRewinding());
                               },
                               {.priority = priority, .tickWhileRewinding = true});
    stage.ticks(30);
    stage.rewind->start();
    stage.ticks(5);
    isAsked = true;
    stage.ticks(1);
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getFrame() == 24);
    CHECK(stage.isExact());
    CHECK(ended == 0);
    stage.ticks(1);
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK(stage.rewind->getNewestFrame() == (seeks ? 11 : 24));
    CHECK(ended == 1);
    while (*stage.rewind->getFrame() < 40) stage.ticks(1);
    for (std::int64_t frame = 1; frame <= 40; ++frame) {
        CAPTURE(frame);
        REQUIRE(stage.rewind->frameHash(frame) == straight.rewind->frameHash(frame));
    }
}

TEST_CASE("the last time request of a system holds, and one that is not possible is skipped",
          "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    std::function<void()> ask;
    stage.world.registerSystem("AskSys",
                               [&](World&, double) {
                                   if (ask) std::exchange(ask, nullptr)();
                               },
                               {.tickWhileRewinding = true});
    stage.ticks(10);
    stage.rewind->seek(5);
    ask = [&] {
        stage.rewind->stop();
        stage.rewind->seek(7);
    };
    stage.ticks(2);
    CHECK(stage.rewind->getFrame() == 7);
    CHECK(stage.rewind->getNewestFrame() == 10);
    stage.rewind->setSpeed(0);
    ask = [&] {
        stage.rewind->stop();
        stage.rewind->start();
    };
    stage.ticks(2);
    CHECK(stage.rewind->getFrame() == 7);
    CHECK(stage.rewind->isRewinding());
    ask = [&] {
        stage.rewind->step(-1);
        stage.rewind->step(-1);
    };
    stage.ticks(2);
    CHECK(stage.rewind->getFrame() == 5);
    stage.rewind->stop();
    stage.ticks(6);
    REQUIRE(stage.rewind->getFrame() == 10);
    // A frame that is gone by then: the tick records one like any other.
    ask = [&] {
        stage.rewind->seek(2);
        stage.rewind->setBudget({.seconds = 0});
    };
    stage.ticks(2);
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK(stage.rewind->getNewestFrame() == 12);
    CHECK(stage.isExact() == false);  // the systems have ticked since
    stage.rewind->start();
    CHECK(stage.isExact());
}

TEST_CASE("the first frame, a single frame and an empty world can be shown", "[rewind]") {
    Stage stage;
    stage.ticks(1);
    stage.rewind->seek(1);
    CHECK(stage.isExact());
    CHECK(stage.world.getAllManagedEntities().empty());
    stage.rewind->step(-5);
    CHECK(stage.rewind->getFrame() == 1);
    stage.rewind->stop();
    stage.spawn("late");
    stage.ticks(3);
    stage.rewind->seek(1);
    CHECK(stage.isExact());
    stage.rewind->clear();
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.rewind->getFrame().has_value());
    stage.ticks(2);
    CHECK(stage.rewind->getNewestFrame().has_value());
}

TEST_CASE("clearing the history while rewinding keeps the current frame as the present",
          "[rewind]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(20);
    stage.rewind->seek(7);
    const float x = entity.getComponent<const Position>().x;
    stage.rewind->clear();
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.rewind->getFrame().has_value());
    CHECK(entity.getRefCount() == 0);
    stage.ticks(1);
    CHECK(entity.getComponent<const Position>().x == x + 1);
    CHECK_THROWS_AS(Stage().rewind->seek(1), Error);
}

TEST_CASE("checkpoints name frames, and go with them", "[rewind]") {
    Stage stage({.seconds = 1, .bytes = std::size_t{1} << 30});
    stage.ticks(10);
    stage.rewind->setCheckpoint("door");
    stage.ticks(10);
    stage.rewind->setCheckpoint("later");
    CHECK(stage.rewind->getCheckpoint("door") == 10);
    stage.rewind->seekCheckpoint("door");
    CHECK(stage.rewind->getFrame() == 10);
    stage.rewind->stop();
    CHECK_FALSE(stage.rewind->getCheckpoint("later").has_value());
    stage.ticks(100);
    CHECK_FALSE(stage.rewind->getCheckpoint("door").has_value());
    CHECK_THROWS_WITH(stage.rewind->seekCheckpoint("door"), ContainsSubstring("door"));
    CHECK_THROWS_WITH(stage.rewind->setCheckpoint(""), ContainsSubstring("name"));
}

TEST_CASE("marks tell with which frames entities came, went and returned", "[rewind]") {
    Stage stage({.blockFrames = 4, .packInBackground = false});
    stage.spawn("first");
    stage.ticks(3);  // it came with frame 1, to which nothing leads
    Entity second = stage.spawn("second");
    stage.spawn("child", second);
    second.retain();
    stage.ticks(4);
    stage.world.removeEntity(second);
    stage.ticks(4);
    stage.world.addEntity(second);
    stage.ticks(4);
    const auto marks = stage.rewind->getMarks();
    REQUIRE(marks.size() == 3);
    CHECK(marks[0].frame == 4);
    CHECK(marks[0].births == 2);
    CHECK(marks[1].frame == 8);
    CHECK(marks[1].departures == 2);
    CHECK(marks[1].births + marks[1].returns == 0);
    CHECK(marks[2].frame == 12);
    CHECK(marks[2].returns == 2);
}

TEST_CASE("a history that is kept over a reset of its world has no frames", "[rewind]") {
    Stage stage;
    stage.spawn("player");
    stage.ticks(5);
    stage.rewind->seek(2);
    stage.world.reset();
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.rewind->getFrame());
    CHECK_FALSE(stage.rewind->getOldestFrame());
    CHECK_FALSE(stage.rewind->getNewestFrame());
    CHECK_THROWS_AS(stage.rewind->frameHash(2), Error);
    stage.world.registerSystem(stage.rewind);
    stage.ticks(1);
    CHECK(stage.rewind->getFrame() == 1);
}

TEST_CASE("a history that outlives a reset does not disturb the next one", "[rewind]") {
    Stage stage;
    stage.spawn("walker");
    stage.ticks(3);
    auto old = std::move(stage.rewind);
    stage.world.reset();
    stage.rewind = std::make_shared<TimeRewindSys>(stage.world);
    stage.world.registerSystem(stage.rewind);
    Entity entity = stage.spawn("walker");
    stage.ticks(2);
    stage.rewind->seek(2);
    old.reset();
    CHECK(stage.world.isInPast());
    CHECK(stage.rewind->getNewestFrame() == 2);
    stage.rewind->stop();
    stage.world.removeEntity(entity);
    stage.ticks(3);
    stage.rewind->seek(1);
    CHECK(entity.isValid());
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(1));
}

TEST_CASE("a reset of the world empties a history that is still referenced", "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    stage.rewind->seek(4);
    stage.world.reset();
    CHECK_FALSE(stage.world.isInPast());
    CHECK_THROWS_AS(stage.rewind->seek(4), Error);
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.world.registerSystem(stage.rewind);
    stage.spawn("another");
    stage.ticks(3);
    CHECK(stage.rewind->getNewestFrame() == 3);
    stage.rewind->seek(1);
    CHECK(stage.names() == "another ");
}

TEST_CASE("time moves by seconds, not by frames, however long the ticks were", "[rewind]") {
    Stage stage(smallBlocks());
    stage.spawn("entity");
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
        stage.world.update((1 + i * 7 % 13) / 256.0);
        times.push_back(stage.world.getTime());
    }
    double now = times.back();
    stage.rewind->start();
    for (const double speed : {1.0, 0.5, 3.0, -1.0, 2.0, -0.25, 1.0}) {
        stage.rewind->setSpeed(speed);
        for (int i = 1; i < 12; ++i) {
            const double dt = i / 128.0;
            now = std::clamp(now - speed * dt, times.front(), times.back());
            stage.world.update(dt);
            // The last frame at that time or before it.
            const auto behind = std::ranges::upper_bound(times, now + 1e-6);
            CHECK(*stage.rewind->getFrame() == behind - times.begin());
        }
        CHECK(stage.isExact());
    }
}

TEST_CASE("frames go on being numbered one by one, whatever is dropped", "[rewind]") {
    Stage stage({.seconds = 0.25});
    stage.ticks(40);
    CHECK(stage.rewind->getNewestFrame() == 40);
    CHECK(stage.rewind->getBudget().seconds == 0.25);
    stage.rewind->clear();
    stage.ticks(1);
    CHECK(stage.rewind->getOldestFrame() == 41);
    CHECK(stage.rewind->getNewestFrame() == 41);
    stage.rewind->setBudget({.seconds = 0, .bytes = 0});  // the current frame stays
    stage.ticks(5);
    CHECK(stage.rewind->getOldestFrame() == 46);
    stage.rewind->start();
    stage.ticks(3);
    CHECK(stage.rewind->getFrame() == 46);
    CHECK(stage.isExact());
}

TEST_CASE("a world has one history, from the time it is made until it ends or the world is reset",
          "[rewind]") {
    World world;
    auto first = std::make_shared<TimeRewindSys>(world);
    CHECK_THROWS_WITH(TimeRewindSys(world), ContainsSubstring("has a history already"));
    world.reset();
    auto second = std::make_shared<TimeRewindSys>(world);
    world.reconcile();
    second->tick(0.5);
    CHECK_THROWS_WITH(first->tick(0.5), ContainsSubstring("has a history already"));
    world.reconcile();
    second->tick(0.5);
    second->seek(1);
    CHECK(stateHash(world) == second->frameHash(1));
    second.reset();
    CHECK_NOTHROW(first->tick(0.5));
}
