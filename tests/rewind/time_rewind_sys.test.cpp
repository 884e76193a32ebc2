#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <functional>
#include <stdexcept>

#include "rewind/history_file.hpp"
#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;

namespace {

struct Position {
    float x = 0;
};

struct Stage {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;

    explicit Stage(RewindOptions options = {}) {
        world.defineComponent<Position>("PositionCMP", {field("x", &Position::x)});
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        auto view = world.view<Position>();
        world.registerSystem("MoveSys", [view](World&, double) {
            view.each([](Position& position) { position.x += 1; });
        });
    }
    Entity spawn(const char* name, Entity parent = {}) {
        Entity entity = world.newEntity(name);
        entity.addComponent<Position>();
        if (parent.isValid())
            parent.addChild(entity);
        else
            world.addEntity(entity);
        return entity;
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) world.update(1.0 / 64);
    }
    std::string names() const {
        std::string all;
        world.forEachManaged([&](Entity entity) { all += entity.getName() + " "; });
        return all;
    }
};

}  // namespace

TEST_CASE("what was removed comes back, the same entity, in its place") {
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

TEST_CASE("an entity that is not born yet is invalid until time has passed its birth") {
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

TEST_CASE("a history that is kept over a reset of its world has no frames") {
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

TEST_CASE("pending requests are dropped at a restore, and listeners hear the net difference") {
    Stage stage;
    Entity old = stage.spawn("old");
    stage.ticks(3);
    Entity asked = stage.spawn("asked");
    stage.world.removeEntity(old);
    std::string heard;
    for (const char* event : {"entityAdded", "entityRemoved", "entityResurrected"})
        stage.world.on(event, [&heard, event](const Event& told) {
            heard += std::string(event) + ":" + std::string(told.name) + " ";
        });
    stage.rewind->seek(3);
    CHECK(stage.names() == "old ");
    CHECK(old.getState() == EntityState::Managed);
    CHECK_FALSE(asked.isValid());
    CHECK(heard.empty());
}

TEST_CASE("listeners hear of what a restore brings back and takes away, once") {
    Stage stage;
    Entity old = stage.spawn("old");
    stage.ticks(5);
    stage.world.removeEntity(old);
    stage.spawn("new");
    stage.ticks(5);
    std::string heard;
    for (const char* event : {"entityAdded", "entityRemoved", "entityResurrected"})
        stage.world.on(event, [&heard, event](const Event& told) {
            heard += std::string(event) + ":" + std::string(told.name) + " ";
        });
    stage.rewind->seek(3);
    CHECK(heard == "entityRemoved:new entityResurrected:old ");
    heard.clear();
    stage.rewind->seek(8);
    CHECK(heard == "entityRemoved:old entityAdded:new ");
    heard.clear();
    stage.rewind->seek(7);
    CHECK(heard.empty());
}

TEST_CASE("a remembered zombie can be written to, and its past stays what it was") {
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

TEST_CASE("a child that is not rewindable outlives its parent's past, and finds home again") {
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

TEST_CASE("resources and fixed steps are rewound with the world") {
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

TEST_CASE("the budget drops the oldest frames and lets go of what only they remembered") {
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

TEST_CASE("an hour of projectiles does not fill the pools") {
    Stage stage({.seconds = 1e9});
    stage.ticks(1);
    for (int i = 0; i < 5000; ++i) {
        Entity shot = stage.spawn("shot");
        stage.ticks(2);
        stage.world.removeEntity(shot);
    }
    stage.ticks(2);
    const ComponentPool& pool = stage.world.components().at(0).pool;
    CHECK(pool.live() == 0);
    CHECK(pool.pages().size() == 1);
    CHECK(stage.world.getStats().zombies == 5000);
}

TEST_CASE("a history that outlives a reset lets the next one be") {
    Stage stage;
    stage.spawn("walker");
    stage.ticks(3);
    auto old = std::move(stage.rewind);
    stage.world.reset();
    stage.rewind = std::make_shared<TimeRewindSys>(stage.world);
    stage.world.registerSystem(stage.rewind);
    Entity entity = stage.spawn("walker");
    stage.ticks(2);
    stage.rewind->seek(1);
    old.reset();
    CHECK(stage.world.isPastOnShow());
    CHECK(stage.rewind->getNewestFrame() == 2);
    stage.rewind->stop();
    stage.world.removeEntity(entity);
    stage.ticks(3);
    stage.rewind->seek(1);
    CHECK(entity.isValid());
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(1));
}

TEST_CASE("at speed 0 the frame on show stays what it is, its time included") {
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

TEST_CASE("time moves back with the ticks, at any speed, and stops at both ends") {
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

TEST_CASE("in a loop of one's own, time passes and moves back as it does with update") {
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

TEST_CASE("clearing the history while rewinding keeps the frame on show as the present") {
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

TEST_CASE("nobody can give back the reference that the history holds") {
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

TEST_CASE("a listener may update and rewind anew while rewinding ends") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(10);
    int heard = 0;
    stage.world.on("rewindEnded", [&](const Event&) {
        if (++heard > 4) return;
        stage.ticks(2);
        if (stage.rewind->getFrame()) stage.rewind->start();
    });
    stage.rewind->seek(4);
    stage.rewind->stop();
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getNewestFrame() == 5);
    stage.rewind->seek(2);
    stage.rewind->clear();
    CHECK(heard == 2);
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getOldestFrame() == stage.rewind->getFrame().value() - 1);
    stage.rewind->stop();
    CHECK(entity.getState() == EntityState::Managed);
}

TEST_CASE("a hook that would pull the history from under a restore is refused") {
    struct Meddler final : System {
        explicit Meddler(World& world) : System(world, "MeddlerSys") {}
        bool hasRewindState() const override { return true; }
        void getRewindState(std::vector<std::byte>& into) override {
            meddle();
            into.assign(4, std::byte{7});
        }
        void restoreRewindState(std::span<const std::byte>) override { meddle(); }
        void onTick(double) override {}
        void meddle() const {
            if (work) work();
        }
        std::function<void()> work;
    };
    Stage stage;
    auto meddler = std::make_shared<Meddler>(stage.world);
    stage.world.registerSystem(meddler);
    Entity entity = stage.spawn("entity");
    stage.ticks(10);
    int refusals = 0;
    auto refused = [&](auto call) {
        try {
            call();
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::Reentrant);
            ++refusals;
        }
    };
    meddler->work = [&] {
        refused([&] { stage.rewind->clear(); });
        refused([&] { stage.rewind->setBudget({}); });
        refused([&] { stage.rewind->takeHistory(); });
        refused([&] { stage.rewind->tick(1.0 / 64); });
        stage.rewind->seek(3);  // waits
        stage.world.reset();    // waits, too
    };
    stage.rewind->seek(4);
    CHECK(refusals >= 4);
    CHECK(refusals % 4 == 0);
    CHECK(stage.rewind->getFrame() == 4);
    CHECK(entity.getState() == EntityState::Managed);
    meddler->work = nullptr;
    stage.ticks(1);
    CHECK(entity.getState() == EntityState::Destroyed);
}

TEST_CASE("a listener that drops all frames while time moves back ends it") {
    Stage stage;
    stage.spawn("first");
    stage.ticks(10);
    stage.spawn("second");
    stage.ticks(10);
    stage.world.on("entityRemoved", [&](const Event&) { stage.rewind->clear(); });
    stage.rewind->start();
    stage.rewind->setSpeed(20);
    stage.ticks(1);
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.ticks(3);
    CHECK(stage.names() == "first ");
    CHECK(stage.rewind->getNewestFrame().has_value());
}

TEST_CASE("errors of listeners wait until a restore is done, and are told then") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    stage.ticks(5);
    for (int i = 0; i < 6; ++i) {
        stage.spawn("child", parent);
        stage.ticks(2);
    }
    int raised = 0;
    for (const char* event : {"entityAdded", "entityRemoved", "entityDestroyed"})
        stage.world.on(event, [&](const Event&) {
            ++raised;
            throw std::runtime_error("a listener's");
        });
    auto check = [&] {
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(*stage.rewind->getFrame()));
        CHECK(stage.world.validate().empty());
    };
    Entity shortLived = stage.spawn("short-lived");  // in no frame: it goes while rewinding begins
    CHECK_THROWS_AS(stage.rewind->seek(9), std::runtime_error);
    CHECK(stage.rewind->getFrame() == 9);
    CHECK(shortLived.getState() == EntityState::Destroyed);
    check();
    CHECK_THROWS_AS(stage.rewind->seek(14), std::runtime_error);
    check();
    CHECK_THROWS_AS(stage.rewind->seek(7), std::runtime_error);
    CHECK_THROWS_AS(stage.rewind->stop(), std::runtime_error);
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.world.isPastOnShow());
    check();
    CHECK(raised > 6);
    stage.ticks(1);
    stage.spawn("another");
    CHECK_THROWS_AS(stage.world.update(1.0 / 64), std::runtime_error);
    CHECK(stage.rewind->getNewestFrame() == 8);
    stage.world.reconcile();
}

TEST_CASE("a frame is what its reconcile left, whatever listeners ask for at once") {
    struct Heat {
        float degrees = 20;
    };
    Stage stage;
    stage.world.defineComponent<Heat>("HeatCMP", {field("degrees", &Heat::degrees)});
    Entity parent = stage.spawn("parent");
    Entity old = stage.spawn("old");
    stage.ticks(3);
    // Whatever gets a component, or comes in, loses and gets others before the frame is taken.
    auto toggle = [](Entity entity) {
        if (entity.hasComponent("HeatCMP"))
            entity.removeComponent("HeatCMP");
        else
            entity.addComponent<Heat>();
        entity.setEnabled(!entity.isEnabled());
    };
    const auto bound = stage.world.on("componentAdded", [&](const Event& event) {
        if (event.entity == old) toggle(old);
    });
    const auto added = stage.world.on("entityAdded", [&](const Event& event) {
        toggle(event.entity);
        parent.addChild(event.entity);
    });
    old.addComponent<Heat>();
    Entity fresh = stage.spawn("fresh");
    Entity warm = stage.world.newEntity("warm");
    warm.addComponent<Heat>({70});
    stage.world.addEntity(warm);
    stage.ticks(1);
    stage.world.off(bound);
    stage.world.off(added);
    stage.ticks(4);
    const std::int64_t newest = *stage.rewind->getNewestFrame();
    for (std::int64_t frame = newest; frame >= *stage.rewind->getOldestFrame(); --frame) {
        stage.rewind->seek(frame);
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(frame));
    }
    stage.rewind->seek(4);
    CHECK(old.hasComponent("HeatCMP"));
    CHECK(old.isEnabled());
    CHECK_FALSE(fresh.hasComponent("HeatCMP"));
    CHECK(fresh.getParent() == Entity());
    CHECK(warm.getComponent<const Heat>().degrees == 70);
    stage.rewind->seek(5);
    CHECK_FALSE(old.hasComponent("HeatCMP"));
    CHECK_FALSE(old.isEnabled());
    CHECK(fresh.hasComponent("HeatCMP"));
    CHECK(fresh.getParent() == parent);
    CHECK_FALSE(warm.hasComponent("HeatCMP"));
    for (std::int64_t frame = 1; frame <= newest; ++frame) {
        stage.rewind->seek(frame);
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(frame));
    }
}

TEST_CASE("a seek from inside a system acts at the next tick") {
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

TEST_CASE("a reset of the world empties a history that somebody still holds") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    stage.rewind->seek(4);
    stage.world.reset();
    CHECK_FALSE(stage.world.isPastOnShow());
    CHECK_THROWS_AS(stage.rewind->seek(4), Error);
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.world.registerSystem(stage.rewind);
    stage.spawn("another");
    stage.ticks(3);
    CHECK(stage.rewind->getNewestFrame() == 3);
    stage.rewind->seek(1);
    CHECK(stage.names() == "another ");
}

TEST_CASE("marks tell with which frames entities came, went and returned") {
    Stage stage({.stretchFrames = 4, .packInBackground = false});
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

TEST_CASE("two frames are compared entity by entity and field by field") {
    Stage stage;
    Entity stays = stage.spawn("stays");
    Entity goes = stage.spawn("goes");
    stage.ticks(3);
    stage.world.removeEntity(goes);
    stage.spawn("comes");
    stays.setEnabled(false);
    stage.ticks(3);
    stage.rewind->seek(5);
    const auto found = stage.rewind->compareFrames(3, 4, 100);
    CHECK(stage.rewind->getFrame() == 5);
    const auto has = [&](std::string_view name, std::string_view component, std::string_view field,
                         std::string_view here, std::string_view there) {
        return std::ranges::any_of(found, [&](const Divergence& each) {
            return each.entity.find(name) != std::string::npos && each.component == component &&
                   each.field == field && each.here == here && each.there == there;
        });
    };
    CHECK(has("'stays'", "PositionCMP", "x", "2", "3"));
    CHECK(has("'stays'", "", "enabled", "true", "false"));
    CHECK(has("'goes'", "", "the entity", "there", "absent"));
    CHECK(has("'comes'", "", "the entity", "absent", "there"));
    CHECK_FALSE(has("'stays'", "", "parent", "none", "none"));
    CHECK(stage.rewind->compareFrames(3, 4, 2).size() == 2);
    CHECK(stage.rewind->compareFrames(4, 4, 100).empty());
    CHECK_THROWS_AS(stage.rewind->compareFrames(4, 99, 100), Error);
}

TEST_CASE("what once named a destroyed entity is shown exactly, as long as a frame remembers it") {
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

TEST_CASE("destroyed entities that nothing names any more leave nothing behind in the history") {
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
            CHECK(stateHash(stage.world) == stage.rewind->frameHash(*stage.rewind->getFrame()));
            stage.rewind->seek(*stage.rewind->getNewestFrame());
            CHECK(stateHash(stage.world) == stage.rewind->frameHash(*stage.rewind->getFrame()));
            stage.rewind->stop();
        }
        most = std::max(most, stage.world.forest().lostSerials.bytes());
    }
    CHECK(most < 80'000);
    stage.rewind->step(-10);
    CHECK(stateHash(stage.world) == stage.rewind->frameHash(*stage.rewind->getFrame()));
}

TEST_CASE("references are told by who holds them: users, the history, ancestors") {
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
