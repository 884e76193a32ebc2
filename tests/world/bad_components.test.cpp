#include <cmath>
#include <limits>

#include "tests/world/refusal.hpp"

using namespace revenant;

namespace {

struct Health {
    std::int32_t points = 100;
    double regrowth = 0.5;
};
struct Undefined {
    int nothing = 0;
};

// One field of each type, and a few arrays.
const std::vector<FieldSpec> everyType = {{"f32", FieldType::F32},
                                          {"f64", FieldType::F64},
                                          {"i32", FieldType::I32},
                                          {"u32", FieldType::U32},
                                          {"i64", FieldType::I64},
                                          {"u8", FieldType::U8},
                                          {"flag", FieldType::Bool},
                                          {"target", FieldType::Entity},
                                          {"title", FieldType::String, "none"},
                                          {"list", FieldType::I32, {}, 3, true}};

struct Scene {
    World world;
    Entity hero;

    Scene() {
        world.defineComponent<Health>(
            "Health", {field("points", &Health::points), field("regrowth", &Health::regrowth)});
        world.defineComponent("Every", everyType);
        hero = world.newEntity("hero");
        world.addEntity(hero);
        world.reconcile();
    }
    template <class Call>
    void refuse(ErrorCode code, std::initializer_list<std::string> parts, Call call) {
        checkRefused(world, code, parts, call);
    }
};

}  // namespace

TEST_CASE("an unknown component is refused by every call that names one", "[world][bad]") {
    Scene scene;
    Entity hero = scene.hero;
    const std::initializer_list<std::string> parts = {"'hero'", "'Helth'", "defineComponent"};
    auto refuse = [&](auto call) { scene.refuse(ErrorCode::UnknownComponent, parts, call); };
    refuse([&] { hero.addComponent("Helth"); });
    refuse([&] { hero.removeComponent("Helth"); });
    refuse([&] { (void)hero.getComponent("Helth"); });
    refuse([&] { (void)hero.hasComponent("Helth"); });
    refuse([&] { hero.setComponentEnabled("Helth", false); });
    refuse([&] { (void)hero.isComponentEnabled("Helth"); });
    refuse([&] { (void)hero.getField("Helth", "points"); });
    refuse([&] { hero.setField("Helth", "points", 1); });
    auto refuseType = [&](auto call) {
        scene.refuse(ErrorCode::UnknownComponent, {"C++ type", "defineComponent"}, call);
    };
    refuseType([&] { hero.addComponent<Undefined>(); });
    refuseType([&] { hero.removeComponent<Undefined>(); });
    refuseType([&] { (void)hero.getComponent<Undefined>(); });
    refuseType([&] { (void)hero.hasComponent<Undefined>(); });
    scene.refuse(ErrorCode::UnknownComponent, {"'Helth'"},
                 [&] { (void)scene.world.getSchema("Helth"); });
}

TEST_CASE("a component is defined once, from whichever side", "[world][bad]") {
    Scene scene;
    World& world = scene.world;
    auto refuse = [&](const char* name, auto call) {
        scene.refuse(ErrorCode::DuplicateComponent, {name, "already defined"}, call);
    };
    refuse("'Health'", [&] { world.defineComponent("Health", {{"other", FieldType::F32}}); });
    refuse("'Every'", [&] { world.defineComponent("Every", everyType); });
    refuse("'Every'", [&] { world.defineComponent<Undefined>("Every", {}); });
    refuse("'Vitality'", [&] { world.defineComponent<Health>("Vitality", {}); });
    CHECK(world.getSchema("Health").fields.size() == 2);
    world.defineComponent<Undefined>("Undefined", {});  // what was refused is not half there
    scene.hero.addComponent<Undefined>();
}

TEST_CASE("an entity has a component once, or not at all", "[world][bad]") {
    Scene scene;
    Entity hero = scene.hero;
    auto refuseMissing = [&](auto call) {
        scene.refuse(ErrorCode::MissingComponent, {"'hero'", "has no component 'Health'"}, call);
    };
    refuseMissing([&] { hero.removeComponent<Health>(); });
    refuseMissing([&] { hero.removeComponent("Health"); });
    refuseMissing([&] { (void)hero.getComponent<Health>(); });
    refuseMissing([&] { (void)hero.getComponent("Health"); });
    refuseMissing([&] { hero.setComponentEnabled("Health", false); });
    refuseMissing([&] { (void)hero.isComponentEnabled("Health"); });
    refuseMissing([&] { (void)hero.getField("Health", "points"); });
    refuseMissing([&] { hero.setField("Health", "points", 1); });
    CHECK(hero.findComponent<Health>() == nullptr);
    hero.addComponent<Health>({7, 1});
    auto refuseSecond = [&](auto call) {
        scene.refuse(ErrorCode::DuplicateComponent, {"'hero'", "already has component 'Health'"},
                     call);
    };
    refuseSecond([&] { hero.addComponent<Health>(); });
    refuseSecond([&] { hero.addComponent("Health"); });
    CHECK(hero.getComponent<const Health>().points == 7);
}

TEST_CASE("an unknown field is refused with a list of those there are", "[world][bad]") {
    Scene scene;
    const std::initializer_list<std::string> parts = {"'hero'", "'Health'", "'point'",
                                                      "points, regrowth"};
    auto refuse = [&](auto call) { scene.refuse(ErrorCode::UnknownField, parts, call); };
    const Override overrides[] = {{"points", 5}, {"point", 6}};
    refuse([&] { scene.hero.addComponent("Health", overrides); });
    CHECK_FALSE(scene.hero.hasComponent("Health"));
    scene.hero.addComponent("Health");
    refuse([&] { scene.hero.setField("Health", "point", 6); });
    refuse([&] { (void)scene.hero.getField("Health", "point"); });
}

TEST_CASE("a value that does not fit its field is refused and nothing is written", "[world][bad]") {
    Scene scene;
    Entity hero = scene.hero;
    hero.addComponent("Every");
    Entity other = scene.world.newEntity("other");
    auto refuse = [&](const char* name, const Value& value, const char* part) {
        scene.refuse(ErrorCode::WrongType, {"'hero'", "'Every'", sentence("'", name, "'"), part},
                     [&] { hero.setField("Every", name, value); });
        const Override overrides[] = {{"i32", 5}, {name, value}};
        scene.refuse(ErrorCode::WrongType, {"'other'", "'Every'", sentence("'", name, "'"), part},
                     [&] { other.addComponent("Every", overrides); });
        CHECK_FALSE(other.hasComponent("Every"));
    };
    const double infinity = std::numeric_limits<double>::infinity();
    for (const char* number : {"f32", "f64"}) {
        refuse(number, "seven", "takes a number, not a string");
        refuse(number, true, "not a boolean");
        refuse(number, Value(), "not nothing");
    }
    for (const char* whole : {"i32", "u32", "i64", "u8"}) {
        refuse(whole, "seven", "takes a whole number, not a string");
        refuse(whole, false, "not a boolean");
        for (const double bad : {0.5, std::nan(""), infinity, -infinity, 1e300})
            refuse(whole, bad, "takes a whole number between");
    }
    refuse("i32", std::int64_t{1} << 31, "between -2147483648 and 2147483647");
    refuse("i32", -2147483649.0, "between -2147483648");
    refuse("u32", -1, "between 0 and 4294967295");
    refuse("u32", 4294967296.0, "between 0 and 4294967295");
    refuse("u8", 256, "between 0 and 255");
    refuse("u8", -1.0, "between 0 and 255");
    refuse("i64", 9223372036854775808.0, "takes a whole number between");
    refuse("flag", 1, "takes a boolean, not a number");
    refuse("target", 1, "takes an entity or nothing, not a number");
    refuse("title", hero.getId(), "takes a string, not an entity");
    refuse("list", 1, "takes an array, not a number");
    refuse("list", ValueArray{1, 2, 3, 4}, "at most 3 elements, not 4");
    refuse("list", ValueArray{1, 2, "three"}, "takes a whole number, not a string");
    refuse("list", ValueArray{1, ValueArray{}}, "not an array");
}

TEST_CASE("the widest values that fit their fields are taken", "[world][bad]") {
    Scene scene;
    Entity hero = scene.hero;
    hero.addComponent("Every");
    auto take = [&](const char* name, const Value& value, const Value& kept) {
        hero.setField("Every", name, value);
        CHECK((hero.getField("Every", name) == kept));
    };
    take("i32", -2147483648.0, std::int64_t{INT32_MIN});
    take("i32", std::int64_t{INT32_MAX}, std::int64_t{INT32_MAX});
    take("u32", 4294967295.0, std::int64_t{UINT32_MAX});
    take("i64", -9223372036854775808.0, std::numeric_limits<std::int64_t>::min());
    take("i64", std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max());
    take("u8", 255, 255);
    take("f64", 3, 3.0);
    take("target", Value(), EntityId{});
    take("list", ValueArray{1}, ValueArray{1, 0, 0});
}

TEST_CASE("names that views need themselves, and empty ones, cannot be defined", "[world][bad]") {
    Scene scene;
    for (const char* name :
         {"count", "entities", "isDirty", "release", "runs", "display", "EMPTY"}) {
        const std::initializer_list<std::string> parts = {sentence("'", name, "'"), "views"};
        scene.refuse(ErrorCode::ReservedName, parts,
                     [&] { scene.world.defineComponent(name, everyType); });
        scene.refuse(ErrorCode::ReservedName, parts,
                     [&] { scene.world.defineComponent<Undefined>(name, {}); });
    }
    scene.refuse(ErrorCode::BadArgument, {"needs a name"},
                 [&] { scene.world.defineComponent("", everyType); });
}

TEST_CASE("a schema that makes no sense is refused", "[world][bad]") {
    Scene scene;
    auto refuse = [&](ErrorCode code, const char* part, std::vector<FieldSpec> fields) {
        scene.refuse(code, {"'Bad'", part}, [&] { scene.world.defineComponent("Bad", fields); });
    };
    refuse(ErrorCode::BadArgument, "field without name", {{""}});
    refuse(ErrorCode::BadArgument, "two fields named 'x'", {{"x"}, {"x", FieldType::I32}});
    refuse(ErrorCode::BadArgument, "'x'", {{"x", FieldType::F32, {}, 0, true}});
    refuse(ErrorCode::WrongType, "'x'", {{"x", FieldType::U8, 256}});
    refuse(ErrorCode::WrongType, "'x'", {{"x", FieldType::Bool, "yes"}});
    refuse(ErrorCode::LimitReached, "larger than 65536 bytes",
           {{"x", FieldType::F64, {}, 8193, true}});
    refuse(ErrorCode::LimitReached, "'x'", {{"x", FieldType::F64, {}, UINT32_MAX, true}});
    scene.refuse(ErrorCode::BadArgument, {"'Bad'", "'points'"}, [&] {
        scene.world.defineComponent<Undefined>(
            "Bad", {field("points", &Undefined::nothing), field("points", &Undefined::nothing)});
    });
    scene.world.defineComponent("Bad", {{"x", FieldType::F64, {}, 8192, true}});  // the largest
}

TEST_CASE("an entity has room for 64 components", "[world][bad]") {
    Scene scene;
    for (int i = 0; i < 65; ++i) scene.world.defineComponent(sentence("C", i), everyType);
    for (int i = 0; i < 64; ++i) scene.hero.addComponent(sentence("C", i));
    scene.refuse(ErrorCode::LimitReached, {"'hero'", "64 components"},
                 [&] { scene.hero.addComponent("C64"); });
    scene.hero.removeComponent("C7");
    scene.hero.addComponent("C64");
    scene.world.reconcile();
    CHECK(scene.hero.getComponentNames().size() == 64);
}
