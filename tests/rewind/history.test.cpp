#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <random>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Position {
    float x = 0;
    float angle = 0;
};
struct Life {
    std::int32_t ticks = 0;
};

// Things that move, and shots that are fired and end.
struct Range {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    int fired = 0;

    explicit Range(RewindOptions options = {}) {
        world.defineComponent<Position>("PositionCMP", {field("x", &Position::x).lerp(),
                                                        field("angle", &Position::angle).angle()});
        world.defineComponent<Life>("LifeCMP", {field("ticks", &Life::ticks)});
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        auto moving = world.view<Position>();
        auto living = world.view<Life>();
        world.registerSystem("MoveSys", [moving, living](World& w, double) {
            moving.each([](Position& position) {
                position.x += 1;
                position.angle += 0.5F;
            });
            living.each([&](Entity entity, Life& life) {
                if (--life.ticks <= 0) w.removeEntity(entity);
            });
        });
    }
    Entity spawn(const char* name) {
        Entity entity = world.newEntity(name);
        entity.addComponent<Position>();
        world.addEntity(entity);
        return entity;
    }
    void fire(int ticks) {
        Entity shot = spawn("shot");
        shot.addComponent<Life>({ticks});
        ++fired;
    }
    void tick(int count = 1) {
        for (int i = 0; i < count; ++i) world.update(1.0 / 64);
    }
    bool isExact() { return stateHash(world) == rewind->frameHash(*rewind->getFrame()); }
};

constexpr RewindOptions smallStretches() {
    return {.seconds = 1e6, .bytes = std::size_t{1} << 30, .stretchFrames = 10};
}

}  // namespace

TEST_CASE("the budget in bytes holds at every tick, and while scrubbing") {
    Range range({.seconds = 1e6, .bytes = 96 << 10, .stretchFrames = 20});
    for (int i = 0; i < 40; ++i) range.spawn("mover");
    for (int i = 0; i < 600; ++i) {
        if (i % 7 == 0) range.fire(5);
        range.tick();
        REQUIRE(range.rewind->getMemory() <= std::size_t{96} << 10);
    }
    std::mt19937 random(1);
    for (int i = 0; i < 50; ++i) {
        const auto oldest = *range.rewind->getOldestFrame();
        const auto newest = *range.rewind->getNewestFrame();
        REQUIRE(newest - oldest > 20);
        range.rewind->seek(oldest + static_cast<std::int64_t>(random() % (newest - oldest + 1)));
        REQUIRE(range.isExact());
    }
    range.rewind->setBudget({.seconds = 0.5, .bytes = 96 << 10, .stretchFrames = 20});
    range.rewind->stop();
    range.tick(100);
    CHECK(*range.rewind->getNewestFrame() - *range.rewind->getOldestFrame() <= 33);
}

TEST_CASE("an hour of shots does not fill the pools, and its memory comes back") {
    Range range({.seconds = 4, .bytes = std::size_t{1} << 30, .stretchFrames = 64});
    for (int i = 0; i < 4000; ++i) {
        range.fire(3);
        range.tick();
    }
    range.rewind->finishPacking();
    // 256 frames are kept, each of which mentions a shot or two; the pools hold only the living.
    CHECK(range.world.getZombies().size() < 300);
    CHECK(range.world.components().require("PositionCMP").pool.live() < 10);
    const std::size_t before = range.rewind->getMemory();
    for (int i = 0; i < 4000; ++i) {
        range.fire(3);
        range.tick();
    }
    range.rewind->finishPacking();
    CHECK(range.rewind->getMemory() < before * 3 / 2);
    range.rewind->clear();
    range.tick();
    CHECK(range.world.getZombies().empty());
    CHECK(range.rewind->getMemory() < before / 2);
}

TEST_CASE("far seeks lead over whole stretches, to exactly the same") {
    Range range(smallStretches());
    Entity first = range.spawn("first");
    std::vector<Entity> shots;
    for (int i = 0; i < 300; ++i) {
        if (i % 5 == 0) range.fire(2 + i % 23);
        range.tick();
    }
    range.rewind->finishPacking();
    range.rewind->seek(1);
    CHECK(range.isExact());
    CHECK(range.world.getAllManagedEntities().size() == 2);
    CHECK(first.getComponent<const Position>().x == 0);
    range.rewind->seek(300);
    CHECK(range.isExact());
    range.rewind->seek(155);
    CHECK(range.isExact());
    CHECK(first.getComponent<const Position>().x == 154);
}

TEST_CASE("a shot that came and went between two frames is unborn before and a zombie after") {
    Range range(smallStretches());
    range.spawn("first");
    range.tick(25);
    Entity shot = range.spawn("shot");
    shot.addComponent<Life>({3});
    range.tick(40);
    range.rewind->finishPacking();
    CHECK(shot.getState() == EntityState::Zombie);
    range.rewind->seek(5);
    CHECK(shot.getState() == EntityState::Unborn);
    range.rewind->seek(60);
    CHECK(shot.getState() == EntityState::Zombie);
    CHECK(shot.getName() == "shot");
    range.rewind->seek(27);
    CHECK(shot.getState() == EntityState::Managed);
    range.rewind->seek(5);
    range.rewind->stop();
    CHECK(shot.getState() == EntityState::Destroyed);
}

TEST_CASE("an entity removed and added again many times is the same one in every frame") {
    Range range(smallStretches());
    Entity ship = range.spawn("ship");
    for (int i = 0; i < 60; ++i) {
        range.tick();
        if (i % 3 == 0) range.world.removeEntity(ship);
        if (i % 3 == 1) range.world.addEntity(ship);
    }
    range.rewind->finishPacking();
    for (const std::int64_t frame : {60, 2, 31, 32, 33, 1, 59}) {
        CAPTURE(frame);
        range.rewind->seek(frame);
        CHECK(range.isExact());
        CHECK(ship.getState() == (frame % 3 == 2 ? EntityState::Zombie : EntityState::Managed));
    }
}

TEST_CASE("the first frame, a single frame and an empty world can be shown") {
    Range range;
    range.tick();
    range.rewind->seek(1);
    CHECK(range.isExact());
    CHECK(range.world.getAllManagedEntities().empty());
    range.rewind->step(-5);
    CHECK(range.rewind->getFrame() == 1);
    range.rewind->stop();
    range.spawn("late");
    range.tick(3);
    range.rewind->seek(1);
    CHECK(range.isExact());
    range.rewind->clear();
    CHECK_FALSE(range.rewind->isRewinding());
    CHECK_FALSE(range.rewind->getFrame().has_value());
    range.tick(2);
    CHECK(range.rewind->getNewestFrame().has_value());
}

TEST_CASE("a component type defined mid-history stays defined, and earlier frames have none") {
    struct Late {
        float value = 7;
    };
    Range range(smallStretches());
    Entity ship = range.spawn("ship");
    range.tick(15);
    range.world.defineComponent<Late>("LateCMP", {field("value", &Late::value)});
    ship.addComponent<Late>();
    range.tick(15);
    range.rewind->finishPacking();
    range.rewind->seek(10);
    CHECK(range.isExact());
    CHECK_FALSE(ship.hasComponent("LateCMP"));
    range.rewind->seek(30);
    CHECK(range.isExact());
    CHECK(ship.getComponent<const Late>().value == 7);
}

TEST_CASE("checkpoints name frames, and go with them") {
    Range range({.seconds = 1, .bytes = std::size_t{1} << 30});
    range.tick(10);
    range.rewind->setCheckpoint("door");
    range.tick(10);
    range.rewind->setCheckpoint("later");
    CHECK(range.rewind->getCheckpoint("door") == 10);
    range.rewind->seekCheckpoint("door");
    CHECK(range.rewind->getFrame() == 10);
    range.rewind->stop();
    CHECK_FALSE(range.rewind->getCheckpoint("later").has_value());
    range.tick(100);
    CHECK_FALSE(range.rewind->getCheckpoint("door").has_value());
    CHECK_THROWS_WITH(range.rewind->seekCheckpoint("door"), ContainsSubstring("door"));
    CHECK_THROWS_WITH(range.rewind->setCheckpoint(""), ContainsSubstring("name"));
}

TEST_CASE("between two frames lerp and angle fields are blended for display only") {
    Range range;
    Entity ship = range.spawn("ship");
    ship.getComponent<Position>().angle = 3;
    range.tick(20);
    range.rewind->start();
    range.rewind->setSpeed(0.25);
    range.tick();
    CHECK(range.rewind->getFrame() == 19);
    CHECK(range.rewind->getBlend() == Catch::Approx(0.75));
    Position shown;
    std::memcpy(&shown, range.rewind->getDisplay(ship, "PositionCMP"), sizeof shown);
    const auto exact = ship.getComponent<const Position>();
    CHECK(exact.x == 18);
    CHECK(shown.x == Catch::Approx(18.75));
    CHECK(shown.angle == Catch::Approx(exact.angle + 0.375));
    CHECK(range.isExact());
    range.rewind->seek(10);
    CHECK(range.rewind->getBlend() == 0);
    std::memcpy(&shown, range.rewind->getDisplay(ship, "PositionCMP"), sizeof shown);
    CHECK(shown.x == 9);
}

TEST_CASE("angles are blended the short way round") {
    World world;
    struct Dial {
        double angle = 0;
    };
    world.defineComponent<Dial>("DialCMP", {field("angle", &Dial::angle).angle()});
    Dial now{3.0};
    const Dial next{-3.0};
    blendComponent(world.getSchema("DialCMP"), reinterpret_cast<std::byte*>(&now),
                   reinterpret_cast<const std::byte*>(&next), 0.5);
    CHECK(std::abs(std::remainder(now.angle - 3.14159265358979, 6.28318530717959)) < 1e-6);
}

namespace {

// A body in a physics engine, say: what the component holds is only its number.
struct Body {
    std::uint32_t number = 0;
};
class Bodies final : public ComponentHooks {
public:
    std::map<std::uint32_t, int> heights;
    bool refuses = false;

    void getRewindState(EntityId, const std::byte* component,
                        std::vector<std::byte>& into) override {
        const auto bytes = std::as_bytes(std::span(&heights.at(numberOf(component)), 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void restoreRewindState(EntityId, std::byte* component,
                            std::span<const std::byte> state) override {
        if (refuses) fail(ErrorCode::WrongState, "the body will not move");
        std::memcpy(&heights[numberOf(component)], state.data(), sizeof(int));
    }
    bool lerpRewindState(EntityId, const std::byte*, std::span<const std::byte> now,
                         std::span<const std::byte> next, double part,
                         std::vector<std::byte>& into) override {
        if (refuses) fail(ErrorCode::WrongState, "nothing lies between");
        int from = 0;
        int to = 0;
        std::memcpy(&from, now.data(), sizeof from);
        std::memcpy(&to, next.data(), sizeof to);
        const double between = from + (to - from) * part;
        const auto bytes = std::as_bytes(std::span(&between, 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
        return true;
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        std::uint64_t hash = 17;
        for (const std::byte byte : state) hash = hash * 31 + static_cast<std::uint64_t>(byte);
        return hash;
    }

private:
    static std::uint32_t numberOf(const std::byte* component) {
        Body body;
        std::memcpy(&body, component, sizeof body);
        return body.number;
    }
};

// A system with a state of its own.
class CountSys final : public System {
public:
    int count = 0;

    explicit CountSys(World& world) : System(world, "CountSys") {}
    bool hasRewindState() const override { return true; }
    void getRewindState(std::vector<std::byte>& into) override {
        const auto bytes = std::as_bytes(std::span(&count, 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void restoreRewindState(std::span<const std::byte> state) override {
        std::memcpy(&count, state.data(), sizeof count);
    }
    bool lerpRewindState(std::span<const std::byte> now, std::span<const std::byte>, double part,
                         std::vector<std::byte>& into) override {
        into.assign(now.begin(), now.end());
        into.push_back(static_cast<std::byte>(part * 100));
        return true;
    }

protected:
    void onTick(double) override { ++count; }
};

}  // namespace

TEST_CASE("what lives elsewhere is rewound by its hooks, and a refusal changes nothing") {
    Range range(smallStretches());
    range.world.defineComponent<Body>("BodyCMP", {field("number", &Body::number)});
    auto bodies = std::make_shared<Bodies>();
    range.world.components().require("BodyCMP").hooks = bodies;
    range.world.registerSystem("FallSys", [bodies](World&, double) { bodies->heights[4] -= 2; });
    bodies->heights[4] = 100;
    Entity ship = range.spawn("ship");
    ship.addComponent<Body>({4});
    range.tick(30);
    range.rewind->finishPacking();
    CHECK(bodies->heights[4] == 40);
    range.rewind->seek(10);
    CHECK(bodies->heights[4] == 82);
    CHECK(range.isExact());
    bodies->refuses = true;
    CHECK_THROWS_WITH(range.rewind->seek(20), ContainsSubstring("will not move"));
    CHECK(range.rewind->getFrame() == 10);
    CHECK(bodies->heights[4] == 82);
    CHECK(range.isExact());
    bodies->refuses = false;
    bodies->heights[4] = 0;  // written while the past is on show: the next seek discards it
    range.rewind->seek(11);
    CHECK(bodies->heights[4] == 80);
    CHECK(range.isExact());
}

TEST_CASE(
    "a state that was written since the last frame, as the frame sought has it, is that of the "
    "frame") {
    Range range(smallStretches());
    range.world.defineComponent<Body>("BodyCMP", {field("number", &Body::number)});
    auto bodies = std::make_shared<Bodies>();
    range.world.components().require("BodyCMP").hooks = bodies;
    Entity ship = range.spawn("ship");
    ship.addComponent<Body>({4});
    bodies->heights[4] = 1;
    range.tick(5);
    bodies->heights[4] = 0;
    range.tick(5);
    bodies->heights[4] = 1;  // in no frame: undone when rewinding begins, and sought again at once
    range.rewind->seek(3);
    CHECK(bodies->heights[4] == 1);
    CHECK(range.isExact());
    range.rewind->seek(8);
    CHECK(bodies->heights[4] == 0);
    CHECK(range.isExact());
}

TEST_CASE("a system's own state is rewound, and counts for the hash") {
    Range range(smallStretches());
    auto counter = std::make_shared<CountSys>(range.world);
    range.world.registerSystem(counter);
    range.tick(40);
    range.rewind->finishPacking();
    range.rewind->seek(7);
    CHECK(counter->count == 6);
    CHECK(range.isExact());
    range.rewind->stop();
    range.tick(3);
    CHECK(counter->count == 9);
    range.rewind->seek(9);
    CHECK(counter->count == 8);
}

TEST_CASE("between two frames hooks say what to draw, and what they say changes nothing") {
    Range range(smallStretches());
    range.world.defineComponent<Body>("BodyCMP", {field("number", &Body::number)});
    auto bodies = std::make_shared<Bodies>();
    range.world.components().require("BodyCMP").hooks = bodies;
    range.world.registerSystem("FallSys", [bodies](World&, double) { bodies->heights[4] -= 2; });
    auto counter = std::make_shared<CountSys>(range.world);
    range.world.registerSystem(counter);
    bodies->heights = {{4, 100}, {5, 7}};
    Entity ship = range.spawn("ship");
    ship.addComponent<Body>({4});
    Entity rock = range.spawn("rock");
    rock.addComponent<Body>({5});
    Entity bare = range.spawn("bare");
    range.tick(20);
    CHECK_FALSE(range.rewind->getDisplayState(ship, "BodyCMP"));  // in play nothing lies between
    range.rewind->start();
    range.rewind->setSpeed(0.25);
    range.tick();
    REQUIRE(range.rewind->getBlend() == Catch::Approx(0.75));
    const auto between = range.rewind->getDisplayState(ship, "BodyCMP");
    REQUIRE(between);
    double height = 0;
    std::memcpy(&height, between->data(), sizeof height);
    CHECK(height == bodies->heights[4] - 1.5);
    CHECK_FALSE(range.rewind->getDisplayState(rock, "BodyCMP"));  // the same in both frames
    CHECK_FALSE(range.rewind->getDisplayState(bare, "BodyCMP"));
    const auto count = range.rewind->getDisplayState(*counter);
    REQUIRE(count);
    REQUIRE(count->size() == sizeof(int) + 1);
    CHECK(std::memcmp(count->data(), &counter->count, sizeof(int)) == 0);
    CHECK(count->back() == std::byte{75});
    CHECK(range.isExact());

    bodies->refuses = true;
    CHECK_THROWS_WITH(range.rewind->getDisplayState(ship, "BodyCMP"),
                      ContainsSubstring("nothing lies between"));
    CHECK(range.isExact());
    bodies->refuses = false;
    range.rewind->seek(10);
    CHECK_FALSE(range.rewind->getDisplayState(ship, "BodyCMP"));  // a frame is what it is
}

TEST_CASE("the sync test finds nothing where the same ticks do the same") {
    Range range(smallStretches());
    range.spawn("first");
    range.rewind->setSyncTest(4);
    range.world.registerSystem("RandomSys", [](World& world, double dt) {
        if (world.random(1, 5) != 1) return;
        Entity made = world.newEntity("made");
        made.addComponent<Position>({static_cast<float>(world.random() * dt), 0});
        made.addComponent<Life>({static_cast<std::int32_t>(world.random(2, 9))});
        world.addEntity(made);
    });
    Range plain(smallStretches());
    range.tick(80);
    CHECK_FALSE(range.rewind->getSyncReport().has_value());
    CHECK(range.rewind->getNewestFrame() == 80);
    range.rewind->seek(40);
    CHECK(range.isExact());
}

TEST_CASE("the sync test names the first field that comes out differently") {
    Range range;
    Entity ship = range.spawn("ship");
    int outside = 0;  // what no history knows of
    range.world.registerSystem("LeakSys", [&](World&, double) {
        ship.getComponent<Position>().x += static_cast<float>(outside++ % 2);
    });
    range.rewind->setSyncTest(3);
    range.tick(20);
    REQUIRE(range.rewind->getSyncReport().has_value());
    const Divergence& found = *range.rewind->getSyncReport();
    CHECK(found.component == "PositionCMP");
    CHECK(found.field == "x");
    CHECK_THAT(found.entity, ContainsSubstring("ship"));
    CHECK_THAT(found.describe(), ContainsSubstring("PositionCMP.x"));
    CHECK(range.rewind->getNewestFrame() == 20);
}

TEST_CASE("two histories are compared frame by frame, down to the field") {
    Range one(smallStretches());
    Range other(smallStretches());
    Entity here = one.spawn("ship");
    Entity there = other.spawn("ship");
    one.tick(20);
    other.tick(20);
    CHECK_FALSE(one.rewind->findDivergence(*other.rewind, 1).has_value());
    there.getComponent<Position>().angle += 1;
    one.tick(20);
    other.tick(20);
    const auto found = one.rewind->findDivergence(*other.rewind, 1);
    REQUIRE(found.has_value());
    CHECK(found->frame == 21);
    CHECK(found->component == "PositionCMP");
    CHECK(found->field == "angle");
    CHECK(one.rewind->getFrame() == 21);
    CHECK(here.isValid());
}
