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

TEST_CASE("a key is held until it is released; a tap between two steps lasts for one",
          "[game][host]") {
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

TEST_CASE("two keys for one action: it is held while either is", "[game][host]") {
    Devices devices;
    devices.handle(key(SDL_SCANCODE_LEFT, true));
    devices.handle(key(SDL_SCANCODE_A, true));
    devices.handle(key(SDL_SCANCODE_LEFT, false));
    devices.take();
    CHECK(devices.take().has(Action::Left));
    devices.handle(key(SDL_SCANCODE_A, false));
    CHECK(devices.take().empty());
}

TEST_CASE("a window that loses the keyboard releases every key", "[game][host]") {
    Devices devices;
    devices.handle(key(SDL_SCANCODE_LSHIFT, true));
    CHECK(devices.take().has(Action::Rewind));
    SDL_Event event{};
    event.type = SDL_WINDOWEVENT;
    event.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
    devices.handle(event);
    CHECK(devices.take().empty());
}

TEST_CASE("events of unknown gamepads are ignored", "[game][host]") {
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

namespace {

// A gamepad that exists only in SDL: what is pressed on it arrives as events of a real one.
class VirtualPad {
public:
    VirtualPad() {
        SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER);
        // Without a window there is no keyboard focus, and SDL drops the events.
        SDL_SetHint(SDL_HINT_JOYSTICK_ALLOW_BACKGROUND_EVENTS, "1");
        device_ = SDL_JoystickAttachVirtual(SDL_JOYSTICK_TYPE_GAMECONTROLLER,
                                            SDL_CONTROLLER_AXIS_MAX, SDL_CONTROLLER_BUTTON_MAX, 0);
        joystick_ = SDL_JoystickOpen(device_);
    }
    ~VirtualPad() {
        unplug();
        SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
    }
    bool isThere() const { return joystick_ != nullptr; }
    void press(int button, bool isDown) {
        SDL_JoystickSetVirtualButton(joystick_, button, isDown ? 1 : 0);
    }
    void move(int axis, int value) {
        SDL_JoystickSetVirtualAxis(joystick_, axis, static_cast<Sint16>(value));
    }
    void unplug() {
        if (!joystick_) return;
        SDL_JoystickClose(joystick_);
        joystick_ = nullptr;
        SDL_JoystickDetachVirtual(device_);
    }

private:
    int device_ = -1;
    SDL_Joystick* joystick_ = nullptr;
};

ActionSet taken(Devices& devices) {
    SDL_GameControllerUpdate();
    for (SDL_Event event; SDL_PollEvent(&event) != 0;) devices.handle(event);
    return devices.take();
}

}  // namespace

TEST_CASE(
    "a gamepad that is plugged in later plays, rewinds by either trigger, and releases its keys "
    "when unplugged",
    "[game][host]") {
    Devices devices;
    CHECK(taken(devices).empty());
    VirtualPad pad;
    REQUIRE(pad.isThere());
    CHECK(taken(devices).empty());
    pad.press(SDL_CONTROLLER_BUTTON_A, true);
    CHECK(taken(devices).has(Action::Jump));
    pad.press(SDL_CONTROLLER_BUTTON_A, false);
    taken(devices);
    CHECK(taken(devices).empty());
    pad.move(SDL_CONTROLLER_AXIS_LEFTX, -30000);
    CHECK(taken(devices).has(Action::Left));
    pad.move(SDL_CONTROLLER_AXIS_LEFTX, 2000);  // not quite in the middle, as sticks are
    taken(devices);
    CHECK(taken(devices).empty());
    for (const int trigger : {SDL_CONTROLLER_AXIS_TRIGGERLEFT, SDL_CONTROLLER_AXIS_TRIGGERRIGHT}) {
        pad.move(trigger, 32767);
        CHECK(taken(devices).has(Action::Rewind));
        CHECK(taken(devices).has(Action::Rewind));
        pad.move(trigger, -32768);
        taken(devices);
        CHECK(taken(devices).empty());
    }
    pad.move(SDL_CONTROLLER_AXIS_TRIGGERRIGHT, 32767);
    CHECK(taken(devices).has(Action::Rewind));
    pad.move(SDL_CONTROLLER_AXIS_TRIGGERLEFT, -30000);  // the other one trembles
    taken(devices);
    CHECK(taken(devices).has(Action::Rewind));
    pad.unplug();
    taken(devices);
    CHECK(taken(devices).empty());
}

TEST_CASE("fixed steps keep pace with time, and a long pause is not caught up with",
          "[game][host]") {
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
