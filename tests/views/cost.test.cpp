// What reconciling views costs, by their own counters: clocks would measure the machine.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <functional>

#include "tests/views/scene.hpp"

using namespace scene;

namespace {

constexpr std::size_t population = 3000;

struct Watched {
    std::shared_ptr<ComponentsView> view;
    ViewStats before;

    explicit Watched(std::shared_ptr<ComponentsView> watched)
        : view(std::move(watched)), before(view->getStats()) {}

    std::uint64_t passes() const { return view->getStats().passes - before.passes; }
    std::uint64_t moved() const { return view->getStats().rowsMoved - before.rowsMoved; }
    std::size_t mostRows() const { return std::max(before.rows, view->getStats().rows); }
};

// Roots with a place, every seventh with a speed; as many with nothing but health.
struct Costed : Scene {
    std::vector<Entity> entities = addMany<Place>(population);
    std::vector<Entity> others = addMany<Health>(population);
    std::shared_ptr<ComponentsView> places = world.view<Place>().untyped();
    std::shared_ptr<ComponentsView> movers = world.view<Place, Speed>().untyped();
    std::shared_ptr<ComponentsView> maybe = world.view<Place, Optional<Speed>>().untyped();
    std::shared_ptr<ComponentsView> resting = world.view<Place, Without<Speed>>().untyped();
    std::shared_ptr<ComponentsView> healthy = world.view<Health>().untyped();

    Costed() {
        for (std::size_t i = 0; i < population; i += 7) entities[i].addComponent<Speed>();
        world.reconcile();
    }
    std::vector<std::shared_ptr<ComponentsView>> views() const {
        return {places, movers, maybe, resting, healthy};
    }

    // Carries out the request for `count` entities spread over all, and reconciles.
    void expectPasses(std::size_t count, const std::function<void(Entity)>& request,
                      const std::vector<std::shared_ptr<ComponentsView>>& changed) {
        std::vector<Watched> watched;
        for (const auto& view : views()) watched.emplace_back(view);
        for (std::size_t i = 0; i < count; ++i) request(entities[i * (population / count)]);
        world.reconcile();
        for (const Watched& each : watched) {
            const bool changes = std::ranges::find(changed, each.view) != changed.end();
            CHECK(each.passes() == (changes ? 1 : 0));
            CHECK(each.moved() <= each.mostRows());
            if (!changes) CHECK(each.moved() == 0);
        }
    }
};

}  // namespace

TEST_CASE("a reconcile costs each changed view one pass and the others none", "[views]") {
    const std::size_t count = GENERATE(1, 10, 1000);
    Costed world;
    CAPTURE(count);
    const auto& [places, movers, maybe, resting] =
        std::tie(world.places, world.movers, world.maybe, world.resting);
    std::vector concerned{places, movers, maybe};
    if (count > 1) concerned.push_back(resting);  // the first of all has a speed
    SECTION("components removed or added") {
        const auto toggle = [](Entity entity) {
            if (entity.hasComponent<Speed>())
                entity.removeComponent<Speed>();
            else
                entity.addComponent<Speed>();
        };
        world.expectPasses(count, toggle, {movers, maybe, resting});
        world.expectPasses(count, toggle, {movers, maybe, resting});
    }
    SECTION("components replaced") {
        const auto replace = [](Entity entity) {
            entity.removeComponent<Place>();
            entity.addComponent<Place>();
        };
        world.expectPasses(count, replace, concerned);
    }
    SECTION("entities spawned in mid-order") {
        world.expectPasses(count, [&](Entity entity) { world.addTo<Place>(entity); },
                           {places, maybe, resting});
    }
    SECTION("entities removed") {
        world.expectPasses(
            count, [&](Entity entity) { world.world.removeEntity(entity); }, concerned);
    }
    SECTION("entities disabled") {
        world.expectPasses(
            count, [&](Entity entity) { entity.setEnabled(false); }, concerned);
    }
    SECTION("entities moved") {
        Entity parent = world.entities[population - 1];
        world.expectPasses(
            count, [&](Entity entity) { parent.addChild(entity); }, concerned);
    }
    CHECK(world.world.validate().empty());
}

TEST_CASE("a view whose rows do not change takes no pass", "[views]") {
    Costed world;
    const std::size_t count = GENERATE(1, 10, 1000);
    const std::vector<std::shared_ptr<ComponentsView>> none;
    SECTION("nothing was asked for") {
        world.expectPasses(
            count, [](Entity) {}, none);
    }
    SECTION("a component that no view asks for") {
        world.expectPasses(
            count, [](Entity entity) { entity.addComponent<Frozen>(); }, none);
        world.expectPasses(
            count, [](Entity entity) { entity.removeComponent<Frozen>(); }, none);
    }
    SECTION("entities that no view shows") {
        world.expectPasses(
            count, [&](Entity entity) { world.addTo<Frozen>(entity); }, none);
    }
    SECTION("components enabled that were disabled, in one frame") {
        world.expectPasses(
            count,
            [](Entity entity) {
                entity.setComponentEnabled("PlaceCMP", false);
                entity.setComponentEnabled("PlaceCMP", true);
            },
            none);
    }
    SECTION("components removed that were added, in one frame") {
        world.expectPasses(
            count,
            [](Entity entity) {
                entity.addComponent<Health>();
                entity.removeComponent<Health>();
            },
            none);
    }
    SECTION("entities enabled that were disabled, in one frame") {
        world.expectPasses(
            count,
            [](Entity entity) {
                entity.setEnabled(false);
                entity.setEnabled(true);
            },
            none);
    }
    SECTION("entities added that were removed, in one frame") {
        world.expectPasses(
            count,
            [&](Entity entity) {
                world.world.removeEntity(entity);
                world.world.addEntity(entity);
            },
            none);
    }
    SECTION("entities removed that were added, in one frame") {
        world.expectPasses(
            count, [&](Entity) { world.world.removeEntity(world.add<Place>()); }, none);
    }
    SECTION("the order is relabelled by insertions of other entities") {
        const auto before = world.world.getStats().relabelled;
        world.expectPasses(
            1,
            [&](Entity entity) {
                for (int i = 0; i < 2000; ++i) world.addTo<Frozen>(entity);
            },
            none);
        CHECK(world.world.getStats().relabelled > before);
        world.expectPasses(count, [&](Entity entity) { world.addTo<Place, Speed>(entity); },
                           {world.places, world.movers, world.maybe});
        CHECK(world.world.validate().empty());
    }
}

TEST_CASE("roots that come in last move no row", "[views]") {
    Costed world;
    for (const std::size_t count : {1, 10, 1000}) {
        const Watched watched(world.places);
        world.addMany<Place>(count);
        world.world.reconcile();
        CHECK(watched.passes() == 1);
        CHECK(watched.moved() == 0);
        CHECK(world.places->getStats().rowsAdded - watched.before.rowsAdded == count);
    }
}

TEST_CASE("only rows behind a change move", "[views]") {
    Costed world;
    const Watched watched(world.places);
    world.world.removeEntity(world.entities[population - 11]);
    world.world.reconcile();
    CHECK(watched.moved() == 10);
    world.addTo<Place>(world.entities[population - 12]);
    world.world.reconcile();
    CHECK(watched.moved() == 20);
    // One out, one in at the same place: the rows around them stay.
    world.world.removeEntity(world.entities[100]);
    world.addTo<Place>(world.entities[99]);
    world.world.reconcile();
    CHECK(watched.moved() == 20);
    CHECK(watched.passes() == 3);
    CHECK(world.places->getStats().rowsDropped - watched.before.rowsDropped == 2);
}
