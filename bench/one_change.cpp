// One change in mid-tree per tick: a child is added to an entity in the middle of the world, or removed again. Views may
// have to move all rows behind it.
#include <memory>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"

namespace {

using namespace revenant;
using namespace scene;

void oneChange(benchmark::State& state, std::size_t count, int viewCount) {
    World world;
    defineComponents(world);
    std::vector<std::shared_ptr<ComponentsView>> views;
    for (int i = 0; i < viewCount; ++i) {
        const std::string name = "Other" + std::to_string(i);
        world.defineComponent(name, std::vector<FieldSpec>{});
        // Each of another signature, so that none shares the rows of another.
        views.push_back(world.getComponentsView(
            {{"PositionCMP", ComponentRequirementDesc::mustHave()},
             {"VelocityCMP", ComponentRequirementDesc::mustHave(Access::ReadOnly)},
             {name, ComponentRequirementDesc::without()}}));
    }
    Entity middle = spawnRoots(world, count)[count / 2];
    world.reconcile();
    Entity child;
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch watch;
        if (child.isValid()) {
            world.removeEntity(child);
        } else {
            child = scene::spawn(world);
            middle.addChild(child);
        }
        world.reconcile();
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
    if (views.back()->count() != count + (child.isValid() ? 1 : 0))
        state.SkipWithError("a row is missing");
}

// A loop over a view in which a row came or went since the last one, and one over a view that stayed as it was.
void loopAfter(benchmark::State& state, std::size_t count, bool changes) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    Entity middle = spawnRoots(world, count)[count / 2];
    world.reconcile();
    Entity child;
    for ([[maybe_unused]] auto iteration : state) {
        if (child.isValid()) {
            world.removeEntity(child);
        } else if (changes) {
            child = scene::spawn(world);
            middle.addChild(child);
        }
        world.reconcile();
        const Stopwatch watch;
        view.each([](Position& position, const Velocity& velocity) {
            position.x += velocity.x * static_cast<float>(stepSeconds);
            position.y += velocity.y * static_cast<float>(stepSeconds);
        });
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

void addLoop(std::size_t count) {
    const std::string number = std::to_string(count);
    bench::add("oneChange/loop/" + number, [=](auto& state) { loopAfter(state, count, true); });
    bench::add("oneChange/sameLoop/" + number,
               [=](auto& state) { loopAfter(state, count, false); });
    bench::addRow(
        {"a loop over the rows after one change in mid-tree, beside one after none, " + number,
         "oneChange/loop/" + number, "oneChange/sameLoop/" + number, 2, 0});
}

void add(std::size_t count, int views, double mark) {
    const std::string name =
        "oneChange/" + std::to_string(views) + "views/" + std::to_string(count);
    bench::add(name, [=](auto& state) { oneChange(state, count, views); });
    bench::addRow({"one change in mid-tree per tick, " + std::to_string(views) +
                       (views == 1 ? " view, " : " views, ") + std::to_string(count),
                   name, "", 0, mark});
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL}) add(count, 1, 0);
    add(1000000, 1, 15000);
    for (const std::size_t count : {1000UL, 10000UL}) add(count, 10, 0);
    add(100000, 10, 25000);
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) addLoop(count);
    return true;
}();

}  // namespace
