#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "tests/world/assertions.hpp"
#include "tests/world/event_log.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

void throwName(const Event& event) {
    throw std::runtime_error(std::string(event.name));
}

}  // namespace

TEST_CASE("a listener that throws stops no other listener and no change", "[world][listeners]") {
    World world;
    world.on(EventKind::EntityAdded, throwName);
    EventLog log(world);
    Entity a = world.newEntity("a");
    Entity b = world.newEntity("b");
    world.addEntity(a);
    world.addEntity(b);
    CHECK_THROWS_WITH(world.reconcile(), "2 errors:\n1. a\n2. b");  // all that failed
    CHECK(log.take() == Names{"entityAdded a", "entityAdded b"});
    CHECK(b.getState() == EntityState::Managed);
    CHECK(world.validate().empty());
    world.reconcile();  // and it is thrown once
}

TEST_CASE("after a listener's error the systems tick all the same", "[world][listeners]") {
    World world;
    int ticks = 0;
    world.on(EventKind::EntityAdded, throwName);
    world.registerSystem("bad", [&](World&, double) {
        ++ticks;
        throw std::runtime_error("of the system");
    });
    world.addEntity(world.newEntity("of the listener"));
    CHECK_THROWS_WITH(world.update(1), "2 errors:\n1. of the listener\n2. of the system");
    CHECK(ticks == 1);
    CHECK_THROWS_WITH(world.update(1), "of the system");
}

TEST_CASE("an error in destroy's own listeners comes out of destroy, the entity is gone",
          "[world][listeners]") {
    World world;
    world.on(EventKind::EntityDestroyed, throwName);
    Entity ghost = world.newEntity("ghost");
    CHECK_THROWS_WITH(ghost.destroy(), "ghost");
    CHECK_FALSE(ghost.isValid());
    world.reconcile();
}

TEST_CASE("a listener that destroys something does not get another listener's error",
          "[world][listeners]") {
    World world;
    Entity victim = world.newEntity("victim");
    bool wentOn = false;
    world.on(EventKind::EntityAdded, throwName);
    world.on(EventKind::EntityAdded, [&](const Event&) {
        victim.destroy();
        wentOn = true;
    });
    world.addEntity(world.newEntity("newcomer"));
    CHECK_THROWS_WITH(world.reconcile(), "newcomer");
    CHECK(wentOn);
    CHECK_FALSE(victim.isValid());
}

TEST_CASE("an integrity error does not leave a listener's error for the next reconcile",
          "[world][listeners]") {
    const ThrowingAssertions assertions;
    World world;
    const ListenerToken token = world.on(EventKind::EntityRemoved, throwName);
    Entity parent = world.newEntity("parent");
    Entity child = world.newEntity("child");
    parent.addChild(child);
    world.addEntity(parent);
    world.reconcile();
    child.retain();
    world.removeEntity(parent);
    CHECK_THROWS(world.reconcile());
    world.off(token);
    world.reconcile();
    CHECK(child.getState() == EntityState::Zombie);
}

TEST_CASE("a listener of a destruction may destroy, and drop what it holds", "[world][listeners]") {
    World world;
    EventLog log(world);
    Entity a = world.newEntity("a");
    Entity b = world.newEntity("b");
    Entity c = world.newEntity("c");
    HeldEntity held(c);
    world.on(EventKind::EntityDestroyed, [&](const Event& event) {
        if (event.entity == a) b.destroy();
        if (event.entity == b) held = HeldEntity();
    });
    a.destroy();
    CHECK(log.take() == Names{"entityDestroyed a", "entityDestroyed b"});
    world.reconcile();
    CHECK(log.take() == Names{"entityDestroyed c"});
}

TEST_CASE("others can define events of their own and fire them", "[world][listeners]") {
    World world;
    const std::uint16_t started = world.defineEvent("rewindStarted");
    CHECK(world.defineEvent("rewindStarted") == started);
    CHECK(WorldCore::of(world).listeners().eventName(started) == "rewindStarted");
    int heard = 0;
    world.on("rewindStarted", [&](const Event& event) {
        ++heard;
        CHECK(event.id == started);
        REQUIRE(event.detail);
        CHECK((*event.detail == Value(7)));
    });
    const Value detail = 7;
    Event event;
    event.id = started;
    event.detail = &detail;
    ErrorList errors;
    WorldCore::of(world).listeners().fire(event, errors);
    CHECK(heard == 1);
    CHECK(errors.empty());
}
