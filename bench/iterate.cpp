// Iteration: fresh, after churn, with an optional component, and of a single row, beside the same
// arithmetic over plain arrays (the limit).
#include <memory>

#include "bench/report.hpp"
#include "bench/scene.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "world/core/world_core.hpp"

namespace {

using namespace revenant;
using namespace scene;

constexpr std::size_t sizes[] = {1000, 10000, 100000, 1000000};
constexpr int churnFrames = 600;

[[gnu::noinline]] void move(Position* positions, const Velocity* velocities, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        positions[i].x += velocities[i].x * stepSeconds;
        positions[i].y += velocities[i].y * stepSeconds;
    }
}

[[gnu::noinline]] void moveBoosted(Position* positions, const Velocity* velocities,
                                   const Boost* boosts, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        positions[i].x += velocities[i].x * stepSeconds + boosts[i].x;
        positions[i].y += velocities[i].y * stepSeconds + boosts[i].y;
    }
}

// Repeats the work until it is long enough to be timed.
template <class Work>
void measure(benchmark::State& state, std::size_t items, Work work) {
    const std::size_t rounds = std::max<std::size_t>(1, 200000 / items);
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        for (std::size_t i = 0; i < rounds; ++i) {
            work();
            benchmark::ClobberMemory();
        }
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * rounds * items));
}

// An array that starts on a cache line of its own choosing. Plain vectors of this size all start
// at the same offset of a memory page, and loops over two of them run at half speed: stores to
// one alias loads from the other. The limit is what the machine can do.
template <class T>
class LimitArray {
public:
    LimitArray(std::size_t count, std::size_t cacheLine) : bytes_(count * sizeof(T) + 8192) {
        void* place = bytes_.data();
        std::size_t room = bytes_.size();
        std::align(4096, 1, place, room);
        data_ = new (static_cast<std::byte*>(place) + cacheLine * 64) T[count]();
    }
    T* data() noexcept { return data_; }

private:
    std::vector<std::byte> bytes_;
    T* data_;
};

void limit(benchmark::State& state, std::size_t count) {
    LimitArray<Position> positions(count, 0);
    LimitArray<Velocity> velocities(count, 5);
    measure(state, count, [&] { move(positions.data(), velocities.data(), count); });
}

template <class TypedView>
void measureMove(benchmark::State& state, const TypedView& view) {
    measure(state, view.count(), [&] {
        view.each([](Position& position, const Velocity& velocity) {
            position.x += velocity.x * stepSeconds;
            position.y += velocity.y * stepSeconds;
        });
    });
}

template <class TypedView>
void measureRangeFor(benchmark::State& state, const TypedView& view) {
    measure(state, view.count(), [&] {
        for (auto [entity, position, velocity] : view) {
            position.x += velocity.x * stepSeconds;
            position.y += velocity.y * stepSeconds;
        }
    });
}

using Moved = View<Position, const Velocity>;
using Measure = void (*)(benchmark::State&, const Moved&);

void fresh(benchmark::State& state, std::size_t count, Measure measureView) {
    World world;
    defineComponents(world);
    const Moved view = world.view<Position, const Velocity>();
    spawnRoots(world, count);
    world.reconcile();
    measureView(state, view);
}

// A world after its churn. Kept from one repetition to the next, as making it takes longer than the
// measurement; not any longer, as the heap it leaves behind would slow other baselines down.
struct ChurnedWorld {
    World world;
    Moved view;
    TimeRewindSys history;
    bool isLean;  // pools within twice the live bytes and a page per type

    explicit ChurnedWorld(std::size_t count)
        : view(defined(world)), history(world, RewindOptions{.seconds = 1}) {
        Churn churn(world, count, 50);
        for (int i = 0; i < churnFrames; ++i) {
            churn.frame();
            churn.repair();
            history.tick(stepSeconds);
        }
        const WorldStats stats = world.getStats();
        const std::size_t pages = 2 * WorldCore::of(world).components().at(0).pool.pageBytes();
        isLean = stats.componentBytes <= 2 * stats.liveComponentBytes + pages;
    }

private:
    static World& defined(World& world) {
        defineComponents(world);
        return world;
    }
};

std::unique_ptr<ChurnedWorld> keptChurned;

void churned(benchmark::State& state, std::size_t count, Measure measureView) {
    if (!keptChurned || keptChurned->view.count() != count) {
        keptChurned.reset();
        keptChurned = std::make_unique<ChurnedWorld>(count);
    }
    if (keptChurned->view.count() != count) state.SkipWithError("churn should keep the number");
    if (!keptChurned->isLean)
        state.SkipWithError("pools hold more than twice the live bytes and a page per type");
    measureView(state, keptChurned->view);
}

void limitBoosted(benchmark::State& state, std::size_t count) {
    keptChurned.reset();
    LimitArray<Position> positions(count, 0);
    LimitArray<Velocity> velocities(count, 5);
    LimitArray<Boost> boosts(count, 10);
    measure(state, count,
            [&] { moveBoosted(positions.data(), velocities.data(), boosts.data(), count); });
}

void optional(benchmark::State& state, std::size_t count) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity, Optional<const Boost>>();
    std::minstd_rand random(7);
    for (Entity entity : spawnRoots(world, count))
        if (random() % 2 == 0) entity.addComponent<Boost>();
    world.reconcile();
    measure(state, count, [&] {
        view.each([](Position& position, const Velocity& velocity, const Boost& boost) {
            position.x += velocity.x * stepSeconds + boost.x;
            position.y += velocity.y * stepSeconds + boost.y;
        });
    });
}

const bool registered = [] {
    for (const std::size_t size : sizes) {
        const std::string suffix = "/" + std::to_string(size);
        bench::add("limit/iterate" + suffix, [size](auto& state) { limit(state, size); });
        bench::add("iterate/fresh" + suffix,
                   [size](auto& state) { fresh(state, size, measureMove<Moved>); });
        bench::addRow({"iterate 2 components, fresh, " + std::to_string(size),
                       "iterate/fresh" + suffix, "limit/iterate" + suffix, 1.1, 0});
    }
    // Not of a million: its churn alone takes minutes.
    for (const std::size_t size : {1000UL, 10000UL, 100000UL}) {
        const std::string suffix = "/" + std::to_string(size);
        bench::add("iterate/churned" + suffix,
                   [size](auto& state) { churned(state, size, measureMove<Moved>); });
        bench::addRow({"the same after 600 frames of 1 % churn, half in mid-tree, history on, " +
                           std::to_string(size),
                       "iterate/churned" + suffix, "limit/iterate" + suffix,
                       size == 1000 ? 0.0 : 4.0, 0});
        bench::add("rangefor/fresh" + suffix,
                   [size](auto& state) { fresh(state, size, measureRangeFor<Moved>); });
        bench::addRow({"range-for beside each, fresh, " + std::to_string(size),
                       "rangefor/fresh" + suffix, "iterate/fresh" + suffix, 1.1, 0});
        bench::add("rangefor/churned" + suffix,
                   [size](auto& state) { churned(state, size, measureRangeFor<Moved>); });
        bench::addRow({"range-for beside each, after that churn, " + std::to_string(size),
                       "rangefor/churned" + suffix, "iterate/churned" + suffix, 0, 0});
    }
    for (const std::size_t size : {10000UL, 100000UL}) {
        const std::string suffix = "/" + std::to_string(size);
        bench::add("limit/boosted" + suffix, [size](auto& state) { limitBoosted(state, size); });
        bench::add("iterate/optional" + suffix, [size](auto& state) { optional(state, size); });
        bench::addRow({"2 required + 1 optional, absent on a random half, " + std::to_string(size),
                       "iterate/optional" + suffix, "limit/boosted" + suffix,
                       size == 10000 ? 4.0 : 0.0, 0});
    }
    bench::add("iterate/single", [](auto& state) { fresh(state, 1, measureMove<Moved>); });
    bench::add("limit/single", [](auto& state) { limit(state, 1); });
    bench::addRow(
        {"one run over a view of a single entity", "iterate/single", "limit/single", 0, 15});
    return true;
}();

}  // namespace
