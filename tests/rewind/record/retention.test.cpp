// Which entities the history keeps, for how long, and what that costs.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/rewind/stage.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("the budget drops the oldest frames and releases what only they remembered",
          "[rewind][record]") {
    Stage stage({.seconds = 10.0 / 64});
    Entity gone = stage.spawn("gone");
    stage.spawn("here");
    stage.ticks(3);
    stage.world.removeEntity(gone);
    stage.ticks(3);
    CHECK(gone.getState() == EntityState::Zombie);
    stage.ticks(12);
    CHECK_FALSE(gone.isValid());
    CHECK(*stage.rewind->getNewestFrame() - *stage.rewind->getOldestFrame() == 10);
    stage.rewind->setBudget({.seconds = 0});
    CHECK(stage.rewind->getOldestFrame() == stage.rewind->getNewestFrame());
    stage.rewind->seek(*stage.rewind->getNewestFrame());
    CHECK(stage.names() == "here ");
    CHECK_THROWS_AS(stage.rewind->seek(1), Error);
}

TEST_CASE("an hour of projectiles does not fill the pools", "[rewind][record]") {
    Stage stage({.seconds = 1e9});
    stage.ticks(1);
    for (int i = 0; i < 5000; ++i) {
        Entity shot = stage.spawn("shot");
        stage.ticks(2);
        stage.world.removeEntity(shot);
    }
    stage.ticks(2);
    const ComponentPool& pool = WorldCore::of(stage.world).components().at(0).pool;
    CHECK(pool.live() == 0);
    CHECK(pool.pages().size() == 1);
    CHECK(stage.world.getStats().zombies == 5000);
}

TEST_CASE("users cannot release the reference that the history holds", "[rewind][record]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(3);
    CHECK(entity.getRefCount() == 1);
    CHECK_THROWS_AS(entity.release(), Error);
    entity.retain();
    CHECK(entity.getRefCount() == 2);
    entity.release();
    CHECK_THROWS_AS(entity.release(), Error);
    stage.world.removeEntity(entity);
    stage.ticks(3);
    CHECK_THROWS_AS(entity.release(), Error);
    stage.rewind->seek(2);
    CHECK(entity.getState() == EntityState::Managed);
    CHECK(entity.getRefCount() == 1);
}

TEST_CASE("references are counted by holder: users, the history, ancestors", "[rewind][record]") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    Entity child = stage.spawn("child", parent);
    CHECK(child.getReferences().histories == 0);
    stage.ticks(2);
    child.retain();
    const References of = child.getReferences();
    CHECK(of.users == 1);
    CHECK(of.histories == 1);
    CHECK(of.ancestors == 1);  // the history's on its parent
    CHECK(child.getRefCount() == of.users + of.histories + of.ancestors);
    child.release();
}

TEST_CASE("what once named a destroyed entity is shown exactly, as long as a frame remembers it",
          "[rewind][record]") {
    struct Aim {
        EntityId target;
    };
    Stage stage({.seconds = 0.5});
    const bool byField = GENERATE(true, false);
    if (byField) stage.world.defineComponent<Aim>("AimCMP", {field("target", &Aim::target)});
    Entity archer = stage.spawn("archer");
    Entity target = stage.spawn("target");
    if (byField)
        archer.addComponent<Aim>({target.getId()});
    else
        stage.world.setResource("target", Value(target.getId()), {.rewind = true});
    stage.ticks(3);
    stage.world.removeEntity(target);
    stage.ticks(20);
    const std::int64_t frame = *stage.rewind->getFrame();
    stage.ticks(25);  // no frame is left that could bring it back
    REQUIRE(target.getState() == EntityState::Destroyed);
    REQUIRE(*stage.rewind->getOldestFrame() <= frame);
    stage.rewind->seek(frame);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(frame));
}

TEST_CASE("destroyed entities that nothing names any more leave nothing behind in the history",
          "[rewind][record]") {
    struct Aim {
        EntityId target;
    };
    Stage stage({.seconds = 0.5});
    stage.world.defineComponent<Aim>("AimCMP", {field("target", &Aim::target)});
    Entity archer = stage.spawn("archer");
    archer.addComponent<Aim>();
    Entity first = stage.spawn("first");
    Entity grudge = stage.spawn("grudge");
    grudge.addComponent<Aim>({first.getId()});
    stage.ticks(1);
    stage.world.removeEntity(first);
    std::size_t most = 0;
    for (int i = 0; i < 6000; ++i) {
        Entity shot = stage.spawn("shot");
        archer.getComponent<Aim>().target = shot.getId();
        stage.ticks(1);
        stage.world.removeEntity(shot);
        // Some are looked for in the past, and some of those have never been.
        if (i % 500 == 250) stage.rewind->step(-20);
        if (i % 1000 == 250) stage.rewind->stop();
        if (stage.rewind->isRewinding()) {
            CHECK(stage.isExact());
            stage.rewind->seek(*stage.rewind->getNewestFrame());
            CHECK(stage.isExact());
            stage.rewind->stop();
        }
        most = std::max(most, WorldCore::of(stage.world).forest().lostSerials.bytes());
    }
    CHECK(most < 80'000);
    stage.rewind->step(-10);
    CHECK(stage.isExact());
}

TEST_CASE("references that users hold are never rewound", "[rewind][record]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(5);
    entity.retain();
    stage.ticks(5);
    for (const std::int64_t frame : {2, 9, 5}) {
        stage.rewind->seek(frame);
        CHECK(entity.getReferences().users == 1);
    }
    entity.release();
    for (const std::int64_t frame : {8, 2}) {
        stage.rewind->seek(frame);
        CHECK(entity.getReferences().users == 0);
    }
}
