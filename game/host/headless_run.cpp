#include "game/host/headless_run.hpp"

#include <cstdio>
#include <iostream>

#include "game/host/game_run.hpp"
#include "game/host/png_file.hpp"
#include "game/host/sound_device.hpp"

namespace revenant::game {

namespace {

constexpr std::int64_t framesByDefault = 600;

void print(const ScriptTable& summary) {
    for (const auto& [name, value] : summary) {
        std::cout << name << " = ";
        if (const auto* text = value.as<std::string>()) std::cout << *text;
        if (const auto* number = value.as<double>()) std::cout << *number;
        if (const auto* boolean = value.as<bool>()) std::cout << (*boolean ? "true" : "false");
        std::cout << '\n';
    }
    std::cout.flush();
}

}  // namespace

int runHeadless(const Options& options, const std::string& folder) {
    SoundDevice silence(false);
    GameRun run(options, folder, silence, true);
    std::int64_t frames = options.frames.value_or(run.logLength());
    if (frames == 0 && !options.frames) frames = framesByDefault;
    run.start();
    while (run.steps() < frames && !run.mismatch()) {
        const std::int64_t step = run.steps();
        run.step({});
        for (const Screenshot& screenshot : options.screenshots) {
            if (screenshot.frame != step) continue;
            run.draw(0);
            writePng(screenshot.path, canvasWidth, canvasHeight, run.canvas().pixels());
        }
    }
    run.draw(0);  // what it raises counts, too
    run.finish();
    print(run.script().summary());
    for (const Screenshot& screenshot : options.screenshots)
        if (screenshot.frame >= frames)
            std::fprintf(stderr, "no picture '%s': the run ended before step %lld\n",
                         screenshot.path.c_str(), static_cast<long long>(screenshot.frame));
    if (run.mismatch()) std::fprintf(stderr, "%s\n", run.mismatch()->c_str());
    return run.mismatch() || run.script().errors().count() > 0 ? 1 : 0;
}

}  // namespace revenant::game
