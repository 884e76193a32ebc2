// What a restore brings back, takes away and leaves alone.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "tests/rewind/stage.hpp"

using namespace revenant;

TEST_CASE("what was removed comes back, the same entity, in its place", "[rewind][record]") {
    Stage stage;
    Entity first = stage.spawn("first");
    Entity middle = stage.spawn("middle");
    Entity child = stage.spawn("child", middle);
    stage.spawn("last");
    stage.ticks(5);
    const float x = child.getComponent<const Position>().x;
    stage.world.removeEntity(middle);
    stage.ticks(5);
    CHECK(middle.getState() == EntityState::Zombie);
    CHECK(stage.names() == "first last ");
    stage.rewind->seek(5);
    CHECK(stage.names() == "first middle child last ");
    CHECK(child.getParent() == middle);
    CHECK(child.getComponent<const Position>().x == x - 1);
    CHECK(first.isActive());
    stage.rewind->seek(10);
    CHECK(stage.names() == "first last ");
    CHECK(middle.getState() == EntityState::Zombie);
}

TEST_CASE("an entity that is not born yet is invalid until time has passed its birth",
          "[rewind][record]") {
    Stage stage;
    stage.spawn("old");
    Entity early = stage.world.newEntity("early");  // made before, added later
    stage.ticks(3);
    Entity late = stage.spawn("late");
    stage.world.addEntity(early);
    stage.ticks(3);
    stage.rewind->seek(2);
    CHECK(late.getState() == EntityState::Unborn);
    CHECK_FALSE(late.isValid());
    CHECK_THROWS_AS(late.getName(), Error);
    CHECK(early.getState() == EntityState::Detached);
    stage.rewind->seek(5);
    CHECK(late.getState() == EntityState::Managed);
    CHECK(late.getName() == "late");
    stage.rewind->seek(2);
    stage.rewind->stop();
    CHECK(late.getState() == EntityState::Destroyed);
    CHECK(early.getState() == EntityState::Detached);
    stage.ticks(3);
    CHECK(stage.names() == "old ");
    CHECK(stage.rewind->getNewestFrame() == 4);
}

TEST_CASE("a remembered zombie can be written to, and its past stays what it was",
          "[rewind][record]") {
    Stage stage;
    Entity ship = stage.spawn("ship");
    stage.ticks(5);
    stage.world.removeEntity(ship);
    stage.ticks(2);
    REQUIRE(ship.getState() == EntityState::Zombie);
    ship.setField("PositionCMP", "x", 100.0);
    Entity debris = stage.world.newEntity("debris");
    ship.addChild(debris);
    debris.addComponent<Position>();
    stage.world.addEntity(ship);
    stage.ticks(2);
    CHECK(ship.getComponent<const Position>().x == 102);
    stage.rewind->seek(4);
    CHECK(ship.getComponent<const Position>().x == 3);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(4));
    stage.rewind->seek(8);
    CHECK(ship.getComponent<const Position>().x == 100);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(8));
}

TEST_CASE("resources and fixed steps are rewound with the world", "[rewind][record]") {
    Stage stage;
    int steps = 0;
    struct Stepper final : System {
        int& count;
        Stepper(World& world, int& steps)
            : System(world, "StepSys", {.fixedStepSeconds = 0.04}), count(steps) {}
        void onTick(double) override {}
        void onFixedTick(double) override { ++count; }
    };
    auto system = std::make_shared<Stepper>(stage.world, steps);
    stage.world.registerSystem(system);
    stage.world.setResource("score", Value(1), {.rewind = true});
    stage.ticks(4);
    const double accumulated = system->getAccumulatedSeconds();
    stage.world.setResource("score", Value(2), {.rewind = true});
    stage.world.setResource("level", Value("cave"), {.rewind = true});
    stage.ticks(4);
    stage.rewind->seek(4);
    CHECK(*stage.world.getResource<Value>("score") == Value(1));
    CHECK(stage.world.getResource<Value>("level") == nullptr);
    stage.rewind->seek(5);
    CHECK(*stage.world.getResource<Value>("score") == Value(2));
    CHECK(system->getAccumulatedSeconds() == accumulated);
    stage.world.setResource("score", Value(9), {.rewind = true});
    stage.rewind->seek(5);
    CHECK(*stage.world.getResource<Value>("score") == Value(2));
}

TEST_CASE("after a restore collision events are empty and nothing is dirty", "[rewind][record]") {
    Stage stage;
    Entity one = stage.spawn("one");
    Entity other = stage.spawn("other");
    auto view = stage.world.view<Position>();
    stage.ticks(5);
    stage.world.removeEntity(other);
    stage.ticks(5);
    CollisionEvent event;
    event.first = one;
    event.second = one;
    stage.world.recordCollisionEvent(event);
    REQUIRE(stage.world.getCollisionEvents().size() == 1);
    stage.rewind->seek(3);
    CHECK(stage.world.getCollisionEvents().empty());
    CHECK_FALSE(one.isDirty());
    CHECK_FALSE(other.isDirty());
    CHECK(view.count() == 2);
    CHECK_FALSE(view.isDirty());
    stage.rewind->seek(9);
    CHECK(view.count() == 1);
    CHECK_FALSE(one.isDirty());
    CHECK_FALSE(view.isDirty());
    stage.world.recordCollisionEvent(event);
    stage.ticks(1);  // time moves back
    CHECK(stage.rewind->getFrame() == 8);
    CHECK(stage.world.getCollisionEvents().empty());
}

TEST_CASE("a level that was unloaded inside the window comes back as a whole, and goes again",
          "[rewind][record]") {
    Stage stage({.seconds = 1e6, .blockFrames = 10});
    std::vector<Entity> cave;
    for (int i = 0; i < 30; ++i) {
        Entity room = stage.spawn("room");
        for (int k = 0; k < 3; ++k) stage.spawn("thing", room);
        cave.push_back(room);
    }
    stage.ticks(25);
    const std::string caveNames = stage.names();
    for (Entity& room : cave) stage.world.removeEntity(room);
    Entity field = stage.spawn("field");
    stage.ticks(25);
    stage.rewind->finishPacking();
    CHECK(stage.names() == "field ");
    for (int round = 0; round < 3; ++round) {
        stage.rewind->seek(7 + round);
        CHECK(stage.names() == caveNames);
        CHECK(field.getState() == EntityState::Unborn);
        CHECK(stage.isExact());
        stage.rewind->seek(50 - round);
        CHECK(stage.names() == "field ");
        CHECK(cave[3].getState() == EntityState::Zombie);
        CHECK(stage.isExact());
    }
    stage.rewind->seek(20);
    stage.rewind->stop();
    CHECK(field.getState() == EntityState::Destroyed);
    stage.ticks(10);
    CHECK(stage.names() == caveNames);
}

TEST_CASE("a disabled component that was replaced within a tick is disabled in every frame",
          "[rewind][record]") {
    Range range;
    Entity one = range.spawn("one");
    one.addComponent<Life>({1000});
    one.setComponentEnabled("LifeCMP", false);
    range.ticks(3);
    SECTION("by another of its type") {
        one.removeComponent<Life>();
        one.addComponent<Life>({2000});
        one.setComponentEnabled("LifeCMP", false);
    }
    SECTION("by one of another type, at its position") {
        one.removeComponent<Position>();
        one.setComponentEnabled("LifeCMP", true);
        one.removeComponent<Life>();
        one.addComponent<Position>();
        one.setComponentEnabled("PositionCMP", false);
    }
    range.ticks(3);
    for (const std::int64_t frame : {2, 5, 3, 6, 1, 4}) {
        range.rewind->seek(frame);
        INFO("frame " << frame);
        CHECK(range.isExact());
    }
}

TEST_CASE("time, main character, main camera and random numbers are those of the current frame",
          "[rewind][record]") {
    Stage stage(smallBlocks());
    Entity hero = stage.spawn("hero");
    Entity rival = stage.spawn("rival");
    stage.world.setMainCharacter(hero);
    stage.world.setMainCamera(rival);
    struct Moment {
        double seconds, drawn;
        std::uint64_t tick;
    };
    std::vector<Moment> moments;
    stage.world.registerSystem("DrawSys", [&](World& world, double) {
        moments.push_back({world.getTime(), world.random(), world.getTick()});
    });
    stage.ticks(20);
    stage.world.setMainCharacter(rival);
    stage.world.setMainCamera(hero);
    stage.ticks(20);
    for (const std::int64_t frame : {33, 20, 1, 21, 40, 7}) {
        CAPTURE(frame);
        stage.rewind->seek(frame);
        const bool isFirstHalf = frame <= 20;
        CHECK(stage.world.getMainCharacter() == (isFirstHalf ? hero : rival));
        CHECK(stage.world.getMainCamera() == (isFirstHalf ? rival : hero));
        const Moment& then = moments[static_cast<std::size_t>(frame - 1)];
        CHECK(stage.world.getTime() == then.seconds);
        CHECK(stage.world.getTick() == then.tick);
        CHECK(stage.world.random() == then.drawn);
    }
}

TEST_CASE("what was detached before it was first added goes back to what it was made of",
          "[rewind][record]") {
    Stage stage;
    Entity early = stage.world.newEntity("early");
    early.addComponent<Position>({50, 0});
    Entity kid = stage.world.newEntity("kid");
    early.addChild(kid);
    stage.ticks(3);
    stage.world.addEntity(early);
    stage.ticks(10);
    early.removeComponent<Position>();
    kid.addComponent<Position>({7, 0});
    early.removeChild(kid);
    stage.ticks(3);
    stage.rewind->seek(2);
    CHECK(early.getState() == EntityState::Detached);
    CHECK(kid.getState() == EntityState::Detached);
    CHECK(kid.getParent() == early);
    CHECK_FALSE(kid.hasComponent<Position>());
    REQUIRE(early.hasComponent<Position>());
    CHECK(early.getComponent<const Position>().x == 50);
    stage.rewind->stop();
    stage.ticks(1);
    stage.world.addEntity(early);
    stage.ticks(2);
    CHECK(early.getComponent<const Position>().x == 52);
    CHECK(stage.names() == "early kid ");
    CHECK(stage.world.validate().empty());
}

TEST_CASE("components that are written and removed between two reconciles of one frame do no harm",
          "[rewind]") {
    Stage stage;
    for (const char* name : {"FirstCMP", "SecondCMP", "ThirdCMP"}) {
        std::vector<FieldSpec> fields(1);
        fields[0].name = "value";
        fields[0].type = FieldType::F64;
        stage.world.defineComponent(name, std::move(fields));
    }
    stage.ticks(1);
    for (int round = 0; round < 20; ++round) {
        Entity entity = stage.spawn("entity");
        for (const char* name : {"FirstCMP", "SecondCMP", "ThirdCMP"}) entity.addComponent(name);
        stage.world.reconcile();
        for (const char* name : {"FirstCMP", "SecondCMP", "ThirdCMP"})
            entity.setField(name, "value", Value(5.0));
        entity.removeComponent("FirstCMP");
        entity.removeComponent("ThirdCMP");
        stage.ticks(1);
        const std::int64_t frame = *stage.rewind->getFrame();
        stage.rewind->seek(frame - 1);
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
        CHECK(*entity.getField("SecondCMP", "value").as<double>() == 5);
        CHECK_FALSE(entity.hasComponent("FirstCMP"));
        CHECK_FALSE(entity.hasComponent("ThirdCMP"));
        CHECK(stage.rewind->validate().empty());
        stage.rewind->stop();
        stage.ticks(1);
    }
}
