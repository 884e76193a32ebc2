// What is part of the hash of a world, and what is not.
#include "rewind/state_hash.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cstring>

#include "tests/rewind/stage.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Padded {
    std::uint8_t small = 1;
    double large = 2;
    StringId label;
    std::uint8_t last = 3;
};

// A world with one entity, whose label is not the first string of the world.
struct Labelled {
    World world;
    Entity entity;

    explicit Labelled(std::initializer_list<const char*> heardBefore) {
        world.defineComponent<Padded>(
            "PaddedCMP", {field("small", &Padded::small), field("large", &Padded::large),
                          field("label", &Padded::label), field("last", &Padded::last)});
        for (const char* text : heardBefore)
            WorldCore::of(world).components().strings().intern(text);
        entity = world.newEntity("entity");
        entity.addComponent("PaddedCMP");
        entity.setField("PaddedCMP", "label", "north");
        world.addEntity(entity);
        world.reconcile();
    }
};

}  // namespace

TEST_CASE("strings count by what they say, not by their number", "[rewind][record]") {
    Labelled one({});
    Labelled other({"west", "south", "east"});
    REQUIRE(one.entity.getComponent<const Padded>().label !=
            other.entity.getComponent<const Padded>().label);
    CHECK(stateHash(one.world) == stateHash(other.world));
    other.entity.setField("PaddedCMP", "label", "south");
    CHECK(stateHash(one.world) != stateHash(other.world));
}

TEST_CASE("bytes between fields do not count, and each byte of a field does", "[rewind][record]") {
    Labelled labelled({});
    const std::uint64_t before = stateHash(labelled.world);
    const ComponentSchema& schema = labelled.world.getSchema("PaddedCMP");
    std::byte* bytes = labelled.entity.getComponent("PaddedCMP");
    for (std::size_t i = 0; i < schema.size; ++i) {
        bool isInField = false;
        bool isText = false;
        for (const Field& each : schema.fields)
            if (i >= each.offset && i < each.offset + sizeOf(each.type)) {
                isInField = true;
                isText = each.type == FieldType::String;
            }
        if (isText) continue;  // no other number is a string
        CAPTURE(i, isInField);
        const std::byte kept = bytes[i];
        bytes[i] ^= std::byte{0x5A};
        CHECK((stateHash(labelled.world) != before) == isInField);
        bytes[i] = kept;
    }
    CHECK(stateHash(labelled.world) == before);
}

TEST_CASE("whatever is rewound counts for the hash, and nothing else", "[rewind][record]") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    Entity child = stage.spawn("child", parent);
    Entity hud = stage.spawn("hud");
    hud.setRewindable(false);
    stage.ticks(2);
    std::uint64_t last = stateHash(stage.world);
    auto counts = [&](auto change) {
        change();
        stage.world.reconcile();
        const std::uint64_t now = stateHash(stage.world);
        return std::exchange(last, now) != now;
    };
    CHECK(counts([&] { child.getComponent<Position>().x = 77; }));
    CHECK(counts([&] { child.setComponentEnabled("PositionCMP", false); }));
    CHECK(counts([&] { child.removeComponent<Position>(); }));
    CHECK(counts([&] { parent.setEnabled(false); }));
    CHECK(counts([&] { parent.removeChild(child); }));
    CHECK(counts([&] { stage.world.setMainCharacter(parent); }));
    CHECK(counts([&] { stage.world.setMainCamera(parent); }));
    CHECK(counts([&] { stage.world.random(); }));
    CHECK(counts([&] { stage.world.setResource("gold", Value(3), {.rewind = true}); }));
    CHECK(counts([&] { stage.world.removeEntity(child); }));
    CHECK(counts([&] { WorldCore::of(stage.world).passTime(1); }));
    CHECK_FALSE(counts([&] { hud.getComponent<Position>().x = 77; }));
    CHECK_FALSE(counts([&] { hud.setEnabled(false); }));
    CHECK_FALSE(counts([&] { stage.world.setResource("sound", Value(3)); }));
    CHECK_FALSE(counts([&] { parent.retain(); }));
    CHECK_FALSE(counts([&] { stage.world.removeEntity(hud); }));
}
