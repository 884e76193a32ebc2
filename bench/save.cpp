// Saving and loading 10 000 entities with two components of 16 bytes, in memory, packed, checked and by name. The baseline is a
// copy of the same bytes.
#include <cstring>
#include <random>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"
#include "save/save.hpp"

namespace {

using namespace revenant;
using scene::Stopwatch;

struct Body {
    float x = 0;
    float y = 0;
    float angle = 0;
    float scale = 1;
};
struct Motion {
    float x = 0;
    float y = 0;
    float spin = 0;
    std::int32_t lives = 3;
};

constexpr std::size_t count = 10000;

void define(World& world) {
    world.defineComponent<Body>(
        "BodyCMP", {field("x", &Body::x), field("y", &Body::y), field("angle", &Body::angle),
                    field("scale", &Body::scale)});
    world.defineComponent<Motion>(
        "MotionCMP", {field("x", &Motion::x), field("y", &Motion::y), field("spin", &Motion::spin),
                      field("lives", &Motion::lives)});
}

void fill(World& world) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> place(0, 1920);
    std::uniform_real_distribution<float> speed(-5, 5);
    for (std::size_t i = 0; i < count; ++i) {
        Entity entity = world.newEntity("rock");
        entity.addComponent<Body>({place(engine), place(engine), speed(engine), 1});
        entity.addComponent<Motion>({speed(engine), speed(engine), 0, 3});
        world.addEntity(entity);
    }
    world.update(1);
}

void saving(benchmark::State& state) {
    World world;
    define(world);
    fill(world);
    std::size_t bytes = 0;
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        bytes = saveToBytes(world).size();
        state.SetIterationTime(watch.seconds());
    }
    state.counters["save/bytes"] = static_cast<double>(bytes) / (2 * count);
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

void loading(benchmark::State& state) {
    World world;
    define(world);
    fill(world);
    const std::vector<std::byte> save = saveToBytes(world);
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        loadFromBytes(world, save);
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

void copying(benchmark::State& state) {
    const std::vector<std::byte> from(count * (sizeof(Body) + sizeof(Motion)), std::byte{1});
    std::vector<std::byte> to(from.size());
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        std::memcpy(to.data(), from.data(), from.size());
        benchmark::DoNotOptimize(to.data());
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

const bool registered = [] {
    bench::add("save/save", saving);
    bench::add("save/load", loading);
    bench::add("save/copy", copying);
    bench::addRow(
        {"bytes of the save per component of 16 bytes", "save/bytes", "", 0, 12, "bytes"});
    bench::addRow({"save, per entity with 2 components of 16 bytes, 10000", "save/save",
                   "save/copy", 0, 300});
    bench::addRow(
        {"load into a running world, per entity, 10000", "save/load", "save/copy", 0, 800});
    return true;
}();

}  // namespace
