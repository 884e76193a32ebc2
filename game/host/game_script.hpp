// GameScript: the game as the host sees it: main.lua with its functions start, step, draw and summary; and
// the host as the game sees it: `require "host"`. Whatever a script raises is kept as a report and said on
// stderr; the game goes on with the next call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "game/host/action.hpp"
#include "game/host/canvas.hpp"
#include "game/host/error_report.hpp"
#include "game/host/sound_device.hpp"
#include "lua/script_host.hpp"

namespace revenant::game {

struct StartOptions {
    std::optional<std::string> level;  // a number or a path; none: as the game likes
    std::optional<std::uint64_t> seed;
};

class GameScript {
public:
    // REQUIRES: what it refers to outlives it.
    GameScript(std::string folder, Canvas& canvas, const StepInput& input, SoundDevice& sound,
               bool isHeadless);

    // Runs main.lua, then its start.
    void start(const StartOptions& options);
    void step(double seconds);
    void draw(double alpha);
    // Time was moved from outside: refreshes what is drawn.
    void refresh();
    ScriptTable summary();
    ErrorReport& errors() noexcept { return errors_; }

private:
    void attempt(const char* what, const std::function<void()>& call);
    void defineInput(const StepInput& input);
    void defineCanvas();
    void defineSound(SoundDevice& sound);
    void defineFiles();

    std::string folder_;
    Canvas& canvas_;
    std::vector<Image> images_;  // a script's number of an image is its place here + 1
    ErrorReport errors_;
    ScriptHost script_;
};

}  // namespace revenant::game
