#include <catch2/catch_test_macros.hpp>

#include "tests/world/snapshot.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Position {
    double x = 0;
};

// Counts its callbacks.
struct Witness final : WorldObserver {
    explicit Witness(WorldCore&) {}

    int reconciles = 0;
    int resets = 0;
    Names left, changed;

    void onReconcile(const ChangeSet& changes) override {
        ++reconciles;
        left.clear();
        changed.clear();
        for (const Change& change : changes.left) left.push_back(sentence(change.id.index));
        for (const Change& change : changes.changed) changed.push_back(sentence(change.id.index));
    }
    void onReset() override { ++resets; }
    void validate(std::vector<std::string>& problems) const override {
        if (reconciles < 0) problems.emplace_back("cannot happen");
    }
};

}  // namespace

TEST_CASE("the main character is known only while it is managed", "[world]") {
    World world;
    Entity hero = world.newEntity("hero");
    CHECK(world.getMainCharacter() == Entity());
    world.setMainCharacter(hero);  // any valid entity
    CHECK(world.getMainCharacter() == Entity());
    world.addEntity(hero);
    CHECK(world.getMainCharacter() == Entity());
    world.reconcile();
    CHECK(world.getMainCharacter() == hero);
    world.removeEntity(hero);
    CHECK(world.getMainCharacter() == hero);  // still in the world
    hero.retain();
    world.reconcile();
    CHECK(world.getMainCharacter() == Entity());
    world.addEntity(hero);
    world.reconcile();
    CHECK(world.getMainCharacter() == Entity());  // it was cleared, not hidden
}

TEST_CASE("main character and main camera are cleared by naming no entity", "[world]") {
    World world;
    Entity hero = world.newEntity("hero");
    world.addEntity(hero);
    world.reconcile();
    world.setMainCharacter(hero);
    world.setMainCamera(hero);
    CHECK(world.getMainCamera() == hero);
    world.setMainCharacter(Entity());
    CHECK(world.getMainCharacter() == Entity());
    CHECK(world.getMainCamera() == hero);
    Entity shelter = world.newEntity("shelter");
    shelter.addChild(hero);  // leaves the world without being removed
    world.reconcile();
    CHECK(world.getMainCamera() == Entity());
}

TEST_CASE("a main character that is destroyed while detached is cleared", "[world]") {
    World world;
    Entity hero = world.newEntity("hero");
    world.setMainCharacter(hero);
    hero.destroy();
    Entity next = world.newEntity("next");  // in the same slot
    world.addEntity(next);
    world.reconcile();
    CHECK(world.getMainCharacter() == Entity());
}

TEST_CASE("collision events last until the next reconcile", "[world]") {
    World world;
    Entity ball = world.newEntity("ball");
    world.addEntity(ball);
    std::size_t seen = 99;
    world.registerSystem("physics", [&](World&, double) {
        seen = world.getCollisionEvents().size();
        world.recordCollisionEvent({ball});  // with the level itself
        world.recordCollisionEvent({.first = ball, .second = ball, .normalX = 1, .detail = 7});
    });
    for (int i = 0; i < 3; ++i) {
        world.update(1);
        CHECK(seen == 0);
        REQUIRE(world.getCollisionEvents().size() == 2);
        CHECK(world.getCollisionEvents()[1].normalX == 1);
        CHECK(std::any_cast<int>(world.getCollisionEvents()[1].detail) == 7);
    }
}

TEST_CASE("resources are found by name and type", "[world]") {
    World world;
    CHECK(world.getResource<int>("lives") == nullptr);
    world.setResource("lives", 3);
    REQUIRE(world.getResource<int>("lives"));
    CHECK(*world.getResource<int>("lives") == 3);
    CHECK(world.getResource<double>("lives") == nullptr);
    world.setResource("lives", std::string("nine"));
    CHECK(*world.getResource<std::string>("lives") == "nine");
    CHECK(world.removeResource("lives"));
    CHECK_FALSE(world.removeResource("lives"));
    CHECK(world.getResource<std::string>("lives") == nullptr);
    world.setRenderEnv(std::string("screen"));
    CHECK(std::any_cast<std::string>(world.getRenderEnv()) == "screen");
}

TEST_CASE("random numbers are the same for the same seed, and within their range", "[world]") {
    World one(WorldOptions{.randomSeed = 42});
    World other;
    other.setRandomSeed(42);
    World stranger;
    int same = 0;
    int lowest = 0;
    int highest = 0;
    for (int i = 0; i < 1000; ++i) {
        const double number = one.random();
        CHECK((number >= 0 && number < 1));
        CHECK(number == other.random());
        same += number == stranger.random() ? 1 : 0;
        const std::int64_t die = one.random(6);
        CHECK((die >= 1 && die <= 6));
        CHECK(die == other.random(6));
        (void)stranger.random(6);
        lowest += die == 1 ? 1 : 0;
        highest += die == 6 ? 1 : 0;
    }
    CHECK(same == 0);
    CHECK((lowest > 100 && highest > 100));
    CHECK(one.random(-3, -3) == -3);
    for (int i = 0; i < 100; ++i) (void)one.random(INT64_MIN, INT64_MAX);
}

TEST_CASE("a reset empties the world and keeps its component definitions", "[world]") {
    World world;
    world.defineComponent<Position>("Position", {field("x", &Position::x)});
    std::vector<Entity> entities;
    for (const char* name : {"managed", "detached", "zombie", "pending"})
        entities.push_back(world.newEntity(name));
    for (Entity& entity : entities) entity.addComponent<Position>({7});
    entities[0].addChild(world.newEntity("child"));
    world.addEntity(entities[0]);
    world.addEntity(entities[2]);
    world.reconcile();
    entities[2].retain();
    world.removeEntity(entities[2]);
    world.reconcile();
    world.addEntity(entities[3]);
    world.setMainCharacter(entities[0]);
    world.setResource("score", 1);
    world.setRenderEnv(1);
    world.recordCollisionEvent({entities[0]});
    int heard = 0;
    world.on(EventKind::EntityAdded, [&](const Event&) { ++heard; });
    world.registerSystem("system", [](World&, double) {});
    HeldEntity held(entities[1]);
    auto& witness = WorldCore::of(world).observer<Witness>();

    world.reset();
    for (const Entity& entity : entities) CHECK_FALSE(entity.isValid());
    const WorldStats stats = world.getStats();
    CHECK(stats.managed + stats.zombies + stats.detached + stats.pending == 0);
    CHECK(stats.liveComponentBytes == 0);
    CHECK(stats.componentTypes == 1);
    CHECK(world.getSystems().empty());
    CHECK(world.getMainCharacter() == Entity());
    CHECK(world.getResource<int>("score") == nullptr);
    CHECK_FALSE(world.getRenderEnv().has_value());
    CHECK(world.getCollisionEvents().empty());
    CHECK(world.getTime() == 0);
    CHECK(witness.resets == 1);
    CHECK(world.validate().empty());

    Entity young = world.newEntity("young");
    young.addComponent<Position>();
    CHECK(young.getComponent<Position>().x == 0);
    world.addEntity(young);
    held = HeldEntity();  // of the entity that was there before
    world.update(1);
    CHECK(heard == 0);
    CHECK(namesOf(world.getAllManagedEntities()) == Names{"young"});
    CHECK(world.getZombies().empty());
}

TEST_CASE("worlds are independent of each other, and one is the process's own", "[world]") {
    World& instance = World::getInstance();
    CHECK(&instance == &World::getInstance());
    World other;
    instance.addEntity(instance.newEntity("mine"));
    other.addEntity(other.newEntity("yours"));
    instance.update(1);
    CHECK(instance.getAllManagedEntities().size() == 1);
    CHECK(other.getAllManagedEntities().empty());
    CHECK(other.getTime() == 0);
    other.reconcile();
    CHECK(namesOf(other.getAllManagedEntities()) == Names{"yours"});
    instance.reset();
}

TEST_CASE("the statistics count what there is and what the last reconcile did", "[world]") {
    World world;
    Entity a = world.newEntity("a");
    Entity b = world.newEntity("b");
    Entity c = world.newEntity("c");
    a.addChild(b);
    world.addEntity(a);
    CHECK(world.getStats().pending == 2);
    CHECK(world.getStats().detached == 3);
    world.reconcile();
    CHECK(world.getStats().managed == 2);
    CHECK(world.getStats().active == 2);
    CHECK(world.getStats().detached == 1);
    CHECK(world.getStats().lastChanged == 2);
    b.setEnabled(false);
    b.retain();
    world.reconcile();
    CHECK(world.getStats().active == 1);
    world.removeEntity(b);
    world.reconcile();
    CHECK(world.getStats().zombies == 1);
    CHECK(world.getStats().lastLeft == 1);
    CHECK(world.getStats().reconciles == 3);
    CHECK(world.getStats().strings >= 3);
    CHECK(world.getStats().entityBytes > 0);
    c.destroy();
    CHECK(world.getStats().detached == 0);
}

TEST_CASE("observers are called once per reconcile, and only if something changed", "[world]") {
    World world;
    auto& witness = WorldCore::of(world).observer<Witness>();
    CHECK(&WorldCore::of(world).observer<Witness>() == &witness);
    Entity first = world.newEntity("first");
    Entity second = world.newEntity("second");
    world.addEntity(second);
    world.addEntity(first);
    world.reconcile();
    CHECK(witness.reconciles == 1);
    CHECK(witness.changed == Names{"1", "0"});  // in world order
    world.reconcile();
    world.addEntity(first);
    world.removeEntity(world.newEntity("never in"));
    world.reconcile();
    CHECK(witness.reconciles == 1);
    world.removeEntity(second);
    world.reconcile();
    CHECK(witness.reconciles == 2);
    CHECK(witness.left == Names{"1"});
    CHECK(witness.changed.empty());
}
