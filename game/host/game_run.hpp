// GameRun: a game that is being played, step by step: where its input comes from, what of it is written
// down, and whether a replay came out the same. Knows no window.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "game/host/canvas.hpp"
#include "game/host/game_script.hpp"
#include "game/host/input_log.hpp"
#include "game/host/options.hpp"

namespace revenant {
class TimeRewindSys;
}

namespace revenant::game {

inline constexpr int canvasWidth = 480;
inline constexpr int canvasHeight = 270;
inline constexpr int inspectorWidth = 1600;  // pixels that it looks best in
inline constexpr int inspectorHeight = 900;
inline constexpr double stepSeconds = 1.0 / 60;
inline constexpr std::int64_t hashInterval = 60;  // steps between the hashes of a recording

class GameRun {
public:
    // Reads the log that the options name. Throws an Error where it cannot.
    GameRun(const Options& options, const std::string& folder, SoundDevice& sound, bool isHeadless);

    void start();
    // One fixed step. `live`: what the player holds; a log that has not ended goes before it.
    void step(ActionSet live);
    // As if this had been held in the last step.
    void setHeldBefore(ActionSet held) noexcept { stepInput_.held = held; }
    void draw(double alpha) { script_.draw(alpha); }
    // Writes recording and history, where they were asked for. Throws an Error.
    void finish();

    std::int64_t steps() const noexcept { return steps_; }  // that were run
    // Where the log ends; 0: there is none.
    std::int64_t logLength() const noexcept { return input_ ? input_->length() : 0; }
    // Says at which step a replay came out differently, if one did.
    const std::optional<std::string>& mismatch() const noexcept { return mismatch_; }
    GameScript& script() noexcept { return script_; }
    Canvas& canvas() noexcept { return canvas_; }

private:
    void compareHash(std::int64_t step);

    const Options& options_;
    std::optional<InputLog> input_;
    InputLog recording_;
    StepInput stepInput_;
    Canvas canvas_;
    GameScript script_;
    std::int64_t steps_ = 0;
    std::optional<std::string> mismatch_;
};

// The history of the process-wide world, if the game has registered one.
TimeRewindSys* findHistory();

}  // namespace revenant::game
