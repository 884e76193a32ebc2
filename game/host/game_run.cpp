#include "game/host/game_run.hpp"

#include <cinttypes>
#include <cstdio>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/world.hpp"

namespace revenant::game {

namespace {

std::optional<InputLog> inputOf(const Options& options) {
    const std::string& path = options.replay.empty() ? options.script : options.replay;
    if (path.empty()) return std::nullopt;
    return readInputLog(path);
}

std::string digits(std::uint64_t hash) {
    char text[17];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash);
    return text;
}

}  // namespace

TimeRewindSys* findHistory() {
    for (const auto& system : World::getInstance().getSystems())
        if (auto* rewind = dynamic_cast<TimeRewindSys*>(system.get())) return rewind;
    return nullptr;
}

GameRun::GameRun(const Options& options, const std::string& folder, SoundDevice& sound,
                 bool isHeadless)
    : options_(options),
      input_(inputOf(options)),
      canvas_(canvasWidth, canvasHeight),
      script_(folder, canvas_, stepInput_, sound, isHeadless) {
    if (input_) recording_.level = input_->level, recording_.seed = input_->seed;
    if (options.level) recording_.level = options.level;
    if (options.seed) recording_.seed = options.seed;
}

void GameRun::start() {
    script_.start({recording_.level, recording_.seed});
}

void GameRun::step(ActionSet live) {
    const std::int64_t step = steps_++;
    const bool isScripted = input_ && step < input_->length();
    stepInput_.advance(isScripted ? input_->heldIn(step) : live);
    script_.step(stepSeconds);
    if (!options_.record.empty()) {
        recording_.append(step, stepInput_.held);
        if (step % hashInterval == hashInterval - 1)
            recording_.hashes[step] = stateHash(World::getInstance());
    }
    if (!options_.replay.empty()) compareHash(step);
}

void GameRun::compareHash(std::int64_t step) {
    const auto expected = input_->hashes.find(step);
    if (mismatch_ || expected == input_->hashes.end()) return;
    const std::uint64_t hash = stateHash(World::getInstance());
    if (hash != expected->second)
        mismatch_ = sentence(options_.replay, ": step ", step, " came out differently: hash ",
                             digits(hash), " instead of ", digits(expected->second));
}

void GameRun::finish() {
    if (!options_.record.empty()) {
        if (steps_ > 0) recording_.hashes[steps_ - 1] = stateHash(World::getInstance());
        saveInputLog(recording_, options_.record);
    }
    if (!options_.saveHistory.empty()) {
        TimeRewindSys* history = findHistory();
        if (!history)
            fail(ErrorCode::WrongState,
                 "--save-history: the game keeps no history (a "
                 "TimeRewindSys, registered in the world)");
        history->saveHistory(options_.saveHistory);
    }
}

}  // namespace revenant::game
