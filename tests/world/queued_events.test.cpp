#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"
#include "world/world.hpp"

using namespace revenant;

TEST_CASE("queued events are delivered after the next reconcile, in order", "[world][listeners]") {
    World world;
    WorldCore::of(world).listeners().defineEvent("hit");
    std::vector<std::int64_t> heard;
    bool wasManaged = false;
    Entity e = world.newEntity("e");
    world.on("hit", [&](const Event& event) {
        heard.push_back(*event.detail->as<std::int64_t>());
        wasManaged = e.getState() == EntityState::Managed;
        if (heard.size() == 1) {
            const Value third = std::int64_t{3};
            world.queue("hit", {}, &third);
        }
    });
    world.addEntity(e);
    for (std::int64_t i = 1; i <= 2; ++i) {
        const Value detail = i;
        world.queue("hit", e, &detail);
    }
    CHECK(heard.empty());
    world.update(1);
    CHECK(heard == std::vector<std::int64_t>{1, 2});
    CHECK(wasManaged);
    world.update(1);
    CHECK(heard.size() == 3);
    CHECK_THROWS(world.queue("hti"));
}

TEST_CASE("an error of an emit is thrown by update, with all others", "[world][listeners]") {
    World world;
    WorldCore::of(world).listeners().defineEvent("hit");
    world.on("hit", [](const Event&) { throw std::runtime_error("one"); });
    world.on("hit", [](const Event&) { throw std::runtime_error("two"); });
    world.emit("hit");
    CHECK_THROWS_WITH(world.update(1), "2 errors:\n1. one\n2. two");
    world.update(1);
}

TEST_CASE("collision events need no entity, and are not taken while the past is shown",
          "[world][rewind]") {
    World world;
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    for (int i = 0; i < 3; ++i) world.update(1);
    world.recordCollisionEvent({});
    CHECK(world.getCollisionEvents().size() == 1);
    rewind->seek(1);
    world.recordCollisionEvent({});
    CHECK(world.getCollisionEvents().empty());
}

TEST_CASE("where calls on the past wait, an entity that no frame knows of may be built, not added",
          "[world][rewind]") {
    World world;
    world.defineComponent("A", {FieldSpec{"x", FieldType::F64}});
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    for (int i = 0; i < 3; ++i) world.update(1);
    rewind->seek(1);
    WorldCore::of(world).setBuildsInPast(true);
    Entity made = world.newEntity("made");
    made.addComponent("A");
    made.addChild(world.newEntity("child"));
    CHECK_THROWS(world.addEntity(made));
    rewind->stop();
    world.addEntity(made);
    world.update(1);
    CHECK(made.getState() == EntityState::Managed);
    rewind->seek(1);
    CHECK(stateHash(world) == rewind->frameHash(1));
}
