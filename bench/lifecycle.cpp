// Creating and removing entities, one by one and as trees, beside a hand-written world of heap
// nodes that keeps its order, too.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/report.hpp"
#include "bench/scene.hpp"

namespace {

using namespace revenant;
using namespace scene;

constexpr std::size_t childrenPerParent = 8;

struct Node {
    std::string name;
    Position position;
    Velocity velocity;
    std::vector<std::unique_ptr<Node>> children;
};

std::unique_ptr<Node> makeNode(std::size_t children) {
    auto node = std::make_unique<Node>();
    node->name = "mover";
    for (std::size_t i = 0; i < children; ++i) node->children.push_back(makeNode(0));
    return node;
}

enum class Half { Create, Remove, RemoveShuffled };

// Times one half of building up and tearing down again.
template <class Build, class Shuffle, class TearDown>
void measureHalf(benchmark::State& state, Half half, std::size_t items, Build build,
                 Shuffle shuffle, TearDown tearDown) {
    build();  // warm
    tearDown();
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch building;
        build();
        const double built = building.seconds();
        if (half == Half::RemoveShuffled) shuffle();
        const Stopwatch removing;
        tearDown();
        state.SetIterationTime(half == Half::Create ? built : removing.seconds());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * items));
}

void heap(benchmark::State& state, Half half, std::size_t count, std::size_t children) {
    const std::size_t roots = count / (children + 1);
    std::vector<std::unique_ptr<Node>> world;
    measureHalf(
        state, half, roots * (children + 1),
        [&] {
            for (std::size_t i = 0; i < roots; ++i) world.push_back(makeNode(children));
        },
        [&] { std::shuffle(world.begin(), world.end(), std::minstd_rand(3)); },
        [&] { world.clear(); });
}

void ours(benchmark::State& state, Half half, std::size_t count, std::size_t children) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    const std::size_t rootCount = count / (children + 1);
    std::vector<Entity> roots;
    measureHalf(
        state, half, rootCount * (children + 1),
        [&] {
            roots.clear();
            for (std::size_t i = 0; i < rootCount; ++i) {
                Entity root = scene::spawn(world);
                for (std::size_t k = 0; k < children; ++k) root.addChild(scene::spawn(world));
                world.addEntity(root);
                roots.push_back(root);
            }
            world.reconcile();
        },
        [&] { std::shuffle(roots.begin(), roots.end(), std::minstd_rand(3)); },
        [&] {
            for (const Entity& root : roots) world.removeEntity(root);
            world.reconcile();
        });
    if (view.count() != 0) state.SkipWithError("the view should be empty again");
}

// Many at once, up to visible or only created: figures of other engines include neither a reconcile nor an order.
enum class Upto { Made, Visible };

void inBulk(benchmark::State& state, std::size_t count, Upto upto) {
    World world;
    defineComponents(world);
    const auto view = world.view<Position, const Velocity>();
    world.reserve(count);
    for ([[maybe_unused]] auto iteration : state) {
        const Stopwatch making;
        const std::vector<Entity> made = world.newEntities(count, "mover", Position{}, Velocity{});
        const double makingSeconds = making.seconds();
        const Stopwatch showing;
        world.addEntities(made);
        world.reconcile();
        state.SetIterationTime(makingSeconds + (upto == Upto::Visible ? showing.seconds() : 0));
        if (view.count() != count) state.SkipWithError("a row is missing");
        for (const Entity& entity : made) world.removeEntity(entity);
        world.reconcile();
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * count));
}

void addPair(const std::string& what, Half half, std::size_t count, std::size_t children,
             double mark) {
    const std::string suffix = what + "/" + std::to_string(count);
    bench::add(suffix, [=](auto& state) { ours(state, half, count, children); });
    bench::add("heap/" + suffix, [=](auto& state) { heap(state, half, count, children); });
    bench::addRow({what + ", " + std::to_string(count), suffix, "heap/" + suffix, 0, mark});
}

const bool registered = [] {
    for (const std::size_t count : {10000UL, 100000UL}) {
        const auto mark = [count](double at10k, double at100k) {
            return count == 10000 ? at10k : at100k;
        };
        addPair("create with 2 components, up to visible", Half::Create, count, 0, mark(60, 75));
        addPair("remove, up to destroyed", Half::Remove, count, 0, 60);
        addPair("remove in random order, up to destroyed", Half::RemoveShuffled, count, 0,
                mark(50, 90));
        addPair("tree of 8 children per parent: create", Half::Create, count, childrenPerParent,
                mark(70, 100));
        addPair("tree of 8 children per parent: cascade remove", Half::Remove, count,
                childrenPerParent, mark(45, 80));
        const std::string suffix = "/" + std::to_string(count);
        bench::add("bulk/made" + suffix, [=](auto& state) { inBulk(state, count, Upto::Made); });
        bench::addRow({"create in bulk with 2 components, detached, " + std::to_string(count),
                       "bulk/made" + suffix, "", 0, 30});
        bench::add("bulk/visible" + suffix,
                   [=](auto& state) { inBulk(state, count, Upto::Visible); });
        bench::addRow({"create in bulk with 2 components, up to visible, " + std::to_string(count),
                       "bulk/visible" + suffix, "", 0, 0});
    }
    return true;
}();

}  // namespace
