// Bugs that the random test found, by name.

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <utility>

#include "tests/world/snapshot.hpp"

using namespace revenant;

namespace {

struct Scene {
    World world;

    Entity detached(const char* name) { return world.newEntity(name); }
    Entity managed(const char* name) {
        Entity entity = world.newEntity(name);
        world.addEntity(entity);
        world.reconcile();
        return entity;
    }
    // Retained once.
    Entity zombie(const char* name, std::initializer_list<Entity> children = {}) {
        Entity entity = world.newEntity(name);
        for (const Entity child : children) entity.addChild(child);
        world.addEntity(entity);
        world.reconcile();
        entity.retain();
        world.removeEntity(entity);
        world.reconcile();
        return entity;
    }
};

}  // namespace

TEST_CASE("a child taken from a detached parent is not collected", "[world][collection]") {
    Scene scene;
    Entity parent = scene.detached("parent");
    Entity child = scene.detached("child");
    parent.addChild(child);
    parent.removeChild(child);
    scene.world.reconcile();
    CHECK(child.getState() == EntityState::Detached);
}

TEST_CASE("a detached tree goes when the member that was held leaves it", "[world][collection]") {
    Scene scene;
    Entity top = scene.detached("top");
    Entity leaf = scene.detached("leaf");
    Entity elsewhere = scene.detached("elsewhere");
    const HeldEntity held(leaf);
    top.addChild(leaf);
    { const HeldEntity dropped(top); }
    scene.world.reconcile();
    CHECK(top.isValid());
    elsewhere.addChild(leaf);
    scene.world.reconcile();
    CHECK_FALSE(top.isValid());
    CHECK(leaf.isValid());
}

TEST_CASE("a zombie cut from a parent that comes back without it is collected",
          "[world][collection]") {
    Scene scene;
    Entity child = scene.detached("child");
    Entity parent = scene.zombie("parent", {child});
    scene.world.addEntity(parent);
    scene.world.removeEntity(child);
    scene.world.reconcile();
    CHECK(parent.getState() == EntityState::Managed);
    CHECK_FALSE(child.isValid());
}

TEST_CASE("what a listener requested and a later one removed is collected", "[world][collection]") {
    Scene scene;
    Entity hero = scene.managed("hero");
    const ListenerToken token = scene.world.on(
        EventKind::EntityRemoved, [&](const Event& event) { scene.world.addEntity(event.entity); });
    scene.world.removeEntity(hero);
    scene.world.reconcile();
    scene.world.off(token);
    CHECK(hero.getState() == EntityState::PendingAdd);
    scene.world.removeEntity(hero);
    scene.world.reconcile();
    CHECK_FALSE(hero.isValid());
}

TEST_CASE("two members of one zombie tree released in one frame are destroyed once",
          "[world][collection]") {
    Scene scene;
    Entity leaf = scene.detached("leaf");
    Entity middle = scene.detached("middle");
    middle.addChild(leaf);
    Entity top = scene.zombie("top", {middle});
    leaf.retain();
    leaf.release();
    top.release();
    scene.world.reconcile();
    CHECK(scene.world.getStats().zombies == 0);
    const Entity one = scene.detached("one");
    const Entity two = scene.detached("two");
    const Entity three = scene.detached("three");
    CHECK(one.getId().index != two.getId().index);
    CHECK(two.getId().index != three.getId().index);
    CHECK(one.getId().index != three.getId().index);
}

TEST_CASE("a managed entity that a listener attaches to a doomed one leaves in good order",
          "[world][collection]") {
    Scene scene;
    Entity doomed = scene.managed("doomed");
    Entity follower = scene.managed("follower");
    scene.world.on(EventKind::EntityRemoved, [&](const Event& event) {
        if (event.entity == doomed) doomed.addChild(follower);
    });
    scene.world.removeEntity(doomed);
    scene.world.reconcile();
    CHECK_FALSE(doomed.isValid());
    CHECK(follower.getState() == EntityState::PendingRemove);
    CHECK(namesOf(scene.world.getAllManagedEntities()) == Names{"follower"});
    scene.world.reconcile();
    CHECK_FALSE(follower.isValid());
}

TEST_CASE("a removed entity that a listener attaches to a detached one becomes detached",
          "[world][collection]") {
    Scene scene;
    Entity removed = scene.managed("removed");
    Entity shelter = scene.detached("shelter");
    scene.world.on(EventKind::EntityRemoved, [&](const Event& event) {
        if (event.entity == removed) shelter.addChild(removed);
    });
    scene.world.removeEntity(removed);
    scene.world.reconcile();
    CHECK(removed.getState() == EntityState::Zombie);
    scene.world.reconcile();
    CHECK(removed.getState() == EntityState::Detached);
    CHECK(removed.getParent() == shelter);
}

TEST_CASE("a child of an entity that was once attached to a zombie is not collected",
          "[world][collection]") {
    Scene scene;
    Entity zombie = scene.zombie("zombie");
    Entity visitor = scene.detached("visitor");
    zombie.addChild(visitor);
    zombie.removeChild(visitor);
    Entity hero = scene.managed("hero");
    visitor.addChild(hero);
    scene.world.reconcile();
    CHECK(visitor.getState() == EntityState::Detached);
    CHECK(hero.getState() == EntityState::Detached);
}

TEST_CASE("a zombie that was to be detached is removed with its parent, its children stay with it",
          "[world][collection]") {
    Scene scene;
    Entity parent = scene.managed("parent");
    Entity child = scene.managed("child");
    Entity grandchild = scene.detached("grandchild");
    child.addChild(grandchild);
    parent.retain();
    grandchild.retain();
    child.retain();
    scene.world.on(EventKind::EntityRemoved, [&](const Event& event) {
        if (event.entity == child) parent.addChild(child);  // asks for it back
    });
    scene.world.reconcile();
    scene.world.removeEntity(child);
    scene.world.reconcile();
    scene.detached("shelter").addChild(parent);  // no: detaches all of them
    scene.world.removeEntity(parent);            // no: removes those that are in the world
    scene.world.reconcile();
    CHECK(grandchild.getState() == EntityState::Zombie);
    grandchild.release();
    scene.world.reconcile();
    CHECK(grandchild.getParent() == child);
    CHECK(child.getParent() == parent);
}

TEST_CASE("an entity that was released before it became a zombie does not take its parent with it",
          "[world][collection]") {
    Scene scene;
    Entity hero = scene.managed("hero");
    Entity visitor = scene.detached("visitor");
    Entity shelter = scene.detached("shelter");
    scene.world.on(EventKind::EntityRemoved, [&](const Event&) { shelter.addChild(hero); });
    scene.world.removeEntity(hero);
    hero.addChild(visitor);
    { const HeldEntity dropped(visitor); }
    scene.world.reconcile();
    CHECK(visitor.getState() == EntityState::Zombie);
    scene.world.reconcile();
    CHECK(shelter.getState() == EntityState::Detached);
    CHECK(visitor.getState() == EntityState::Detached);
}

TEST_CASE("what a listener requested and a later one attached to a detached entity is collected",
          "[world][collection]") {
    Scene scene;
    Entity dropped = scene.detached("dropped");
    Entity shelter = scene.detached("shelter");
    scene.world.on(EventKind::EntityAdded, [&](const Event&) { scene.world.addEntity(dropped); });
    { const HeldEntity held(dropped); }
    scene.managed("trigger");
    CHECK(dropped.getState() == EntityState::PendingAdd);
    shelter.addChild(dropped);
    scene.world.reconcile();
    CHECK_FALSE(dropped.isValid());
}

TEST_CASE("a tree that a listener makes of what is removed is destroyed, and nothing of it remains",
          "[world][collection]") {
    // The child is found before its parents; its slot and theirs are used again.
    const bool lastChild = GENERATE(true, false);
    Scene scene;
    Entity child = scene.managed("child");
    Entity top = scene.managed("top");
    Entity between = scene.detached("between");
    Entity sibling = scene.detached("sibling");
    bool isDone = false;
    scene.world.on(EventKind::EntityRemoved, [&](const Event&) {
        if (std::exchange(isDone, true)) return;
        top.addChild(between);
        if (lastChild) between.addChild(sibling);
        between.addChild(child);
        if (!lastChild) between.addChild(sibling);
    });
    scene.world.removeEntity(child);
    scene.world.removeEntity(top);
    scene.world.reconcile();
    for (const Entity& entity : {child, top, between, sibling}) CHECK_FALSE(entity.isValid());
    CHECK(scene.world.validate().empty());
    for (int i = 0; i < 6; ++i) {
        Entity parent = scene.managed("parent");
        CHECK(parent.getChildren().empty());
        parent.addChild(scene.detached("new child"));
    }
    scene.world.reconcile();
    CHECK(scene.world.validate().empty());
    CHECK(scene.world.getAllManagedEntities().size() == 12);
}

TEST_CASE("roots come in by the order of their own requests, not of those for their children",
          "[world][collection]") {
    Scene scene;
    Entity a = scene.detached("a");
    Entity b = scene.detached("b");
    Entity child = scene.detached("child");
    scene.world.addEntity(child);
    scene.world.addEntity(b);
    scene.world.addEntity(a);
    a.addChild(child);
    scene.world.reconcile();
    CHECK(namesOf(scene.world.getAllManagedEntities()) == Names{"b", "a", "child"});
}

TEST_CASE("roots requested, cancelled and requested again come in the order of the last requests",
          "[world][collection]") {
    Scene scene;
    Entity a = scene.detached("a");
    Entity b = scene.detached("b");
    scene.world.addEntity(a);
    scene.world.addEntity(b);
    scene.world.removeEntity(a);
    scene.world.addEntity(a);
    scene.world.reconcile();
    CHECK(namesOf(scene.world.getAllManagedEntities()) == Names{"b", "a"});
}
