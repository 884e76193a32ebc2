// Writes through references that were kept from an earlier tick: none is lost, and none spoils the past.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <vector>

#include "tests/rewind/stage.hpp"
#include "tests/world/assertions.hpp"

namespace revenant {
namespace {

struct Body {
    float x = 0;
    float speed = 0;
};

// A world in which nothing moves but what a test writes.
struct Still {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;

    explicit Still(const RewindOptions& options = {}) {
        world.defineComponent<Body>("BodyCMP",
                                    {field("x", &Body::x), field("speed", &Body::speed)});
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
    }
    Entity spawn(float x) {
        Entity entity = world.newEntity("e");
        entity.addComponent<Body>({.x = x, .speed = 2});
        world.addEntity(entity);
        return entity;
    }
    // Returns what a validating build says.
    std::string ticks(int count) {
        std::string said;
        for (int i = 0; i < count; ++i) try {
                world.update(1.0 / 64);
            } catch (const AssertionFailed& failure) {
                said = failure.what();
            }
        return said;
    }
    bool isExact() { return stateHash(world) == rewind->frameHash(*rewind->getFrame()); }
    std::int64_t newest() const { return *rewind->getNewestFrame(); }
};

Body& kept(Entity entity) {
    return entity.getComponent<Body>();
}

}  // namespace

TEST_CASE("a seek starts from what frames hold, whatever a kept reference wrote",
          "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    Entity e = still.spawn(1);
    Body& cached = kept(e);
    still.ticks(3);
    cached.x = 100;
    still.ticks(3);
    e.getComponent<Body>().x = 7;
    still.ticks(1);
    for (const std::int64_t frame : {5, 2, 7, 1, 6}) {
        still.rewind->seek(frame);
        CHECK(still.isExact());
        CHECK((e.getComponent<const Body>().x == 1 || e.getComponent<const Body>().x == 100 ||
               e.getComponent<const Body>().x == 7));
    }
    still.rewind->seek(2);
    CHECK(e.getComponent<const Body>().x == 1);
}

TEST_CASE("a write right before a seek leaves the frames as they were", "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    Entity e = still.spawn(1);
    Entity other = still.spawn(1);
    Body& cached = kept(e);
    Body& another = kept(other);
    still.ticks(3);
    e.getComponent<Body>().x = 3;
    still.ticks(2);
    cached.x = 0.1F;
    another.speed = 17;
    still.rewind->seek(1);
    CHECK(e.getComponent<const Body>().x == 1);
    CHECK(other.getComponent<const Body>().speed == 2);
    CHECK(still.isExact());
    still.rewind->seek(5);
    CHECK(e.getComponent<const Body>().x == 3);
    CHECK(still.isExact());
}

TEST_CASE("a write through a kept reference is in a frame within a bounded time",
          "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    constexpr int count = 1000;
    std::vector<Entity> all;
    for (int i = 0; i < count; ++i) all.push_back(still.spawn(0));
    still.ticks(1);
    for (const int chosen : {0, 500, 999}) {
        Body& cached = kept(all[static_cast<std::size_t>(chosen)]);
        still.ticks(2);
        cached.x = 5;
        const std::int64_t before = still.newest();
        still.ticks(count / 128 + 1);
        const std::int64_t frame = still.newest();
        still.rewind->seek(frame);
        CHECK(all[static_cast<std::size_t>(chosen)].getComponent<const Body>().x == 5);
        CHECK(still.isExact());
        still.rewind->seek(before);
        CHECK(all[static_cast<std::size_t>(chosen)].getComponent<const Body>().x == 0);
        CHECK(still.isExact());
        still.rewind->seek(frame);
        still.rewind->stop();
        still.ticks(1);
    }
}

TEST_CASE("a write through a kept reference is reported with entity, component and field",
          "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    Entity e = still.spawn(1);
    Body& cached = kept(e);
    still.ticks(3);
    CHECK(still.rewind->getStrayWrites().frames == 0);
    CHECK(still.rewind->getStrayWrites().first.empty());
    cached.speed = 9;
    const std::string said = still.ticks(1);  // one block: it is compared in each frame
    const auto strays = still.rewind->getStrayWrites();
    CHECK(strays.frames == 1);
    CHECK(strays.first.find("'e'") != std::string::npos);
    CHECK(strays.first.find("BodyCMP.speed") != std::string::npos);
    CHECK(said == (validating ? strays.first : ""));
    CHECK(still.ticks(3).empty());
    CHECK(still.rewind->getStrayWrites().frames == 1);
}

TEST_CASE("what a kept reference wrote while the past was shown is gone after as many seeks",
          "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    std::vector<Entity> all;
    for (int i = 0; i < 300; ++i) all.push_back(still.spawn(0));
    still.ticks(5);
    Body& cached = kept(all[280]);
    still.rewind->seek(3);
    still.rewind->seek(2);
    cached.x = 8;
    for (int i = 0; i < 4; ++i) still.rewind->seek(1 + i % 3);
    CHECK(all[280].getComponent<const Body>().x == 0);
    CHECK(still.isExact());
}

TEST_CASE("an entity that a seek takes out loses what a kept reference wrote to it",
          "[rewind][record][stray]") {
    const ThrowingAssertions assertions;
    Still still;
    still.ticks(2);
    Entity e = still.world.newEntity("e");
    const HeldEntity held(e);
    Body& cached = e.addComponent<Body>({.x = 1, .speed = 2});
    still.ticks(2);
    still.world.addEntity(e);
    still.ticks(3);
    still.rewind->seek(6);
    cached.x = 50;
    still.rewind->seek(3);
    CHECK(e.getComponent<const Body>().x == 1);
    still.rewind->seek(7);
    CHECK(e.getComponent<const Body>().x == 1);
    CHECK(still.isExact());
}

}  // namespace revenant
