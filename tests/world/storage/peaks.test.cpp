#include <catch2/catch_test_macros.hpp>

#include "tests/world/allocation_counter.hpp"
#include "tests/world/snapshot.hpp"
#include "tests/world/sparks.hpp"
#include "views/view.hpp"
#include "world/storage/peak_watch.hpp"

using namespace revenant;
using namespace sparks;

TEST_CASE("large memory is given back some in each tick, small memory at once", "[world][memory]") {
    constexpr std::size_t mebibyte = std::size_t{1} << 20;
    std::vector<std::uint32_t> small(1000);
    std::vector<std::uint64_t> large(mebibyte);
    std::vector<std::uint64_t> used(mebibyte, 7);
    small.clear();
    large.clear();
    GivenBack givenBack;
    givenBack.take(small, used);
    CHECK(small.capacity() == 0);
    CHECK(used.size() == mebibyte);
    CHECK(givenBack.isEmpty());
    givenBack.take(large);
    CHECK(large.capacity() == 0);
    int ticks = 0;
    for (; !givenBack.isEmpty(); ++ticks) givenBack.freeSome();
#if defined(__linux__)
    CHECK(ticks >= 4);
#endif
    CHECK(ticks <= 5);
    large.resize(mebibyte, 3);
    CHECK(large.back() == 3);
    CHECK(used.back() == 7);
}

TEST_CASE("memory of a mass spawn is given back when the peak has passed", "[world][memory]") {
    if (!countsAllocations) SKIP("the address sanitizer has its own new");
    if (validating) SKIP("the validator allocates");
    World world;
    define(world);
    const auto view = world.view<Place, const Speed>();
    const std::vector<Entity> made = world.newEntities(20'000, "spark", Place{}, Speed{});
    world.addEntities(made);
    world.reconcile();
    const std::size_t peak = bytesInUseNow();
    for (int i = 0; i < 20; ++i) world.reconcile();
    // Bytes that a reconcile and a view need for each entity that comes: 56, 24 and some lists of 8 bytes.
    CHECK(bytesInUseNow() + 20'000 * std::size_t{80} < peak);
    // Steady changes from tick to tick give nothing back, and allocate nothing.
    auto blink = [&] {
        for (std::size_t i = 0; i < made.size(); i += 2) world.removeEntity(made[i]);
        for (std::size_t i = 0; i < made.size(); i += 2) Entity(made[i]).retain();
        world.reconcile();
        for (int i = 0; i < 5; ++i) world.reconcile();
        for (std::size_t i = 0; i < made.size(); i += 2) world.addEntity(made[i]);
        world.reconcile();
        for (std::size_t i = 0; i < made.size(); i += 2) Entity(made[i]).release();
        for (int i = 0; i < 5; ++i) world.reconcile();
    };
    for (int i = 0; i < 3; ++i) blink();
    const std::size_t before = allocationsSoFar();
    for (int i = 0; i < 3; ++i) blink();
    CHECK(allocationsSoFar() == before);
    CHECK(view.count() == made.size());
}
