#include <cmath>
#include <limits>

#include "tests/world/refusal.hpp"

using namespace revenant;

namespace {

struct Nothing final : System {
    using System::System;
    void onTick(double) override {}
};

}  // namespace

TEST_CASE("update refuses a time step that is not a finite number of seconds", "[world][bad]") {
    World world;
    int ticks = 0;
    world.registerSystem("counting", [&](World&, double) { ++ticks; });
    world.addEntity(world.newEntity("waiting"));
    for (const double dt : {-1.0, -0.001, std::nan(""), std::numeric_limits<double>::infinity()})
        checkRefused(world, ErrorCode::BadArgument, {"update", "dt", "finite"},
                     [&] { world.update(dt); });
    CHECK(ticks == 0);
    world.update(0);
    CHECK(ticks == 1);
}

TEST_CASE("neither reconcile nor update can be called from inside a listener", "[world][bad]") {
    World world;
    int refused = 0;
    world.on(EventKind::EntityAdded, [&](const Event&) {
        for (const bool whole : {false, true})
            checkRefused(world, ErrorCode::Reentrant, {"from inside a reconcile", "the next one"},
                         [&] {
                             ++refused;
                             whole ? world.update(1) : world.reconcile();
                         });
    });
    world.addEntity(world.newEntity("new"));
    world.update(0.5);
    CHECK(refused == 2);
    CHECK(world.getTime() == 0.5);
    CHECK(world.getStats().reconciles == 1);
}

TEST_CASE("neither reconcile nor update can be called from inside a system", "[world][bad]") {
    World world;
    int refused = 0;
    System& system = world.registerSystem("eager", [&](World&, double) {
        for (const bool whole : {false, true})
            checkRefused(world, ErrorCode::Reentrant, {"from inside a system's tick"}, [&] {
                ++refused;
                whole ? world.update(1) : world.reconcile();
            });
    });
    world.update(0.5);
    CHECK(refused == 2);
    system.tick(0.5);  // by hand
    CHECK(refused == 4);
    world.reconcile();
    CHECK(world.getStats().reconciles == 2);
}

TEST_CASE("a misspelt event is refused with a list of those there are", "[world][bad]") {
    World world;
    checkRefused(world, ErrorCode::UnknownListener,
                 {"'entityAded'", "defineEvent", "entityAdded", "entityDisabled"},
                 [&] { world.on("entityAded", [](const Event&) {}); });
    checkRefused(world, ErrorCode::BadArgument, {"listener"},
                 [&] { world.on(EventKind::EntityAdded, nullptr); });
}

TEST_CASE("a listener can be removed once", "[world][bad]") {
    World world;
    const ListenerToken token = world.on("entityAdded", [](const Event&) {});
    world.off(token);
    checkRefused(world, ErrorCode::UnknownListener, {"token", "removed before"},
                 [&] { world.off(token); });
    checkRefused(world, ErrorCode::UnknownListener, {"token"},
                 [&] { world.off(ListenerToken{99}); });
    checkRefused(world, ErrorCode::UnknownListener, {"token"}, [&] { world.off(ListenerToken{}); });
}

TEST_CASE("a system is registered once, under a name of its own", "[world][bad]") {
    World world;
    auto system = std::make_shared<Nothing>(world, "physics");
    world.registerSystem(system);
    for (const auto& again : {system, std::make_shared<Nothing>(world, "physics")})
        checkRefused(world, ErrorCode::DuplicateSystem, {"'physics'", "already registered"},
                     [&] { world.registerSystem(again); });
    CHECK(world.getSystems().size() == 1);
    checkRefused(world, ErrorCode::BadArgument, {"system"}, [&] { world.registerSystem(nullptr); });
    checkRefused(world, ErrorCode::BadArgument, {"needs a name"}, [&] { Nothing(world, ""); });
    for (const double step : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()})
        checkRefused(world, ErrorCode::BadArgument, {"'fixed'", "fixedStepSeconds"},
                     [&] { Nothing(world, "fixed", {.fixedStepSeconds = step}); });
}

TEST_CASE("a system that is not registered cannot be unregistered", "[world][bad]") {
    World world;
    World elsewhere;
    const Nothing stray(world, "stray");
    checkRefused(world, ErrorCode::UnknownSystem, {"'stray'", "is not registered"},
                 [&] { world.unregisterSystem(stray); });
    checkRefused(world, ErrorCode::OtherWorld, {"'foreign'", "another world"},
                 [&] { world.registerSystem(std::make_shared<Nothing>(elsewhere, "foreign")); });
    CHECK(world.getSystem("foreign") == nullptr);
}

TEST_CASE("a dependency on a system that is not there is refused before anything moves",
          "[world][bad]") {
    World world;
    int ticks = 0;
    world.registerSystem("camera", [&](World&, double) { ++ticks; },
                         {.dependencies = {"movement"}});
    world.addEntity(world.newEntity("waiting"));
    auto update = [&] { world.update(1); };
    checkRefused(world, ErrorCode::UnknownSystem, {"'camera'", "'movement'"}, update);
    CHECK_THROWS_AS(world.getSystems(), Error);
    world.registerSystem("movement", [&](World&, double) { ++ticks; });
    world.update(1);
    CHECK(ticks == 2);
}

TEST_CASE("systems that wait for each other are refused with their names", "[world][bad]") {
    World world;
    int ticks = 0;
    auto count = [&](World&, double) { ++ticks; };
    world.registerSystem("a", count, {.dependencies = {"c"}});
    world.registerSystem("b", count, {.dependencies = {"a"}});
    System& c = world.registerSystem("c", count, {.dependencies = {"b"}});
    world.registerSystem("bystander", count);
    auto update = [&] { world.update(1); };
    checkRefused(world, ErrorCode::SystemCycle, {"circle", "'a'", "'b'", "'c'"}, update);
    CHECK(ticks == 0);
    world.unregisterSystem(c);
    world.registerSystem("c", count);
    world.update(1);
    CHECK(ticks == 4);
}

TEST_CASE("a resource needs a name, and plain data if it is rewound", "[world][bad]") {
    World world;
    world.setResource("score", Value(3), {.rewind = true});
    checkRefused(world, ErrorCode::BadArgument, {"needs a name"},
                 [&] { world.setResource("", 1); });
    checkRefused(world, ErrorCode::WrongType, {"'score'", "plain Value"},
                 [&] { world.setResource("score", std::string("seven"), {.rewind = true}); });
    REQUIRE(world.getResource<Value>("score"));
    CHECK(*world.getResource<Value>("score") == Value(3));
}

TEST_CASE("a random number cannot come from an empty range", "[world][bad]") {
    World world;
    checkRefused(world, ErrorCode::BadArgument, {"random", "from 3 to 1", "empty"},
                 [&] { (void)world.random(3, 1); });
    checkRefused(world, ErrorCode::BadArgument, {"from 1 to 0"}, [&] { (void)world.random(0); });
}
