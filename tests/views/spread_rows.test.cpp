// Rows of large views in which little changes at a time: spread over blocks, and brought together again. Whatever they are,
// every loop sees the same.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <random>
#include <vector>

#include "tests/views/scene.hpp"
#include "views/query.hpp"

using namespace scene;

namespace {

struct Twin {  // of the size of Speed, so that both come in step
    float x = 0;
    float y = 0;
};

struct Seen {
    Entity entity;
    const Speed* speed = nullptr;
    const Twin* twin = nullptr;
    const Health* health = nullptr;

    bool operator==(const Seen&) const = default;
};

struct Spread : Scene {
    std::mt19937 random;
    std::vector<Entity> entities;

    Spread(unsigned seed, const SpreadRule& rule) : random(seed) {
        world.defineComponent<Twin>("TwinCMP", {field("x", &Twin::x), field("y", &Twin::y)});
        tables().setSpreadRule(rule);
    }
    std::size_t below(std::size_t end) { return random() % end; }
    void spawn(Entity parent = {}) {
        Entity entity = parent.isValid() ? addTo<Speed, Twin>(parent) : add<Speed, Twin>();
        if (below(2) == 0) entity.addComponent<Health>();
        entities.push_back(entity);
    }
    void change() {
        const std::size_t at = below(entities.size());
        Entity entity = entities[at];
        switch (below(5)) {
            case 0: return spawn();
            case 1: return spawn(entity);
            case 2:
                entity.removeComponent<Twin>();
                entity.addComponent<Twin>();
                return;
            case 3:
                if (entity.hasComponent<Health>())
                    entity.removeComponent<Health>();
                else
                    entity.addComponent<Health>();
                return;
            default:
                if (!entity.getChildren().empty()) return;
                world.removeEntity(entity);
                entities[at] = entities.back();
                entities.pop_back();
        }
    }
    std::vector<Seen> expected() const {
        std::vector<Seen> all;
        for (const Entity& entity : world.getActiveEntities())
            all.push_back({entity, entity.findComponent<const Speed>(),
                           entity.findComponent<const Twin>(),
                           entity.findComponent<const Health>()});
        return all;
    }
};

const Health* orNull(const Health& health) {
    return isEmpty(health) ? nullptr : &health;
}

// What is wrong with what a view shows; empty: nothing.
std::string problemOf(Spread& scene, Clock before) {
    const std::vector<Seen> expected = scene.expected();
    const auto view = scene.world.view<const Speed, const Twin, Optional<const Health>>();
    std::vector<Seen> seen;
    const auto see = [&](Entity entity, const Speed& speed, const Twin& twin,
                         const Health& health) {
        seen.push_back({entity, &speed, &twin, orNull(health)});
    };
    const auto differs = [&] { return std::exchange(seen, {}) != expected; };
    view.each(see);
    if (differs()) return "each";
    for (auto [entity, speed, twin, health] : view) see(entity, speed, twin, health);
    if (differs()) return "range-for";
    view.parallelEach(see, 7);
    if (differs()) return "parallelEach";
    view.eachAddedSince(0, see);
    if (differs()) return "eachAddedSince";
    view.eachChangedSince<const Twin>(0, see);
    if (differs()) return "eachChangedSince";
    std::size_t row = 0;
    for (const auto& [count, speeds, twins, healths] : view.runs())
        for (std::size_t i = 0; i < count; ++i)
            seen.push_back(
                {view.getEntity(row++), speeds + i, twins + i, healths ? healths + i : nullptr});
    if (differs()) return "runs";
    const ViewRows& rows = ViewRows::of(*view.untyped());
    for (row = 0; row < view.count(); ++row) {
        const Entity entity = view.getEntity(row);
        seen.push_back({entity, &view.get<const Speed>(entity), &view.get<const Twin>(entity),
                        orNull(view.get<const Health>(entity))});
        if (view.rowOf(entity) != static_cast<std::ptrdiff_t>(row)) return "rowOf";
        const std::byte* twin = view.untyped()->getColumn("TwinCMP").read(row);
        if (static_cast<const void*>(twin) != seen.back().twin) return "read";
        if (view.addedAt(row) < before && rows.addedAt(row) != view.addedAt(row)) return "addedAt";
    }
    if (differs()) return "get";
    if (scene.world.query().with("SpeedCMP").with("TwinCMP").entities().size() != expected.size())
        return "query";
    return "";
}

}  // namespace

TEST_CASE("every loop over rows that are spread sees them in world order", "[views][model]") {
    const auto seed = GENERATE(range(1U, 5U));
    const std::size_t blockPlaces = GENERATE(2, 16, 64, 128);
    CAPTURE(seed, blockPlaces);
    Spread scene(seed, {blockPlaces, 0, 0, 1});
    const auto view = scene.world.view<const Speed, const Twin, Optional<const Health>>();
    for (int i = 0; i < 700; ++i) scene.spawn();
    scene.world.reconcile();
    bool wasSpread = false;
    for (int tick = 0; tick < 40; ++tick) {
        const Clock before = scene.world.getClock();
        for (std::size_t i = scene.below(tick % 10 == 0 ? 200 : 6); i > 0; --i) scene.change();
        scene.world.reconcile();
        wasSpread = wasSpread || ViewRows::of(*view.untyped()).isSpread();
        CHECK(problemOf(scene, before) == "");
        CHECK(scene.world.validate().empty());
    }
    CHECK(wasSpread);
    while (!scene.entities.empty()) {
        const Entity last = scene.entities.back();
        scene.entities.pop_back();
        if (last.getState() == EntityState::Managed) scene.world.removeEntity(last);
        if (scene.below(20) == 0) scene.world.reconcile();
    }
    scene.world.reconcile();
    CHECK(view.count() == 0);
    CHECK(problemOf(scene, 0) == "");
    scene.spawn();
    scene.world.reconcile();
    CHECK(problemOf(scene, 0) == "");
    CHECK(scene.world.validate().empty());
}

TEST_CASE("after some single changes one in a large view moves few rows", "[views][cost]") {
    Scene scene;
    scene.tables().setSpreadRule({64, 1300, 300, 4});
    std::vector<Entity> entities = scene.addMany<Place>(4000);
    scene.world.reconcile();
    const auto view = scene.world.view<Place>().untyped();
    const auto movedBy = [&](auto change) {
        const std::uint64_t before = view->getStats().rowsMoved;
        change();
        scene.world.reconcile();
        return view->getStats().rowsMoved - before;
    };
    const auto addOne = [&] { scene.addTo<Place>(entities[1500]); };
    CHECK(movedBy(addOne) >= 2499);
    for (int i = 0; i < 5; ++i) movedBy(addOne);
    CHECK(ViewRows::of(*view).isSpread());
    // Wherever they come, and however many.
    std::uint64_t most = 0;
    std::uint64_t moved = 0;
    for (int i = 0; i < 400; ++i) {
        const std::uint64_t now = movedBy(addOne);
        most = std::max(most, now);
        moved += now;
    }
    CHECK(moved / 400 <= 400);
    CHECK(most <= view->count());
    const auto removeOne = [&] {
        scene.world.removeEntity(entities.back());
        entities.pop_back();
    };
    for (int i = 0; i < 400; ++i) CHECK(movedBy(removeOne) <= 64);
    CHECK(ViewRows::of(*view).isSpread());
    SECTION("many changes at once bring the rows together") {
        for (std::size_t i = 0; i < 500; ++i) scene.world.removeEntity(entities[i * 7]);
        scene.world.reconcile();
        CHECK(!ViewRows::of(*view).isSpread());
        CHECK(scene.world.validate().empty());
        SECTION("and they are spread again only after twice as many single ones") {
            for (int i = 0; i < 7; ++i) movedBy(addOne);
            CHECK(!ViewRows::of(*view).isSpread());
            movedBy(addOne);
            CHECK(ViewRows::of(*view).isSpread());
        }
    }
    SECTION("rows that come in last move none") {
        for (int i = 0; i < 400; ++i) CHECK(movedBy([&] { scene.add<Place>(); }) == 0);
    }
    SECTION("a reset empties it") {
        scene.world.reset();
        CHECK(scene.world.validate().empty());
    }
}

TEST_CASE("code that reads rows by number gets them in one piece", "[views]") {
    Scene scene;
    scene.tables().setSpreadRule({16, 0, 0, 1});
    const std::vector<Entity> entities = scene.addMany<Place>(300);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, Optional<Speed>>().untyped();
    scene.addTo<Place, Speed>(entities[100]);
    scene.world.reconcile();
    const ViewRows& rows = ViewRows::of(*view);
    REQUIRE(rows.isSpread());
    const auto isRight = [&] {
        for (const Column& column : view->getColumns())
            for (std::size_t row = 0; row < view->count(); ++row)
                if (rows.pointersByRow(ViewRows::of(column))[row] != column.read(row) ||
                    rows.headsByRow()[row].index != view->getEntity(row).getId().index)
                    return false;
        return view->count() == 301;
    };
    CHECK(isRight());
    CHECK(rows.isSpread());
    scene.world.removeEntity(entities[7]);
    scene.addTo<Place, Speed>(entities[200]);
    scene.world.reconcile();
    CHECK(!rows.isSpread());
    CHECK(isRight());
}
