#include <catch2/catch_test_macros.hpp>
#include <unordered_set>

#include "tests/world/snapshot.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("a handle is 64 bits, and 64 zero bits are no entity", "[world][handles]") {
    CHECK(EntityId{}.isNull());
    CHECK(EntityId{}.bits() == 0);
    CHECK(EntityId::fromBits(0).isNull());
    World world;
    const EntityId id = world.newEntity("e").getId();
    CHECK_FALSE(id.isNull());
    CHECK(EntityId::fromBits(id.bits()) == id);
}

TEST_CASE("a handle that went stale never comes to mean another entity", "[world][handles]") {
    World world;
    std::vector<Entity> old;
    std::unordered_set<EntityId> ids;
    std::unordered_set<Entity> distinct;
    for (int i = 0; i < 2000; ++i) {
        Entity entity = world.newEntity("e");
        old.push_back(entity);
        ids.insert(entity.getId());
        distinct.insert(entity);
        if (i % 3 == 0) {
            entity.destroy();  // detached, at once
        } else {
            world.addEntity(entity);
            world.reconcile();
            world.removeEntity(entity);
            world.reconcile();
        }
    }
    CHECK(ids.size() == old.size());
    CHECK(distinct.size() == old.size());
    CHECK(WorldCore::of(world).forest().pool.count() == 1);  // one slot served them all
    int valid = 0;
    for (const Entity& entity : old) valid += entity.isValid() ? 1 : 0;
    CHECK(valid == 0);
    CHECK(world.newEntity("last").isValid());
    for (const Entity& entity : old) valid += entity.isValid() ? 1 : 0;
    CHECK(valid == 0);
}

TEST_CASE("a slot whose generations are used up is retired", "[world][handles]") {
    World world(WorldOptions{.lastGeneration = 3});
    std::vector<Entity> old;
    for (std::uint32_t i = 0; i < 9; ++i) {
        Entity entity = world.newEntity("e");
        CHECK(entity.getId() == EntityId{i / 3, i % 3 + 1});
        old.push_back(entity);
        entity.destroy();
        CHECK(world.getStats().retiredSlots == (i + 1) / 3);
    }
    for (const Entity& entity : old) CHECK_FALSE(entity.isValid());
    CHECK(world.validate().empty());
    world.addEntity(world.newEntity("after"));
    world.reconcile();
    CHECK(namesOf(world.getAllManagedEntities()) == Names{"after"});
}

TEST_CASE("a reset retires nothing too early and makes no handle valid again", "[world][handles]") {
    World world(WorldOptions{.lastGeneration = 2});
    const Entity first = world.newEntity("first");
    world.reset();
    const Entity second = world.newEntity("second");
    CHECK(second.getId() == EntityId{0, 2});
    world.reset();
    const Entity third = world.newEntity("third");
    CHECK(third.getId() == EntityId{1, 1});
    CHECK_FALSE(first.isValid());
    CHECK_FALSE(second.isValid());
    CHECK(third.isValid());
    CHECK(world.getStats().retiredSlots == 1);
}

TEST_CASE("handles made of arbitrary bits are detected", "[world][handles]") {
    World world;
    const Entity real = world.newEntity("real");
    const EntityId id = real.getId();
    for (const EntityId forged :
         {EntityId{id.index, id.generation + 1}, EntityId{id.index + 1, 1}, EntityId{UINT32_MAX, 1},
          EntityId{UINT32_MAX, UINT32_MAX}, EntityId{id.index, 0}}) {
        const Entity entity(world, forged);
        CHECK_FALSE(entity.isValid());
        CHECK(entity.getState() == EntityState::Destroyed);
        CHECK_THROWS_AS(entity.getName(), Error);
    }
    CHECK(Entity(world, id) == real);
}

TEST_CASE("an entity keeps its handle through removal and resurrection", "[world][handles]") {
    World world;
    Entity hero = world.newEntity("hero");
    const EntityId id = hero.getId();
    hero.retain();
    for (int i = 0; i < 5; ++i) {
        world.addEntity(hero);
        world.reconcile();
        CHECK(world.getAllManagedEntities().front().getId() == id);
        world.removeEntity(hero);
        world.reconcile();
        CHECK(world.getZombies().front().getId() == id);
    }
    CHECK(hero.getName() == "hero");
}

TEST_CASE("handles of two worlds differ even where their numbers are the same",
          "[world][handles]") {
    World one;
    World other;
    const Entity here = one.newEntity("e");
    const Entity there = other.newEntity("e");
    CHECK(here.getId() == there.getId());
    CHECK(here != there);
    CHECK(here.getWorld() == &one);
    CHECK(there.getWorld() == &other);
}

TEST_CASE("a sentence names an entity by name and number, a stale one by number",
          "[world][handles]") {
    World world;
    Entity hero = world.newEntity("hero");
    CHECK(describe(hero) == "'hero' (#0.1)");
    hero.destroy();
    CHECK(describe(hero) == "#0.1");
    CHECK(describe(Entity()) == "no entity");
}

TEST_CASE("states have the names that Lua uses", "[world][handles]") {
    CHECK(nameOf(EntityState::Detached) == "detached");
    CHECK(nameOf(EntityState::PendingAdd) == "pendingAdd");
    CHECK(nameOf(EntityState::Managed) == "managed");
    CHECK(nameOf(EntityState::PendingRemove) == "pendingRemove");
    CHECK(nameOf(EntityState::Zombie) == "zombie");
    CHECK(nameOf(EntityState::Unborn) == "unborn");
    CHECK(nameOf(EntityState::Destroyed) == "destroyed");
}
