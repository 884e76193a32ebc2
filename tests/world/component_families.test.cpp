#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "views/query.hpp"
#include "world/core/world_core.hpp"
#include "world/world.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

// "Circle" derives from "Drawable", "Ring" from "Circle".
struct Family {
    World world;

    Family() {
        for (const char* name : {"Drawable", "Circle", "Ring"})
            world.defineComponent(name, {FieldSpec{"size", FieldType::F64}});
        ComponentStore& components = WorldCore::of(world).components();
        components.derive(components.require("Circle"), components.require("Drawable"));
        components.derive(components.require("Ring"), components.require("Circle"));
    }
};

}  // namespace

TEST_CASE("a derived component comes with its bases, and goes with them", "[world][components]") {
    Family family;
    Entity e = family.world.newEntity("e");
    e.addComponent("Ring");
    family.world.addEntity(e);
    family.world.reconcile();
    for (const char* name : {"Drawable", "Circle", "Ring"}) CHECK(e.hasComponent(name));
    CHECK(family.world.query().with("Drawable").count() == 1);
    e.removeComponent("Circle");
    for (const char* name : {"Drawable", "Circle", "Ring"}) CHECK_FALSE(e.hasComponent(name));
    family.world.reconcile();
    CHECK(family.world.query().with("Drawable").count() == 0);
    CHECK(family.world.validate().empty());
}

TEST_CASE("an entity has one component of a family at most", "[world][components]") {
    Family family;
    Entity e = family.world.newEntity("e");
    e.addComponent("Circle");
    for (const char* name : {"Drawable", "Circle", "Ring"})
        CHECK_THROWS_WITH(e.addComponent(name), ContainsSubstring("one component of a family"));
    CHECK(e.hasComponent("Circle"));
    CHECK_FALSE(e.hasComponent("Ring"));
}

TEST_CASE("components of a family are enabled together", "[world][components]") {
    Family family;
    Entity e = family.world.newEntity("e");
    e.addComponent("Circle");
    e.setComponentEnabled("Drawable", false);
    CHECK_FALSE(e.isComponentEnabled("Circle"));
    e.setComponentEnabled("Circle", true);
    CHECK(e.isComponentEnabled("Drawable"));
}

TEST_CASE("a forgotten component's name is free; defined alike it is the same type",
          "[world][components]") {
    World world;
    const ComponentTypeId first = world.defineComponent("A", {FieldSpec{"x", FieldType::F64}});
    WorldCore::of(world).components().forget(WorldCore::of(world).components().require("A"));
    CHECK(WorldCore::of(world).components().find("A") == nullptr);
    CHECK(world.defineComponent("A", {FieldSpec{"x", FieldType::F64}}) == first);
    WorldCore::of(world).components().forget(WorldCore::of(world).components().require("A"));
    CHECK(world.defineComponent("A", {FieldSpec{"y", FieldType::F64}}) != first);
}
