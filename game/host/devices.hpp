// Devices: keyboard and gamepads, as the set of actions that are held. Gamepads may come and go.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>

#include "game/host/action.hpp"

union SDL_Event;
struct _SDL_GameController;  // NOLINT(bugprone-reserved-identifier): SDL calls it so

namespace revenant::game {

class Devices {
public:
    Devices();  // gamepads that cannot be had are none
    Devices(const Devices&) = delete;
    Devices& operator=(const Devices&) = delete;
    ~Devices();

    void handle(const SDL_Event& event);
    // What is held in the next step; whatever was pressed and let go since the last call
    // counts as held for this one.
    ActionSet take();
    void releaseAll();  // the window lost the keyboard, say

private:
    struct Pad {
        _SDL_GameController* controller = nullptr;
        ActionSet buttons;
        ActionSet axes;
        std::array<bool, 2> triggers{};  // either rewinds, whatever the other one does
    };

    void addPad(int device);
    void removePad(std::int32_t id);
    void moveAxis(Pad& pad, int axis, int value);

    std::set<int> keys_;  // scancodes
    std::map<std::int32_t, Pad> pads_;
    ActionSet tapped_;
    bool hasPads_ = false;
};

}  // namespace revenant::game
