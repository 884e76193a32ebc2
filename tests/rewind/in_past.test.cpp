// What may be done at a past frame, and what becomes of it.
#include <catch2/catch_test_macros.hpp>

#include "tests/rewind/stage.hpp"

using namespace revenant;

TEST_CASE("while the past is shown, structural calls are refused and writes are discarded",
          "[rewind]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    Entity hud = stage.world.newEntity("hud");
    hud.setRewindable(false);
    stage.world.addEntity(hud);
    stage.ticks(10);
    stage.rewind->seek(4);
    CHECK_THROWS_AS(stage.world.removeEntity(entity), Error);
    CHECK_THROWS_AS(entity.removeComponent<Position>(), Error);
    CHECK_THROWS_AS(entity.setEnabled(false), Error);
    CHECK_NOTHROW(hud.setEnabled(false));
    entity.getComponent<Position>().x = 1000;
    stage.rewind->seek(4);
    CHECK(entity.getComponent<const Position>().x < 10);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(4));

    entity.getComponent<Position>().x = 500;
    stage.rewind->stop();  // play resumes there: now the write holds
    stage.ticks(1);
    CHECK(entity.getComponent<const Position>().x == 501);
    stage.rewind->seek(4);
    CHECK(entity.getComponent<const Position>().x == 500);
}

TEST_CASE("leaving a parent outside of the past adds nothing to the frame that is shown",
          "[rewind]") {
    Stage stage;
    Entity outside = stage.spawn("outside");
    outside.setRewindable(false);
    Entity child = stage.spawn("child", outside);  // outside, too, because of its parent
    Entity immune = stage.spawn("immune", outside);
    immune.setRewindable(false);
    Entity player = stage.spawn("player");
    stage.ticks(8);
    stage.rewind->seek(4);
    const std::uint64_t hash = stage.rewind->frameHash(4);

    CHECK_THROWS_AS(outside.removeChild(child), Error);
    CHECK_THROWS_AS(player.addChild(child), Error);
    CHECK(child.getParent() == outside);
    outside.removeChild(immune);
    player.addChild(immune);
    stage.ticks(1);
    stage.rewind->seek(4);
    CHECK(stateHash(stage.world) == hash);
    CHECK(immune.getParent() == player);
}

TEST_CASE("what the history does not know can be made while the past is shown, and lives on",
          "[rewind]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(10);
    stage.rewind->seek(4);
    Entity spark = stage.world.newEntity("spark");
    CHECK_THROWS_AS(spark.addComponent<Position>(), Error);  // it would be part of the past
    spark.setRewindable(false);
    spark.addComponent<Position>({5});
    stage.world.addEntity(spark);
    Entity glow = stage.world.newEntity("glow");
    glow.setRewindable(false);
    spark.addChild(glow);
    CHECK_THROWS_AS(entity.setRewindable(false), Error);
    stage.world.update(0);
    CHECK(stage.names() == "entity spark glow ");
    stage.rewind->seek(8);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(8));
    stage.rewind->stop();
    stage.ticks(3);
    CHECK(stage.names() == "entity spark glow ");
    CHECK(stage.world.validate().empty());
}

TEST_CASE("while the past is shown every structural call on what is in it is refused", "[rewind]") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    Entity child = stage.spawn("child", parent);
    Entity single = stage.spawn("single");
    Entity zombie = stage.spawn("zombie");
    Entity detached = stage.world.newEntity("detached");
    stage.ticks(5);
    stage.world.removeEntity(zombie);
    stage.ticks(5);
    stage.rewind->seek(8);
    const std::string names = stage.names();
    CHECK_THROWS_AS(stage.world.removeEntity(single), Error);
    CHECK_THROWS_AS(stage.world.addEntity(zombie), Error);
    CHECK_THROWS_AS(stage.world.addEntity(detached), Error);
    CHECK_THROWS_AS(parent.addChild(single), Error);
    CHECK_THROWS_AS(parent.addChild(detached), Error);
    CHECK_THROWS_AS(parent.removeChild(child), Error);
    CHECK_THROWS_AS(single.addComponent("PositionCMP"), Error);
    CHECK_THROWS_AS(single.removeComponent("PositionCMP"), Error);
    CHECK_THROWS_AS(single.setComponentEnabled("PositionCMP", false), Error);
    CHECK_THROWS_AS(single.setEnabled(false), Error);
    CHECK_THROWS_AS(single.setRewindable(false), Error);
    CHECK_THROWS_AS(single.destroy(), Error);
    stage.world.reconcile();
    CHECK(stage.names() == names);
    CHECK(stage.isExact());
    stage.rewind->stop();
    CHECK_NOTHROW(parent.addChild(single));
}

TEST_CASE("while the past is shown only systems tick that ask for it", "[rewind]") {
    Stage stage;
    int plays = 0;
    int draws = 0;
    stage.world.registerSystem("PlaySys", [&](World&, double) { ++plays; });
    stage.world.registerSystem("DrawSys", [&](World&, double) { ++draws; },
                               {.tickWhileRewinding = true});
    stage.ticks(10);
    stage.rewind->start();
    stage.ticks(4);
    stage.world.getSystem("PlaySys")->tick(1.0 / 64);
    CHECK(plays == 10);
    CHECK(draws == 14);
    stage.rewind->stop();
    stage.ticks(1);
    CHECK(plays == 11);
}

TEST_CASE("whatever waits for the next reconcile is dropped at a restore, but for what is outside",
          "[rewind]") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    Entity other = stage.spawn("other");
    Entity child = stage.spawn("child", parent);
    Entity early = stage.world.newEntity("early");
    Entity hud = stage.world.newEntity("hud");
    hud.setRewindable(false);
    stage.world.addEntity(hud);
    stage.ticks(3);
    other.setEnabled(false);
    other.addChild(child);
    parent.removeComponent<Position>();
    stage.world.setMainCharacter(parent);
    stage.world.addEntity(early);
    stage.world.removeEntity(hud);
    stage.rewind->seek(3);
    CHECK(stage.isExact());
    CHECK(stage.names() == "parent child other ");
    CHECK(other.isEnabled());
    CHECK(child.getParent() == parent);
    CHECK(parent.hasComponent<Position>());
    CHECK(early.getState() == EntityState::Detached);
    CHECK_FALSE(stage.world.getMainCharacter().isValid());
    CHECK(hud.getState() == EntityState::Destroyed);
    CHECK(stage.world.validate().empty());
}
