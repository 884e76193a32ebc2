#include "game/host/headless_run.hpp"

#include <cstdio>
#include <iostream>
#include <memory>

#include "game/host/game_run.hpp"
#include "game/host/offscreen.hpp"
#include "game/host/png_file.hpp"
#include "game/host/sound_device.hpp"
#include "game/inspector/inspector.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

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

class HeadlessRun {
public:
    HeadlessRun(const Options& options, const std::string& folder)
        : options_(options), silence_(false), run_(options, folder, silence_, true) {
        if (!options.inspector) return;
        screen_ = std::make_unique<Offscreen>(inspectorWidth, inspectorHeight);
        inspector_ = std::make_unique<Inspector>(
            World::getInstance(),
            InspectorOptions{screen_->renderer(), nullptr, true, options.panel});
    }

    int play() {
        std::int64_t frames = options_.frames.value_or(run_.logLength());
        if (frames == 0 && !options_.frames) frames = framesByDefault;
        run_.start();
        while (run_.steps() < frames && !run_.mismatch()) {
            const std::int64_t step = run_.steps();
            run_.step({});
            if (inspector_) inspector_->sample();
            for (const Screenshot& screenshot : options_.screenshots)
                if (screenshot.frame == step) take(screenshot.path);
        }
        run_.draw(0);  // what it raises counts, too
        run_.finish();
        print(run_.script().summary());
        for (const Screenshot& screenshot : options_.screenshots)
            if (screenshot.frame >= run_.steps())
                std::fprintf(stderr, "no picture '%s': the run ended before step %lld\n",
                             screenshot.path.c_str(), static_cast<long long>(screenshot.frame));
        if (run_.mismatch()) std::fprintf(stderr, "%s\n", run_.mismatch()->c_str());
        return run_.mismatch() || run_.script().errors().count() > 0 ? 1 : 0;
    }

private:
    void take(const std::string& path) {
        if (!inspector_) {
            run_.draw(0);
            writePng(path, canvasWidth, canvasHeight, run_.canvas().pixels());
            return;
        }
        TimeRewindSys* history = findHistory();
        const bool wasRewinding = history && history->isRewinding();
        const std::int64_t shown = history ? history->getFrame().value_or(0) : 0;
        if (history && options_.compare)
            inspector_->compare(history, options_.compare->first, options_.compare->second);
        if (history && options_.at) {
            history->seek(*options_.at);
            inspector_->setPaused(true);
            run_.script().refresh();
        }
        run_.draw(0);
        // Drawn twice, as widgets find their places the first time.
        for (int i = 0; i < 2; ++i) inspector_->draw(history, screen_->upload(run_.canvas()));
        screen_->save(path);
        if (!history || wasRewinding || !history->isRewinding()) return;
        history->seek(shown);
        history->stop();
    }

    const Options& options_;
    SoundDevice silence_;
    GameRun run_;
    std::unique_ptr<Offscreen> screen_;
    std::unique_ptr<Inspector> inspector_;
};

}  // namespace

int runHeadless(const Options& options, const std::string& folder) {
    return HeadlessRun(options, folder).play();
}

}  // namespace revenant::game
