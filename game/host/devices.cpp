#include "game/host/devices.hpp"

#include <SDL.h>

#include <optional>

namespace revenant::game {

namespace {

constexpr int stickThreshold = 12000;   // of 32767
constexpr int triggerThreshold = 8000;  // of 32767

std::optional<Action> actionOfKey(int scancode) {
    switch (scancode) {
        case SDL_SCANCODE_LEFT:
        case SDL_SCANCODE_A: return Action::Left;
        case SDL_SCANCODE_RIGHT:
        case SDL_SCANCODE_D: return Action::Right;
        case SDL_SCANCODE_UP:
        case SDL_SCANCODE_W: return Action::Up;
        case SDL_SCANCODE_DOWN:
        case SDL_SCANCODE_S: return Action::Down;
        case SDL_SCANCODE_SPACE:
        case SDL_SCANCODE_Z: return Action::Jump;
        case SDL_SCANCODE_X:
        case SDL_SCANCODE_E: return Action::Act;
        case SDL_SCANCODE_LSHIFT:
        case SDL_SCANCODE_BACKSPACE:
        case SDL_SCANCODE_R: return Action::Rewind;
        case SDL_SCANCODE_P: return Action::Pause;
        case SDL_SCANCODE_COMMA: return Action::Back;
        case SDL_SCANCODE_PERIOD: return Action::Forward;
        case SDL_SCANCODE_F5: return Action::Restart;
        case SDL_SCANCODE_RETURN: return Action::Confirm;
        default: return std::nullopt;
    }
}

std::optional<Action> actionOfButton(int button) {
    switch (button) {
        case SDL_CONTROLLER_BUTTON_DPAD_LEFT: return Action::Left;
        case SDL_CONTROLLER_BUTTON_DPAD_RIGHT: return Action::Right;
        case SDL_CONTROLLER_BUTTON_DPAD_UP: return Action::Up;
        case SDL_CONTROLLER_BUTTON_DPAD_DOWN: return Action::Down;
        case SDL_CONTROLLER_BUTTON_A: return Action::Jump;
        case SDL_CONTROLLER_BUTTON_X: return Action::Act;
        case SDL_CONTROLLER_BUTTON_B: return Action::Confirm;
        case SDL_CONTROLLER_BUTTON_START: return Action::Pause;
        case SDL_CONTROLLER_BUTTON_BACK: return Action::Restart;
        case SDL_CONTROLLER_BUTTON_LEFTSHOULDER: return Action::Back;
        case SDL_CONTROLLER_BUTTON_RIGHTSHOULDER: return Action::Forward;
        default: return std::nullopt;
    }
}

}  // namespace

Devices::Devices() : hasPads_(SDL_InitSubSystem(SDL_INIT_GAMECONTROLLER) == 0) {}

Devices::~Devices() {
    for (auto& [id, pad] : pads_) SDL_GameControllerClose(pad.controller);
    if (hasPads_) SDL_QuitSubSystem(SDL_INIT_GAMECONTROLLER);
}

void Devices::addPad(int device) {
    _SDL_GameController* controller = SDL_GameControllerOpen(device);
    if (!controller) return;
    const auto id = SDL_JoystickInstanceID(SDL_GameControllerGetJoystick(controller));
    if (!pads_.try_emplace(id, Pad{controller, {}, {}, {}}).second)
        SDL_GameControllerClose(controller);
}

void Devices::removePad(std::int32_t id) {
    const auto found = pads_.find(id);
    if (found == pads_.end()) return;
    SDL_GameControllerClose(found->second.controller);
    pads_.erase(found);
}

void Devices::moveAxis(Pad& pad, int axis, int value) {
    const ActionSet before = pad.axes;
    const auto set = [&](Action action, bool isOn) {
        if (isOn)
            pad.axes.add(action);
        else
            pad.axes.remove(action);
    };
    switch (axis) {
        case SDL_CONTROLLER_AXIS_LEFTX:
            set(Action::Left, value < -stickThreshold);
            set(Action::Right, value > stickThreshold);
            break;
        case SDL_CONTROLLER_AXIS_LEFTY:
            set(Action::Up, value < -stickThreshold);
            set(Action::Down, value > stickThreshold);
            break;
        case SDL_CONTROLLER_AXIS_TRIGGERLEFT:
        case SDL_CONTROLLER_AXIS_TRIGGERRIGHT:
            pad.triggers.at(axis == SDL_CONTROLLER_AXIS_TRIGGERLEFT ? 0 : 1) =
                value > triggerThreshold;
            set(Action::Rewind, pad.triggers[0] || pad.triggers[1]);
            break;
        default: break;
    }
    tapped_ = tapped_.with(pad.axes.without(before));
}

void Devices::handle(const SDL_Event& event) {
    switch (event.type) {
        case SDL_KEYDOWN:
            if (event.key.repeat != 0) return;
            keys_.insert(event.key.keysym.scancode);
            if (const auto action = actionOfKey(event.key.keysym.scancode)) tapped_.add(*action);
            break;
        case SDL_KEYUP: keys_.erase(event.key.keysym.scancode); break;
        case SDL_CONTROLLERDEVICEADDED: addPad(event.cdevice.which); break;
        case SDL_CONTROLLERDEVICEREMOVED: removePad(event.cdevice.which); break;
        case SDL_CONTROLLERBUTTONDOWN:
        case SDL_CONTROLLERBUTTONUP: {
            const auto pad = pads_.find(event.cbutton.which);
            const auto action = actionOfButton(event.cbutton.button);
            if (pad == pads_.end() || !action) return;
            if (event.type == SDL_CONTROLLERBUTTONDOWN) {
                pad->second.buttons.add(*action);
                tapped_.add(*action);
            } else {
                pad->second.buttons.remove(*action);
            }
            break;
        }
        case SDL_CONTROLLERAXISMOTION: {
            const auto pad = pads_.find(event.caxis.which);
            if (pad != pads_.end()) moveAxis(pad->second, event.caxis.axis, event.caxis.value);
            break;
        }
        case SDL_WINDOWEVENT:
            if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) releaseAll();
            break;
        default: break;
    }
}

ActionSet Devices::take() {
    ActionSet held = tapped_;
    tapped_ = {};
    for (const int key : keys_)
        if (const auto action = actionOfKey(key)) held.add(*action);
    for (const auto& [id, pad] : pads_) held = held.with(pad.buttons).with(pad.axes);
    return held;
}

void Devices::releaseAll() {
    keys_.clear();
    tapped_ = {};
    for (auto& [id, pad] : pads_) pad = Pad{pad.controller, {}, {}, {}};
}

}  // namespace revenant::game
