#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstring>

#include "rewind/tools/display_blend.hpp"
#include "tests/rewind/byte_states.hpp"

using namespace revenant;

TEST_CASE("between two frames lerp and angle fields are blended for display only",
          "[rewind][tools]") {
    Stage stage;
    Entity ship = stage.spawn("ship");
    ship.getComponent<Position>().angle = 3;
    stage.ticks(20);
    stage.rewind->start();
    stage.rewind->setSpeed(0.25);
    stage.ticks(1);
    CHECK(stage.rewind->getFrame() == 19);
    CHECK(stage.rewind->getBlend() == Catch::Approx(0.75));
    Position shown;
    std::memcpy(&shown, stage.rewind->getDisplay(ship, "PositionCMP"), sizeof shown);
    const auto exact = ship.getComponent<const Position>();
    CHECK(exact.x == 18);
    CHECK(shown.x == Catch::Approx(18.75));
    CHECK(shown.angle == Catch::Approx(exact.angle + 0.375));
    CHECK(stage.isExact());
    stage.rewind->seek(10);
    CHECK(stage.rewind->getBlend() == 0);
    std::memcpy(&shown, stage.rewind->getDisplay(ship, "PositionCMP"), sizeof shown);
    CHECK(shown.x == 9);
}

TEST_CASE("angles are blended the short way round", "[rewind][tools]") {
    World world;
    struct Dial {
        double angle = 0;
    };
    world.defineComponent<Dial>("DialCMP", {field("angle", &Dial::angle).angle()});
    Dial now{3.0};
    const Dial next{-3.0};
    blendComponent(world.getSchema("DialCMP"), reinterpret_cast<std::byte*>(&now),
                   reinterpret_cast<const std::byte*>(&next), 0.5);
    CHECK(std::abs(std::remainder(now.angle - 3.14159265358979, 6.28318530717959)) < 1e-6);
}

TEST_CASE("where hooks do not say what lies between two frames, the current frame is what there is",
          "[rewind][tools]") {
    Workshop shop;
    for (int i = 0; i < 10; ++i) {
        shop.hooks->brightness[shop.lamp.getId()] = shop.dial->position = static_cast<std::byte>(i);
        shop.ticks(1);
    }
    shop.rewind->start();
    shop.rewind->setSpeed(0.25);
    shop.ticks(1);
    REQUIRE(shop.rewind->getBlend() == Catch::Approx(0.75));
    CHECK_FALSE(shop.rewind->getDisplayState(shop.lamp, "LampCMP"));
    CHECK_FALSE(shop.rewind->getDisplayState(*shop.dial));
    CHECK(shop.dial->position == std::byte{8});
    CHECK(shop.isExact());
}
