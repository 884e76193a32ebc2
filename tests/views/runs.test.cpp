#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <random>

#include "tests/views/scene.hpp"
#include "views/rows/view_rows.hpp"

using namespace scene;

namespace {

// As large as a Place, so that the two can be in step.
struct Pull {
    double x = 5;
    double y = 6;
};

struct PullScene : Scene {
    PullScene() {
        world.defineComponent<Pull>("PullCMP", {field("x", &Pull::x), field("y", &Pull::y)});
    }
};

struct Row {
    const Place* place;
    const Speed* speed;
    const Health* health;

    friend bool operator==(const Row&, const Row&) = default;
};

// Replaces a tenth of the entities per frame, half of them in mid-tree.
void churn(Scene& scene, std::vector<Entity>& entities, int frames) {
    std::minstd_rand random(7);
    for (int frame = 0; frame < frames; ++frame) {
        for (std::size_t i = 0; i < entities.size() / 10; ++i) {
            Entity& victim = entities[random() % entities.size()];
            if (!victim.isValid() || victim.getState() != EntityState::Managed) continue;
            scene.world.removeEntity(victim);
            const Entity parent = entities[random() % entities.size()];
            const bool asChild = random() % 2 == 0 && parent.getState() == EntityState::Managed;
            victim =
                asChild ? scene.addTo<Place, Speed, Pull>(parent) : scene.add<Place, Speed, Pull>();
            if (random() % 3 == 0) victim.addComponent<Health>();
        }
        scene.world.reconcile();
        std::erase_if(entities, [](const Entity& entity) { return !entity.isValid(); });
    }
}

std::vector<Row> expectedRows(const World& world) {
    std::vector<Row> rows;
    for (const Entity& entity : world.getActiveEntities())
        if (entity.hasComponent<Place>() && entity.hasComponent<Speed>())
            rows.push_back({entity.findComponent<const Place>(),
                            entity.findComponent<const Speed>(),
                            entity.findComponent<const Health>()});
    return rows;
}

}  // namespace

TEST_CASE("each and eachRun visit every row once, in order, fresh and after long churn",
          "[views]") {
    PullScene scene;
    auto entities = scene.addMany<Place, Speed, Pull>(500);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, const Speed, Optional<Health>>();
    const auto inStep = scene.world.view<Place, const Pull>();
    for (int round = 0; round < 4; ++round) {
        const std::vector<Row> expected = expectedRows(scene.world);
        std::vector<Row> rows;
        view.each([&](Place& place, const Speed& speed, Health* health) {
            rows.push_back({&place, &speed, health});
        });
        CHECK(rows == expected);
        rows.clear();
        view.eachRun([&](std::size_t count, Place* place, const Speed* speed, Health* health) {
            CHECK(count > 0);
            for (std::size_t i = 0; i < count; ++i)
                rows.push_back({place + i, speed + i, health ? health + i : nullptr});
        });
        CHECK(rows == expected);
        std::size_t row = 0;
        inStep.each([&](Entity entity, Place& place, const Pull& pull) {
            CHECK(&place == expected[row++].place);
            CHECK(&pull == entity.findComponent<const Pull>());
        });
        CHECK(row == expected.size());
        const auto segments = ViewRows::of(*inStep.untyped()).segments();
        CHECK(segments[0].layout == (round == 0 ? RowLayout::Contiguous : RowLayout::InStep));
        churn(scene, entities, 10);
    }
}

TEST_CASE("a run ends where a column stops being contiguous, and not before", "[views]") {
    Scene scene;
    for (int i = 0; i < 30; ++i) {
        Entity entity = scene.add<Place>();
        if (i >= 10 && i < 20) entity.addComponent<Speed>();
    }
    scene.world.reconcile();
    std::vector<std::size_t> counts;
    std::vector<bool> has;
    scene.world.view<const Place, Optional<const Speed>>().eachRun(
        [&](std::size_t count, const Place*, const Speed* speed) {
            counts.push_back(count);
            has.push_back(speed != nullptr);
        });
    CHECK(counts == std::vector<std::size_t>{10, 10, 10});
    CHECK(has == std::vector<bool>{false, true, false});
    counts.clear();
    scene.world.view<const Place>().eachRun(
        [&](std::size_t count, const Place*) { counts.push_back(count); });
    CHECK(counts == std::vector<std::size_t>{30});
}

TEST_CASE("a segment is contiguous in every column, not only in some", "[views]") {
    Scene scene;
    auto entities = scene.addMany<Place>(80);
    for (std::size_t i = 80; i-- > 40;) entities[i].addComponent<Speed>();
    for (std::size_t i = 0; i < 40; ++i) entities[i].addComponent<Speed>();
    scene.world.reconcile();
    const auto view = scene.world.view<const Place, const Speed>();
    const auto segments = ViewRows::of(*view.untyped()).segments();
    REQUIRE(segments.size() == 2);
    CHECK((segments[0].count == 40 && segments[0].layout == RowLayout::Contiguous));
    CHECK((segments[1].count == 40 && segments[1].layout == RowLayout::Scattered));
    std::size_t row = 0;
    view.each([&](const Place&, const Speed& speed) {
        CHECK(&speed == &entities[row++].getComponent<const Speed>());
    });
    CHECK(row == 80);
}

TEST_CASE("rows that are equally far apart in all columns are in step", "[views]") {
    PullScene scene;
    std::vector<Entity> shown;
    for (int i = 0; i < 100; ++i) {
        shown.push_back(scene.add<Place, Pull>());
        if (i % 2 == 0) scene.add<Place, Pull, Frozen>();
    }
    // A row whose components lie apart, and the rows after it.
    const bool apart = GENERATE(false, true);
    if (apart) {
        scene.world.newEntity("apart").addComponent<Place>();
        for (int i = 0; i < 50; ++i) {
            shown.push_back(scene.add<Place, Pull>());
            scene.add<Place, Pull, Frozen>();
        }
    }
    scene.world.reconcile();
    const auto view =
        scene.world.view<Optional<const Health>, Place, const Pull, Without<Frozen>>();
    const auto segments = ViewRows::of(*view.untyped()).segments();
    REQUIRE(segments.size() == (apart ? 2 : 1));
    for (const Segment& segment : segments) CHECK(segment.layout == RowLayout::InStep);
    CHECK(segments[0].count == 100);
    std::size_t row = 0;
    view.each([&](const Health& health, Place& place, const Pull& pull) {
        CHECK(isEmpty(health));
        CHECK(&place == &shown[row].getComponent<Place>());
        CHECK(&pull == &shown[row++].getComponent<const Pull>());
    });
    CHECK(row == shown.size());
}

TEST_CASE("what is spawned in sequence lies in long contiguous segments", "[views]") {
    Scene scene;
    const auto view = scene.world.view<Place, Speed>();
    scene.addMany<Place, Speed>(20000);
    scene.world.reconcile();
    const ViewStats stats = view.untyped()->getStats();
    CHECK(stats.rows == 20000);
    CHECK(stats.contiguousRows == 20000);
    std::size_t pages = 0;
    for (const Column& column : view.untyped()->getColumns())
        pages += ViewRows::of(column).type->pool.pages().size();
    CHECK(stats.segments <= pages);
}

TEST_CASE("trees spawned in order lie in contiguous segments, too", "[views]") {
    Scene scene;
    const auto view = scene.world.view<Place>();
    for (int i = 0; i < 1000; ++i) {
        const Entity root = scene.add<Place>();
        const Entity child = scene.addTo<Place>(root);
        scene.addTo<Place>(child);
        scene.addTo<Place>(root);
    }
    scene.world.reconcile();
    CHECK(view.count() == 4000);
    CHECK(view.untyped()->getStats().contiguousRows > 3900);
}

TEST_CASE("segments cover the rows exactly, and the short ones are put together", "[views]") {
    Scene scene;
    // Long runs of neighbours, between places where every second slot is another's.
    for (int i = 0; i < 600; ++i) {
        scene.add<Place>();
        if (i / 100 % 2 == 1) scene.add<Place, Frozen>();
    }
    scene.world.reconcile();
    const auto view = scene.world.view<Place, Without<Frozen>>();
    std::size_t covered = 0;
    for (const Segment& segment : ViewRows::of(*view.untyped()).segments()) {
        CHECK(segment.first == covered);
        covered += segment.count;
    }
    CHECK(covered == 600);
    const ViewStats stats = view.untyped()->getStats();
    CHECK(stats.segments == 6);
    CHECK(stats.contiguousRows > 290);
    CHECK(stats.contiguousRows < 310);
}

TEST_CASE("runs are a range, and rows tell when they came and when they may have been written",
          "[views]") {
    World world;
    world.defineComponent<Place>("RangePlaceCMP", {});
    auto view = world.view<Place>();
    for (int i = 0; i < 100; ++i) {
        Entity entity = world.newEntity("row");
        entity.addComponent<Place>();
        world.addEntity(entity);
    }
    world.reconcile();
    const Clock born = world.getClock();
    std::size_t rows = 0;
    for (const auto& [count, places] : view.runs()) {
        CHECK(places == &view.getEntity(rows).getComponent<const Place>());
        rows += count;
    }
    CHECK(rows == view.count());
    CHECK(view.addedAt(99) == born);
    world.reconcile();
    view.getEntity(50).getComponent<Place>();
    CHECK(view.changedAt<Place>(50) == world.getClock());
    CHECK(view.changedAt<Place>(99) < world.getClock());
    CHECK_THROWS_AS(view.addedAt(100), Error);
}
