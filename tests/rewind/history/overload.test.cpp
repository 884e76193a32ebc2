// A short run of what bench/rewind does for an hour (its part `overload`).
#include <catch2/catch_test_macros.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "views/view.hpp"
#include "world/world.hpp"

using namespace revenant;

TEST_CASE("budgets that change under overload hold at every tick, and frames stay exact",
          "[rewind][thinning]") {
    struct Body {
        float x, y, vx, vy;
    };
    World world;
    world.defineComponent<Body>("BodyCMP", {field("x", &Body::x), field("y", &Body::y),
                                            field("vx", &Body::vx), field("vy", &Body::vy)});
    RewindOptions options{.seconds = 1e6, .bytes = std::size_t{8} << 20};
    auto rewind = std::make_shared<TimeRewindSys>(world, options);
    world.registerSystem(rewind);
    std::vector<Entity> bodies;
    auto spawn = [&] {
        Entity body = world.newEntity("body");
        body.addComponent<Body>({1, 2, 3, 4});
        world.addEntity(body);
        return body;
    };
    for (int i = 0; i < 3000; ++i) bodies.push_back(spawn());
    world.registerSystem("MoveSys", [&, all = world.view<Body>()](World& in, double) {
        all.each([&](Body& body) {
            body.vx += static_cast<float>(in.random()) - 0.5F;
            body.x += body.vx;
        });
        // One in a hundred leaves, and another comes.
        for (std::size_t i = 0; i < bodies.size() / 100; ++i) {
            Entity& body =
                bodies[static_cast<std::size_t>(in.random() * static_cast<double>(bodies.size()))];
            // What came after the frame at which play resumed is gone.
            if (body.isValid()) in.removeEntity(body);
            body = spawn();
        }
    });
    std::mt19937 random(3);
    std::map<std::int64_t, std::uint64_t> live;
    constexpr std::size_t budgets[] = {8, 3, 16, 4};
    for (int i = 1; i <= 480; ++i) {
        world.update(1.0 / 60);
        live[*rewind->getFrame()] = rewind->frameHash(*rewind->getFrame());
        REQUIRE(rewind->getMemory() <= options.bytes);
        if (i % 60 != 0) continue;
        const std::int64_t oldest = *rewind->getOldestFrame();
        const std::int64_t newest = *rewind->getNewestFrame();
        CAPTURE(i, oldest, newest);
        REQUIRE(newest - oldest >= 8);
        rewind->seek(oldest + static_cast<std::int64_t>(
                                  random() % static_cast<std::uint64_t>(newest - oldest + 1)));
        REQUIRE(stateHash(world) == live.at(*rewind->getFrame()));
        rewind->seek(newest);
        REQUIRE(stateHash(world) == live.at(newest));
        rewind->stop();
        options.bytes = budgets[static_cast<std::size_t>(i / 60) % 4] << 20;
        rewind->setBudget(options);
        REQUIRE(rewind->getMemory() <= options.bytes);
    }
}
