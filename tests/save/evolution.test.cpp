// Saves of one build of a game, opened by another whose definitions differ.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "save/save.hpp"
#include "world/world.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

using Fields = std::vector<FieldSpec>;

FieldSpec number(const char* name, FieldType type, Value initial = {}) {
    return {name, type, std::move(initial)};
}

struct Change {
    const char* what;
    Fields before;
    std::vector<Override> saved;
    Fields after;
    std::vector<Override> expected;  // of the loaded component
    const char* refusal = nullptr;   // or what is said of the field "v"
};

FieldSpec array(const char* name, FieldType type, std::uint32_t count) {
    FieldSpec spec{name, type, {}, count, true};
    return spec;
}

std::vector<Change> changes() {
    using enum FieldType;
    const double third = 1.0 / 3;
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    return {
        {"nothing", {number("v", F64)}, {{"v", 2.5}}, {number("v", F64)}, {{"v", 2.5}}},
        {"a new field",
         {number("v", F64)},
         {{"v", 2.5}},
         {number("v", F64), number("lives", I32, 3)},
         {{"v", 2.5}, {"lives", 3}}},
        {"a field before it",
         {number("v", F64)},
         {{"v", 2.5}},
         {number("a", U8, 1), number("v", F64)},
         {{"v", 2.5}, {"a", 1}}},
        {"a field is gone",
         {number("v", F64), number("old", I32)},
         {{"v", 2.5}, {"old", 4}},
         {number("v", F64)},
         {{"v", 2.5}}},
        {"another default", {number("v", F64, 1.0)}, {}, {number("v", F64, 7.0)}, {{"v", 1.0}}},
        {"f32 becomes f64", {number("v", F32)}, {{"v", 0.25}}, {number("v", F64)}, {{"v", 0.25}}},
        {"f64 becomes f32", {number("v", F64)}, {{"v", 0.25}}, {number("v", F32)}, {{"v", 0.25}}},
        {"f64 becomes f32 and loses",
         {number("v", F64)},
         {{"v", third}},
         {number("v", F32)},
         {},
         "f32"},
        {"i32 becomes i64", {number("v", I32)}, {{"v", -5}}, {number("v", I64)}, {{"v", -5}}},
        {"i64 becomes u8", {number("v", I64)}, {{"v", 255}}, {number("v", U8)}, {{"v", 255}}},
        {"i64 becomes u8 and does not fit",
         {number("v", I64)},
         {{"v", 256}},
         {number("v", U8)},
         {},
         "256"},
        {"i32 becomes u32 and is negative",
         {number("v", I32)},
         {{"v", -1}},
         {number("v", U32)},
         {},
         "-1"},
        {"f64 becomes i32", {number("v", F64)}, {{"v", 12.0}}, {number("v", I32)}, {{"v", 12}}},
        {"f64 becomes i32 and has a fraction",
         {number("v", F64)},
         {{"v", 2.5}},
         {number("v", I32)},
         {},
         "2.5"},
        {"i64 becomes f64",
         {number("v", I64)},
         {{"v", Value(large - 1)}},
         {number("v", F64)},
         {{"v", 9007199254740992.0}}},
        {"i64 becomes f64 and loses",
         {number("v", I64)},
         {{"v", Value(large)}},
         {number("v", F64)},
         {},
         "f64"},
        {"i64 is the largest",
         {number("v", I64)},
         {{"v", Value(INT64_MAX)}},
         {number("v", F64)},
         {},
         "f64"},
        {"a bool becomes a number",
         {number("v", Bool)},
         {{"v", true}},
         {number("v", U8)},
         {},
         "bool"},
        {"a string becomes a number",
         {number("v", String)},
         {{"v", "7"}},
         {number("v", F64)},
         {},
         "string"},
        {"an array grows",
         {array("v", I32, 2)},
         {{"v", ValueArray{1, 2}}},
         {array("v", I32, 3)},
         {{"v", ValueArray{1, 2, 0}}}},
        {"an array shrinks",
         {array("v", I32, 3)},
         {{"v", ValueArray{1, 2, 3}}},
         {array("v", I32, 2)},
         {},
         "3 elements"},
        {"one becomes an array",
         {number("v", I32)},
         {{"v", 1}},
         {array("v", I32, 1)},
         {},
         "i32[1]"},
        {"elements convert",
         {array("v", I32, 2)},
         {{"v", ValueArray{1, 2}}},
         {array("v", F64, 2)},
         {{"v", ValueArray{1.0, 2.0}}}},
    };
}

}  // namespace

TEST_CASE("a save is matched by name, or refused with component, field and reason", "[save]") {
    const auto change = GENERATE(from_range(changes()));
    const auto format = GENERATE(SaveFormat::Binary, SaveFormat::Json);
    CAPTURE(change.what);
    World world;
    world.defineComponent("GameCMP", change.before);
    Entity entity = world.newEntity("game");
    entity.addComponent("GameCMP", change.saved);
    world.addEntity(entity);
    const auto save = saveToBytes(world, {format});

    World later;
    later.defineComponent("OtherCMP", Fields{number("a", FieldType::F64)});
    later.defineComponent("GameCMP", change.after);
    later.addEntity(later.newEntity("running"));
    later.update(1);
    if (change.refusal) {
        CHECK_THROWS_WITH(loadFromBytes(later, save),
                          ContainsSubstring("component 'GameCMP', field 'v'") &&
                              ContainsSubstring(change.refusal));
        REQUIRE(later.getAllManagedEntities().size() == 1);
        CHECK(later.getAllManagedEntities()[0].getName() == "running");
        CHECK(later.getStats().detached == 0);
    } else {
        loadFromBytes(later, save);
        Entity loaded = later.getAllManagedEntities().at(0);
        for (const Override& each : change.expected)
            CHECK(loaded.getField("GameCMP", each.field) == each.value);
    }
    CHECK(later.validate().empty());
}

TEST_CASE("a component that is gone is refused, or dropped by name", "[save]") {
    World world;
    world.defineComponent("OldCMP", Fields{number("v", FieldType::F64)});
    Entity entity = world.newEntity("e");
    entity.addComponent("OldCMP");
    world.addEntity(entity);
    const auto save = saveToBytes(world);
    World later;
    CHECK_THROWS_WITH(loadFromBytes(later, save), ContainsSubstring("OldCMP"));
    loadFromBytes(later, save, {.drop = {"OldCMP"}});
    CHECK(later.getAllManagedEntities().at(0).getComponentNames().empty());
}

namespace {

class HealthMigration final : public Migration {
public:
    std::vector<Override> migrateFields(std::vector<Override> old, std::uint32_t version) override {
        CHECK(version == 1);
        std::vector<Override> now;
        for (const Override& each : old)
            if (each.field == "percent") now.push_back({"share", *each.value.as<double>() / 100});
        return now;
    }
};

}  // namespace

TEST_CASE("a migration brings earlier versions into this one", "[save]") {
    World world;
    world.defineComponent("HealthCMP", Fields{number("percent", FieldType::F64)});
    Entity entity = world.newEntity("e");
    entity.addComponent("HealthCMP", std::vector<Override>{{"percent", 50.0}});
    world.addEntity(entity);
    const auto save = saveToBytes(world);
    World later;
    later.defineComponent(
        "HealthCMP", Fields{number("share", FieldType::F64), number("most", FieldType::F64, 9.0)});
    later.setVersion("HealthCMP", 2, std::make_shared<HealthMigration>());
    loadFromBytes(later, save);
    CHECK(later.getAllManagedEntities().at(0).getField("HealthCMP", "share") == Value(0.5));
    CHECK(later.getAllManagedEntities().at(0).getField("HealthCMP", "most") == Value(9.0));
    // Saved in version 2: the first game refuses it.
    CHECK_THROWS_WITH(loadFromBytes(world, saveToBytes(later)),
                      ContainsSubstring("HealthCMP") && ContainsSubstring("version 2"));
}
