#include "game/host/windowed_run.hpp"

#include <SDL.h>

#include <cstdio>
#include <memory>

#include "game/host/devices.hpp"
#include "game/host/fixed_step.hpp"
#include "game/host/game_run.hpp"
#include "game/host/png_file.hpp"
#include "game/host/sound_device.hpp"
#include "game/host/window.hpp"
#include "game/inspector/inspector.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant::game {

namespace {

class WindowedRun {
public:
    WindowedRun(const Options& options, const std::string& folder)
        : options_(options),
          window_("Revenant"),
          sound_(!options.mute),
          run_(options, folder, sound_, false) {
        if (options.inspector) toggleInspector();
    }

    int play() {
        run_.start();
        auto before = SDL_GetPerformanceCounter();
        while (!isOver()) {
            handleEvents();
            const auto now = SDL_GetPerformanceCounter();
            const int steps = clock_.advance(static_cast<double>(now - before) /
                                             static_cast<double>(SDL_GetPerformanceFrequency()));
            before = now;
            for (int i = 0; i < steps && !isOver(); ++i) step();
            show();
        }
        run_.finish();
        if (run_.mismatch()) std::fprintf(stderr, "%s\n", run_.mismatch()->c_str());
        return run_.mismatch() ? 1 : 0;
    }

private:
    bool isOver() const {
        return isLeft_ || run_.mismatch() || (options_.frames && run_.steps() >= *options_.frames);
    }

    void step() {
        const ActionSet held = devices_.take();  // taps while it stands still are lost
        if (inspector_ && inspector_->isPaused() && !inspector_->takeStep()) return;
        const std::int64_t step = run_.steps();
        run_.step(held);
        if (inspector_) inspector_->sample();
        for (const Screenshot& screenshot : options_.screenshots)
            if (screenshot.frame == step) {
                run_.draw(0);
                writePng(screenshot.path, canvasWidth, canvasHeight, run_.canvas().pixels());
            }
    }

    void handleEvents() {
        for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
            if (event.type == SDL_QUIT) isLeft_ = true;
            const bool isTaken = inspector_ && inspector_->handle(event);
            if (isTaken && event.type == SDL_KEYDOWN) continue;
            if (event.type == SDL_KEYDOWN && event.key.repeat == 0) handleKey(event.key.keysym.sym);
            devices_.handle(event);
        }
    }

    void handleKey(SDL_Keycode key) {
        switch (key) {
            case SDLK_ESCAPE: isLeft_ = true; break;
            case SDLK_F1: toggleInspector(); break;
            case SDLK_F11: window_.toggleFullscreen(); break;
            default: break;
        }
    }

    void toggleInspector() {
        if (!inspector_) {
            window_.makeRoom(inspectorWidth, inspectorHeight);
            inspector_ = std::make_unique<Inspector>(
                World::getInstance(),
                InspectorOptions{window_.renderer(), window_.handle(), true, options_.panel});
            return;
        }
        // The game goes on from what is shown.
        TimeRewindSys* history = findHistory();
        if (inspector_->isPaused() && history && history->isRewinding()) history->stop();
        inspector_.reset();
        window_.giveRoomBack();
    }

    void show() {
        const bool isPaused = inspector_ && inspector_->isPaused();
        if (isPaused) run_.script().refresh();
        run_.draw(isPaused ? 0 : clock_.alpha());
        if (inspector_)
            inspector_->draw(findHistory(), window_.upload(run_.canvas()));
        else
            window_.drawCanvas(run_.canvas());
        window_.present();
        if (!window_.waits()) SDL_Delay(4);
    }

    const Options& options_;
    Window window_;
    SoundDevice sound_;
    Devices devices_;
    GameRun run_;
    FixedStep clock_{stepSeconds};
    std::unique_ptr<Inspector> inspector_;
    bool isLeft_ = false;
};

}  // namespace

int runWindowed(const Options& options, const std::string& folder) {
    WindowedRun run(options, folder);
    return run.play();
}

}  // namespace revenant::game
