#include "game/host/demonstration.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>

#include "game/host/game_run.hpp"
#include "game/host/png_file.hpp"
#include "game/host/sound_device.hpp"
#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant::game {

namespace {

constexpr int pictureScale = 2;
constexpr std::int64_t rewoundSteps = 90;  // that the rewind key is held
constexpr std::int64_t firstSteps = 420;   // played before it

class Demonstration {
public:
    Demonstration(const Options& options, const std::string& folder)
        : pictures_(options.demonstrate), silence_(false) {
        const auto script = std::filesystem::path(folder) / "demonstration.txt";
        options_ = options;
        options_.record = (std::filesystem::path(pictures_) / "inputs.txt").string();
        if (options_.script.empty() && std::filesystem::exists(script))
            options_.script = script.string();
        if (!options_.script.empty()) plan_ = readInputLog(options_.script);
        options_.script.clear();
        if (plan_.level && !options_.level) options_.level = plan_.level;
        if (plan_.seed && !options_.seed) options_.seed = plan_.seed;
        std::filesystem::create_directories(pictures_);
        run_ = std::make_unique<GameRun>(options_, folder, silence_, true);
    }

    int play() {
        run_->start();
        std::printf("playing %lld steps by script\n", static_cast<long long>(firstSteps));
        for (std::int64_t step = 0; step < firstSteps; ++step) {
            run_->step(plan_.heldIn(step));
            note(plan_.heldIn(step));
        }
        picture("1-before.png");
        TimeRewindSys* history = findHistory();
        if (!history || !history->getFrame() || run_->script().errors().count() > 0) {
            std::printf("the game keeps no history, or raised an error: nothing to compare\n");
            return 1;
        }
        const Played first = played_;
        const std::int64_t last = *history->getFrame();

        std::printf("holding the rewind key for %lld steps\n",
                    static_cast<long long>(rewoundSteps));
        ActionSet rewinding;
        rewinding.add(Action::Rewind);
        for (std::int64_t i = 0; i < rewoundSteps; ++i) {
            run_->step(rewinding);
            if (i == rewoundSteps / 2) picture("2-while.png");
        }
        const std::int64_t target = *history->getFrame();
        std::printf("from frame %lld back to frame %lld\n", static_cast<long long>(last),
                    static_cast<long long>(target));
        const bool isExact = stateHash(World::getInstance()) == first.at(target).hash;
        report("the world's hash against the one recorded live", isExact ? 1 : 0, 1);
        run_->finish();  // what was played so far, for others to replay
        playAgain(first, target, last);
        return conclude();
    }

private:
    struct FrameNote {
        ActionSet held;  // in the step that began with this frame
        std::uint64_t hash = 0;
    };
    using Played = std::map<std::int64_t, FrameNote>;  // by frame

    // The same inputs again, from the current frame.
    void playAgain(const Played& first, std::int64_t target, std::int64_t last) {
        std::printf("playing on from frame %lld with the same inputs\n",
                    static_cast<long long>(target));
        if (const auto before = first.find(target - 1); before != first.end()) {
            ActionSet held = before->second.held;
            held.add(Action::Rewind);  // to be let go now
            run_->setHeldBefore(held);
        }
        played_.clear();
        for (std::int64_t frame = target; frame <= last; ++frame) {
            const auto found = first.find(frame);
            const ActionSet held = found == first.end() ? ActionSet{} : found->second.held;
            run_->step(held);
            note(held);
        }
        std::size_t alike = 0;
        for (std::int64_t frame = target; frame <= last; ++frame) {
            const auto before = first.find(frame);
            const auto now = played_.find(frame);
            if (before != first.end() && now != played_.end() &&
                before->second.hash == now->second.hash)
                ++alike;
        }
        report("frames played again against those of the first time", alike,
               static_cast<std::size_t>(last - target + 1));
        picture("3-after.png");
    }

    int conclude() {
        std::printf("pictures: %s\n", std::filesystem::absolute(pictures_).string().c_str());
        const bool isFine = failures_ == 0 && run_->script().errors().count() == 0;
        std::printf("%s\n", isFine ? "everything agrees" : "NOT everything agrees");
        return isFine ? 0 : 1;
    }

    void note(ActionSet held) {
        TimeRewindSys* history = findHistory();
        if (!history || history->isRewinding() || !history->getFrame()) return;
        const std::int64_t frame = *history->getFrame();
        played_[frame] = {held, history->frameHash(frame)};
    }

    void report(const char* what, std::size_t alike, std::size_t all) {
        std::printf("  %s: %zu of %zu agree\n", what, alike, all);
        failures_ += all - alike;
    }

    void picture(const char* name) {
        run_->draw(0);
        writePng((std::filesystem::path(pictures_) / name).string(), canvasWidth, canvasHeight,
                 run_->canvas().pixels(), pictureScale);
    }

    std::string pictures_;
    SoundDevice silence_;
    Options options_;
    InputLog plan_;
    std::unique_ptr<GameRun> run_;
    Played played_;
    std::size_t failures_ = 0;
};

}  // namespace

int demonstrate(const Options& options, const std::string& folder) {
    return Demonstration(options, folder).play();
}

}  // namespace revenant::game
