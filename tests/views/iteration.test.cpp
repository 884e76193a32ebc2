#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/views/scene.hpp"
#include "views/rows/view_rows.hpp"

using namespace scene;

TEST_CASE("each calls with the components, and with the entity first where one is asked for",
          "[views]") {
    Scene scene;
    const auto entities = scene.addMany<Place, Speed>(20);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, const Speed>();
    std::size_t calls = 0;
    view.each([&](Place& place, const Speed& speed) {
        CHECK(&place == &entities[calls].getComponent<const Place>());
        CHECK(&speed == &entities[calls].getComponent<const Speed>());
        place.x += speed.x;
        ++calls;
    });
    CHECK(calls == 20);
    std::vector<Entity> visited;
    view.each([&](Entity entity, Place& place, const Speed&) {
        CHECK(place.x == 4);
        visited.push_back(entity);
    });
    CHECK(visited == entities);
    visited.clear();
    scene.world.view<>().each([&](Entity entity) { visited.push_back(entity); });
    CHECK(visited == entities);
}

TEST_CASE("what was asked for read-only comes as const", "[views]") {
    Scene scene;
    scene.addMany<Place, Speed, Health, Sprite>(10);
    scene.world.reconcile();
    const auto view =
        scene.world
            .view<Place, const Speed, Optional<Health>, Optional<const Sprite>, Without<Frozen>>();
    view.each([](auto& place, auto& speed, auto health, auto& sprite) {
        static_assert(std::is_same_v<decltype(place), Place&>);
        static_assert(std::is_same_v<decltype(speed), const Speed&>);
        static_assert(std::is_same_v<decltype(health), Health*>);
        static_assert(std::is_same_v<decltype(sprite), const Sprite&>);
    });
    view.eachRun([](std::size_t, auto* place, auto* speed, auto* health, auto* sprite) {
        static_assert(std::is_same_v<decltype(place), Place*>);
        static_assert(std::is_same_v<decltype(speed), const Speed*>);
        static_assert(std::is_same_v<decltype(health), Health*>);
        static_assert(std::is_same_v<decltype(sprite), const Sprite*>);
    });
    using Writer = void (*)(Place&, Speed&, Health*, const Sprite&);
    using Reader = void (*)(const Place&, const Speed&, const Health*, const Sprite&);
    STATIC_CHECK_FALSE(std::is_invocable_v<Writer, Place&, const Speed&, Health*, const Sprite&>);
    STATIC_CHECK(std::is_invocable_v<Reader, Place&, const Speed&, Health*, const Sprite&>);
}

TEST_CASE("an absent Optional<const T> reads as zeros, an absent Optional<T> is null", "[views]") {
    Scene scene;
    const bool contiguous = GENERATE(false, true);
    for (int i = 0; i < 40; ++i) {
        Entity entity = scene.add<Place>();
        if (!contiguous && i % 3 == 0) scene.world.newEntity("apart").addComponent<Place>();
        if (i % 2 == 0) entity.addComponent<Speed>();
        if (i % 4 == 0) entity.setComponentEnabled("SpeedCMP", false);
    }
    scene.world.reconcile();
    const auto reading = scene.world.view<const Place, Optional<const Speed>>();
    CHECK((reading.untyped()->getStats().contiguousRows == 40) == contiguous);
    int row = 0;
    reading.each([&](const Place&, const Speed& speed) {
        const bool has = row % 4 == 2;
        CHECK(isEmpty(speed) != has);
        CHECK(speed.x == (has ? 3 : 0));
        ++row;
    });
    row = 0;
    scene.world.view<Place, Optional<Speed>>().each([&](Entity entity, Place&, Speed* speed) {
        CHECK(speed == (row % 4 == 2 ? entity.findComponent<Speed>() : nullptr));
        ++row;
    });
    CHECK(row == 40);
}

TEST_CASE("Without leaves out those that have it enabled", "[views]") {
    Scene scene;
    scene.add<Place>("free");
    scene.add<Place, Frozen>("frozen");
    Entity thawed = scene.add<Place, Frozen>("thawed");
    thawed.setComponentEnabled("FrozenCMP", false);
    scene.world.reconcile();
    Names visited;
    scene.world.view<const Place, Without<Frozen>>().each(
        [&](Entity entity, const Place&) { visited.push_back(entity.getName()); });
    CHECK(visited == Names{"free", "thawed"});
}

TEST_CASE("iteration follows the world's order, down deep trees and across wide ones", "[views]") {
    Scene scene;
    Entity deep = scene.add<Place>();
    Entity wide = scene.add<Place>();
    scene.add<Place>();
    scene.world.reconcile();
    for (int i = 0; i < 2000; ++i) {
        deep = i % 3 == 0 ? scene.addTo<>(deep) : scene.addTo<Place>(deep);
        if (i % 2 == 0) scene.addTo<Place>(wide);
        if (i % 100 == 0) scene.world.reconcile();
    }
    scene.world.reconcile();
    std::vector<Entity> expected;
    for (const Entity& entity : scene.world.getAllManagedEntities())
        if (entity.hasComponent<Place>()) expected.push_back(entity);
    std::vector<Entity> visited;
    const auto view = scene.world.view<Place>();
    view.each([&](Entity entity, Place&) { visited.push_back(entity); });
    CHECK(visited == expected);
}

TEST_CASE("adding and removing inside each is safe and takes effect at the reconcile", "[views]") {
    Scene scene;
    auto entities = scene.addMany<Place, Speed>(100);
    scene.world.reconcile();
    const auto view = scene.world.view<Place, const Speed>();
    std::size_t calls = 0;
    view.each([&](Entity entity, Place& place, const Speed& speed) {
        switch (calls++ % 6) {
            case 0: scene.world.removeEntity(entity); break;
            case 1: entity.removeComponent<Speed>(); break;
            case 2: scene.addMany<Place, Speed>(10); break;
            case 3: scene.addTo<Place, Speed>(entity); break;
            case 4: entity.setEnabled(false); break;
            default: entities[0].addChild(entity); break;
        }
        place.x = speed.x + 1;
    });
    CHECK(calls == 100);
    CHECK(view.count() == 100);
    CHECK(view.isDirty());
    scene.world.reconcile();
    // Of 100, 17 removed, 17 without speed, 16 disabled, and 16 that followed the removed first.
    CHECK(view.count() == 100 - 17 - 17 - 16 - 16 + 17 * 10 + 17);
    CHECK(scene.world.validate().empty());
}

TEST_CASE("views without rows call nothing", "[views]") {
    Scene scene;
    const auto view = scene.world.view<Place, Optional<Speed>>();
    int calls = 0;
    view.each([&](Place&, Speed*) { ++calls; });
    view.eachRun([&](std::size_t, Place*, Speed*) { ++calls; });
    view.eachAddedSince(0, [&](Place&, Speed*) { ++calls; });
    view.eachChangedSince<Speed>(0, [&](Place&, Speed*) { ++calls; });
    CHECK(calls == 0);
    CHECK(view.untyped()->getStats().segments == 0);
    CHECK(ViewRows::of(*view.untyped()).segments().empty());
}
