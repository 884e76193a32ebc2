// What a restore does to things beside components: several hooks, collision events, dirty flags,
// levels that went, entities that ceased to be rewindable.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <map>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Position {
    float x = 0;
};
struct Handle {
    std::uint32_t number = 0;
};

// Heights that live elsewhere, by number. One of them can be made to refuse.
class Heights final : public ComponentHooks {
public:
    std::map<std::uint32_t, int> of;
    std::uint32_t refusing = 0;

    void getRewindState(EntityId, const std::byte* component,
                        std::vector<std::byte>& into) override {
        const auto bytes = std::as_bytes(std::span(&of.at(numberOf(component)), 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void restoreRewindState(EntityId, std::byte* component,
                            std::span<const std::byte> state) override {
        if (numberOf(component) == refusing) fail(ErrorCode::WrongState, "it will not move");
        std::memcpy(&of[numberOf(component)], state.data(), sizeof(int));
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        std::uint64_t hash = 17;
        for (const std::byte byte : state) hash = hash * 31 + static_cast<std::uint64_t>(byte);
        return hash;
    }

private:
    static std::uint32_t numberOf(const std::byte* component) {
        Handle handle;
        std::memcpy(&handle, component, sizeof handle);
        return handle.number;
    }
};

struct Scene {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;
    std::shared_ptr<Heights> heights = std::make_shared<Heights>();

    explicit Scene(RewindOptions options = {}) {
        world.defineComponent<Position>("PositionCMP", {field("x", &Position::x)});
        world.defineComponent<Handle>("HandleCMP", {field("number", &Handle::number)});
        world.components().require("HandleCMP").hooks = heights;
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        world.registerSystem("MoveSys", [this, view = world.view<Position>()](World&, double) {
            view.each([](Position& position) { position.x += 1; });
            for (auto& [number, height] : heights->of) height -= 1;
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
    Entity spawnBody(const char* name, std::uint32_t number) {
        Entity entity = spawn(name);
        heights->of[number] = 1000;
        entity.addComponent<Handle>({number});
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
    bool isExact() { return stateHash(world) == rewind->frameHash(*rewind->getFrame()); }
};

}  // namespace

TEST_CASE("one hook of several that fails leaves all the others, and the world, as they were") {
    Scene scene;
    for (std::uint32_t number = 1; number <= 5; ++number) scene.spawnBody("body", number);
    scene.ticks(10);
    Entity late = scene.spawnBody("late", 6);
    scene.ticks(10);
    scene.rewind->seek(15);
    const auto before = scene.heights->of;
    for (std::uint32_t number = 1; number <= 5; ++number) {
        scene.heights->refusing = number;
        CHECK_THROWS_WITH(scene.rewind->seek(4), ContainsSubstring("will not move"));
        CHECK(scene.heights->of == before);
        CHECK(scene.rewind->getFrame() == 15);
        CHECK(late.getState() == EntityState::Managed);
        CHECK(scene.isExact());
        CHECK(scene.world.validate().empty());
    }
    scene.heights->refusing = 0;
    scene.rewind->seek(4);
    CHECK(scene.heights->of.at(1) == before.at(1) + 11);
    CHECK(late.getState() == EntityState::Unborn);
    CHECK(scene.isExact());
}

TEST_CASE("a hook that fails while rewinding begins leaves the game playing") {
    Scene scene;
    scene.spawnBody("body", 1);
    scene.ticks(10);
    int told = 0;
    scene.world.on("rewindStarted", [&](const Event&) { ++told; });
    scene.world.on("rewindEnded", [&](const Event&) { ++told; });
    scene.heights->refusing = 1;
    CHECK_THROWS_WITH(scene.rewind->seek(4), ContainsSubstring("will not move"));
    CHECK_FALSE(scene.rewind->isRewinding());
    CHECK_FALSE(scene.world.isPastOnShow());
    CHECK(told == 0);
    scene.heights->refusing = 0;
    scene.ticks(3);
    CHECK(scene.rewind->getNewestFrame() == 12);
    for (const std::int64_t frame : {4, 10, 12}) {
        scene.rewind->seek(frame);
        CHECK(scene.isExact());
    }
}

TEST_CASE("after a restore collision events are empty and nothing is dirty") {
    Scene scene;
    Entity one = scene.spawn("one");
    Entity other = scene.spawn("other");
    auto view = scene.world.view<Position>();
    scene.ticks(5);
    scene.world.removeEntity(other);
    scene.ticks(5);
    CollisionEvent event;
    event.first = one;
    event.second = one;
    scene.world.recordCollisionEvent(event);
    REQUIRE(scene.world.getCollisionEvents().size() == 1);
    scene.rewind->seek(3);
    CHECK(scene.world.getCollisionEvents().empty());
    CHECK_FALSE(one.isDirty());
    CHECK_FALSE(other.isDirty());
    CHECK(view.count() == 2);
    scene.rewind->seek(9);
    CHECK(view.count() == 1);
    CHECK_FALSE(one.isDirty());
}

TEST_CASE("a level that was unloaded inside the window comes back as a whole, and goes again") {
    Scene scene({.seconds = 1e6, .stretchFrames = 10});
    std::vector<Entity> cave;
    for (int i = 0; i < 30; ++i) {
        Entity room = scene.spawn("room");
        for (int k = 0; k < 3; ++k) scene.spawn("thing", room);
        cave.push_back(room);
    }
    scene.ticks(25);
    const std::string caveNames = scene.names();
    for (Entity& room : cave) scene.world.removeEntity(room);
    Entity field = scene.spawn("field");
    scene.ticks(25);
    scene.rewind->finishPacking();
    CHECK(scene.names() == "field ");
    for (int round = 0; round < 3; ++round) {
        scene.rewind->seek(7 + round);
        CHECK(scene.names() == caveNames);
        CHECK(field.getState() == EntityState::Unborn);
        CHECK(scene.isExact());
        scene.rewind->seek(50 - round);
        CHECK(scene.names() == "field ");
        CHECK(cave[3].getState() == EntityState::Zombie);
        CHECK(scene.isExact());
    }
    scene.rewind->seek(20);
    scene.rewind->stop();
    CHECK(field.getState() == EntityState::Destroyed);
    scene.ticks(10);
    CHECK(scene.names() == caveNames);
}

TEST_CASE("frames from before an entity ceased to be rewindable still move it") {
    Scene scene({.seconds = 1e6, .stretchFrames = 4});
    Entity ghost = scene.spawn("ghost");
    Entity child = scene.spawn("child", ghost);
    scene.ticks(5);
    ghost.setRewindable(false);
    scene.ticks(5);
    ghost.setRewindable(true);
    scene.ticks(5);
    const float now = ghost.getComponent<const Position>().x;
    scene.rewind->seek(13);
    CHECK(ghost.getComponent<const Position>().x == now - 3);
    CHECK(scene.isExact());
    scene.rewind->seek(8);  // here it is no concern of the history's
    CHECK_FALSE(ghost.isRewindable());
    CHECK(child.getState() == EntityState::Managed);
    CHECK(scene.isExact());
    scene.rewind->seek(3);
    CHECK(ghost.isRewindable());
    CHECK(ghost.getComponent<const Position>().x == 2);
    CHECK(child.getComponent<const Position>().x == 2);
    CHECK(scene.isExact());
    scene.rewind->seek(15);
    CHECK(ghost.getComponent<const Position>().x == now - 1);
    CHECK(scene.isExact());
    CHECK(scene.world.validate().empty());
}
