#include <functional>

#include "tests/world/refusal.hpp"

using namespace revenant;

namespace {

struct Health {
    std::int32_t points = 100;
};

// Some of everything: a managed tree, a detached one, a zombie, and a handle gone stale.
struct Scene {
    World world;
    Entity root, child, grandchild, loner, zombie, stale;

    Scene() {
        world.defineComponent<Health>("Health", {field("points", &Health::points)});
        root = named("root");
        child = named("child");
        grandchild = named("grandchild");
        loner = named("loner");
        zombie = named("zombie");
        root.addChild(child);
        child.addChild(grandchild);
        child.addComponent<Health>({7});
        world.addEntity(root);
        world.addEntity(zombie);
        world.reconcile();
        zombie.retain();
        world.removeEntity(zombie);
        world.reconcile();
        stale = named("stale");
        stale.destroy();
    }
    Entity named(std::string_view name) { return world.newEntity(name); }
};

using Call = std::function<void(Scene&, Entity)>;

// Every call that needs a living entity.
const std::vector<Call> callsOnEntities = {
    [](Scene&, Entity entity) { (void)entity.getName(); },
    [](Scene&, Entity entity) { (void)entity.isDirty(); },
    [](Scene&, Entity entity) { entity.destroy(); },
    [](Scene& scene, Entity entity) { entity.addChild(scene.loner); },
    [](Scene& scene, Entity entity) { scene.root.addChild(entity); },
    [](Scene& scene, Entity entity) { entity.removeChild(scene.child); },
    [](Scene& scene, Entity entity) { scene.root.removeChild(entity); },
    [](Scene&, Entity entity) { (void)entity.getParent(); },
    [](Scene&, Entity entity) { (void)entity.getChildren(); },
    [](Scene&, Entity entity) { entity.retain(); },
    [](Scene&, Entity entity) { entity.release(); },
    [](Scene&, Entity entity) { (void)entity.getRefCount(); },
    [](Scene&, Entity entity) { entity.setEnabled(false); },
    [](Scene&, Entity entity) { (void)entity.isEnabled(); },
    [](Scene&, Entity entity) { (void)entity.isActive(); },
    [](Scene&, Entity entity) { entity.setRewindable(false); },
    [](Scene&, Entity entity) { (void)entity.isRewindable(); },
    [](Scene&, Entity entity) { entity.addComponent<Health>(); },
    [](Scene&, Entity entity) { entity.removeComponent<Health>(); },
    [](Scene&, Entity entity) { (void)entity.getComponent<Health>(); },
    [](Scene&, Entity entity) { (void)entity.findComponent<Health>(); },
    [](Scene&, Entity entity) { (void)entity.hasComponent<Health>(); },
    [](Scene&, Entity entity) { entity.addComponent("Health"); },
    [](Scene&, Entity entity) { entity.removeComponent("Health"); },
    [](Scene&, Entity entity) { (void)entity.getComponent("Health"); },
    [](Scene&, Entity entity) { (void)entity.hasComponent("Health"); },
    [](Scene&, Entity entity) { entity.setComponentEnabled("Health", false); },
    [](Scene&, Entity entity) { (void)entity.isComponentEnabled("Health"); },
    [](Scene&, Entity entity) { (void)entity.getField("Health", "points"); },
    [](Scene&, Entity entity) { entity.setField("Health", "points", 1); },
    [](Scene&, Entity entity) { (void)entity.getComponentNames(); },
    [](Scene&, Entity entity) { const HeldEntity held(entity); },
    [](Scene& scene, Entity entity) { scene.world.addEntity(entity); },
    [](Scene& scene, Entity entity) { scene.world.removeEntity(entity); },
};

// Those that take an entity beside another one, or beside a world.
const std::vector<Call> callsAcrossWorlds = {
    [](Scene& scene, Entity entity) { scene.root.addChild(entity); },
    [](Scene& scene, Entity entity) { entity.addChild(scene.loner); },
    [](Scene& scene, Entity entity) { scene.root.removeChild(entity); },
    [](Scene& scene, Entity entity) { entity.removeChild(scene.child); },
    [](Scene& scene, Entity entity) { scene.world.addEntity(entity); },
    [](Scene& scene, Entity entity) { scene.world.removeEntity(entity); },
    [](Scene& scene, Entity entity) { scene.world.setMainCharacter(entity); },
    [](Scene& scene, Entity entity) { scene.world.setMainCamera(entity); },
    [](Scene& scene, Entity entity) {
        scene.world.recordCollisionEvent({entity, scene.root});
    },
    [](Scene& scene, Entity entity) {
        scene.world.recordCollisionEvent({scene.root, entity});
    },
};

}  // namespace

TEST_CASE("a stale handle is refused by every call but those that ask whether it is",
          "[world][bad]") {
    Scene scene;
    const Entity stale = scene.stale;
    const std::string number = sentence("#", stale.getId().index, ".", stale.getId().generation);
    for (const Call& call : callsOnEntities)
        checkRefused(scene.world, ErrorCode::StaleEntity, {number, "was destroyed"},
                     [&] { call(scene, stale); });
    checkRefused(scene.world, ErrorCode::StaleEntity, {"recordCollisionEvent", number}, [&] {
        scene.world.recordCollisionEvent({stale, scene.root});
    });
    checkRefused(scene.world, ErrorCode::StaleEntity, {"setMainCharacter", number},
                 [&] { scene.world.setMainCharacter(stale); });
    CHECK_FALSE(stale.isValid());
    CHECK(stale.getState() == EntityState::Destroyed);
    CHECK(stale == Entity(scene.world, stale.getId()));
    CHECK(describe(stale) == number);
}

TEST_CASE("no entity is refused by every call that needs one", "[world][bad]") {
    Scene scene;
    for (const Entity none : {Entity(), Entity(scene.world, EntityId{})}) {
        for (const Call& call : callsOnEntities)
            checkRefused(scene.world, ErrorCode::NullEntity, {"there is no entity"},
                         [&] { call(scene, none); });
        CHECK_FALSE(none.isValid());
        CHECK(none.getState() == EntityState::Destroyed);
    }
}

TEST_CASE("an entity of another world is refused, by name", "[world][bad]") {
    Scene scene;
    World elsewhere;
    const Entity stranger = elsewhere.newEntity("stranger");
    const std::string before = snapshot(elsewhere);
    for (const Call& call : callsAcrossWorlds)
        checkRefused(scene.world, ErrorCode::OtherWorld, {"belongs to another world"},
                     [&] { call(scene, stranger); });
    checkRefused(scene.world, ErrorCode::OtherWorld, {"'stranger'"},
                 [&] { scene.world.addEntity(stranger); });
    CHECK(snapshot(elsewhere) == before);
}

TEST_CASE("no entity becomes its own ancestor", "[world][bad]") {
    Scene scene;
    checkRefused(scene.world, ErrorCode::Cycle, {"'root'", "cannot be its own child"},
                 [&] { scene.root.addChild(scene.root); });
    checkRefused(scene.world, ErrorCode::Cycle, {"'root'", "is an ancestor of", "'child'"},
                 [&] { scene.child.addChild(scene.root); });
    checkRefused(scene.world, ErrorCode::Cycle, {"'root'", "is an ancestor of", "'grandchild'"},
                 [&] { scene.grandchild.addChild(scene.root); });
    checkRefused(scene.world, ErrorCode::Cycle, {"'loner'"},
                 [&] { scene.loner.addChild(scene.loner); });
}

TEST_CASE("a child cannot be added under a parent that is out, in any state", "[world][bad]") {
    Scene scene;
    Entity baby = scene.named("baby");
    auto checkParent = [&](Entity parent, const char* name) {
        parent.addChild(baby);
        checkRefused(scene.world, ErrorCode::ParentIsOut, {"'baby'", name, "add the parent first"},
                     [&] { scene.world.addEntity(baby); });
    };
    checkParent(scene.loner, "'loner'");
    checkParent(scene.zombie, "'zombie'");
    scene.world.removeEntity(scene.root);
    checkParent(scene.root, "'root'");
    checkRefused(scene.world, ErrorCode::ParentIsOut, {"'grandchild'", "'child'"},
                 [&] { scene.world.addEntity(scene.grandchild); });
}

TEST_CASE("only a child can be removed from its parent", "[world][bad]") {
    Scene scene;
    checkRefused(scene.world, ErrorCode::NotAChild, {"'loner'", "is not a child of", "'root'"},
                 [&] { scene.root.removeChild(scene.loner); });
    checkRefused(scene.world, ErrorCode::NotAChild, {"'grandchild'", "'root'"},
                 [&] { scene.root.removeChild(scene.grandchild); });
    checkRefused(scene.world, ErrorCode::NotAChild, {"'root'", "'child'"},
                 [&] { scene.child.removeChild(scene.root); });
}

TEST_CASE("a release without a retain of the same entity is refused", "[world][bad]") {
    Scene scene;
    checkRefused(scene.world, ErrorCode::ReleaseBelowZero, {"'loner'", "is not retained"},
                 [&] { scene.loner.release(); });
    scene.root.retain();  // counts for the child, but is not the child's
    CHECK(scene.child.getRefCount() == 1);
    checkRefused(scene.world, ErrorCode::ReleaseBelowZero, {"'child'"},
                 [&] { scene.child.release(); });
}

TEST_CASE("only what is detached and not retained can be destroyed", "[world][bad]") {
    Scene scene;
    auto refuse = [&](Entity entity, std::initializer_list<std::string> parts) {
        checkRefused(scene.world, ErrorCode::WrongState, parts, [&] { entity.destroy(); });
    };
    refuse(scene.root, {"'root'", "is managed", "use removeEntity"});
    refuse(scene.grandchild, {"'grandchild'", "is managed"});
    refuse(scene.zombie, {"'zombie'", "is zombie"});
    scene.world.removeEntity(scene.child);
    refuse(scene.child, {"'child'", "is pendingRemove"});
    Entity baby = scene.named("baby");
    scene.loner.addChild(baby);
    baby.retain();
    refuse(scene.loner, {"'baby'", "is still retained 1 times"});
    baby.release();
    scene.world.addEntity(scene.loner);
    refuse(scene.loner, {"'loner'", "is pendingAdd"});
}
