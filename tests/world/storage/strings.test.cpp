// Which strings a world keeps, and which it gives back.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Label {
    StringId text;
    StringId others[2];
};

struct Labels {
    World world;

    Labels() {
        world.defineComponent<Label>(
            "Label", {field("text", &Label::text), field("others", &Label::others)});
    }
    StringTable& strings() { return WorldCore::of(world).components().strings(); }
    Entity label(const std::string& name) {
        Entity entity = world.newEntity(name);
        entity.addComponent<Label>();
        return entity;
    }
    void write(Entity entity, const std::string& text) {
        entity.setField("Label", "text", Value(text));
    }
    // So many other strings pass through a field that the world must have looked twice.
    void writeMany(Entity entity) {
        for (int i = 0; i < 6000; ++i) {
            write(entity, "passing " + std::to_string(i));
            if (i % 100 == 0) world.update(0);
        }
    }
};

}  // namespace

TEST_CASE("the name of a destroyed entity is given back", "[world][strings]") {
    World world;
    for (int i = 0; i < 50'000; ++i) {
        Entity entity = world.newEntity("a name of its own, number " + std::to_string(i));
        world.addEntity(entity);
        world.update(0);
        world.removeEntity(entity);
    }
    world.update(0);
    CHECK(world.getStats().strings < 10);
    CHECK(world.validate().empty());
}

TEST_CASE("a name stays while one of its entities does", "[world][strings]") {
    World world;
    Entity first = world.newEntity("twin");
    Entity second = world.newEntity("twin");
    Entity zombie = world.newEntity("zombie");
    zombie.retain();
    for (Entity entity : {first, second, zombie}) world.addEntity(entity);
    world.update(0);
    world.removeEntity(first);
    world.removeEntity(zombie);
    world.update(0);
    world.update(0);
    CHECK(second.getName() == "twin");
    CHECK(zombie.getName() == "zombie");
    world.removeEntity(second);
    zombie.release();
    world.update(0);
    world.update(0);
    CHECK(world.getStats().strings == 1);
    CHECK(world.newEntity("twin").getName() == "twin");
}

TEST_CASE("listeners read the name of what was destroyed, whatever they do", "[world][strings]") {
    World world;
    std::vector<std::string> heard;
    // The first one lets the world go on: the second still reads the name.
    world.on(EventKind::EntityDestroyed, [&](const Event&) {
        world.update(0);
        world.newEntity("another one with a long, long name");
    });
    world.on(EventKind::EntityDestroyed,
             [&](const Event& event) { heard.emplace_back(event.name); });
    world.newEntity("destroyed with a long, long name").destroy();
    CHECK(heard == std::vector<std::string>{"destroyed with a long, long name"});
}

TEST_CASE("a string that no field has any more is given back", "[world][strings]") {
    Labels labels;
    Entity entity = labels.label("entity");
    labels.world.addEntity(entity);
    for (int i = 0; i < 50'000; ++i) {
        labels.write(entity, "value " + std::to_string(i));
        labels.world.update(0);
        REQUIRE(labels.world.getStats().strings < 5000);
    }
    CHECK(entity.getField("Label", "text") == Value(std::string("value 49999")));
}

TEST_CASE("many new strings in each tick need no more room from tick to tick", "[world][strings]") {
    Labels labels;
    Entity entity = labels.label("entity");
    labels.world.addEntity(entity);
    for (int tick = 0; tick < 400; ++tick) {
        for (int i = 0; i < 500; ++i)
            labels.write(entity, std::to_string(tick) + " " + std::to_string(i));
        labels.world.update(0);
        REQUIRE(labels.world.getStats().strings < 5000);
    }
}

TEST_CASE("a string stays while any field has it", "[world][strings]") {
    Labels labels;
    Entity writer = labels.label("writer");
    labels.world.addEntity(writer);
    Entity detached = labels.label("detached");
    labels.write(detached, "of a detached one");
    Entity zombie = labels.label("zombie");
    zombie.retain();
    labels.world.addEntity(zombie);
    labels.write(zombie, "of a zombie");
    Entity array = labels.label("array");
    array.setField("Label", "others",
                   Value(ValueArray{Value(std::string("first")), Value(std::string("second"))}));
    labels.world.update(0);
    labels.world.removeEntity(zombie);
    labels.writeMany(writer);
    CHECK(detached.getField("Label", "text") == Value(std::string("of a detached one")));
    CHECK(zombie.getField("Label", "text") == Value(std::string("of a zombie")));
    CHECK(array.getField("Label", "others") ==
          Value(ValueArray{Value(std::string("first")), Value(std::string("second"))}));
}

TEST_CASE("what C++ interned, and what a definition names, stays", "[world][strings]") {
    Labels labels;
    const StringId kept = labels.strings().intern("kept by a system");
    labels.world.defineComponent("Named", {{"text", FieldType::String, std::string("default")}});
    Entity writer = labels.label("writer");
    labels.world.addEntity(writer);
    labels.writeMany(writer);
    CHECK(labels.strings().text(kept) == "kept by a system");
    writer.addComponent("Named");
    CHECK(writer.getField("Named", "text") == Value(std::string("default")));
}

TEST_CASE("a string that is a name, and was a field's, is given back as either",
          "[world][strings]") {
    Labels labels;
    Entity writer = labels.label("writer");
    Entity both = labels.label("both");
    labels.write(both, "both");
    labels.world.addEntity(writer);
    labels.world.addEntity(both);
    labels.world.update(0);
    SECTION("the name goes first") {
        labels.write(writer, "both");
        labels.world.removeEntity(both);
        labels.world.update(0);
        labels.world.update(0);
        CHECK(writer.getField("Label", "text") == Value(std::string("both")));
        labels.writeMany(writer);
    }
    SECTION("the field goes first") {
        labels.write(both, "");
        labels.writeMany(writer);
        CHECK(both.getName() == "both");
        labels.world.removeEntity(both);
    }
    labels.world.update(0);
    labels.world.update(0);
    labels.writeMany(writer);
    for (std::uint32_t id = 1; id < labels.strings().idLimit(); ++id)
        CHECK(labels.strings().text({id}) != "both");
}

TEST_CASE("a reset gives every name back", "[world][strings]") {
    World world;
    for (int i = 0; i < 100; ++i) world.addEntity(world.newEntity("name " + std::to_string(i)));
    world.update(0);
    world.reset();
    world.update(0);
    CHECK(world.getStats().strings == 1);
    CHECK(world.validate().empty());
}
