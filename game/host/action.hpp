// Action: what a player can ask for, whatever key or button says it; and the set of those that are held
// during one fixed step. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace revenant::game {

enum class Action : std::uint8_t {
    Left,
    Right,
    Up,
    Down,
    Jump,
    Act,
    Rewind,
    Pause,
    Back,     // one frame, while paused
    Forward,  // one frame, while paused
    Restart,
    Confirm,
};
inline constexpr std::size_t actionCount = 12;
// As scripts and logs say it.
inline constexpr std::array<std::string_view, actionCount> actionNames = {
    "left",   "right", "up",   "down",    "jump",    "act",
    "rewind", "pause", "back", "forward", "restart", "confirm"};

constexpr std::optional<Action> actionOf(std::string_view name) noexcept {
    for (std::size_t i = 0; i < actionCount; ++i)
        if (actionNames[i] == name) return static_cast<Action>(i);
    return std::nullopt;
}

class ActionSet {
public:
    constexpr bool has(Action action) const noexcept { return (bits_ & bitOf(action)) != 0; }
    constexpr void add(Action action) noexcept { bits_ |= bitOf(action); }
    constexpr void remove(Action action) noexcept { bits_ &= ~bitOf(action); }
    constexpr bool empty() const noexcept { return bits_ == 0; }
    constexpr ActionSet without(ActionSet other) const noexcept {
        ActionSet result;
        result.bits_ = bits_ & ~other.bits_;
        return result;
    }
    constexpr ActionSet with(ActionSet other) const noexcept {
        ActionSet result;
        result.bits_ = bits_ | other.bits_;
        return result;
    }
    friend constexpr bool operator==(ActionSet, ActionSet) = default;

private:
    static constexpr std::uint32_t bitOf(Action action) noexcept {
        return std::uint32_t{1} << static_cast<unsigned>(action);
    }

    std::uint32_t bits_ = 0;
};

// What scripts see of a step: `host.input`.
struct StepInput {
    ActionSet held;
    ActionSet before;  // what was held in the step before

    void advance(ActionSet next) noexcept {
        before = held;
        held = next;
    }
    bool isDown(Action action) const noexcept { return held.has(action); }
    bool wasPressed(Action action) const noexcept {
        return held.has(action) && !before.has(action);
    }
    bool wasReleased(Action action) const noexcept {
        return !held.has(action) && before.has(action);
    }
};

}  // namespace revenant::game
