// How rows lie in memory, as each pass keeps it up to date: beside views that find it out anew.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/views/scene.hpp"

using namespace scene;

namespace {

// Entities with places and speeds of equal size, some with health or frozen, in trees and apart.
struct Changing : Scene {
    std::mt19937 random;
    std::vector<Entity> entities;
    std::vector<std::shared_ptr<ComponentsView>> views;

    explicit Changing(unsigned seed, const SpreadRule& rule = {}) : random(seed) {
        tables().setSpreadRule(rule);
        views = {world.view<Place>().untyped(), world.view<Speed, Health>().untyped(),
                 world.view<Health, Optional<Speed>>().untyped(),
                 world.view<Place, Optional<Frozen>, Without<Sprite>>().untyped()};
        for (int i = 0; i < 3000; ++i) spawn();
        world.reconcile();
        look();
    }

    std::size_t below(std::size_t end) { return random() % end; }
    void spawn() {
        Entity entity = world.newEntity("one");
        entity.addComponent<Place>();
        if (below(5) > 0) entity.addComponent<Speed>();
        if (below(5) > 0) entity.addComponent<Health>();
        if (below(4) == 0 && !entities.empty())
            entities[below(entities.size())].addChild(entity);
        else
            world.addEntity(entity);
        entities.push_back(entity);
    }
    template <class T>
    void toggle(Entity entity) {
        if (!entity.hasComponent<T>())
            entity.addComponent<T>();
        else
            entity.removeComponent<T>();
    }
    void change() {
        const std::size_t at = below(entities.size());
        Entity entity = entities[at];
        switch (below(8)) {
            case 0:
            case 1: return spawn();
            case 2: toggle<Frozen>(entity); return;
            case 3: toggle<Health>(entity); return;
            case 4: toggle<Speed>(entity); return;
            case 5:
                entity.removeComponent<Place>();
                entity.addComponent<Place>();
                return;
            case 6: entity.setEnabled(!entity.isEnabled()); return;
            default:
                if (entity.getChildren().empty()) {
                    world.removeEntity(entity);
                    entities.erase(entities.begin() + static_cast<std::ptrdiff_t>(at));
                }
        }
    }
    // As loops do: finds segments and pages.
    void look() {
        for (const auto& view : views) {
            const ViewRows& rows = ViewRows::of(*view);
            rows.segments();
            for (const detail::ViewColumn& column : rows.columns())
                rows.markOpen(column, world.getClock());
        }
    }
};

}  // namespace

TEST_CASE("segments and pages stay right through random changes", "[views][model]") {
    const auto seed = GENERATE(range(1U, 9U));
    CAPTURE(seed);
    Changing scene(seed, GENERATE(SpreadRule{}, SpreadRule{16, 0, 0, 1}, SpreadRule{256, 0, 0, 1},
                                  SpreadRule{128, 500, 100, 2}));
    for (int tick = 0; tick < 150; ++tick) {
        const std::size_t changes = scene.below(10) == 0 ? 300 : scene.below(6);
        for (std::size_t i = 0; i < changes; ++i) scene.change();
        scene.world.reconcile();
        const std::vector<std::string> problems = scene.world.validate();
        INFO((problems.empty() ? "" : problems.front()));
        REQUIRE(problems.empty());
        if (scene.below(4) > 0) scene.look();
    }
}

TEST_CASE("kept segments are as long as those that are found anew", "[views][model]") {
    const auto seed = GENERATE(range(1U, 5U));
    CAPTURE(seed);
    Changing scene(seed);
    for (int tick = 0; tick < 300; ++tick) {
        for (std::size_t i = scene.below(3); i > 0; --i) scene.change();
        scene.world.reconcile();
        scene.look();
    }
    const ViewStats kept = scene.views[0]->getStats();
    const ViewStats found = scene.world.view<Place, Optional<Sprite>>().untyped()->getStats();
    REQUIRE(found.rows == kept.rows);
    CHECK(kept.contiguousRows == found.contiguousRows);
    CHECK(kept.segments == found.segments);
}

TEST_CASE("what is spawned one by one comes to lie in long segments", "[views]") {
    Scene scene;
    const auto view = scene.world.view<Place>().untyped();
    for (int i = 0; i < 1000; ++i) {
        scene.add<Place>();
        scene.world.reconcile();
        view->getStats();
    }
    CHECK(view->getStats().segments == 1);
    CHECK(view->getStats().contiguousRows == 1000);
}

TEST_CASE("after one change few rows are looked at", "[views][cost]") {
    Scene scene;
    const auto entities = scene.addMany<Place, Speed>(5000);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, Speed>().untyped();
    const auto lookedAt = [&] { return view->getStats().rowsLookedAt; };
    const std::uint64_t first = lookedAt();
    CHECK(first >= 4999);
    Entity entity = entities[2500];
    std::uint64_t most = 100;
    SECTION("one comes") {
        scene.addTo<Place, Speed>(entity);
    }
    SECTION("one goes") {
        scene.world.removeEntity(entity);
    }
    SECTION("one moves") {
        Entity parent = entities[10];
        parent.addChild(entity);
        most = 200;
    }
    SECTION("one has another component in the place of one") {
        entity.removeComponent<Place>();
        entity.addComponent<Place>();
    }
    SECTION("one is disabled") {
        entity.setEnabled(false);
    }
    scene.world.reconcile();
    CHECK(lookedAt() - first <= most);
    CHECK(scene.world.validate().empty());
}

TEST_CASE("after one change few rows are looked at, and rows that are spread stay in long segments",
          "[views][cost]") {
    Scene scene;
    scene.tables().setSpreadRule({256, 0, 0, 1});
    const auto entities = scene.addMany<Place, Speed>(5000);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, Speed>().untyped();
    REQUIRE(view->getStats().segments == 1);
    scene.world.removeEntity(entities[100]);
    scene.world.reconcile();
    REQUIRE(ViewRows::of(*view).isSpread());
    const ViewStats spread = view->getStats();
    CHECK(spread.contiguousRows == 4999);
    CHECK(spread.segments <= 30);
    scene.world.removeEntity(entities[2500]);
    scene.world.reconcile();
    const ViewStats changed = view->getStats();
    CHECK(changed.rowsLookedAt - spread.rowsLookedAt <= 200);
    CHECK(changed.rowsMoved - spread.rowsMoved <= 256);
    CHECK(changed.contiguousRows >= 4998 - 32);
}
