// Churn: one entity in a hundred removed and one spawned per frame, one view kept in order, beside
// a hand-written ordered world that compacts its vector once per frame.
#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"

namespace {

using namespace revenant;
using namespace scene;

void ours(benchmark::State& state, std::size_t count, unsigned asChildren) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    Churn churn(world, count, asChildren);
    for (int i = 0; i < 60; ++i) churn.frame();
    std::size_t changes = 0;
    for ([[maybe_unused]] auto iteration : state) {
        churn.draw();
        const Stopwatch watch;
        churn.change();
        state.SetIterationTime(watch.seconds());
        churn.keep();
        changes += churn.changes();
        if (asChildren > 0) churn.repair();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(changes));
}

struct Body {
    Position position;
    Velocity velocity;
    bool removed = false;
};

void byHand(benchmark::State& state, std::size_t count) {
    std::vector<std::unique_ptr<Body>> bodies;
    for (std::size_t i = 0; i < count; ++i) bodies.push_back(std::make_unique<Body>());
    std::vector<bool> isDrawn(count);
    std::vector<Body*> drawn;
    std::minstd_rand random(42);
    std::size_t changes = 0;
    for ([[maybe_unused]] auto iteration : state) {
        drawn.clear();
        isDrawn.assign(count, false);
        while (drawn.size() < count / 100) {
            const std::size_t victim = random() % count;
            if (!isDrawn[victim]) drawn.push_back(bodies[victim].get());
            isDrawn[victim] = true;
        }
        const Stopwatch watch;
        for (Body* victim : drawn) victim->removed = true;
        for (std::size_t i = 0; i < drawn.size(); ++i) bodies.push_back(std::make_unique<Body>());
        changes += 2 * drawn.size();
        std::erase_if(bodies, [](const auto& body) { return body->removed; });
        state.SetIterationTime(watch.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(changes));
}

const bool registered = [] {
    for (const std::size_t count : {1000UL, 10000UL, 100000UL, 1000000UL}) {
        const std::string suffix = "/" + std::to_string(count);
        bench::add("churn/roots" + suffix, [count](auto& state) { ours(state, count, 0); });
        bench::add("churn/byHand" + suffix, [count](auto& state) { byHand(state, count); });
        bench::addRow({"churn 1 % + 1 %, per change, order kept, " + std::to_string(count),
                       "churn/roots" + suffix, "churn/byHand" + suffix, 0,
                       count == 10000 || count == 100000 ? 200.0 : 0.0});
    }
    for (const std::size_t count : {10000UL, 100000UL}) {
        const std::string suffix = "/" + std::to_string(count);
        bench::add("churn/midTree" + suffix, [count](auto& state) { ours(state, count, 50); });
        bench::addRow({"the same, half of the spawns in mid-tree, cascades not counted, " +
                           std::to_string(count),
                       "churn/midTree" + suffix, "churn/byHand" + suffix, 0, 0});
    }
    return true;
}();

}  // namespace
