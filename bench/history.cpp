// The history against size: recording a frame as the world grows, and seeking as the past
// grows. The rows of rewind/ measure single sizes with more care; these are for the plots.
#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "bench/report.hpp"
#include "bench/rewind/level.hpp"
#include "bench/scene.hpp"
#include "rewind/time_rewind_sys.hpp"

namespace {

using namespace revenant;
using scene::Stopwatch;

// A crowd that is recorded: all of it changes, or a hundred do.
void record(benchmark::State& state, std::size_t count, bool allChange) {
    World world;
    scene::defineComponents(world);
    const auto view = world.view<scene::Position, const scene::Velocity>();
    const std::vector<Entity> entities = scene::spawnRoots(world, count);
    TimeRewindSys history(world, {.seconds = 1, .bytes = std::size_t{1} << 30, .pack = false});
    auto frame = [&] {
        if (allChange)
            view.each([](scene::Position& position, const scene::Velocity& velocity) {
                position.x += velocity.x * scene::stepSeconds;
                position.y += velocity.y * scene::stepSeconds;
            });
        else
            for (std::size_t i = 0; i < 100; ++i)
                entities[i * 7919 % count].getComponent<scene::Position>().x += 1;
        world.reconcile();
        const Stopwatch watch;
        history.tick(scene::stepSeconds);
        return watch.seconds();
    };
    for (int i = 0; i < 70; ++i) frame();  // until old frames go, and their memory is used again
    for ([[maybe_unused]] auto iteration : state) state.SetIterationTime(frame());
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// The plainest history of all: a copy of the bytes into a ring of as many frames.
void copy(benchmark::State& state, std::size_t count) {
    const std::vector<char> source(count * sizeof(scene::Position), 1);
    std::vector<std::vector<char>> ring(60, source);
    std::size_t next = 0;
    for ([[maybe_unused]] auto iteration : state) {
        std::vector<char>& target = ring[next++ % ring.size()];
        const Stopwatch watch;
        std::memcpy(target.data(), source.data(), source.size());
        benchmark::DoNotOptimize(target.data());
        benchmark::ClobberMemory();
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// A level's past of so many minutes, grown from one repetition to the next size.
struct Past {
    World world;
    level::Level scene{world};
    std::shared_ptr<TimeRewindSys> history = std::make_shared<TimeRewindSys>(
        world, RewindOptions{.seconds = 1e9, .bytes = std::size_t{1} << 30});

    Past() {
        world.registerSystem(history);
        world.registerSystem("LevelSys", [this](World&, double) { scene.tick(); });
    }
    void growTo(std::size_t minutes) {
        if (history->getFrame()) history->seek(*history->getNewestFrame());
        history->stop();
        while (history->getFrame().value_or(0) < static_cast<std::int64_t>(minutes) * 3600)
            world.update(level::stepSeconds);
        history->finishPacking();
    }
};

void seek(benchmark::State& state, std::size_t minutes) {
    static std::unique_ptr<Past> past;
    if (!past || *past->history->getNewestFrame() > static_cast<std::int64_t>(minutes) * 3600)
        past = std::make_unique<Past>();
    past->growTo(minutes);
    std::minstd_rand random(7);
    const auto frames = static_cast<std::uint64_t>(*past->history->getNewestFrame());
    for ([[maybe_unused]] auto iteration : state) {
        const auto frame =
            static_cast<std::int64_t>(1 + (std::uint64_t{random()} << 16 ^ random()) % frames);
        const Stopwatch watch;
        past->history->seek(frame);
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
    if (minutes == 60) past.reset();
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) {
        const std::string suffix = "/" + std::to_string(count);
        bench::add("record/all change" + suffix, [=](auto& state) { record(state, count, true); });
        bench::add("record/100 change" + suffix, [=](auto& state) { record(state, count, false); });
        bench::add("record/memcpy" + suffix, [=](auto& state) { copy(state, count); });
    }
    for (const std::size_t minutes : {1UL, 5UL, 15UL, 60UL})
        bench::add("seek/to any frame/" + std::to_string(minutes),
                   [=](auto& state) { seek(state, minutes); });
    return true;
}();

}  // namespace
