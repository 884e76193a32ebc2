#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "tests/world/snapshot.hpp"

using namespace revenant;

namespace {

// A world whose systems write down their names as they tick.
struct Scene {
    World world;
    Names ticked;

    System& add(const std::string& name, SystemOptions options = {}) {
        return world.registerSystem(
            name, [this, name](World&, double) { ticked.push_back(name); }, std::move(options));
    }
    Names update(double dt = 1) {
        ticked.clear();
        world.update(dt);
        return ticked;
    }
};

// Counts what it is given.
struct Stepper final : System {
    using System::System;

    int steps = 0;
    double stepSeconds = 0;
    std::vector<double> frames;
    Names calls;

protected:
    void onTick(double dt) override {
        frames.push_back(dt);
        calls.emplace_back("frame");
    }
    void onFixedTick(double step) override {
        ++steps;
        stepSeconds = step;
        calls.emplace_back("step");
    }
};

}  // namespace

TEST_CASE("systems tick by priority, then in the order in which they were registered",
          "[world][systems]") {
    Scene scene;
    scene.add("third");
    scene.add("first", {.priority = 5});
    scene.add("fourth");
    scene.add("last", {.priority = -1});
    scene.add("second", {.priority = 5});
    CHECK(scene.update() == Names{"first", "second", "third", "fourth", "last"});
    CHECK(scene.world.getSystems().front()->getName() == "first");
}

TEST_CASE("a system ticks after those it depends on, whatever its priority", "[world][systems]") {
    Scene scene;
    scene.add("draw", {.priority = 9, .dependencies = {"move", "animate"}});
    scene.add("animate", {.dependencies = {"move"}});
    scene.add("input");
    scene.add("move");  // registered last, yet needed first
    CHECK(scene.update() == Names{"input", "move", "animate", "draw"});
}

TEST_CASE("a disabled system does not tick, and others that depend on it do", "[world][systems]") {
    Scene scene;
    System& off = scene.add("off", {.enabled = false});
    scene.add("on", {.dependencies = {"off"}});
    CHECK(scene.update() == Names{"on"});
    off.setEnabled(true);
    CHECK(off.isEnabled());
    CHECK(scene.update() == Names{"off", "on"});
    off.setEnabled(false);
    off.tick(1);  // by hand neither
    CHECK(scene.update() == Names{"on"});
}

TEST_CASE("a system is found by its name until it is unregistered", "[world][systems]") {
    Scene scene;
    System& system = scene.add("physics");
    CHECK(scene.world.getSystem("physics") == &system);
    CHECK(scene.world.getSystem("Physics") == nullptr);
    scene.world.unregisterSystem(system);
    CHECK(scene.world.getSystem("physics") == nullptr);
    CHECK(scene.update().empty());
}

TEST_CASE("fixed steps run before the frame's tick, as many as are due", "[world][systems]") {
    World world;
    auto stepper =
        std::make_shared<Stepper>(world, "physics", SystemOptions{.fixedStepSeconds = 0.25});
    world.registerSystem(stepper);
    world.update(0.125);
    CHECK(stepper->steps == 0);
    CHECK(stepper->getAccumulatedSeconds() == 0.125);
    world.update(0.5);
    CHECK(stepper->steps == 2);
    CHECK(stepper->stepSeconds == 0.25);
    CHECK(stepper->getAccumulatedSeconds() == 0.125);
    CHECK(stepper->calls == Names{"frame", "step", "step", "frame"});
    CHECK(stepper->frames == std::vector<double>{0.125, 0.5});
    world.update(0.125);
    CHECK(stepper->steps == 3);
    CHECK(stepper->getAccumulatedSeconds() == 0);
}

TEST_CASE("a function with a fixed step is called once per step, and not per frame",
          "[world][systems]") {
    World world;
    std::vector<double> steps;
    world.registerSystem("physics", [&](World&, double step) { steps.push_back(step); },
                         {.fixedStepSeconds = 0.25});
    world.update(0.125);
    CHECK(steps.empty());
    world.update(0.75);
    CHECK(steps == std::vector<double>(3, 0.25));
}

TEST_CASE("a system that only ticks may have a fixed step: its time is kept", "[world][systems]") {
    struct Ticker final : System {
        int frames = 0;
        explicit Ticker(World& world) : System(world, "ticker", {.fixedStepSeconds = 0.25}) {}
        void onTick(double) override { ++frames; }
    };
    World world;
    auto ticker = std::make_shared<Ticker>(world);
    world.registerSystem(ticker);
    world.update(0.625);
    CHECK(ticker->frames == 1);
    CHECK(ticker->getAccumulatedSeconds() == 0.125);
}

TEST_CASE("time beyond the most steps of a tick is dropped, the remainder of a step is kept",
          "[world][systems]") {
    World world;
    auto stepper = std::make_shared<Stepper>(
        world, "physics", SystemOptions{.fixedStepSeconds = 0.25, .maxFixedSteps = 4});
    world.registerSystem(stepper);
    world.update(10.125);
    CHECK(stepper->steps == 4);
    CHECK(stepper->getAccumulatedSeconds() == Catch::Approx(0.125));
    world.update(0.125);
    CHECK(stepper->steps == 5);
}

TEST_CASE("a failing system does not keep the others from ticking, and the first error is thrown",
          "[world][systems]") {
    Scene scene;
    scene.add("before");
    scene.world.registerSystem("bad", [](World&, double) { throw std::runtime_error("first"); });
    scene.world.registerSystem("worse", [](World&, double) { throw std::runtime_error("second"); });
    scene.add("after");
    CHECK_THROWS_WITH(scene.world.update(1), "first");
    CHECK(scene.ticked == Names{"before", "after"});
    CHECK(scene.world.getTime() == 1);
    scene.world.reconcile();  // no trace of the tick is left
}

TEST_CASE("a system that is unregistered inside a tick does not tick any more",
          "[world][systems]") {
    Scene scene;
    System* victim = nullptr;
    System& killer = scene.world.registerSystem("killer", [&](World& world, double) {
        if (victim) world.unregisterSystem(*victim);
        victim = nullptr;
        world.unregisterSystem(*world.getSystem("killer"));  // itself, in the middle of its tick
        scene.ticked.emplace_back("killer");
    });
    CHECK(killer.getName() == "killer");
    victim = &scene.add("victim");
    scene.add("bystander");
    CHECK(scene.update() == Names{"killer", "bystander"});
    CHECK(scene.update() == Names{"bystander"});
}

TEST_CASE("a system may unregister itself while it is ticked by hand", "[world][systems]") {
    World world;
    const auto alive = std::make_shared<int>(0);
    System& system = world.registerSystem("mayfly", [alive](World& inside, double) {
        inside.unregisterSystem(*inside.getSystem("mayfly"));
        ++*alive;
    });
    system.tick(1);
    CHECK(*alive == 1);
    CHECK(alive.use_count() == 1);  // gone after its tick
}

TEST_CASE("a system that is registered inside a tick ticks from the next one on",
          "[world][systems]") {
    Scene scene;
    scene.world.registerSystem("maker", [&](World& world, double) {
        if (!world.getSystem("made")) scene.add("made", {.priority = -1});
    });
    CHECK(scene.update().empty());
    CHECK(scene.update() == Names{"made"});
}

TEST_CASE("systems can be ticked by hand in any order after a reconcile", "[world][systems]") {
    Scene scene;
    System& a = scene.add("a");
    System& b = scene.add("b");
    scene.world.addEntity(scene.world.newEntity("e"));
    scene.world.reconcile();
    CHECK(scene.ticked.empty());
    b.tick(1);
    a.tick(1);
    b.tick(1);
    CHECK(scene.ticked == Names{"b", "a", "b"});
    CHECK(scene.world.getTime() == 0);  // time is update's business
    CHECK(scene.world.getAllManagedEntities().size() == 1);
}

TEST_CASE("what a system asks for takes effect at the next tick", "[world][systems]") {
    World world;
    std::vector<std::size_t> seen;
    world.registerSystem("spawner", [&](World&, double) {
        seen.push_back(world.getAllManagedEntities().size());
        world.addEntity(world.newEntity("spawned"));
        seen.push_back(world.getAllManagedEntities().size());
    });
    world.update(1);
    world.update(1);
    CHECK(seen == std::vector<std::size_t>{0, 0, 1, 1});
}

TEST_CASE("a reset inside a tick acts after the tick", "[world][systems]") {
    Scene scene;
    Entity entity = scene.world.newEntity("e");
    scene.world.addEntity(entity);
    scene.world.registerSystem("resetter", [&](World& world, double) {
        world.reset();
        CHECK(entity.getState() == EntityState::Managed);
        CHECK(world.getSystem("after"));
    });
    scene.add("after");
    CHECK(scene.update() == Names{"after"});
    CHECK_FALSE(entity.isValid());
    CHECK(scene.world.getSystems().empty());
    CHECK(scene.update().empty());
}

TEST_CASE("a reset asked for by a system that is ticked by hand acts at the next reconcile",
          "[world][systems]") {
    World world;
    Entity entity = world.newEntity("e");
    world.addEntity(entity);
    world.reconcile();
    world.registerSystem("resetter", [](World& inside, double) { inside.reset(); }).tick(1);
    CHECK(entity.getState() == EntityState::Managed);
    world.reconcile();
    CHECK_FALSE(entity.isValid());
}
