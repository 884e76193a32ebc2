// Shots that are fired and end, in a history of small blocks.
#include <catch2/catch_test_macros.hpp>
#include <random>

#include "tests/rewind/stage.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("the budget in bytes holds at every tick, and while scrubbing", "[rewind][history]") {
    Range range({.seconds = 1e6, .bytes = 96 << 10, .blockFrames = 20});
    for (int i = 0; i < 40; ++i) range.spawn("mover");
    for (int i = 0; i < 600; ++i) {
        if (i % 7 == 0) range.fire(5);
        range.ticks(1);
        REQUIRE(range.rewind->getMemory() <= std::size_t{96} << 10);
        // Packing keeps up: on a machine that is busy an idle thread would not.
        if (i % 20 == 0) range.rewind->finishPacking();
    }
    std::mt19937 random(1);
    for (int i = 0; i < 50; ++i) {
        const auto oldest = *range.rewind->getOldestFrame();
        const auto newest = *range.rewind->getNewestFrame();
        REQUIRE(newest - oldest > 20);
        range.rewind->seek(oldest + static_cast<std::int64_t>(random() % (newest - oldest + 1)));
        REQUIRE(range.isExact());
    }
    range.rewind->setBudget({.seconds = 0.5, .bytes = 96 << 10, .blockFrames = 20});
    range.rewind->stop();
    range.ticks(100);
    CHECK(*range.rewind->getNewestFrame() - *range.rewind->getOldestFrame() <= 33);
}

TEST_CASE("an hour of shots does not fill the pools, and its memory comes back",
          "[rewind][history]") {
    Range range({.seconds = 4, .bytes = std::size_t{1} << 30, .blockFrames = 64});
    for (int i = 0; i < 4000; ++i) {
        range.fire(3);
        range.ticks(1);
    }
    range.rewind->finishPacking();
    // 256 frames are kept, each of which mentions a shot or two; the pools hold only the living.
    CHECK(range.world.getZombies().size() < 300);
    CHECK(WorldCore::of(range.world).components().require("PositionCMP").pool.live() < 10);
    const std::size_t before = range.rewind->getMemory();
    for (int i = 0; i < 4000; ++i) {
        range.fire(3);
        range.ticks(1);
    }
    range.rewind->finishPacking();
    CHECK(range.rewind->getMemory() < before * 3 / 2);
    range.rewind->clear();
    range.ticks(1);
    CHECK(range.world.getZombies().empty());
    CHECK(range.rewind->getMemory() < before / 2);
}

TEST_CASE("far seeks lead over whole blocks, to exactly the same", "[rewind][history]") {
    Range range(smallBlocks());
    Entity first = range.spawn("first");
    for (int i = 0; i < 300; ++i) {
        if (i % 5 == 0) range.fire(2 + i % 23);
        range.ticks(1);
    }
    range.rewind->finishPacking();
    range.rewind->seek(1);
    CHECK(range.isExact());
    CHECK(range.world.getAllManagedEntities().size() == 2);
    CHECK(first.getComponent<const Position>().x == 0);
    range.rewind->seek(300);
    CHECK(range.isExact());
    range.rewind->seek(155);
    CHECK(range.isExact());
    CHECK(first.getComponent<const Position>().x == 154);
}

TEST_CASE("a shot that came and went between two frames is unborn before and a zombie after",
          "[rewind][history]") {
    Range range(smallBlocks());
    range.spawn("first");
    range.ticks(25);
    Entity shot = range.fire(3);
    range.ticks(40);
    range.rewind->finishPacking();
    CHECK(shot.getState() == EntityState::Zombie);
    range.rewind->seek(5);
    CHECK(shot.getState() == EntityState::Unborn);
    range.rewind->seek(60);
    CHECK(shot.getState() == EntityState::Zombie);
    CHECK(shot.getName() == "shot");
    range.rewind->seek(27);
    CHECK(shot.getState() == EntityState::Managed);
    range.rewind->seek(5);
    range.rewind->stop();
    CHECK(shot.getState() == EntityState::Destroyed);
}

TEST_CASE("an entity removed and added again many times is the same one in every frame",
          "[rewind][history]") {
    Stage stage(smallBlocks());
    Entity ship = stage.spawn("ship");
    for (int i = 0; i < 60; ++i) {
        stage.ticks(1);
        if (i % 3 == 0) stage.world.removeEntity(ship);
        if (i % 3 == 1) stage.world.addEntity(ship);
    }
    stage.rewind->finishPacking();
    for (const std::int64_t frame : {60, 2, 31, 32, 33, 1, 59}) {
        CAPTURE(frame);
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
        CHECK(ship.getState() == (frame % 3 == 2 ? EntityState::Zombie : EntityState::Managed));
    }
}

TEST_CASE("a component type defined mid-history stays defined, and earlier frames have none",
          "[rewind][history]") {
    struct Late {
        float value = 7;
    };
    Stage stage(smallBlocks());
    Entity ship = stage.spawn("ship");
    stage.ticks(15);
    stage.world.defineComponent<Late>("LateCMP", {field("value", &Late::value)});
    ship.addComponent<Late>();
    stage.ticks(15);
    stage.rewind->finishPacking();
    stage.rewind->seek(10);
    CHECK(stage.isExact());
    CHECK_FALSE(ship.hasComponent("LateCMP"));
    stage.rewind->seek(30);
    CHECK(stage.isExact());
    CHECK(ship.getComponent<const Late>().value == 7);
}
