#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "tests/views/scene.hpp"
#include "views/query.hpp"

using namespace scene;

namespace {

double healthOf(Entity entity) {
    return entity.getComponent<const Health>().points;
}

// Every claim holds whether a view that fits the query exists or not.
struct Asked : Scene {
    std::vector<std::shared_ptr<ComponentsView>> views;

    void openViews() {
        views.push_back(world.view<Health>().untyped());
        views.push_back(world.view<Health, Optional<Place>, Without<Frozen>>().untyped());
        views.push_back(world.view<Place, Health>().untyped());
    }
    Entity addWith(int points, std::string_view name) {
        const Entity entity = add<Health>(name);
        entity.getComponent<Health>().points = points;
        return entity;
    }
};

}  // namespace

TEST_CASE("a query finds the entities with and without, in the world's order", "[views]") {
    Asked asked;
    const bool withViews = GENERATE(false, true);
    Entity a = asked.addWith(1, "a");
    asked.addWith(2, "b").addComponent<Frozen>();
    asked.addTo<Health, Place>(a, "a1");
    asked.add<Place>("place");
    asked.world.reconcile();
    asked.addTo<Health>(a, "a2");
    asked.world.reconcile();
    if (withViews) asked.openViews();
    World& world = asked.world;
    CHECK(names(world.query().with("HealthCMP").entities()) == Names{"a", "a1", "a2", "b"});
    CHECK(names(world.query().with<Health>().entities()) == Names{"a", "a1", "a2", "b"});
    CHECK(names(world.query().with("HealthCMP").without("FrozenCMP").entities()) ==
          Names{"a", "a1", "a2"});
    CHECK(names(world.query().with<Health>().without<Frozen>().entities()) ==
          Names{"a", "a1", "a2"});
    CHECK(names(world.query().with<Health>().with<Place>().entities()) == Names{"a1"});
    CHECK(names(world.query().with("PlaceCMP").with<Health>().with<Place>().entities()) ==
          Names{"a1"});
    CHECK(world.query().with<Health>().without<Health>().entities().empty());
    CHECK(world.query().with<Sprite>().entities().empty());
}

TEST_CASE("where keeps those for which every predicate holds", "[views]") {
    Asked asked;
    if (GENERATE(false, true)) asked.openViews();
    for (int i = 0; i < 10; ++i) asked.addWith(i, std::to_string(i));
    asked.world.reconcile();
    auto query = asked.world.query();
    query.with<Health>().where([](Entity entity) { return healthOf(entity) >= 3; });
    CHECK(query.count() == 7);
    query.where([](Entity entity) { return healthOf(entity) < 6; });
    CHECK(names(query.entities()) == Names{"3", "4", "5"});
    CHECK(query.first().getName() == "3");
    CHECK(query.limit(2).count() == 2);
}

TEST_CASE("orderBy sorts by key, equal keys by the world's order, and NaN goes last", "[views]") {
    Asked asked;
    if (GENERATE(false, true)) asked.openViews();
    for (const int points : {3, -1, 2, -1, 3, 1, 2}) asked.addWith(points, std::to_string(points));
    asked.world.reconcile();
    const auto inOrder = asked.world.query().with<Health>().entities();
    const auto key = [](Entity entity) {
        return healthOf(entity) < 0 ? std::numeric_limits<double>::quiet_NaN() : healthOf(entity);
    };
    auto query = asked.world.query();
    query.with<Health>().orderBy(key);
    const auto e = [&](std::size_t i) { return inOrder[i]; };
    CHECK(query.entities() == std::vector<Entity>{e(5), e(2), e(6), e(0), e(4), e(1), e(3)});
    CHECK(query.first() == e(5));
    CHECK(query.limit(3).entities() == std::vector<Entity>{e(5), e(2), e(6)});
    query.limit(SIZE_MAX).where([&](Entity entity) { return healthOf(entity) < 0; });
    CHECK(query.entities() == std::vector<Entity>{e(1), e(3)});
}

TEST_CASE("many equal keys keep the world's order", "[views]") {
    Asked asked;
    for (int i = 0; i < 300; ++i) asked.addWith(i % 3, "");
    asked.world.reconcile();
    const auto sorted = asked.world.query().with<Health>().orderBy(healthOf).entities();
    REQUIRE(sorted.size() == 300);
    const auto view = asked.world.view<const Health>();
    for (std::size_t i = 1; i < 300; ++i)
        CHECK(std::pair(healthOf(sorted[i - 1]), view.rowOf(sorted[i - 1])) <
              std::pair(healthOf(sorted[i]), view.rowOf(sorted[i])));
}

TEST_CASE("limit takes the first, and none at 0; first answers no entity where none matches",
          "[views]") {
    Asked asked;
    if (GENERATE(false, true)) asked.openViews();
    for (int i = 0; i < 5; ++i) asked.addWith(5 - i, std::to_string(i));
    asked.world.reconcile();
    World& world = asked.world;
    CHECK(names(world.query().with<Health>().limit(2).entities()) == Names{"0", "1"});
    CHECK(names(world.query().with<Health>().limit(2).orderBy(healthOf).entities()) ==
          Names{"4", "3"});
    CHECK(world.query().with<Health>().limit(0).entities().empty());
    CHECK(world.query().with<Health>().orderBy(healthOf).limit(0).count() == 0);
    CHECK(world.query().with<Health>().limit(100).count() == 5);
    CHECK(world.query().with<Sprite>().first() == Entity());
    int asks = 0;
    world.query().with<Health>().where([&](Entity) { return ++asks > 0; }).limit(2).entities();
    CHECK(asks == 2);  // no more is looked at than is needed
    CHECK(world.query().with<Health>().limit(0).first() == Entity());
}

TEST_CASE("a query sees active entities and enabled components, as of the last reconcile",
          "[views]") {
    Asked asked;
    const bool withViews = GENERATE(false, true);
    if (withViews) asked.openViews();
    Entity parent = asked.addWith(1, "parent");
    asked.addTo<Health>(parent, "child");
    Entity muted = asked.addWith(1, "muted");
    Entity gone = asked.addWith(1, "gone");
    asked.addWith(1, "stays");
    const auto found = [&] { return names(asked.world.query().with<Health>().entities()); };
    CHECK(found().empty());
    asked.world.reconcile();
    const Names all{"parent", "child", "muted", "gone", "stays"};
    CHECK(found() == all);
    parent.setEnabled(false);
    muted.setComponentEnabled("HealthCMP", false);
    asked.world.removeEntity(gone);
    gone.retain();
    asked.addWith(1, "later");
    asked.world.newEntity("detached").addComponent<Health>();
    CHECK(found() == all);
    asked.world.reconcile();
    CHECK(found() == Names{"stays", "later"});
    parent.setEnabled(true);
    asked.world.addEntity(gone);
    asked.world.reconcile();
    CHECK(found() == Names{"parent", "child", "stays", "later", "gone"});
}

TEST_CASE("components that were removed, or replaced, this frame are found once", "[views]") {
    Asked asked;
    if (GENERATE(false, true)) asked.openViews();
    auto entities = asked.addMany<Health>(100);
    asked.world.reconcile();
    for (std::size_t i = 0; i < 100; i += 2) {
        entities[i].removeComponent<Health>();
        if (i % 4 == 0) entities[i].addComponent<Health>();
    }
    CHECK(asked.world.query().with<Health>().entities() == entities);
    asked.world.reconcile();
    CHECK(asked.world.query().with<Health>().count() == 75);
}

TEST_CASE("a query that names nothing, or something unknown, is an error", "[views]") {
    Asked asked;
    World& world = asked.world;
    const int bad = code(ErrorCode::BadArgument);
    const int unknown = code(ErrorCode::UnknownComponent);
    CHECK(errorOf([&] { world.query().entities(); }) == bad);
    CHECK(errorOf([&] { world.query().without<Frozen>().count(); }) == bad);
    CHECK(errorOf([&] { world.query().where(nullptr); }) == bad);
    CHECK(errorOf([&] { world.query().orderBy(nullptr); }) == bad);
    CHECK(errorOf([&] { world.query().with("NoneCMP"); }) == unknown);
    CHECK(errorOf([&] { world.query().without("NoneCMP"); }) == unknown);
    CHECK(errorOf([&] { world.query().with<Undefined>(); }) == unknown);
    CHECK(errorOf([&] { world.query().without<Undefined>(); }) == unknown);
}

TEST_CASE("queries answer the same from storage and from views, after long churn", "[views]") {
    Asked asked;
    std::minstd_rand random(3);
    std::vector<Entity> entities = asked.addMany<Health>(50);
    for (int frame = 0; frame < 200; ++frame) {
        asked.world.reconcile();
        std::erase_if(entities, [](const Entity& entity) { return !entity.isValid(); });
        Entity entity = entities[random() % entities.size()];
        const Entity parent = entities[random() % entities.size()];
        switch (random() % 5) {
            case 0: asked.world.removeEntity(entity); break;
            case 1: entity.setEnabled(!entity.isEnabled()); break;
            case 2: entities.push_back(asked.addTo<Health, Place>(parent)); break;
            case 3:
                if (!entity.hasComponent<Frozen>()) entity.addComponent<Frozen>();
                break;
            default: entities.push_back(asked.add<Health, Frozen>()); break;
        }
        auto both = asked.world.query();
        both.with<Health>().with<Place>();
        auto thawed = asked.world.query();
        thawed.with<Health>().without<Frozen>();
        const auto bothStored = both.entities();
        const auto thawedStored = thawed.entities();
        asked.openViews();
        CHECK(both.entities() == bothStored);
        CHECK(thawed.entities() == thawedStored);
        CHECK(thawedStored == asked.views[1]->getEntities());
        asked.views.clear();
    }
}
