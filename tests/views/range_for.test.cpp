// A view as a range, and its components by entity.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "rewind/state_hash.hpp"
#include "tests/views/scene.hpp"
#include "views/query.hpp"

using namespace scene;

namespace {

// Rows that lie next to each other, or, after churn, all over.
std::vector<Entity> fill(Scene& scene, bool scattered) {
    std::vector<Entity> entities = scene.addMany<Place, Speed>(200);
    scene.world.reconcile();
    for (std::size_t i = 0; scattered && i < entities.size(); i += 3) {
        scene.world.removeEntity(entities[i]);
        entities[i] = scene.add<Place, Speed>();
    }
    scene.world.reconcile();
    return scene.world.getAllManagedEntities();
}

struct Twin {  // of the size of Speed, so that both come in step
    float x = 0;
    float y = 0;
};

// Rows in several pages. Every nth goes; `respawn`: others come in its place, anywhere in the order.
template <class... Components>
void fillPages(Scene& scene, std::size_t every, bool respawn) {
    const std::vector<Entity> entities = scene.addMany<Components...>(40000);
    scene.world.reconcile();
    for (std::size_t i = 1; every > 0 && i < entities.size(); i += every)
        scene.world.removeEntity(entities[i]);
    scene.world.reconcile();
    for (std::size_t i = 1; respawn && i < entities.size(); i += every)
        scene.addTo<Components...>(entities[i * 7 / every * every % entities.size()]);
    scene.world.reconcile();
}

// Whether a range-for gives just the rows that `each` gives.
template <class First, class Second>
bool walksAsEachDoes(const World& world) {
    const auto view = world.view<const First, const Second, Optional<const Health>>();
    std::vector<std::tuple<Entity, const First*, const Second*, const Health*>> rows;
    view.each([&](Entity entity, const First& first, const Second& second, const Health& health) {
        rows.emplace_back(entity, &first, &second, &health);
    });
    std::size_t row = 0;
    for (auto [entity, first, second, health] : view)
        if (row == rows.size() || rows[row++] != std::tuple(entity, &first, &second, &health))
            return false;
    return row == view.count() && row > 0;
}

}  // namespace

TEST_CASE("a range-for over rows in several pages visits what each visits", "[views]") {
    Scene scene;
    scene.world.defineComponent<Twin>("TwinCMP", {field("x", &Twin::x), field("y", &Twin::y)});
    const auto [every, respawn] = GENERATE(table<std::size_t, bool>(
        {{0, false}, {100, false}, {8, false}, {2, false}, {100, true}, {8, true}, {2, true}}));
    CAPTURE(every);
    CAPTURE(respawn);
    SECTION("of two sizes") {
        fillPages<Place, Speed, Health>(scene, every, respawn);
        CHECK(walksAsEachDoes<Place, Speed>(scene.world));
    }
    SECTION("of one size") {
        fillPages<Speed, Twin>(scene, every, respawn);
        CHECK(walksAsEachDoes<Speed, Twin>(scene.world));
    }
}

TEST_CASE("a range-for visits what each visits, in the same order", "[views]") {
    Scene scene;
    const std::vector<Entity> entities = fill(scene, GENERATE(false, true));
    const auto view = scene.world.view<Place, const Speed, Optional<Health>, Without<Frozen>>();
    std::size_t row = 0;
    for (auto [entity, place, speed, health] : view) {
        static_assert(std::is_same_v<decltype(place), Place&>);
        static_assert(std::is_same_v<decltype(speed), const Speed&>);
        static_assert(std::is_same_v<decltype(health), Health*>);
        REQUIRE(entity == entities[row]);
        CHECK(&place == &entity.getComponent<const Place>());
        CHECK(&speed == &entity.getComponent<const Speed>());
        CHECK(health == nullptr);
        place.x += 1;
        ++row;
    }
    CHECK(row == entities.size());
    view.each([](const Place& place, const Speed&, const Health*) { CHECK(place.x == 2); });
}

TEST_CASE("a range-for over nothing does nothing, over an optional column shows EMPTY", "[views]") {
    Scene scene;
    for ([[maybe_unused]] auto [entity, place] : scene.world.view<Place>()) FAIL("there is no row");
    const Entity bare = scene.add();
    Entity full = scene.add<Health>();
    scene.world.reconcile();
    full.getComponent<Health>().points = 7;
    std::vector<int> points;
    for (auto [entity, health] : scene.world.view<Optional<const Health>>()) {
        CHECK(isEmpty(health) == (entity == bare));
        points.push_back(health.points);
    }
    CHECK(points == std::vector<int>{0, 7});
    std::size_t rows = 0;
    for (auto [entity] : scene.world.view<Without<Frozen>>()) rows += entity.isValid() ? 1 : 0;
    CHECK(rows == 2);
}

TEST_CASE("while a range-for runs the world holds still, and no longer", "[views]") {
    Scene scene;
    scene.addMany<Place>(3);
    scene.world.reconcile();
    for ([[maybe_unused]] auto [entity, place] : scene.world.view<Place>()) {
        CHECK_THROWS_AS(scene.world.reconcile(), Error);
        scene.world.removeEntity(entity);
        break;
    }
    scene.world.reconcile();
    CHECK(scene.world.view<Place>().count() == 2);
}

TEST_CASE("a range-for over read-write terms marks them changed, over const ones it does not",
          "[views]") {
    Scene scene;
    scene.addMany<Place, Speed>(3);
    scene.world.reconcile();
    scene.world.reconcile();
    const Clock now = scene.world.getClock();
    const auto view = scene.world.view<Place, const Speed>();
    for ([[maybe_unused]] auto [entity, place, speed] : view) break;
    CHECK(view.changedAt<Place>(0) == now);
    CHECK(view.changedAt<Speed>(0) < now);
}

TEST_CASE("get gives the component of an entity as each passes it", "[views]") {
    Scene scene;
    const Entity first = scene.add<Place, Speed>();
    const Entity second = scene.add<Place, Speed, Health>();
    const Entity other = scene.add<Speed>();
    scene.world.reconcile();
    scene.world.reconcile();
    const auto view = scene.world.view<Place, const Speed, Optional<Health>>();
    const Clock now = scene.world.getClock();

    STATIC_CHECK(std::is_same_v<decltype(view.get<Place>(first)), Place&>);
    STATIC_CHECK(std::is_same_v<decltype(view.get<const Place>(first)), const Place&>);
    STATIC_CHECK(std::is_same_v<decltype(view.get<Speed>(first)), const Speed&>);
    STATIC_CHECK(std::is_same_v<decltype(view.get<Health>(first)), Health*>);
    STATIC_CHECK(std::is_same_v<decltype(view.get<const Health>(first)), const Health*>);

    CHECK(view.contains(first));
    CHECK(view.get<const Place>(second).y == 2);
    CHECK(view.changedAt<Place>(1) < now);
    view.get<Place>(second).y = 5;
    CHECK(view.changedAt<Place>(1) == now);
    CHECK(second.getComponent<const Place>().y == 5);
    CHECK(view.get<Health>(first) == nullptr);
    CHECK(view.get<const Health>(second)->points == 100);

    CHECK_FALSE(view.contains(other));
    CHECK_THROWS_AS(view.get<Place>(other), Error);
    CHECK_THROWS_AS(view.get<Place>(Entity()), Error);
}

TEST_CASE("a const world gives read-only views, queries and lists, and its hash", "[views]") {
    Scene scene;
    const Entity entity = scene.add<Place>("it");
    scene.world.reconcile();
    const World& world = scene.world;
    CHECK(world.view<const Place, Without<Frozen>>().count() == 1);
    CHECK(world.query().with<Place>().first() == entity);
    CHECK(world.findEntity("it") == entity);
    CHECK(world.getSystems().empty());
    CHECK(stateHash(world) == stateHash(scene.world));
}

TEST_CASE("requirements by name are those of the flags", "[views]") {
    using Desc = ComponentRequirementDesc;
    CHECK(Desc::mustHave() == Desc(true));
    CHECK(Desc::mustHave(Access::ReadOnly) == Desc(true, true));
    CHECK(Desc::optional() == Desc(false));
    CHECK(Desc::optional(Access::ReadOnly) == Desc(false, true));
    CHECK(Desc::without() == Desc(Presence::Without, Access::ReadWrite));
    CHECK(Desc::mustHave() != Desc::optional());
}
