#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <string>
#include <vector>

#include "rewind/file/history_file.hpp"
#include "tests/rewind/stage.hpp"

using namespace revenant;

namespace {

// Heroes come with the third tick; a listener asks for a shadow for each.
struct Court : Stage {
    Court() {
        world.on("entityAdded", [this](const Event& event) {
            if (event.name != "hero" || world.isInPast()) return;
            spawn("shadow");
            Entity hero = event.entity;
            hero.setEnabled(false);
            hero.removeComponent<Position>();
        });
        world.registerSystem("SpawnSys", [this](World& w, double) {
            if (w.getTick() == 3) spawn("hero");
        });
    }
    void playTo(std::int64_t frame) {
        while (rewind->getNewestFrame().value_or(0) < frame) ticks(1);
    }
};

}  // namespace

TEST_CASE("what listeners ask for while a frame is made comes back with the frame", "[rewind]") {
    Court straight;
    straight.playTo(8);
    for (const std::int64_t at : {2, 3, 4, 5}) {
        for (const std::int64_t newest : {5, 6, 8}) {
            CAPTURE(at, newest);
            Court court;
            court.playTo(newest);
            court.rewind->seek(at);
            court.rewind->stop();
            court.playTo(8);
            while (*court.rewind->getFrame() < 8) court.ticks(1);
            for (std::int64_t frame = 1; frame <= 8; ++frame)
                CHECK(court.rewind->frameHash(frame) == straight.rewind->frameHash(frame));
            CHECK(court.names() == straight.names());
            CHECK(court.rewind->validate().empty());
        }
    }
}

TEST_CASE("the first frame of a history does not have what listeners asked for while it was made",
          "[rewind]") {
    Stage stage;
    stage.world.on("entityAdded", [&](const Event& event) {
        if (stage.world.isInPast() || event.name == "shadow") return;
        Entity hero = event.entity;
        if (event.name == "hero")
            hero.setEnabled(false);
        else if (event.name == "nude")
            hero.removeComponent<Position>();
        else
            hero.setComponentEnabled("PositionCMP", false);
    });
    const auto view = stage.world.view<Position>();
    auto seen = [&] {
        std::string names;
        view.each([&](Entity entity, const Position&) { names += entity.getName() + " "; });
        return names;
    };
    std::vector<std::string> frames(1);
    stage.world.registerSystem("WitnessSys", [&](World& w, double) {
        if (!w.isInPast()) frames.push_back(seen());
    });
    stage.spawn("hero");
    stage.spawn("nude");
    stage.spawn("blind");
    const bool isCleared = GENERATE(false, true);
    if (isCleared) {
        // A history that is cleared begins anew.
        stage.ticks(3);
        stage.rewind->clear();
        for (Entity entity : stage.world.getAllManagedEntities()) stage.world.removeEntity(entity);
        stage.world.reconcile();
        for (const char* name : {"hero", "nude", "blind"}) stage.spawn(name);
        frames.resize(1);
    }
    stage.ticks(3);
    const std::int64_t first = *stage.rewind->getOldestFrame();
    REQUIRE(frames[1] == "hero nude blind ");
    REQUIRE(frames[2].empty());
    for (const std::int64_t frame : {2, 0, 1, 0}) {
        stage.rewind->seek(first + frame);
        CHECK(seen() == frames[static_cast<std::size_t>(frame) + 1]);
        CHECK(stage.isExact());
        CHECK(stage.rewind->validate().empty());
    }
    stage.rewind->stop();  // what they asked for is asked for again
    stage.ticks(2);
    CHECK(seen().empty());
}

TEST_CASE("what waits is asked for again in a world that loaded the history", "[rewind]") {
    Court straight;
    straight.playTo(8);
    for (const std::int64_t newest : {4, 6}) {
        CAPTURE(newest);
        Court court;
        court.playTo(newest);
        if (newest > 4) court.rewind->seek(4);
        Court other;
        other.rewind->openHistory(parseHistory(writeHistory(court.rewind->takeHistory())));
        other.rewind->stop();
        other.playTo(8);
        for (std::int64_t frame = 4; frame <= 8; ++frame)
            CHECK(other.rewind->frameHash(frame) == straight.rewind->frameHash(frame));
    }
}

TEST_CASE("an entity that is resumed from the oldest frame is released with its last frame",
          "[rewind]") {
    for (const std::int64_t at : {1, 3, 5}) {
        CAPTURE(at);
        Stage stage({.seconds = 0.2});
        stage.ticks(5);
        stage.rewind->seek(at);
        stage.rewind->stop();
        Entity late = stage.spawn("late");
        stage.ticks(2);
        stage.world.removeEntity(late);
        stage.ticks(40);
        CHECK(late.getState() == EntityState::Destroyed);
        CHECK(stage.rewind->validate().empty());
    }
}

TEST_CASE("beginning to rewind while nothing is recorded does nothing", "[rewind]") {
    Stage stage;
    stage.rewind->start();
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.ticks(1);
    CHECK_FALSE(stage.rewind->isRewinding());
}

TEST_CASE(
    "the sync test of a hand-written loop runs the step that it is given, and refuses without one",
    "[rewind]") {
    Stage stage;
    Entity one = stage.spawn("one");
    auto step = [&](double) { one.getComponent<Position>().x += 2; };
    auto play = [&](int ticks) {
        for (int i = 0; i < ticks; ++i) {
            stage.world.reconcile();
            stage.rewind->tick(1.0 / 64);
            step(1.0 / 64);
        }
    };
    stage.rewind->setSyncTest(3, step);
    play(10);
    CHECK_FALSE(stage.rewind->getSyncReport());
    stage.rewind->setSyncTest(3);
    CHECK_THROWS_AS(play(1), Error);
    stage.rewind->setSyncTest(0);
    play(1);
}

TEST_CASE("what a frame has a request of is kept with it, also where it is the only frame",
          "[rewind]") {
    const double seconds = GENERATE(0.0, 60.0);
    const bool resumes = GENERATE(false, true);
    CAPTURE(seconds, resumes);
    Stage stage({.seconds = seconds});
    Entity shadow;
    stage.world.on("entityAdded", [&](const Event& event) {
        if (event.name == "hero" && !stage.world.isInPast()) shadow = stage.spawn("shadow");
    });
    stage.ticks(3);
    stage.spawn("hero");
    stage.ticks(1);
    REQUIRE(shadow.getState() == EntityState::PendingAdd);
    if (resumes) {
        stage.rewind->seek(4);
        stage.rewind->stop();
        stage.ticks(1);
        REQUIRE(shadow.getState() == EntityState::PendingAdd);
    }
    stage.world.removeEntity(shadow);
    CHECK_THROWS_AS(shadow.destroy(), Error);
    CHECK(stage.rewind->validate().empty());
    for (int i = 0; i < 3; ++i) {
        stage.ticks(1);
        CHECK(stage.rewind->validate().empty());
        CHECK(stage.world.validate().empty());
    }
    stage.rewind->seek(*stage.rewind->getOldestFrame());
    CHECK(stage.isExact());
    CHECK(stage.rewind->validate().empty());
}
