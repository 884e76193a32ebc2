#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/threads/crowd.hpp"

using namespace revenant;
using namespace crowd;

namespace {

void addSystems(Crowd& scene) {
    const auto movers = scene.world.view<Place, const Speed>();
    const auto fighters = scene.world.view<Health, Aim>();
    scene.system(
        "Move",
        [movers](World& of, double) {
            movers.parallelEach(
                [&of](Place& place, const Speed& speed) {
                    place.x += speed.x * static_cast<float>(of.random());
                },
                16);
        },
        movers.access());
    scene.system(
        "Fight",
        [fighters](World& of, double) {
            fighters.each([&of](Entity e, Health& health, Aim& aim) {
                health.points -= static_cast<std::int32_t>(of.random(0, 9));
                if (health.points < 0) of.removeEntity(e);
                if (of.random(1, 30) != 1) return;
                const Entity shot = spawn(of, "shot");
                aim.at = shot.getId();
                ++aim.shots;
            });
        },
        fighters.access());
}

}  // namespace

TEST_CASE("ticks that run again after a rewind give the same frames, on several threads",
          "[threads]") {
    for (const int threads : {1, 2}) {
        Crowd scene(threads, 60);
        World& world = scene.world;
        auto rewind = std::make_shared<TimeRewindSys>(world);
        world.registerSystem(rewind);
        addSystems(scene);
        for (int tick = 0; tick < 40; ++tick) world.update(0.1);
        const std::int64_t last = *rewind->getNewestFrame();
        std::vector<std::uint64_t> hashes;
        for (std::int64_t frame = last - 20; frame <= last; ++frame)
            hashes.push_back(rewind->frameHash(frame));
        rewind->seek(last - 20);
        CHECK(stateHash(world) == hashes.front());
        rewind->stop();
        while (*rewind->getNewestFrame() < last) world.update(0.1);
        for (std::int64_t frame = last - 20; frame <= last; ++frame)
            CHECK(rewind->frameHash(frame) == hashes[static_cast<std::size_t>(frame - last + 20)]);
    }
}

TEST_CASE("the sync test finds no difference in systems that tick at the same time", "[threads]") {
    Crowd scene(2, 60);
    auto rewind = std::make_shared<TimeRewindSys>(scene.world);
    scene.world.registerSystem(rewind);
    addSystems(scene);
    rewind->setSyncTest(3);
    for (int tick = 0; tick < 30; ++tick) scene.world.update(0.1);
    CHECK_FALSE(rewind->getSyncReport());
}
