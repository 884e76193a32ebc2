// Where two frames, two runs or two histories differ.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "tests/rewind/byte_states.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("two frames are compared entity by entity and field by field", "[rewind][tools]") {
    Stage stage;
    Entity stays = stage.spawn("stays");
    Entity goes = stage.spawn("goes");
    stage.ticks(3);
    stage.world.removeEntity(goes);
    stage.spawn("comes");
    stays.setEnabled(false);
    stage.ticks(3);
    stage.rewind->seek(5);
    const auto found = stage.rewind->compareFrames(3, 4, 100);
    CHECK(stage.rewind->getFrame() == 5);
    const auto has = [&](std::string_view name, std::string_view component, std::string_view field,
                         std::string_view here, std::string_view there) {
        return std::ranges::any_of(found, [&](const Divergence& each) {
            return each.entity.find(name) != std::string::npos && each.component == component &&
                   each.field == field && each.here == here && each.there == there;
        });
    };
    CHECK(has("'stays'", "PositionCMP", "x", "2", "3"));
    CHECK(has("'stays'", "", "enabled", "true", "false"));
    CHECK(has("'goes'", "", "the entity", "there", "absent"));
    CHECK(has("'comes'", "", "the entity", "absent", "there"));
    CHECK_FALSE(has("'stays'", "", "parent", "none", "none"));
    CHECK(stage.rewind->compareFrames(3, 4, 2).size() == 2);
    CHECK(stage.rewind->compareFrames(4, 4, 100).empty());
    CHECK_THROWS_AS(stage.rewind->compareFrames(4, 99, 100), Error);
}

TEST_CASE("the sync test finds nothing where the same ticks do the same", "[rewind][tools]") {
    Range range(smallBlocks());
    range.spawn("first");
    range.rewind->setSyncTest(4);
    range.world.registerSystem("RandomSys", [](World& world, double dt) {
        if (world.random(1, 5) != 1) return;
        Entity made = world.newEntity("made");
        made.addComponent<Position>({static_cast<float>(world.random() * dt), 0});
        made.addComponent<Life>({static_cast<std::int32_t>(world.random(2, 9))});
        world.addEntity(made);
    });
    range.ticks(80);
    CHECK_FALSE(range.rewind->getSyncReport().has_value());
    CHECK(range.rewind->getNewestFrame() == 80);
    range.rewind->seek(40);
    CHECK(range.isExact());
}

TEST_CASE("the sync test names the first field that comes out differently", "[rewind][tools]") {
    Stage stage;
    Entity ship = stage.spawn("ship");
    int outside = 0;  // what no history knows of
    stage.world.registerSystem("LeakSys", [&](World&, double) {
        ship.getComponent<Position>().x += static_cast<float>(outside++ % 2);
    });
    stage.rewind->setSyncTest(3);
    stage.ticks(20);
    REQUIRE(stage.rewind->getSyncReport().has_value());
    const Divergence& found = *stage.rewind->getSyncReport();
    CHECK(found.component == "PositionCMP");
    CHECK(found.field == "x");
    CHECK_THAT(found.entity, ContainsSubstring("ship"));
    CHECK_THAT(found.describe(), ContainsSubstring("PositionCMP.x"));
    CHECK(stage.rewind->getNewestFrame() == 20);
}

TEST_CASE("two histories are compared frame by frame, down to the field", "[rewind][tools]") {
    Stage one(smallBlocks());
    Stage other(smallBlocks());
    Entity here = one.spawn("ship");
    Entity there = other.spawn("ship");
    one.ticks(20);
    other.ticks(20);
    CHECK_FALSE(one.rewind->findDivergence(*other.rewind, 1).has_value());
    there.getComponent<Position>().angle += 1;
    one.ticks(20);
    other.ticks(20);
    const auto found = one.rewind->findDivergence(*other.rewind, 1);
    REQUIRE(found.has_value());
    CHECK(found->frame == 21);
    CHECK(found->component == "PositionCMP");
    CHECK(found->field == "angle");
    CHECK(one.rewind->getFrame() == 21);
    CHECK(here.isValid());
}

TEST_CASE("histories are compared where both have frames, and nowhere else", "[rewind][tools]") {
    Stage one;
    Stage other({.seconds = 0.25});
    one.spawn("ship");
    other.spawn("ship");
    one.ticks(50);
    other.ticks(40);
    CHECK_THROWS_WITH(one.rewind->findDivergence(*other.rewind, 3),
                      ContainsSubstring("the other history") && ContainsSubstring("frame 3"));
    CHECK_THROWS_WITH(other.rewind->findDivergence(*one.rewind, 45), ContainsSubstring("45"));
    CHECK_FALSE(one.rewind->findDivergence(*other.rewind, 30));
    CHECK_FALSE(one.rewind->isRewinding());  // nothing differs: nothing is shown
}

TEST_CASE("histories that differ in their entities name the place in the order",
          "[rewind][tools]") {
    Stage one(smallBlocks());
    Stage other(smallBlocks());
    one.spawn("ship");
    other.spawn("ship");
    one.ticks(5);
    other.ticks(5);
    const bool isHere = GENERATE(true, false);
    (isHere ? one : other).spawn("late");
    one.ticks(5);
    other.ticks(5);
    const auto found = one.rewind->findDivergence(*other.rewind, 1);
    REQUIRE(found);
    CHECK(found->frame == 6);
    CHECK(found->entity.empty());
    CHECK(found->field == "entity 2 in world order");
    CHECK(found->here == (isHere ? "'late' (serial 2)" : "none"));
    CHECK(found->there == (isHere ? "none" : "'late' (serial 2)"));
}

TEST_CASE("a difference in a resource shows both values, whatever they are", "[rewind][tools]") {
    Stage one;
    Stage other;
    const EntityId ship = one.spawn("ship").getId();
    other.spawn("ship");
    struct Case {
        Value here, there;
        const char *hereText, *thereText;
    };
    const Case each = GENERATE_COPY(
        Case{true, false, "true", "false"}, Case{1, 2, "1", "2"},
        Case{0.1, 0.5, "0.10000000000000001", "0.5"}, Case{"cave", "town", "cave", "town"},
        Case{ship, EntityId{}, "'ship' (serial 1)", "none"},
        Case{ValueArray{1, "two"}, ValueArray{1, "too"}, "1 two ", "1 too "});
    one.ticks(3);
    other.ticks(3);
    one.world.setResource("place", each.here, {.rewind = true});
    other.world.setResource("place", each.there, {.rewind = true});
    one.ticks(3);
    other.ticks(3);
    const auto found = one.rewind->findDivergence(*other.rewind, 1);
    REQUIRE(found);
    CHECK(found->frame == 4);
    CHECK(found->field == "resource 'place'");
    CHECK(found->here == each.hereText);
    CHECK(found->there == each.thereText);
}

TEST_CASE("a difference in a state behind hooks or of a system shows bytes", "[rewind][tools]") {
    Workshop one;
    Workshop other;
    one.ticks(3);
    other.ticks(3);
    const bool isSystem = GENERATE(true, false);
    if (isSystem)
        other.dial->position = std::byte{0xa7};
    else
        other.hooks->brightness[other.lamp.getId()] = std::byte{0xa7};
    one.ticks(3);
    other.ticks(3);
    const auto found = one.rewind->findDivergence(*other.rewind, 1);
    REQUIRE(found);
    CHECK(found->frame == 4);
    CHECK(found->component == (isSystem ? "" : "LampCMP"));
    CHECK(found->field == (isSystem ? "state of system 'DialSys'" : "state"));
    const std::string seconds(isSystem ? 16 : 0, '0');  // of its fixed steps
    CHECK(found->here == seconds + "00");
    CHECK(found->there == seconds + "a7");
}
