// What may be done while the past is on show, and what becomes of it.
#include <catch2/catch_test_macros.hpp>

#include "tests/rewind/stage.hpp"

using namespace revenant;

TEST_CASE("while the past is on show, structural calls are refused and writes are discarded") {
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

TEST_CASE("nothing comes into the past on show by leaving one that is outside of it") {
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

TEST_CASE("what the history does not know can be made while the past is on show, and lives on") {
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
