// Threads: independent systems, a split loop, hand-over, and a crowd, on two threads beside the same on one.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"

namespace {

using namespace revenant;
using namespace scene;

constexpr double gain = 1 / 1.7;  // the most that two threads may take of one's time

// About 20 ns of work that depends on itself.
inline void work(Position& position, const Velocity& velocity) {
    float x = position.x;
    for (int i = 0; i < 8; ++i) x = x * 0.5F + velocity.x * stepSeconds;
    position.x = x;
    position.y += velocity.y * x;
}

bool hasThreads(benchmark::State& state, World& world, int threads) {
    if (world.getThreads() == threads && std::thread::hardware_concurrency() >= 2) return true;
    state.SkipWithError("this build, or this machine, has no two threads");
    return false;
}

// Ticks of a world, `ticks` per measurement; an item is a tick.
void measureTicks(benchmark::State& state, World& world, int ticks) {
    for (int i = 0; i < 20; ++i) world.update(stepSeconds);
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        for (int i = 0; i < ticks; ++i) world.update(stepSeconds);
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * ticks);
}

void pair(benchmark::State& state, int threads) {
    World world(WorldOptions{.threads = threads});
    if (!hasThreads(state, world, threads)) return;
    defineComponents(world);
    spawnRoots(world, 20000);
    world.reconcile();
    for (Entity entity : world.getAllManagedEntities()) entity.addComponent<Boost>();
    world.reconcile();
    const auto positions = world.view<Position>();
    const auto boosts = world.view<Boost>();
    world.registerSystem("Positions",
                         [positions](World&, double) {
                             positions.each([](Position& position) { work(position, Velocity{}); });
                         },
                         {.access = positions.access()});
    world.registerSystem("Boosts",
                         [boosts](World&, double) {
                             boosts.each([](Boost& boost) {
                                 Position position{boost.x, boost.y};
                                 work(position, Velocity{});
                                 boost = {position.x, position.y};
                             });
                         },
                         {.access = boosts.access()});
    measureTicks(state, world, 20);
}

void split(benchmark::State& state, int threads) {
    World world(WorldOptions{.threads = threads});
    if (!hasThreads(state, world, threads)) return;
    defineComponents(world);
    spawnRoots(world, 100000);
    world.reconcile();
    const auto view = world.view<Position, const Velocity>();
    for (int i = 0; i < 20; ++i) view.parallelEach(work);
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        for (int i = 0; i < 10; ++i) {
            if (threads == 1)
                view.each(work);
            else
                view.parallelEach(work);
        }
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 10 * 100000);
}

void handOver(benchmark::State& state, bool isDeclared) {
    World world(WorldOptions{.threads = isDeclared ? 2 : 1});
    if (isDeclared && !hasThreads(state, world, 2)) return;
    for (int i = 0; i < 20; ++i) {
        SystemOptions options;
        // Some wait for others, as in a game.
        if (isDeclared) options.access = SystemAccess{.writes = {"thing " + std::to_string(i / 2)}};
        world.registerSystem(
            "S" + std::to_string(i), [](World&, double) {}, options);
    }
    measureTicks(state, world, 1000);
}

// A crowd of walkers on floors with gaps: they fall, stand, and turn at edges, as those of the game do in Lua.
struct Walker {
    float x = 0;
    float y = 0;
    float fall = 0;
    float speed = 1;
    std::int32_t steps = 0;
};

struct Floors {
    static constexpr int columns = 640;
    static constexpr float height = 4;

    static bool isGap(float x) { return static_cast<int>(x) % 40 == 0; }
    static void walk(Walker& walker, float dt) {
        const float ground = std::ceil(walker.y / height) * height;
        walker.fall += 30 * dt;
        walker.y = std::min(ground, walker.y + walker.fall * dt);
        if (walker.y == ground) walker.fall = 0;
        const float ahead = walker.x + walker.speed * dt + (walker.speed > 0 ? 0.5F : -0.5F);
        if (ahead < 1 || ahead > columns - 1 || isGap(ahead))
            walker.speed = -walker.speed;
        else
            walker.x += walker.speed * dt;
        walker.steps += std::abs(std::sin(walker.x * 3)) > 0.99F ? 1 : 0;
    }
};

class WalkSystem final : public System {
public:
    explicit WalkSystem(World& world) : System(world, "Walk"), walkers_(view<Walker>()) {}

private:
    void onTick(double dt) override {
        walkers_.parallelEach(
            [dt](Walker& walker) { Floors::walk(walker, static_cast<float>(dt)); });
    }
    View<Walker> walkers_;
};

void crowd(benchmark::State& state, int threads) {
    World world(WorldOptions{.threads = threads});
    if (!hasThreads(state, world, threads)) return;
    world.defineComponent<Walker>(
        "WalkerCMP", {field("x", &Walker::x), field("y", &Walker::y), field("fall", &Walker::fall),
                      field("speed", &Walker::speed), field("steps", &Walker::steps)});
    for (int i = 0; i < 50000; ++i) {
        Entity walker = world.newEntity("walker");
        const int row = i / 160;
        walker.addComponent<Walker>({static_cast<float>(2 + i % 630), static_cast<float>(row), 0,
                                     i % 2 == 0 ? 1.5F : -1.5F, 0});
        world.addEntity(walker);
    }
    world.registerSystem(std::make_shared<WalkSystem>(world));
    world.reconcile();
    measureTicks(state, world, 20);
}

const bool registered = [] {
    bench::add("threads/pair/1", [](auto& state) { pair(state, 1); });
    bench::add("threads/pair/2", [](auto& state) { pair(state, 2); });
    bench::addRow({"two independent systems of 20 000 rows on two threads, a tick, beside one",
                   "threads/pair/2", "threads/pair/1", gain, 0});
    bench::add("threads/split/1", [](auto& state) { split(state, 1); });
    bench::add("threads/split/2", [](auto& state) { split(state, 2); });
    bench::addRow({"parallelEach over 100 000 rows on two threads, a row, beside each",
                   "threads/split/2", "threads/split/1", gain, 0});
    bench::add("threads/plain", [](auto& state) { handOver(state, false); });
    bench::add("threads/handOver", [](auto& state) { handOver(state, true); });
    bench::addRow({"a tick of 20 declared systems that do nothing, two threads, beside undeclared",
                   "threads/handOver", "threads/plain", 0, 10000});
    bench::add("threads/crowd/1", [](auto& state) { crowd(state, 1); });
    bench::add("threads/crowd/2", [](auto& state) { crowd(state, 2); });
    bench::addRow({"50 000 walkers in C++ on two threads, a tick, beside one", "threads/crowd/2",
                   "threads/crowd/1", gain, 0});
    return true;
}();

}  // namespace
