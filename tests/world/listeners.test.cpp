#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>

#include "tests/world/event_log.hpp"

using namespace revenant;

namespace {

struct Scene {
    World world;
    EventLog log{world};

    Entity add(const char* name, Entity parent = {}) {
        Entity entity = world.newEntity(name);
        if (parent)
            parent.addChild(entity);
        else
            world.addEntity(entity);
        return entity;
    }
    Names reconcile() {
        world.reconcile();
        return log.take();
    }
};

}  // namespace

TEST_CASE("listeners hear in world order: what left, what came or changed, what was destroyed",
          "[world][listeners]") {
    Scene scene;
    Entity a = scene.add("a");
    Entity b = scene.add("b");
    Entity a1 = scene.add("a1", a);
    Entity b1 = scene.add("b1", b);
    CHECK(scene.reconcile() ==
          Names{"entityAdded a", "entityAdded a1", "entityAdded b", "entityAdded b1"});
    scene.add("c");
    scene.add("b2", b);
    a.setEnabled(false);
    scene.world.removeEntity(b1);
    CHECK(scene.reconcile() == Names{"entityRemoved b1", "entityDisabled a", "entityDisabled a1",
                                     "entityAdded b2", "entityAdded c", "entityDestroyed b1"});
    scene.world.removeEntity(b);
    scene.world.removeEntity(a);
    CHECK(scene.reconcile() == Names{"entityRemoved a", "entityRemoved a1", "entityRemoved b",
                                     "entityRemoved b2", "entityDestroyed a", "entityDestroyed a1",
                                     "entityDestroyed b", "entityDestroyed b2"});
    CHECK_FALSE(a1.isValid());
}

TEST_CASE("a zombie's return is a resurrection, not an addition", "[world][listeners]") {
    Scene scene;
    Entity hero = scene.add("hero");
    scene.reconcile();
    hero.retain();
    scene.world.removeEntity(hero);
    CHECK(scene.reconcile() == Names{"entityRemoved hero"});
    scene.world.addEntity(hero);
    CHECK(scene.reconcile() == Names{"entityResurrected hero"});
    hero.release();
    scene.world.removeEntity(hero);
    CHECK(scene.reconcile() == Names{"entityRemoved hero", "entityDestroyed hero"});
}

TEST_CASE("what is undone before the reconcile fires no event", "[world][listeners]") {
    Scene scene;
    Entity stays = scene.add("stays");
    scene.reconcile();
    scene.world.removeEntity(scene.add("never"));
    scene.world.removeEntity(stays);
    scene.world.addEntity(stays);
    stays.setEnabled(false);
    stays.setEnabled(true);
    CHECK(scene.reconcile().empty());
}

TEST_CASE("component events tell the net difference of what the world sees", "[world][listeners]") {
    Scene scene;
    scene.world.defineComponent("B", std::vector<FieldSpec>{});
    scene.world.defineComponent("A", std::vector<FieldSpec>{});
    Entity hero = scene.add("hero");
    hero.addComponent("A");
    hero.addComponent("B");
    // In the order of their definition, after the entity.
    CHECK(scene.reconcile() ==
          Names{"entityAdded hero", "componentAdded hero B", "componentAdded hero A"});
    hero.removeComponent("A");
    CHECK(scene.reconcile() == Names{"componentRemoved hero A"});
    hero.addComponent("A");
    hero.removeComponent("A");
    CHECK(scene.reconcile().empty());
    hero.removeComponent("B");  // another one in its place
    hero.addComponent("B");
    CHECK(scene.reconcile() == Names{"componentRemoved hero B", "componentAdded hero B"});
    hero.setComponentEnabled("B", false);
    CHECK(scene.reconcile().empty());
    hero.addComponent("A");  // the world never gets to see it
    scene.world.removeEntity(hero);
    CHECK(scene.reconcile() ==
          Names{"componentRemoved hero B", "entityRemoved hero", "entityDestroyed hero"});
}

TEST_CASE("enabling fires an event for each entity that becomes active by it",
          "[world][listeners]") {
    Scene scene;
    Entity root = scene.add("root");
    Entity child = scene.add("child", root);
    Entity off = scene.add("off", root);
    off.setEnabled(false);
    CHECK(scene.reconcile() == Names{"entityAdded root", "entityAdded child", "entityAdded off"});
    root.setEnabled(false);
    CHECK(scene.reconcile() == Names{"entityDisabled root", "entityDisabled child"});
    CHECK(child.isEnabled());
    CHECK_FALSE(child.isActive());
    Entity other = scene.add("other");
    other.addChild(child);  // from under a disabled parent
    CHECK(scene.reconcile() == Names{"entityAdded other", "entityEnabled child"});
    root.setEnabled(true);
    CHECK(scene.reconcile() == Names{"entityEnabled root"});
    CHECK_FALSE(off.isActive());
}

TEST_CASE("what a listener adds or removes takes effect at the next reconcile",
          "[world][listeners]") {
    Scene scene;
    int births = 0;
    scene.world.on(EventKind::EntityAdded, [&](const Event& event) {
        if (event.name == "mother" && births++ == 0) scene.add("baby");
        if (event.name == "mayfly") scene.world.removeEntity(event.entity);
        CHECK(scene.world.getAllManagedEntities().back().getName() != "baby");
    });
    scene.add("mother");
    scene.add("mayfly");
    CHECK(scene.reconcile() == Names{"entityAdded mother", "entityAdded mayfly"});
    CHECK(namesOf(scene.world.getAllManagedEntities()) == Names{"mother", "mayfly"});
}

TEST_CASE("a listener may ask for what is being removed: it is not destroyed and comes back",
          "[world][listeners]") {
    Scene scene;
    Entity phoenix = scene.add("phoenix");
    Entity feather = scene.add("feather", phoenix);
    scene.reconcile();
    const ListenerToken token = scene.world.on(EventKind::EntityRemoved, [&](const Event& event) {
        if (event.entity == phoenix) scene.world.addEntity(phoenix);
    });
    scene.world.removeEntity(phoenix);
    CHECK(scene.reconcile() == Names{"entityRemoved phoenix", "entityRemoved feather"});
    CHECK(phoenix.getState() == EntityState::PendingAdd);
    CHECK(scene.reconcile() == Names{"entityResurrected phoenix", "entityResurrected feather"});
    CHECK(feather.getParent() == phoenix);
    scene.world.off(token);
}

TEST_CASE("a destroyed entity's handle is stale when its listeners hear its name",
          "[world][listeners]") {
    World world;
    Names names;
    std::vector<Entity> handles;
    world.on("entityDestroyed", [&](const Event& event) {
        names.emplace_back(event.name);
        handles.push_back(event.entity);
        CHECK_FALSE(event.entity.isValid());
        CHECK(event.entity.getState() == EntityState::Destroyed);
    });
    Entity ghost = world.newEntity("ghost");
    Entity sheet = world.newEntity("sheet");
    ghost.addChild(sheet);
    ghost.destroy();  // at once, no reconcile needed
    CHECK(names == Names{"ghost", "sheet"});
    CHECK(handles == std::vector<Entity>{ghost, sheet});
}

TEST_CASE(
    "a listener added by a listener is called for the next event; a removed one is not called "
    "again",
    "[world][listeners]") {
    World world;
    Names heard;
    ListenerToken second{};
    ListenerToken first = world.on("entityAdded", [&](const Event& event) {
        heard.push_back(sentence("first ", event.name));
        if (event.name != "a") return;
        world.off(second);
        world.off(first);  // itself, in the middle of its call
        world.on("entityAdded",
                 [&](const Event& later) { heard.push_back(sentence("third ", later.name)); });
    });
    second = world.on("entityAdded", [&](const Event& event) {
        heard.push_back(sentence("second ", event.name));
    });
    world.addEntity(world.newEntity("a"));
    world.addEntity(world.newEntity("b"));
    world.reconcile();
    CHECK(heard == Names{"first a", "third b"});
}
