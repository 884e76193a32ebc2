#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/threads/crowd.hpp"

using namespace revenant;
using namespace crowd;

namespace {

std::vector<std::uint64_t> play(int threads) {
    std::vector<std::uint64_t> hashes;
    Crowd scene(threads, 200);
    World& world = scene.world;
    world.registerSystem(std::make_shared<TimeRewindSys>(world));
    const auto view = world.view<Place, const Speed>();
    scene.system(
        "Move",
        [view](World& of, double) {
            view.parallelEach(
                [&of](Entity e, Place& place, const Speed& speed) {
                    place.x += speed.x * static_cast<float>(of.random());
                    if (of.random(1, 50) == 1) of.removeEntity(e);
                    if (of.random(1, 40) == 1) spawn(of, "born");
                },
                20);
        },
        view.access());
    for (int tick = 0; tick < 40; ++tick) {
        world.update(0.1);
        hashes.push_back(stateHash(world));
    }
    return hashes;
}

}  // namespace

TEST_CASE("worlds on different threads do not disturb each other", "[threads]") {
    const std::vector<std::uint64_t> alone = play(1);
    std::vector<std::vector<std::uint64_t>> hashes(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < hashes.size(); ++i)
        threads.emplace_back([&hashes, i] { hashes[i] = play(i % 2 == 0 ? 1 : 2); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& each : hashes) CHECK(each == alone);
}
