#include <catch2/catch_test_macros.hpp>

#include "tests/world/snapshot.hpp"

using namespace revenant;

namespace {

struct Scene {
    World world;
    Entity root = world.newEntity("root");
    Entity child = world.newEntity("child");

    Scene() {
        world.defineComponent("Tag", std::vector<FieldSpec>{});
        root.addChild(child);
        world.addEntity(root);
        world.reconcile();
    }
    Names managed() const { return namesOf(world.getAllManagedEntities()); }
};

}  // namespace

TEST_CASE("entities tell the present, lists and activity the last reconcile", "[world]") {
    Scene scene;
    Entity other = scene.world.newEntity("other");
    scene.world.addEntity(other);
    other.addChild(scene.child);
    CHECK(scene.child.getParent() == other);
    CHECK(scene.root.getChildren().empty());
    CHECK(other.getChildren() == std::vector<Entity>{scene.child});
    CHECK(scene.managed() == Names{"root", "child"});
    scene.root.setEnabled(false);
    CHECK_FALSE(scene.root.isEnabled());
    CHECK(scene.root.isActive());
    scene.root.addComponent("Tag");
    CHECK(scene.root.hasComponent("Tag"));
    scene.world.reconcile();
    CHECK(scene.managed() == Names{"root", "other", "child"});
    CHECK_FALSE(scene.root.isActive());
    CHECK(namesOf(scene.world.getActiveEntities()) == Names{"other", "child"});
}

TEST_CASE("a dirty entity is one with a change waiting", "[world]") {
    Scene scene;
    auto becomesDirty = [&](Entity entity, auto change) {
        const bool before = entity.isDirty();
        change();
        const bool after = entity.isDirty();
        scene.world.reconcile();
        return !before && after && (!entity.isValid() || !entity.isDirty());
    };
    Entity other = scene.world.newEntity("other");
    CHECK(becomesDirty(other, [&] { scene.world.addEntity(other); }));
    CHECK(becomesDirty(scene.child, [&] { scene.child.setEnabled(false); }));
    CHECK(becomesDirty(scene.child, [&] { scene.child.addComponent("Tag"); }));
    CHECK(becomesDirty(scene.child, [&] { scene.child.setComponentEnabled("Tag", false); }));
    CHECK(becomesDirty(scene.child, [&] { scene.child.removeComponent("Tag"); }));
    CHECK(becomesDirty(scene.child, [&] { other.addChild(scene.child); }));
    CHECK(becomesDirty(scene.child, [&] { other.removeChild(scene.child); }));
    CHECK(becomesDirty(scene.child, [&] { scene.world.removeEntity(scene.child); }));
    CHECK_FALSE(becomesDirty(other, [&] { scene.world.addEntity(other); }));
    CHECK_FALSE(becomesDirty(other, [&] { other.setEnabled(true); }));
    CHECK_FALSE(becomesDirty(other, [&] { other.retain(); }));
    CHECK_FALSE(becomesDirty(other, [&] {
        scene.world.removeEntity(other);
        scene.world.addEntity(other);
    }));
}

TEST_CASE("a child follows its parent in and out of the world", "[world]") {
    Scene scene;
    Entity baby = scene.world.newEntity("baby");
    scene.child.addChild(baby);
    CHECK(baby.getState() == EntityState::PendingAdd);
    scene.world.reconcile();
    CHECK(scene.managed() == Names{"root", "child", "baby"});
    Entity shelter = scene.world.newEntity("shelter");
    shelter.addChild(scene.child);
    CHECK(baby.getState() == EntityState::PendingRemove);
    scene.world.reconcile();
    CHECK(scene.child.getState() == EntityState::Detached);  // not collected: it was not removed
    CHECK(baby.getState() == EntityState::Detached);
    CHECK(scene.managed() == Names{"root"});
    Entity retained = scene.world.newEntity("retained");
    scene.world.addEntity(retained);
    retained.retain();
    scene.world.reconcile();
    scene.world.removeEntity(retained);
    retained.addChild(shelter);  // shares the fate of what is being removed
    scene.world.reconcile();
    CHECK(baby.getState() == EntityState::Zombie);
    CHECK(scene.world.getStats().zombies == 4);
}

TEST_CASE("addChild to the parent it has changes nothing, not even the order", "[world]") {
    Scene scene;
    Entity younger = scene.world.newEntity("younger");
    scene.root.addChild(younger);
    scene.world.reconcile();
    scene.root.addChild(scene.child);
    CHECK_FALSE(scene.child.isDirty());
    CHECK(scene.root.getChildren().front() == scene.child);
    scene.world.removeEntity(scene.child);
    scene.root.addChild(scene.child);  // no way to ask for it back
    CHECK(scene.child.getState() == EntityState::PendingRemove);
    scene.world.reconcile();
    CHECK_FALSE(scene.child.isValid());
}

TEST_CASE("a child taken from its parent stays managed, as the last root", "[world]") {
    Scene scene;
    Entity other = scene.world.newEntity("other");
    scene.world.addEntity(other);
    scene.root.removeChild(scene.child);
    CHECK(scene.child.getParent() == Entity());
    CHECK(scene.child.getState() == EntityState::Managed);
    scene.world.reconcile();
    CHECK(scene.managed() == Names{"root", "other", "child"});
}

TEST_CASE("a subtree keeps its own flags while an ancestor is disabled", "[world]") {
    Scene scene;
    Entity off = scene.world.newEntity("off");
    Entity below = scene.world.newEntity("below");
    scene.child.addChild(off);
    off.addChild(below);
    off.setEnabled(false);
    scene.root.setEnabled(false);
    scene.world.reconcile();
    CHECK(scene.world.getActiveEntities().empty());
    CHECK(scene.child.isEnabled());
    CHECK(below.isEnabled());
    scene.root.setEnabled(true);
    scene.world.reconcile();
    CHECK(namesOf(scene.world.getActiveEntities()) == Names{"root", "child"});
    scene.child.addChild(below);
    scene.world.reconcile();
    CHECK(namesOf(scene.world.getActiveEntities()) == Names{"root", "child", "below"});
}
