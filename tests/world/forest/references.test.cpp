#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/world/assertions.hpp"
#include "tests/world/event_log.hpp"

using namespace revenant;

namespace {

struct Scene {
    World world;
    Entity root = world.newEntity("root");
    Entity child = world.newEntity("child");
    Entity grandchild = world.newEntity("grandchild");

    Scene() {
        root.addChild(child);
        child.addChild(grandchild);
        world.addEntity(root);
        world.reconcile();
    }
    void remove(Entity entity) {
        world.removeEntity(entity);
        world.reconcile();
    }
};

}  // namespace

TEST_CASE("a parent's references count for its descendants", "[world][references]") {
    Scene scene;
    scene.root.retain();
    scene.root.retain();
    scene.child.retain();
    CHECK(scene.root.getRefCount() == 2);
    CHECK(scene.child.getRefCount() == 3);
    CHECK(scene.grandchild.getRefCount() == 3);
    scene.root.release();
    CHECK(scene.grandchild.getRefCount() == 2);
}

TEST_CASE("reparenting between a retain and its release unbalances no count",
          "[world][references]") {
    Scene scene;
    Entity other = scene.world.newEntity("other");
    scene.world.addEntity(other);
    scene.root.retain();
    scene.child.retain();
    other.addChild(scene.child);
    CHECK(scene.child.getRefCount() == 1);
    other.retain();
    CHECK(scene.grandchild.getRefCount() == 2);
    scene.root.release();
    scene.root.addChild(scene.child);
    CHECK(scene.child.getRefCount() == 1);
    scene.child.release();
    other.release();
    for (const Entity& each : {scene.root, scene.child, scene.grandchild, other})
        CHECK(each.getRefCount() == 0);
}

TEST_CASE("a removed tree is kept whole while its root is retained, and goes with the release",
          "[world][references]") {
    Scene scene;
    scene.root.retain();
    scene.remove(scene.root);
    CHECK(namesOf(scene.world.getZombies()) == Names{"root", "child", "grandchild"});
    CHECK(scene.grandchild.getParent() == scene.child);
    scene.root.release();
    CHECK(scene.root.getState() == EntityState::Zombie);  // until the next reconcile
    scene.world.reconcile();
    CHECK_FALSE(scene.root.isValid());
    CHECK_FALSE(scene.grandchild.isValid());
    CHECK(scene.world.getZombies().empty());
}

TEST_CASE("a zombie that is retained again before the reconcile is kept", "[world][references]") {
    Scene scene;
    scene.root.retain();
    scene.remove(scene.root);
    scene.root.release();
    scene.root.retain();
    scene.world.reconcile();
    CHECK(scene.child.getState() == EntityState::Zombie);
}

TEST_CASE("a release of something managed changes nothing until it is removed",
          "[world][references]") {
    Scene scene;
    scene.root.retain();
    scene.root.release();
    scene.world.reconcile();
    CHECK(scene.root.getState() == EntityState::Managed);
    scene.remove(scene.root);
    CHECK_FALSE(scene.root.isValid());
}

TEST_CASE("a removed child is cut from a parent that stays, and no longer counted by it",
          "[world][references]") {
    Scene scene;
    scene.root.retain();
    scene.grandchild.retain();
    {
        const ThrowingAssertions assertions;  // the child is not retained, its child is
        if (validating)
            CHECK_THROWS_AS(scene.remove(scene.child), AssertionFailed);
        else
            scene.remove(scene.child);
    }
    CHECK(scene.root.getChildren().empty());
    CHECK_FALSE(scene.child.isValid());
    CHECK(scene.grandchild.getState() == EntityState::Zombie);
    CHECK(scene.grandchild.getRefCount() == 1);
}

TEST_CASE("a child retained while its parent is not survives its parent, cut off",
          "[world][references]") {
    Scene scene;
    EventLog log(scene.world);
    scene.child.retain();
    std::string sentence;
    {
        const ThrowingAssertions assertions;
        try {
            scene.remove(scene.root);
        } catch (const AssertionFailed& failed) {
            sentence = failed.what();
        }
    }
    if (validating) {
        CHECK_THAT(sentence, Catch::Matchers::ContainsSubstring("'child'"));
        CHECK_THAT(sentence,
                   Catch::Matchers::ContainsSubstring("retained while its parent 'root'"));
    } else {
        CHECK(sentence.empty());
    }
    // The reconcile is finished, the world consistent.
    CHECK(scene.world.validate().empty());
    CHECK_FALSE(scene.root.isValid());
    CHECK(scene.child.getState() == EntityState::Zombie);
    CHECK(scene.child.getParent() == Entity());
    CHECK(scene.grandchild.getParent() == scene.child);
    CHECK(namesOf(scene.world.getZombies()) == Names{"child", "grandchild"});
    CHECK(log.take() == Names{"entityRemoved root", "entityRemoved child",
                              "entityRemoved grandchild", "entityDestroyed root"});
    scene.world.addEntity(scene.child);  // as good as any other zombie
    scene.world.reconcile();
    CHECK(namesOf(scene.world.getAllManagedEntities()) == Names{"child", "grandchild"});
    scene.child.release();
    scene.remove(scene.child);
    CHECK_FALSE(scene.grandchild.isValid());
}

TEST_CASE("a detached tree that was held lives while any member of it is held",
          "[world][references]") {
    World world;
    Entity top = world.newEntity("top");
    Entity leaf = world.newEntity("leaf");
    top.addChild(leaf);
    HeldEntity heldTop(top);
    HeldEntity heldLeaf(leaf);
    heldTop = HeldEntity();
    world.reconcile();
    CHECK(top.getState() == EntityState::Detached);
    heldLeaf = HeldEntity();
    CHECK(leaf.isValid());  // until the reconcile
    world.reconcile();
    CHECK_FALSE(top.isValid());
    CHECK_FALSE(leaf.isValid());
}

TEST_CASE("a released entity lives if it is added, retained or held again before the reconcile",
          "[world][references]") {
    World world;
    auto dropped = [&](const char* name) {
        const HeldEntity held(world.newEntity(name));
        return held.get();
    };
    Entity added = dropped("added");
    Entity retained = dropped("retained");
    Entity held = dropped("held");
    const Entity lost = dropped("lost");
    world.addEntity(added);
    retained.retain();
    const HeldEntity holder(held);
    world.reconcile();
    CHECK(added.getState() == EntityState::Managed);
    CHECK(retained.getState() == EntityState::Detached);
    CHECK(held.getState() == EntityState::Detached);
    CHECK_FALSE(lost.isValid());
    retained.release();
    world.reconcile();
    CHECK_FALSE(retained.isValid());
}

TEST_CASE("holding keeps neither what is removed nor what is destroyed", "[world][references]") {
    Scene scene;
    HeldEntity held(scene.root);
    HeldEntity moved(std::move(held));
    CHECK(held.get() == Entity());  // NOLINT(bugprone-use-after-move): that is the claim
    CHECK(moved->getName() == "root");
    scene.remove(scene.root);
    CHECK_FALSE(moved->isValid());
    moved = HeldEntity();  // of no consequence
    HeldEntity other(scene.world.newEntity("other"));
    other->destroy();
    const Entity young = scene.world.newEntity("in the same slot");
    other = HeldEntity();
    scene.world.reconcile();
    CHECK(young.isValid());
}
