#include <catch2/catch_test_macros.hpp>

#include "world/world.hpp"

using namespace revenant;

namespace {

std::vector<std::string> names(const std::vector<Entity>& entities) {
    std::vector<std::string> result;
    for (const Entity& entity : entities) result.push_back(entity.getName());
    return result;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("an entity is in the world from the reconcile after it was added", "[world][forest]") {
    World world;
    Entity root = world.newEntity("root");
    Entity child = world.newEntity("child");
    root.addChild(child);
    CHECK(root.getState() == EntityState::Detached);
    world.addEntity(root);
    CHECK(root.getState() == EntityState::PendingAdd);
    CHECK(child.getState() == EntityState::PendingAdd);
    CHECK(world.getAllManagedEntities().empty());
    world.reconcile();
    CHECK(root.getState() == EntityState::Managed);
    CHECK(names(world.getAllManagedEntities()) == Names{"root", "child"});
}

TEST_CASE("a removed parent takes its subtree out of the lists in the same reconcile",
          "[world][forest]") {
    World world;
    Entity root = world.newEntity("root");
    Entity child = world.newEntity("child");
    Entity other = world.newEntity("other");
    root.addChild(child);
    world.addEntity(root);
    world.addEntity(other);
    world.reconcile();
    world.removeEntity(root);
    CHECK(child.getState() == EntityState::PendingRemove);
    world.reconcile();
    CHECK_FALSE(root.isValid());
    CHECK_FALSE(child.isValid());
    CHECK(names(world.getAllManagedEntities()) == Names{"other"});
}

TEST_CASE("a retained entity is kept as a zombie and comes back, the same", "[world][forest]") {
    World world;
    Entity root = world.newEntity("root");
    Entity child = world.newEntity("child");
    root.addChild(child);
    world.addEntity(root);
    world.reconcile();
    root.retain();
    CHECK(child.getRefCount() == 1);
    world.removeEntity(root);
    world.reconcile();
    CHECK(root.getState() == EntityState::Zombie);
    CHECK(names(world.getZombies()) == Names{"root", "child"});
    world.addEntity(root);
    world.reconcile();
    CHECK(names(world.getAllManagedEntities()) == Names{"root", "child"});
    root.release();
    world.removeEntity(root);
    world.reconcile();
    CHECK_FALSE(child.isValid());
}

TEST_CASE("the order is depth first, and a child goes behind the subtree of its previous sibling",
          "[world][forest]") {
    World world;
    Entity a = world.newEntity("a");
    Entity b = world.newEntity("b");
    Entity a1 = world.newEntity("a1");
    Entity a2 = world.newEntity("a2");
    Entity a11 = world.newEntity("a11");
    world.addEntity(a);
    world.addEntity(b);
    world.reconcile();
    a.addChild(a1);
    a.addChild(a2);
    world.reconcile();
    a1.addChild(a11);
    world.reconcile();
    CHECK(names(world.getAllManagedEntities()) == Names{"a", "a1", "a11", "a2", "b"});
    a.removeChild(a1);
    CHECK(names(world.getAllManagedEntities()) == Names{"a", "a1", "a11", "a2", "b"});
    world.reconcile();
    CHECK(names(world.getAllManagedEntities()) == Names{"a", "a2", "b", "a1", "a11"});
    a11.addChild(a);  // what was below is now above
    world.reconcile();
    CHECK(names(world.getAllManagedEntities()) == Names{"b", "a1", "a11", "a", "a2"});
}
