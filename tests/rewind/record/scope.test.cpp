// Entities that the history does not rewind, or no longer: they live on through a rewind.
// Over 300 lines: one scene per way to become rewindable, or to cease to be.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/rewind/stage.hpp"

using namespace revenant;

TEST_CASE("a child that is not rewindable outlives its parent's past, and is attached to it again",
          "[rewind][record]") {
    Stage stage;
    stage.ticks(3);
    Entity ship = stage.spawn("ship");
    Entity pilot = stage.world.newEntity("pilot");
    pilot.setRewindable(false);
    ship.addChild(pilot);
    stage.ticks(3);
    stage.rewind->seek(2);
    CHECK(ship.getState() == EntityState::Unborn);
    CHECK(pilot.getState() == EntityState::Managed);
    CHECK_FALSE(pilot.getParent().isValid());
    stage.rewind->seek(5);
    CHECK(pilot.getParent() == ship);
    CHECK(stage.names() == "ship pilot ");
}

TEST_CASE("frames from before an entity ceased to be rewindable still move it",
          "[rewind][record]") {
    Stage stage({.seconds = 1e6, .blockFrames = 4});
    Entity ghost = stage.spawn("ghost");
    Entity child = stage.spawn("child", ghost);
    stage.ticks(5);
    ghost.setRewindable(false);
    stage.ticks(5);
    ghost.setRewindable(true);
    stage.ticks(5);
    const float now = ghost.getComponent<const Position>().x;
    stage.rewind->seek(13);
    CHECK(ghost.getComponent<const Position>().x == now - 3);
    CHECK(stage.isExact());
    stage.rewind->seek(8);  // here it is no concern of the history's
    CHECK_FALSE(ghost.isRewindable());
    CHECK(child.getState() == EntityState::Managed);
    CHECK(stage.isExact());
    stage.rewind->seek(3);
    CHECK(ghost.isRewindable());
    CHECK(ghost.getComponent<const Position>().x == 2);
    CHECK(child.getComponent<const Position>().x == 2);
    CHECK(stage.isExact());
    stage.rewind->seek(15);
    CHECK(ghost.getComponent<const Position>().x == now - 1);
    CHECK(stage.isExact());
    CHECK(stage.world.validate().empty());
}

TEST_CASE(
    "what is not rewindable stands as roots where its parents did not exist, children and all",
    "[rewind][record]") {
    Stage stage;
    stage.spawn("ground");
    stage.ticks(3);
    Entity ship = stage.spawn("ship");
    Entity deck = stage.spawn("deck", ship);
    Entity pilot = stage.spawn("pilot", deck);
    pilot.setRewindable(false);
    Entity hat = stage.spawn("hat", pilot);
    Entity guest = stage.spawn("guest", deck);
    guest.setRewindable(false);
    stage.ticks(3);
    const std::string all = "ground ship deck pilot hat guest ";
    REQUIRE(stage.names() == all);
    const float x = pilot.getComponent<const Position>().x;
    for (int round = 0; round < 3; ++round) {
        stage.rewind->seek(2);
        CHECK(stage.names() == "ground pilot hat guest ");
        CHECK(pilot.getComponent<const Position>().x == x);
        CHECK_FALSE(pilot.getParent().isValid());
        CHECK(hat.getParent() == pilot);
        CHECK_FALSE(pilot.isDirty());
        CHECK(stage.isExact());
        CHECK(stage.world.validate().empty());
        stage.rewind->seek(6);
        CHECK(stage.names() == all);
        CHECK(pilot.getParent() == deck);
        CHECK_FALSE(pilot.isDirty());
        CHECK_FALSE(deck.isDirty());
        CHECK(stage.isExact());
        CHECK(stage.world.validate().empty());
    }
    // An entity that is removed meanwhile is not brought back by its parent.
    stage.rewind->seek(2);
    stage.world.removeEntity(guest);
    stage.world.update(0);
    stage.rewind->seek(6);
    CHECK(stage.names() == "ground ship deck pilot hat ");
    CHECK(guest.getState() == EntityState::Destroyed);
    // Nor does it wait for a parent that never existed.
    stage.rewind->seek(2);
    const bool clears = GENERATE(true, false);
    clears ? stage.rewind->clear() : stage.rewind->stop();
    stage.ticks(2);
    CHECK(ship.getState() == EntityState::Destroyed);
    CHECK(stage.names() == "ground pilot hat ");
    CHECK(stage.world.validate().empty());
}

TEST_CASE(
    "what is made outside of the past that is shown, under a parent in it, outlives that parent",
    "[rewind][record]") {
    Stage stage;
    stage.ticks(2);
    Entity ship = stage.spawn("ship");
    stage.ticks(5);
    stage.rewind->seek(5);
    Entity spark = stage.world.newEntity("spark");
    spark.setRewindable(false);
    ship.addChild(spark);
    stage.world.update(0);
    CHECK(spark.getState() == EntityState::Managed);
    stage.rewind->seek(1);
    CHECK(spark.getState() == EntityState::Managed);
    CHECK_FALSE(spark.getParent().isValid());
    CHECK(stage.isExact());
    stage.rewind->stop();
    stage.ticks(2);
    CHECK(stage.names() == "spark ");
    CHECK(stage.world.validate().empty());
}

TEST_CASE("an entity that ceased to be rewindable lives on in all of its past",
          "[rewind][record]") {
    Stage stage(smallBlocks());
    Entity ghost = stage.spawn("ghost");
    Entity child = stage.spawn("child", ghost);
    stage.ticks(5);
    stage.world.removeEntity(ghost);
    stage.ticks(10);
    Entity late = stage.spawn("late");
    stage.ticks(3);
    late.setRewindable(false);
    ghost.setRewindable(false);
    stage.world.addEntity(ghost);
    stage.ticks(60);
    stage.rewind->finishPacking();
    auto check = [&] {
        const std::int64_t frame = *stage.rewind->getFrame();
        INFO("frame " << frame);
        CHECK(stage.isExact());
        for (const Entity one : {ghost, child, late}) CHECK(one.getState() == EntityState::Managed);
        CHECK(ghost.isRewindable() == (frame <= 5));
        CHECK(late.isRewindable() == (frame > 15 && frame <= 18));
        CHECK(stage.world.validate().empty());
    };
    for (const std::int64_t frame : {70, 17, 3, 50, 5, 6, 16, 15, 78, 1, 78}) {
        stage.rewind->seek(frame);
        check();
    }
    for (int i = 0; i < 70; ++i) {
        stage.rewind->step(-1);
        check();
    }
    stage.rewind->seek(78);
    check();
    stage.rewind->seek(4);
    stage.rewind->stop();
    stage.ticks(3);
    CHECK(ghost.isRewindable());
    stage.world.removeEntity(ghost);
    stage.ticks(3);
    stage.rewind->step(-6);
    CHECK(stage.isExact());
    stage.rewind->step(6);
    CHECK(ghost.getState() == EntityState::Zombie);
    CHECK(stage.isExact());
}

TEST_CASE("an entity that is about to come in cannot become part of the past that is shown",
          "[rewind][record]") {
    Stage stage;
    stage.ticks(5);
    stage.rewind->seek(2);
    Entity hud = stage.world.newEntity("hud");
    hud.setRewindable(false);
    stage.world.addEntity(hud);
    CHECK_THROWS_AS(hud.setRewindable(true), Error);
    stage.rewind->seek(2);
    CHECK(hud.getState() == EntityState::Managed);
    CHECK(stage.isExact());
}

TEST_CASE("the scope of an entity that waits for another parent is that of its place in the world",
          "[rewind][record]") {
    Stage stage;
    Entity hud = stage.spawn("hud");
    hud.setRewindable(false);
    Entity guest = stage.spawn("guest");
    guest.setRewindable(false);
    Entity host = stage.spawn("host");
    Entity child = stage.spawn("child", host);
    stage.ticks(3);
    hud.addChild(guest);
    guest.setRewindable(true);  // it is a root until the next reconcile
    CHECK(stage.rewind->validate().empty());
    hud.addChild(child);
    host.setRewindable(false);  // its child is there until the next reconcile
    CHECK(stage.rewind->validate().empty());
    stage.rewind->tick(1.0 / 64);  // a frame without a reconcile
    CHECK(stage.rewind->validate().empty());
    stage.ticks(2);
    for (const std::int64_t frame : {2, 4, 3, 5, 1, 6}) {
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
        CHECK(stage.rewind->validate().empty());
    }
}

TEST_CASE("an entity whose first addition was dropped with the future is not awaited any more",
          "[rewind][record]") {
    Stage stage;
    Entity late = stage.world.newEntity("late");
    stage.ticks(2);
    stage.world.addEntity(late);
    stage.ticks(1);
    late.setRewindable(false);
    stage.ticks(2);
    late.setRewindable(true);
    stage.ticks(2);
    for (const std::int64_t frame : {5, 1, 2}) {
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
        stage.rewind->stop();
        stage.world.addEntity(late);
        stage.ticks(2);
        CHECK(stage.rewind->validate().empty());
    }
}

TEST_CASE(
    "an entity that leaves the newest frame comes back with it, though all older ones are dropped",
    "[rewind][record]") {
    const bool isRescoped = GENERATE(true, false);
    CAPTURE(isRescoped);
    const RewindOptions options{.seconds = 1000, .blockFrames = 1, .packInBackground = false};
    Stage stage(options);
    stage.ticks(2);
    Entity guest = stage.spawn("guest");
    stage.ticks(1);
    stage.world.removeEntity(guest);
    if (isRescoped)
        guest.setRewindable(false);
    else
        stage.world.reconcile();
    RewindOptions few = options;
    few.seconds = 0;
    stage.rewind->setBudget(few);
    stage.rewind->setBudget(options);
    REQUIRE(stage.rewind->getOldestFrame() == 3);
    CHECK(stage.rewind->validate().empty());
    stage.ticks(3);
    REQUIRE(guest.getState() == EntityState::Zombie);
    stage.rewind->seek(3);
    CHECK(guest.getState() == EntityState::Managed);
    CHECK(guest.isRewindable());
    CHECK(stage.isExact());
    CHECK(stage.rewind->validate().empty());
}

TEST_CASE("what stood behind an entity that was out of the history for a while has its place noted",
          "[rewind][record]") {
    const std::size_t block = GENERATE(1, 4, 600);
    CAPTURE(block);
    Stage stage({.seconds = 1e6, .blockFrames = block, .packInBackground = false});
    stage.spawn("first");
    Entity ghost = stage.spawn("ghost");
    Entity third = stage.spawn("third");
    stage.spawn("last");
    stage.ticks(3);
    ghost.setRewindable(false);
    stage.ticks(1);
    stage.world.removeEntity(third);
    stage.ticks(2);
    stage.rewind->seek(4);  // puts the third back, right behind the first
    REQUIRE(stage.names() == "first third ghost last ");
    stage.rewind->stop();
    ghost.setRewindable(true);
    stage.ticks(9);
    for (const std::int64_t frame : {1, 12, 3, 4, 5, 2, 12}) {
        CAPTURE(frame);
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
        CHECK(stage.rewind->validate().empty());
    }
}

TEST_CASE(
    "what waits to come in with its parent does so again, or not, when play resumes from there",
    "[rewind][record]") {
    const bool isRewindable = GENERATE(true, false);
    CAPTURE(isRewindable);
    Stage stage;
    Entity parent = stage.spawn("parent");
    Entity child = stage.spawn("child", parent);
    Entity grandchild = stage.spawn("grandchild", child);
    stage.ticks(1);
    child.setRewindable(isRewindable);
    stage.ticks(1);
    stage.world.removeEntity(parent);
    stage.ticks(2);
    stage.world.addEntity(parent);
    const bool isRemoved = isRewindable;  // the child alone, before its parent came in
    if (isRemoved) stage.world.removeEntity(child);
    stage.rewind->tick(1.0 / 64);  // frame 5, before the reconcile
    stage.world.removeEntity(parent);
    stage.ticks(2);
    stage.rewind->seek(5);
    REQUIRE(child.getParent() == parent);
    stage.rewind->stop();
    for (int i = 0; i < 3; ++i) {
        stage.ticks(1);
        CHECK(stage.world.validate().empty());
        CHECK(stage.rewind->validate().empty());
    }
    CHECK(parent.getState() == EntityState::Managed);
    for (const Entity below : {child, grandchild})
        CHECK(below.getState() == (isRemoved ? EntityState::Zombie : EntityState::Managed));
    CHECK((child.getParent() == parent) == !isRemoved);
}
