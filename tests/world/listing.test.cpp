// Finding, counting, listing and showing what is in a world, and removing all of it.
#include <catch2/catch_test_macros.hpp>

#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

using namespace revenant;

namespace {

struct Body {
    float x = 1.5F;
    EntityId target;
};
struct Dead {};

struct Town {
    World world;

    Town() {
        world.defineComponent<Body>("BodyCMP", fieldsOf<Body>("x", "target"));
        world.defineComponent<Dead>("DeadCMP");
    }
    Entity add(std::string_view name) {
        Entity entity = world.newEntity(name);
        entity.addComponent<Body>();
        world.addEntity(entity);
        return entity;
    }
};

using Entities = std::vector<Entity>;

}  // namespace

TEST_CASE("managed entities are found by name, in world order", "[world]") {
    Town town;
    const Entity first = town.add("coin");
    const Entity player = town.add("player");
    Entity second = town.world.newEntity("coin");
    CHECK(town.world.findEntity("coin") == Entity());  // not in the world yet
    Entity(first).addChild(second);
    town.world.reconcile();
    CHECK(town.world.findEntities("coin") == Entities{first, second});
    CHECK(town.world.findEntity("coin") == first);
    CHECK(town.world.findEntity("player") == player);
    CHECK(town.world.findEntity("nothing of that name") == Entity());
    CHECK(town.world.findEntities("").empty());
    town.world.removeEntity(first);
    town.world.reconcile();
    CHECK(town.world.findEntities("coin").empty());
}

TEST_CASE("an entity is found by an id that was kept, until it is destroyed", "[world]") {
    Town town;
    const Entity entity = town.add("it");
    const EntityId id = entity.getId();
    CHECK(town.world.getEntity(id) == entity);
    town.world.reconcile();
    town.world.removeEntity(entity);
    town.world.reconcile();
    CHECK(town.world.getEntity(id) == Entity());
    CHECK(town.world.getEntity({}) == Entity());
    CHECK(town.world.getEntity({4000000000U, 7}) == Entity());
}

TEST_CASE("destroyAll asks every entity to leave, and calls off those that were to come",
          "[world]") {
    Town town;
    Entity parent = town.add("parent");
    parent.addChild(town.world.newEntity("child"));
    const Entity kept = town.add("kept");
    town.world.reconcile();
    Entity(kept).retain();
    const Entity coming = town.add("coming");
    CHECK(town.world.destroyAll() == 3);  // the child leaves with its parent
    CHECK(town.world.getAllManagedEntities().size() == 3);
    town.world.reconcile();
    CHECK(town.world.getAllManagedEntities().empty());
    CHECK_FALSE(parent.isValid());
    CHECK(kept.getState() == EntityState::Zombie);
    CHECK(coming.getState() == EntityState::Detached);
    CHECK(town.world.destroyAll() == 0);
    town.world.addEntity(kept);
    town.world.reconcile();
    CHECK(kept.getState() == EntityState::Managed);
}

TEST_CASE("destroyAll of a component takes those that have it, in the world or on their way",
          "[world]") {
    Town town;
    const Entity stays = town.add("stays");
    Entity(town.add("goes")).addComponent<Dead>();
    town.world.reconcile();
    Entity(town.add("comes")).addComponent<Dead>();
    CHECK(town.world.destroyAll<Dead>() == 2);
    CHECK(town.world.destroyAll("DeadCMP") == 0);
    town.world.reconcile();
    CHECK(town.world.getAllManagedEntities() == Entities{stays});
    CHECK_THROWS_AS(town.world.destroyAll("NothingCMP"), Error);
}

TEST_CASE("destroyAll in the past is refused as a whole; a rewind brings all back", "[world]") {
    Town town;
    Entity outside = town.add("outside");
    outside.setRewindable(false);
    const Entity inside = town.add("inside");
    const auto rewind = std::make_shared<TimeRewindSys>(town.world);
    town.world.registerSystem(rewind);
    town.world.update(1);
    town.world.update(1);
    rewind->seek(1);
    CHECK_THROWS_AS(town.world.destroyAll(), Error);
    CHECK(outside.getState() == EntityState::Managed);
    rewind->stop();
    town.world.update(1);
    CHECK(town.world.destroyAll() == 2);
    town.world.update(1);
    town.world.update(1);
    CHECK(inside.getState() == EntityState::Zombie);
    rewind->seek(1);
    CHECK(inside.getState() == EntityState::Managed);
}

TEST_CASE("component types are listed with what there is of them", "[world]") {
    Town town;
    town.add("one");
    Entity two = town.add("two");
    town.world.newEntity("detached").addComponent<Body>();
    const std::vector<ComponentInfo> types = town.world.getComponentTypes();
    REQUIRE(types.size() == 2);
    CHECK(types[0].name == "BodyCMP");
    CHECK(types[0].count == 3);
    CHECK(types[0].size == sizeof(Body));
    CHECK(types[0].fields == 2);
    CHECK(types[0].bytes >= 3 * sizeof(Body));
    CHECK(types[1].name == "DeadCMP");
    CHECK(types[1].count == 0);
    town.world.reconcile();
    two.removeComponent<Body>();  // views show it until the reconcile, but no entity has it
    CHECK(town.world.countComponents<Body>() == 2);
    CHECK(town.world.countComponents("BodyCMP") == 2);
    CHECK_THROWS_AS(town.world.countComponents("NothingCMP"), Error);
}

TEST_CASE("zombies that a history keeps count as having their components", "[world]") {
    Town town;
    const Entity entity = town.add("it");
    town.world.registerSystem(std::make_shared<TimeRewindSys>(town.world));
    for (int i = 0; i < 3; ++i) town.world.update(1);
    town.world.removeEntity(entity);
    for (int i = 0; i < 3; ++i) town.world.update(1);
    REQUIRE(entity.getState() == EntityState::Zombie);
    CHECK(town.world.countComponents<Body>() == 1);
}

TEST_CASE("dump shows an entity as text", "[world]") {
    Town town;
    Entity parent = town.add("parent");
    Entity child = town.world.newEntity("child");
    parent.addChild(child);
    child.addComponent<Body>({2.25F, parent.getId()});
    child.addComponent<Dead>();
    town.world.reconcile();
    child.setEnabled(false);
    child.setComponentEnabled("DeadCMP", false);
    parent.retain();
    const std::string name = describe(parent);
    CHECK(child.dump() == describe(child) + ", managed\n" +
                              "  disabled\n"
                              "  parent: " +
                              name + "\n" +
                              "  references: 0 by retain, 0 by a history, 1 on its ancestors\n"
                              "  BodyCMP\n"
                              "    x = 2.25\n"
                              "    target = " +
                              name + "\n" + "  DeadCMP (disabled)\n");
    const Entity lost = town.world.newEntity("lost");
    Entity(lost).destroy();
    CHECK(lost.dump() == describe(lost) + ", destroyed\n");
    CHECK(Entity().dump() == "no entity, destroyed\n");
}
