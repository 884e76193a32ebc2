#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/world/event_log.hpp"

using namespace revenant;

namespace {

struct Transform {
    float x = 1;
    float y = 2;
    double angle = 0.5;
    std::int32_t cells[3] = {7, 8, 9};
    EntityId target;
    StringId label;
    bool solid = true;
};

std::vector<Field> transformFields() {
    return {field("x", &Transform::x).lerp(),          field("y", &Transform::y).lerp(),
            field("angle", &Transform::angle).angle(), field("cells", &Transform::cells),
            field("target", &Transform::target),       field("label", &Transform::label),
            field("solid", &Transform::solid)};
}

const std::vector<FieldSpec> stats = {{"strength", FieldType::I32, 5},
                                      {"name", FieldType::String, "nobody"},
                                      {"alive", FieldType::Bool, true},
                                      {"enemies", FieldType::Entity, {}, 2, true},
                                      {"speed"},
                                      {"path", FieldType::U8, ValueArray{1, 2}, 3}};

struct Scene {
    World world;
    Entity hero;

    Scene() {
        world.defineComponent<Transform>("Transform", transformFields());
        world.defineComponent("Stats", stats);
        hero = world.newEntity("hero");
    }
};

}  // namespace

TEST_CASE("fields defined at run time are laid out in name order, each on its own alignment",
          "[world][components]") {
    Scene scene;
    const ComponentSchema& schema = scene.world.getSchema("Stats");
    const std::vector<std::pair<std::string, std::uint32_t>> expected = {
        {"alive", 0}, {"enemies", 8}, {"name", 24}, {"path", 28}, {"speed", 32}, {"strength", 40}};
    std::vector<std::pair<std::string, std::uint32_t>> offsets;
    for (const Field& each : schema.fields) offsets.emplace_back(each.name, each.offset);
    CHECK(offsets == expected);
    CHECK(schema.size == 48);
    CHECK(schema.alignment == 8);
    CHECK(schema.findField("speed")->type == FieldType::F64);
    CHECK(schema.findField("path")->isArray);  // it has a count
    CHECK(schema.findField("nothing") == nullptr);
}

TEST_CASE("a C++ component's schema tells its members as the compiler laid them out",
          "[world][components]") {
    Scene scene;
    const ComponentSchema& schema = scene.world.getSchema("Transform");
    CHECK(schema.size == sizeof(Transform));
    CHECK(schema.alignment == alignof(Transform));
    const Field& cells = schema.requireField("cells");
    CHECK(cells.offset == offsetof(Transform, cells));
    CHECK(cells.count == 3);
    CHECK(cells.isArray);
    CHECK(cells.type == FieldType::I32);
    CHECK(schema.requireField("x").blend == Blend::Lerp);
    CHECK(schema.requireField("angle").blend == Blend::Angle);
    CHECK(schema.requireField("target").type == FieldType::Entity);
    CHECK(schema.requireField("label").type == FieldType::String);
    CHECK(schema.requireField("solid").type == FieldType::Bool);
}

TEST_CASE("a component is the same seen by its C++ type and by its name", "[world][components]") {
    Scene scene;
    auto& transform = scene.hero.addComponent<Transform>();
    CHECK(scene.hero.hasComponent("Transform"));
    CHECK(scene.hero.getComponent("Transform") == reinterpret_cast<std::byte*>(&transform));
    CHECK((scene.hero.getField("Transform", "y") == Value(2.0)));
    CHECK((scene.hero.getField("Transform", "cells") == Value(ValueArray{7, 8, 9})));
    scene.hero.setField("Transform", "x", 4.5);
    scene.hero.setField("Transform", "solid", false);
    CHECK(transform.x == 4.5F);
    CHECK_FALSE(transform.solid);
    scene.hero.removeComponent("Transform");
    CHECK_FALSE(scene.hero.hasComponent<Transform>());
    const Override overrides[] = {{"x", 3}, {"label", "door"}};
    scene.hero.addComponent("Transform", overrides);
    CHECK(scene.hero.getComponent<Transform>().x == 3);
    CHECK(scene.hero.getComponent<Transform>().y == 2);  // its C++ default
    CHECK((scene.hero.getField("Transform", "label") == Value("door")));
}

TEST_CASE("a field that points to a destroyed entity reads as none", "[world][components]") {
    Scene scene;
    scene.world.defineComponent(
        "Aim", {{"at", FieldType::Entity}, {"next", FieldType::Entity, {}, 2, true}});
    scene.hero.addComponent("Aim");
    Entity rival = scene.world.newEntity("rival");
    scene.hero.setField("Aim", "at", rival.getId());
    scene.hero.setField("Aim", "next", ValueArray{rival.getId(), scene.hero.getId()});
    CHECK((scene.hero.getField("Aim", "at") == Value(rival.getId())));
    rival.destroy();
    const Value none = EntityId{};
    CHECK((scene.hero.getField("Aim", "at") == none));
    CHECK((scene.hero.getField("Aim", "next") == Value(ValueArray{none, scene.hero.getId()})));
    (void)scene.world.newEntity("in the same place");
    CHECK((scene.hero.getField("Aim", "at") == none));
}

TEST_CASE("adding gives defaults, merged with partial overrides", "[world][components]") {
    Scene scene;
    scene.hero.addComponent("Stats");
    CHECK((scene.hero.getField("Stats", "strength") == Value(5)));
    CHECK((scene.hero.getField("Stats", "name") == Value("nobody")));
    CHECK((scene.hero.getField("Stats", "alive") == Value(true)));
    CHECK((scene.hero.getField("Stats", "speed") == Value(0.0)));
    CHECK((scene.hero.getField("Stats", "path") == Value(ValueArray{1, 2, 0})));
    CHECK((scene.hero.getField("Stats", "enemies") == Value(ValueArray{EntityId{}, EntityId{}})));
    Entity other = scene.world.newEntity("other");
    const Override overrides[] = {{"name", "Ann"},
                                  {"enemies", ValueArray{scene.hero.getId()}},
                                  {"path", ValueArray{9}},
                                  {"strength", 1},
                                  {"strength", 2}};  // the last one holds
    other.addComponent("Stats", overrides);
    CHECK((other.getField("Stats", "name") == Value("Ann")));
    CHECK(
        (other.getField("Stats", "enemies") == Value(ValueArray{scene.hero.getId(), EntityId{}})));
    CHECK((other.getField("Stats", "path") == Value(ValueArray{9, 2, 0})));
    CHECK((other.getField("Stats", "strength") == Value(2)));
    CHECK((other.getField("Stats", "alive") == Value(true)));
}

TEST_CASE("an entity field counts for nothing and may outlive what it names",
          "[world][components]") {
    Scene scene;
    Entity friendly = scene.world.newEntity("friend");
    scene.hero.addComponent<Transform>().target = friendly.getId();
    CHECK(friendly.getRefCount() == 0);
    friendly.destroy();
    const Value kept = scene.hero.getField("Transform", "target");
    REQUIRE(kept.as<EntityId>());
    CHECK_FALSE(Entity(scene.world, *kept.as<EntityId>()).isValid());
}

TEST_CASE("a component without fields is there or not, nothing else", "[world][components]") {
    Scene scene;
    scene.world.defineComponent("Tag", std::vector<FieldSpec>{});
    CHECK(scene.hero.addComponent("Tag") != nullptr);
    CHECK(scene.hero.hasComponent("Tag"));
    CHECK(scene.world.getSchema("Tag").size == 1);
}

TEST_CASE("components are listed in the order of their definition", "[world][components]") {
    Scene scene;
    Names names;
    for (int i = 9; i >= 0; --i) {
        names.push_back(sentence("C", i));
        scene.world.defineComponent(names.back(), {{"number", FieldType::I32, i}});
    }
    // More than fit into the record itself, added in another order.
    for (const int i : {3, 1, 4, 0, 5, 9, 2, 6, 8, 7}) scene.hero.addComponent(sentence("C", i));
    CHECK(scene.hero.getComponentNames() == names);
    for (int i = 0; i < 10; ++i)
        CHECK((scene.hero.getField(sentence("C", i), "number") == Value(i)));
}

TEST_CASE("a disabled component stays the disabled one while others come and go",
          "[world][components]") {
    Scene scene;
    Names names;
    for (int i = 0; i < 12; ++i) {
        names.push_back(sentence("C", i));
        scene.world.defineComponent(names.back(), std::vector<FieldSpec>{});
    }
    auto disabled = [&] {
        Names result;
        for (const std::string& name : scene.hero.getComponentNames())
            if (!scene.hero.isComponentEnabled(name)) result.push_back(name);
        return result;
    };
    for (const int i : {2, 5, 7, 11}) scene.hero.addComponent(names[static_cast<std::size_t>(i)]);
    scene.hero.setComponentEnabled("C5", false);
    scene.hero.setComponentEnabled("C11", false);
    CHECK(disabled() == Names{"C5", "C11"});
    for (const char* name : {"C0", "C6", "C10", "C4"}) scene.hero.addComponent(name);
    CHECK(disabled() == Names{"C5", "C11"});
    for (const char* name : {"C2", "C7", "C0"}) scene.hero.removeComponent(name);
    CHECK(disabled() == Names{"C5", "C11"});
    scene.hero.removeComponent("C5");
    scene.hero.addComponent("C5");  // another one, enabled as any
    CHECK(disabled() == Names{"C11"});
    scene.hero.setComponentEnabled("C11", true);
    CHECK(disabled().empty());
}

TEST_CASE("two worlds may define different things under one name", "[world][components]") {
    Scene scene;
    World other;
    other.defineComponent("Stats", {{"only", FieldType::U8, 3}});
    Entity entity = other.newEntity("e");
    entity.addComponent("Stats");
    CHECK((entity.getField("Stats", "only") == Value(3)));
    CHECK(scene.world.getSchema("Stats").findField("only") == nullptr);
    other.defineComponent<Transform>("Place", transformFields());  // another name, the same type
    entity.addComponent<Transform>().x = 9;
    CHECK((entity.getField("Place", "x") == Value(9.0)));
}

TEST_CASE("equal sets of components share one shape", "[world][components]") {
    Scene scene;
    const std::size_t before = scene.world.getStats().shapes;
    Entity other = scene.world.newEntity("other");
    scene.hero.addComponent("Stats");
    scene.hero.addComponent("Transform");
    const std::size_t after = scene.world.getStats().shapes;
    CHECK(after == before + 2);
    other.addComponent("Transform");
    other.addComponent("Stats");
    CHECK(scene.world.getStats().shapes == after + 1);  // Transform alone
}
