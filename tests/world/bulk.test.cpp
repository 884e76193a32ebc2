#include <catch2/catch_test_macros.hpp>

#include "tests/world/allocation_counter.hpp"
#include "tests/world/snapshot.hpp"
#include "tests/world/sparks.hpp"
#include "views/view.hpp"

using namespace revenant;
using namespace sparks;

TEST_CASE("a world made in bulk equals one made entity by entity", "[world][bulk]") {
    World bulk, single;
    for (World* world : {&bulk, &single}) {
        define(*world);
        world->addEntity(world->newEntity("first"));
        world->reconcile();
    }
    const std::vector<Entity> made = bulk.newEntities(500, "spark", Place{1, 2}, Speed{3, 4});
    REQUIRE(made.size() == 500);
    bulk.addEntities(made);
    for (int i = 0; i < 500; ++i) {
        Entity entity = single.newEntity("spark");
        entity.addComponent<Place>({1, 2});
        entity.addComponent<Speed>({3, 4});
        single.addEntity(entity);
    }
    CHECK(snapshot(bulk) == snapshot(single));
    bulk.reconcile();
    single.reconcile();
    CHECK(snapshot(bulk) == snapshot(single));
    CHECK(bulk.view<Place, const Speed>().count() == 500);
    CHECK(made[499].getComponent<const Speed>().y == 4);
    CHECK(bulk.validate() == std::vector<std::string>{});
}

TEST_CASE("bulk creation is refused as a whole", "[world][bulk]") {
    World world;
    define(world);
    const std::string before = snapshot(world);
    CHECK_THROWS_AS(world.newEntities(3, "twice", Place{}, Place{}), Error);
    struct Unknown {
        int value = 0;
    };
    CHECK_THROWS_AS(world.newEntities(3, "unknown", Place{}, Unknown{}), Error);
    CHECK(snapshot(world) == before);
    CHECK(world.newEntities(0, "none", Place{}).empty());
    const std::vector<Entity> bare = world.newEntities(2, "bare");
    CHECK(bare[1].getComponentNames().empty());
    CHECK(world.validate() == std::vector<std::string>{});
}

TEST_CASE("reserved slots are handed out in ascending order, and making them allocates nothing",
          "[world][bulk][allocations]") {
    World world;
    define(world);
    Entity earlier = world.newEntity("earlier");
    world.reserve(2000);
    world.newEntities(1, "spark")[0].destroy();
    const std::size_t before = allocationsSoFar();
    std::vector<Entity> made;
    made.reserve(1999);
    const std::size_t own = allocationsSoFar() - before;
    for (int i = 0; i < 1999; ++i) made.push_back(world.newEntity("spark"));
    if (countsAllocations && !validating) CHECK(allocationsSoFar() - before == own);
    for (std::size_t i = 1; i < made.size(); ++i)
        REQUIRE(made[i].getId().index == made[i - 1].getId().index + 1);
    CHECK(earlier.isValid());
    CHECK(world.validate() == std::vector<std::string>{});
}
