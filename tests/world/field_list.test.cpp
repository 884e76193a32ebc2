// Fields that are taken from the struct itself.
#include <array>
#include <catch2/catch_test_macros.hpp>

#include "world/world.hpp"

using namespace revenant;

namespace {

struct Everything {
    float f32 = 1.5F;
    double f64 = 2.5;
    std::int32_t i32 = -3;
    std::uint32_t u32 = 4;
    std::int64_t i64 = -5;
    std::uint8_t u8 = 6;
    bool flag = true;
    EntityId entity;
    StringId string;
    std::array<float, 3> array{7, 8, 9};
};
struct Sixteen {
    std::uint8_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
    double i = 9, j = 10, k = 11, l = 12, m = 13, n = 14, o = 15, p = 16;
};
struct Tag {};

}  // namespace

TEST_CASE("fieldsOf gives what field would, member by member", "[world]") {
    const std::vector<Field> fields = fieldsOf<Everything>("f32", "f64", "i32", "u32", "i64", "u8",
                                                           "flag", "entity", "string", "array");
    const Field written[] = {
        field("f32", &Everything::f32),       field("f64", &Everything::f64),
        field("i32", &Everything::i32),       field("u32", &Everything::u32),
        field("i64", &Everything::i64),       field("u8", &Everything::u8),
        field("flag", &Everything::flag),     field("entity", &Everything::entity),
        field("string", &Everything::string), field("array", &Everything::array)};
    REQUIRE(fields.size() == std::size(written));
    for (std::size_t i = 0; i < fields.size(); ++i) {
        CHECK(fields[i].name == written[i].name);
        CHECK(fields[i].type == written[i].type);
        CHECK(fields[i].offset == written[i].offset);
        CHECK(fields[i].count == written[i].count);
        CHECK(fields[i].isArray == written[i].isArray);
    }
}

TEST_CASE("a component without a field list has its members as field1 to field16", "[world]") {
    World world;
    world.defineComponent<Sixteen>("SixteenCMP");
    world.defineComponent<Tag>("TagCMP");
    CHECK(world.getSchema("TagCMP").fields.empty());
    REQUIRE(world.getSchema("SixteenCMP").fields.size() == 16);
    Entity entity = world.newEntity("it");
    entity.addComponent<Sixteen>();
    for (int i = 1; i <= 16; ++i) {
        const Value value = entity.getField("SixteenCMP", "field" + std::to_string(i));
        if (const auto* whole = value.as<std::int64_t>())
            CHECK(*whole == i);
        else
            CHECK(*value.as<double>() == i);
    }
}
