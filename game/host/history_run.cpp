#include "game/host/history_run.hpp"

#include <SDL.h>

#include <cstdio>

#include "game/host/fixed_step.hpp"
#include "game/host/game_run.hpp"
#include "game/host/offscreen.hpp"
#include "game/host/window.hpp"
#include "game/inspector/inspector.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant::game {

namespace {

class HistoryRun {
public:
    explicit HistoryRun(const Options& options) : options_(options) {
        history_ = std::make_shared<TimeRewindSys>(world_);
        world_.registerSystem(history_);
        history_->loadHistory(options.history);
        if (options.at) history_->seek(*options.at);
    }

    int print() {
        std::printf("frames = %lld to %lld\nshown = %lld\nentities = %u\nzombies = %u\n",
                    static_cast<long long>(*history_->getOldestFrame()),
                    static_cast<long long>(*history_->getNewestFrame()),
                    static_cast<long long>(*history_->getFrame()), world_.getStats().managed,
                    world_.getStats().zombies);
        if (options_.screenshots.empty()) return 0;
        Offscreen screen(inspectorWidth, inspectorHeight);
        Inspector inspector(world_, {screen.renderer(), nullptr, false, options_.panel});
        for (const Screenshot& screenshot : options_.screenshots) {
            if (options_.compare)
                inspector.compare(history_.get(), options_.compare->first,
                                  options_.compare->second);
            history_->seek(screenshot.frame);
            for (int i = 0; i < 2; ++i) inspector.draw(history_.get(), nullptr);
            screen.save(screenshot.path);
        }
        return 0;
    }

    int show() {
        Window window("Revenant: " + options_.history);
        window.makeRoom(inspectorWidth, inspectorHeight);
        Inspector inspector(world_, {window.renderer(), window.handle(), false, options_.panel});
        FixedStep clock(stepSeconds);
        auto before = SDL_GetPerformanceCounter();
        std::int64_t steps = 0;
        for (bool isLeft = false; !isLeft && !(options_.frames && steps >= *options_.frames);) {
            for (SDL_Event event; SDL_PollEvent(&event) != 0;) {
                inspector.handle(event);
                if (event.type == SDL_QUIT) isLeft = true;
                if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE) isLeft = true;
            }
            const auto now = SDL_GetPerformanceCounter();
            const int due = clock.advance(static_cast<double>(now - before) /
                                          static_cast<double>(SDL_GetPerformanceFrequency()));
            before = now;
            steps += due;
            if (!inspector.isPaused()) history_->step(due);
            if (history_->getFrame() == history_->getNewestFrame()) inspector.setPaused(true);
            inspector.draw(history_.get(), nullptr);
            window.present();
            if (!window.waits()) SDL_Delay(8);
        }
        return 0;
    }

private:
    const Options& options_;
    World world_;
    std::shared_ptr<TimeRewindSys> history_;
};

}  // namespace

int runHistory(const Options& options) {
    HistoryRun run(options);
    return options.headless ? run.print() : run.show();
}

}  // namespace revenant::game
