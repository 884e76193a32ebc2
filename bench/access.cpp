// Components reached by handle in random order, and tags that come and go, beside a sparse set by hand.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"
#include "bench/sparse_set.hpp"

namespace {

using namespace revenant;
using namespace scene;

struct Tag {};

std::vector<Entity> shuffled(std::vector<Entity> entities) {
    std::shuffle(entities.begin(), entities.end(), std::minstd_rand(5));
    return entities;
}

// Calls visit(entity) for each, in their order, until it is long enough to be timed.
template <class Visit>
void measureAll(benchmark::State& state, const std::vector<Entity>& entities, Visit visit) {
    const std::size_t rounds = std::max<std::size_t>(1, 200000 / entities.size());
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        for (std::size_t i = 0; i < rounds; ++i)
            for (const Entity& entity : entities) visit(entity);
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(
        static_cast<std::int64_t>(state.iterations() * rounds * entities.size()));
}

enum class Deed { Read, Write };

void ours(benchmark::State& state, std::size_t count, Deed deed) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    const std::vector<Entity> entities = shuffled(spawnRoots(world, count));
    world.reconcile();
    float sum = 0;
    if (deed == Deed::Read)
        measureAll(state, entities,
                   [&](Entity entity) { sum += entity.getComponent<const Velocity>().x; });
    else
        measureAll(state, entities, [&](Entity entity) { entity.getComponent<Position>().x += 1; });
    benchmark::DoNotOptimize(sum);
}

void byHand(benchmark::State& state, std::size_t count, Deed deed) {
    World world;
    defineComponents(world);
    const std::vector<Entity> inOrder = spawnRoots(world, count);
    bench::SparseSet<Position> positions;
    bench::SparseSet<Velocity> velocities;
    for (const Entity& entity : inOrder) {
        positions.add(entity.getId(), {});
        velocities.add(entity.getId(), {});
    }
    const std::vector<Entity> entities = shuffled(inOrder);
    float sum = 0;
    if (deed == Deed::Read)
        measureAll(state, entities, [&](Entity entity) {
            if (const Velocity* found = velocities.find(entity.getId())) sum += found->x;
        });
    else
        measureAll(state, entities, [&](Entity entity) {
            if (Position* found = positions.find(entity.getId())) found->x += 1;
        });
    benchmark::DoNotOptimize(sum);
}

// The entities that change in a frame: one in a hundred, in random order.
std::vector<Entity> drawn(const std::vector<Entity>& entities, std::minstd_rand& random) {
    std::vector<Entity> all;
    std::vector<bool> isDrawn(entities.size());
    while (all.size() < entities.size() / 100) {
        const std::size_t one = random() % entities.size();
        if (!isDrawn[one]) all.push_back(entities[one]);
        isDrawn[one] = true;
    }
    return all;
}

// One frame tags them, the next removes the tags. A view of the tagged entities is kept, and one of all.
void tags(benchmark::State& state, std::size_t count) {
    World world;
    defineComponents(world);
    world.defineComponent<Tag>("TagCMP", {});
    const auto movers = world.view<Position, const Velocity>();
    const auto tagged = world.view<const Position, const Tag>();
    const std::vector<Entity> entities = spawnRoots(world, count);
    world.reconcile();
    std::minstd_rand random(11);
    std::vector<Entity> all;
    std::size_t changes = 0;
    bool isOn = false;
    for ([[maybe_unused]] auto iteration : state) {
        isOn = !isOn;
        if (isOn) all = drawn(entities, random);
        const Stopwatch watch;
        if (isOn)
            for (Entity& entity : all) entity.addComponent<Tag>();
        else
            for (Entity& entity : all) entity.removeComponent<Tag>();
        world.reconcile();
        state.SetIterationTime(watch.seconds());
        changes += all.size();
        if (tagged.count() != (isOn ? all.size() : 0)) state.SkipWithError("a tag is missing");
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(changes));
}

void tagsByHand(benchmark::State& state, std::size_t count) {
    World world;
    defineComponents(world);
    const std::vector<Entity> entities = spawnRoots(world, count);
    bench::SparseSet<Tag> tagged;
    std::minstd_rand random(11);
    std::vector<Entity> all;
    std::size_t changes = 0;
    bool isOn = false;
    for ([[maybe_unused]] auto iteration : state) {
        isOn = !isOn;
        if (isOn) all = drawn(entities, random);
        const Stopwatch watch;
        for (const Entity& entity : all)
            if (isOn)
                tagged.add(entity.getId(), {});
            else
                tagged.remove(entity.getId());
        state.SetIterationTime(watch.seconds());
        changes += all.size();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(changes));
}

double markAt(std::size_t count, double at10k, double at100k) {
    return count == 10000 ? at10k : count == 100000 ? at100k : 0;
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) {
        const std::string number = std::to_string(count);
        const std::string suffix = "/" + number;
        bench::add("access/read" + suffix, [=](auto& state) { ours(state, count, Deed::Read); });
        bench::add("sparse/read" + suffix, [=](auto& state) { byHand(state, count, Deed::Read); });
        bench::addRow({"get by handle in random order, read, " + number, "access/read" + suffix,
                       "sparse/read" + suffix, 0, markAt(count, 5, 12)});
        bench::add("access/write" + suffix, [=](auto& state) { ours(state, count, Deed::Write); });
        bench::add("sparse/write" + suffix,
                   [=](auto& state) { byHand(state, count, Deed::Write); });
        bench::addRow({"get by handle in random order, write, " + number, "access/write" + suffix,
                       "sparse/write" + suffix, 0, markAt(count, 6, 14)});
        bench::add("tags/toggle" + suffix, [=](auto& state) { tags(state, count); });
        bench::add("sparse/tags" + suffix, [=](auto& state) { tagsByHand(state, count); });
        bench::addRow(
            {"a tag added to or removed from 1 % per frame, up to visible, per change, " + number,
             "tags/toggle" + suffix, "sparse/tags" + suffix, 0, markAt(count, 60, 120)});
    }
    return true;
}();

}  // namespace
