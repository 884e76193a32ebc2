#include <catch2/catch_test_macros.hpp>

#include "tests/rewind/stage.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("an entity is unborn before it is made, detached until it is added, managed then",
          "[rewind]") {
    Stage stage;
    stage.ticks(3);
    Entity made = stage.world.newEntity("made");
    Entity child = stage.world.newEntity("child");
    made.addChild(child);
    stage.ticks(3);
    stage.world.addEntity(made);
    stage.ticks(3);
    auto check = [&](std::int64_t frame) {
        CAPTURE(frame);
        stage.rewind->seek(frame);
        const auto expected = frame <= 3   ? EntityState::Unborn
                              : frame <= 6 ? EntityState::Detached
                                           : EntityState::Managed;
        CHECK(made.getState() == expected);
        CHECK(child.getState() == expected);
        if (expected != EntityState::Unborn) CHECK(child.getParent() == made);
        CHECK(stage.world.validate().empty());
        CHECK(stage.rewind->validate().empty());
    };
    for (const std::int64_t frame : {9, 5, 3, 6, 2, 4, 7, 1, 8, 4}) check(frame);
    stage.rewind->stop();
    CHECK(made.getState() == EntityState::Detached);
    stage.world.addEntity(made);
    stage.ticks(2);
    CHECK(child.getState() == EntityState::Managed);
    stage.rewind->seek(2);
    CHECK(made.getState() == EntityState::Unborn);
    stage.rewind->stop();
    CHECK(made.getState() == EntityState::Destroyed);
}

TEST_CASE("what was made in a dropped future and never added counts as made where play resumed",
          "[rewind]") {
    Stage stage;
    stage.spawn("first");
    stage.ticks(3);
    Entity hero = stage.world.newEntity("hero");
    stage.rewind->seek(2);
    stage.rewind->stop();
    CHECK(hero.getState() == EntityState::Detached);
    stage.world.setMainCharacter(hero);
    stage.ticks(1);
    const std::uint64_t hash = stage.rewind->frameHash(2);
    stage.world.addEntity(hero);
    stage.ticks(1);
    stage.rewind->seek(2);
    CHECK(hero.getState() == EntityState::Detached);
    CHECK(stateHash(stage.world) == hash);
    stage.rewind->seek(1);
    CHECK(hero.getState() == EntityState::Unborn);
    stage.rewind->seek(2);
    stage.rewind->stop();
    CHECK(hero.getState() == EntityState::Detached);
    CHECK(stateHash(stage.world) == hash);
}

TEST_CASE(
    "what is made while the past is shown leaves its frame as it is, with a serial of its own",
    "[rewind]") {
    Stage stage;
    stage.spawn("first");
    stage.ticks(4);
    stage.rewind->seek(2);
    Entity made = stage.world.newEntity("made");
    stage.rewind->seek(2);
    CHECK(stage.isExact());
    stage.rewind->stop();
    Entity next = stage.world.newEntity("next");
    const auto serialOf = [&](Entity entity) {
        return WorldCore::of(stage.world).forest().pool.find(entity.getId())->serial;
    };
    CHECK(serialOf(made) != serialOf(next));
}

TEST_CASE("events pair up where time goes back past what came in since the last frame",
          "[rewind]") {
    Stage stage;
    std::string heard;
    for (const char* event : {"entityAdded", "entityRemoved", "entityDestroyed"})
        stage.world.on(event, [&heard, event](const Event& told) {
            heard += std::string(event) + (told.entity.isValid() ? "+ " : "- ");
        });
    stage.ticks(3);
    Entity shot = stage.spawn("shot");
    stage.world.reconcile();
    stage.rewind->start();
    CHECK(heard == "entityAdded+ entityRemoved+ entityDestroyed- ");
    CHECK(shot.getState() == EntityState::Destroyed);
}

TEST_CASE("a non-rewindable entity whose removal waits leaves with an event before it is destroyed",
          "[rewind]") {
    for (const std::int64_t frame : {1, 3}) {
        Stage stage;
        Entity hud = stage.world.newEntity("hud");
        hud.setRewindable(false);
        stage.world.addEntity(hud);
        stage.ticks(3);
        std::string heard;
        for (const char* event : {"entityRemoved", "entityDestroyed"})
            stage.world.on(event, [&heard, event](const Event&) { heard += event; });
        stage.world.removeEntity(hud);
        stage.rewind->seek(frame);
        CHECK(heard == "entityRemovedentityDestroyed");
    }
}

TEST_CASE("an entity that is wound back past its birth can be read by listeners of its leaving",
          "[rewind]") {
    Stage stage;
    stage.ticks(3);
    Entity shot = stage.spawn("shot");
    stage.ticks(3);
    std::string name;
    float x = -1;
    stage.world.on("entityRemoved", [&](const Event& event) {
        name = event.entity.getName();
        x = event.entity.getComponent<Position>().x;
    });
    stage.rewind->seek(1);
    CHECK(name == "shot");
    CHECK(x >= 0);
    CHECK(shot.getState() == EntityState::Unborn);
    CHECK(stage.world.validate().empty());
    stage.rewind->seek(6);
    CHECK(stage.isExact());
}

TEST_CASE("a main character that is out leaves the hashes of its frames as they were", "[rewind]") {
    Stage stage({.seconds = 10});
    Entity hero = stage.spawn("hero");
    stage.ticks(2);
    stage.world.removeEntity(hero);
    stage.ticks(1);
    stage.world.setMainCharacter(hero);
    stage.ticks(10);
    stage.rewind->seek(13);
    stage.rewind->setBudget({.seconds = 0.05});
    stage.rewind->stop();
    stage.ticks(3);
    CHECK(hero.getState() == EntityState::Destroyed);
    for (std::int64_t frame = *stage.rewind->getOldestFrame();
         frame <= *stage.rewind->getNewestFrame(); ++frame) {
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
    }
}

TEST_CASE("a world that ends while it rewinds tells no listener", "[rewind]") {
    int told = 0;
    {
        Stage stage;
        stage.ticks(2);
        stage.spawn("late");
        stage.ticks(2);
        stage.rewind->seek(1);
        stage.world.on("entityDestroyed", [&told](const Event&) { ++told; });
    }
    CHECK(told == 0);
}
