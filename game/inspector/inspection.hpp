// Inspection: what the panels of the inspector share: what is shown, which entity is selected, whether the game
// stands still. Plain data, but for `attempt`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "game/inspector/system_times.hpp"
#include "game/inspector/theme.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant::game {

struct Inspection {
    explicit Inspection(World& inspected) : world(inspected) {}

    World& world;
    TimeRewindSys* history = nullptr;  // null: the world has none
    bool hasGame = true;               // false: a recorded history is looked at
    bool isPaused = false;
    int stepsWanted = 0;  // while paused: steps that are to be played
    EntityId selected;
    bool scrollToSelected = false;
    std::optional<std::int64_t> frameA;  // to be compared
    std::optional<std::int64_t> frameB;
    std::string message;  // what went wrong last
    SystemTimes times;
    Signs signs;

    // Calls something that may throw; what it throws becomes the message.
    template <class Call>
    void attempt(Call call) {
        try {
            call();
            message.clear();
        } catch (const std::exception& error) {
            message = error.what();
        }
    }
    void select(EntityId id) {
        selected = id;
        scrollToSelected = true;
    }
    // Shows a frame; the game stands still then.
    void seek(std::int64_t frame) {
        isPaused = true;
        if (history) attempt([&] { history->seek(frame); });
    }
};

// "1.5 MiB"
std::string bytesText(std::size_t bytes);

}  // namespace revenant::game
