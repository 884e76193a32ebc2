#include "game/host/devices.hpp"

#include <SDL.h>

#include <catch2/catch_test_macros.hpp>

#include "game/host/fixed_step.hpp"

using namespace revenant::game;

namespace {

SDL_Event key(SDL_Scancode scancode, bool isDown, bool isRepeat = false) {
    SDL_Event event{};
    event.type = isDown ? SDL_KEYDOWN : SDL_KEYUP;
    event.key.keysym.scancode = scancode;
    event.key.repeat = isRepeat ? 1 : 0;
    return event;
}

}  // namespace

TEST_CASE("a key is held until it is let go; a tap between two steps lasts for one") {
    Devices devices;
    devices.handle(key(SDL_SCANCODE_D, true));
    CHECK(devices.take().has(Action::Right));
    devices.handle(key(SDL_SCANCODE_D, true, true));
    CHECK(devices.take().has(Action::Right));
    devices.handle(key(SDL_SCANCODE_D, false));
    CHECK(devices.take().empty());
    devices.handle(key(SDL_SCANCODE_SPACE, true));
    devices.handle(key(SDL_SCANCODE_SPACE, false));
    CHECK(devices.take().has(Action::Jump));
    CHECK(devices.take().empty());
}

TEST_CASE("two keys for one action: it is held while either is") {
    Devices devices;
    devices.handle(key(SDL_SCANCODE_LEFT, true));
    devices.handle(key(SDL_SCANCODE_A, true));
    devices.handle(key(SDL_SCANCODE_LEFT, false));
    devices.take();
    CHECK(devices.take().has(Action::Left));
    devices.handle(key(SDL_SCANCODE_A, false));
    CHECK(devices.take().empty());
}

TEST_CASE("a window that loses the keyboard lets go of everything") {
    Devices devices;
    devices.handle(key(SDL_SCANCODE_LSHIFT, true));
    CHECK(devices.take().has(Action::Rewind));
    SDL_Event event{};
    event.type = SDL_WINDOWEVENT;
    event.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
    devices.handle(event);
    CHECK(devices.take().empty());
}

TEST_CASE("events of gamepads that nobody knows are ignored") {
    Devices devices;
    SDL_Event event{};
    event.type = SDL_CONTROLLERBUTTONDOWN;
    event.cbutton.which = 77;
    devices.handle(event);
    event.type = SDL_CONTROLLERAXISMOTION;
    event.caxis.which = 77;
    devices.handle(event);
    event.type = SDL_CONTROLLERDEVICEREMOVED;
    event.cdevice.which = 77;
    devices.handle(event);
    CHECK(devices.take().empty());
}

TEST_CASE("fixed steps keep pace with time, and a long pause is not caught up with") {
    FixedStep clock(1.0 / 64);
    int steps = 0;
    for (int i = 0; i < 128; ++i) steps += clock.advance(1.0 / 128);
    CHECK(steps == 64);
    CHECK(clock.advance(0.0) == 0);
    CHECK(clock.advance(1.5 / 64) == 1);
    CHECK(clock.alpha() == 0.5);
    CHECK(clock.advance(100) == 5);
    CHECK(clock.advance(0.5 / 64) == 0);
    CHECK(clock.alpha() == 0.5);
    CHECK(clock.advance(-1) == 0);
}
