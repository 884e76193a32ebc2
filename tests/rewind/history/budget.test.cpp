#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <chrono>
#include <thread>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/rewind/process_memory.hpp"
#include "views/view.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

struct Body {
    float x, y, vx, vy, angle, spin, age, heat;
};

// Bodies that all change with every tick.
struct Swarm {
    World world;
    std::shared_ptr<TimeRewindSys> rewind;

    explicit Swarm(const RewindOptions& options) {
        world.defineComponent<Body>(
            "BodyCMP",
            {field("x", &Body::x), field("y", &Body::y), field("vx", &Body::vx),
             field("vy", &Body::vy), field("angle", &Body::angle), field("spin", &Body::spin),
             field("age", &Body::age), field("heat", &Body::heat)});
        rewind = std::make_shared<TimeRewindSys>(world, options);
        world.registerSystem(rewind);
        world.registerSystem("MoveSys", [bodies = world.view<Body>()](World&, double dt) {
            const auto step = static_cast<float>(dt);
            bodies.each([step](Body& body) {
                body.vy -= 9.8F * step;
                body.vx *= 0.999F;
                body.x += body.vx * step;
                body.y += body.vy * step;
                body.spin *= 0.999F;
                body.angle += body.spin * step;
                body.age += step;
                body.heat += (10 - body.heat) * 0.01F;
            });
        });
    }
    Entity spawn() {
        Entity body = world.newEntity("body");
        auto draw = [this] { return static_cast<float>(world.random()) * 100; };
        body.addComponent<Body>({draw(), draw(), draw(), draw(), draw(), draw(), draw(), draw()});
        world.addEntity(body);
        return body;
    }
    void spawn(int count) {
        for (int i = 0; i < count; ++i) spawn();
    }
    void ticks(int count) {
        for (int i = 0; i < count; ++i) world.update(1.0 / 64);
    }
    bool isExact() { return stateHash(world) == rewind->frameHash(*rewind->getFrame()); }
};

}  // namespace

TEST_CASE("budgets hold after every tick, in a burst too, however far behind packing is",
          "[rewind][history]") {
    constexpr std::size_t bytes = std::size_t{2} << 20;
    Swarm swarm({.seconds = 4, .bytes = bytes, .blockFrames = 30});
    auto holds = [&] {
        REQUIRE(swarm.rewind->getMemory() <= bytes);
        const auto frames = *swarm.rewind->getNewestFrame() - *swarm.rewind->getOldestFrame();
        REQUIRE(frames <= 4 * 64);
    };
    swarm.spawn(20);
    for (int i = 0; i < 400; ++i) {
        if (i == 100) swarm.spawn(2000);
        swarm.ticks(1);
        holds();
    }
    CHECK(swarm.rewind->getNewestFrame() > swarm.rewind->getOldestFrame());
}

TEST_CASE("scrubbing through a full history loses nothing of it, and the budget holds",
          "[rewind][history]") {
    constexpr std::size_t bytes = std::size_t{2} << 20;
    Swarm swarm({.seconds = 1e6, .bytes = bytes, .blockFrames = 600});
    swarm.spawn(300);
    for (int i = 0; i < 1500; ++i) {
        swarm.ticks(1);
        if (i % 20 == 0) swarm.rewind->finishPacking();  // it keeps up
    }
    const auto oldest = *swarm.rewind->getOldestFrame();
    const auto newest = *swarm.rewind->getNewestFrame();
    CHECK(oldest > 1);
    CHECK(newest - oldest > 200);
    auto holds = [&] {
        REQUIRE(swarm.rewind->getMemory() <= bytes);
        REQUIRE(swarm.rewind->getOldestFrame() == oldest);
    };
    swarm.rewind->start();
    for (auto frame = newest; frame > oldest; --frame) {
        swarm.rewind->step(-1);
        holds();
        if (frame % 16 == 0) REQUIRE(swarm.isExact());
    }
    for (int i = 0; i < 60; ++i) {
        swarm.rewind->seek(oldest + (i * 7919) % (newest - oldest + 1));
        holds();
        REQUIRE(swarm.isExact());
    }
    swarm.rewind->seek((oldest + newest) / 2);
    swarm.rewind->stop();
    CHECK(swarm.rewind->getMemory() <= bytes);
    swarm.ticks(10);
    CHECK(swarm.rewind->getMemory() <= bytes);
}

TEST_CASE("scrubbing loses nothing while a block is being packed", "[rewind][history]") {
    constexpr std::size_t bytes = std::size_t{2} << 20;
    Swarm swarm({.seconds = 1e6, .bytes = bytes, .blockFrames = 600});
    swarm.spawn(300);
    for (int i = 0; i < 1500; ++i) {
        swarm.ticks(1);
        if (i % 20 == 0) swarm.rewind->finishPacking();
    }
    for (int round = 0; round < 24; ++round) {
        // Other frames of a block are the newest, and it was sealed at other times.
        swarm.ticks(7);
        const auto oldest = *swarm.rewind->getOldestFrame();
        const auto newest = *swarm.rewind->getNewestFrame();
        REQUIRE(newest - oldest > 200);
        auto holds = [&] {
            REQUIRE(swarm.rewind->getMemory() <= bytes);
            REQUIRE(swarm.rewind->getOldestFrame() == oldest);
        };
        for (int i = 0; i < 12; ++i) {
            swarm.rewind->seek(oldest + (i * 7919 + round * 31) % (newest - oldest + 1));
            holds();
            REQUIRE(swarm.isExact());
            swarm.rewind->step(-1);
            holds();
        }
        swarm.rewind->seek(newest);
        holds();
        swarm.rewind->stop();
        swarm.rewind->finishPacking();
    }
}

TEST_CASE("a frame weighs what changed, whatever else there is", "[rewind][history]") {
    auto bytesPerTick = [](int still, int moving) {
        Swarm swarm({.seconds = 1e6, .pack = false});
        struct Rock {
            double weights[8] = {};
        };
        swarm.world.defineComponent<Rock>("RockCMP", {field("weights", &Rock::weights)});
        for (int i = 0; i < still; ++i) {
            Entity rock = swarm.world.newEntity("rock");
            rock.addComponent<Rock>();
            swarm.world.addEntity(rock);
        }
        swarm.spawn(moving);
        swarm.ticks(10);
        const std::size_t before = swarm.rewind->getMemory();
        swarm.ticks(100);
        return (swarm.rewind->getMemory() - before) / 100;
    };
    const std::size_t alone = bytesPerTick(0, 10);
    CHECK(bytesPerTick(20000, 10) == alone);
    CHECK(bytesPerTick(0, 100) < 11 * alone);
}

TEST_CASE("what zombies cost is part of the budget", "[rewind][history]") {
    Swarm swarm({.seconds = 1e6, .bytes = std::size_t{1} << 20, .pack = false});
    swarm.ticks(1);
    for (int i = 0; i < 200; ++i) {
        std::vector<Entity> bodies;
        for (int k = 0; k < 50; ++k) bodies.push_back(swarm.spawn());
        swarm.ticks(1);
        for (Entity& body : bodies) swarm.world.removeEntity(body);
        swarm.ticks(1);
        REQUIRE(swarm.rewind->getMemory() <= std::size_t{1} << 20);
    }
    const std::size_t zombies = swarm.world.getZombies().size();
    CHECK(zombies > 100);
    // Their records and their bodies alone.
    CHECK(swarm.rewind->getMemory() > zombies * (sizeof(EntityRecord) + sizeof(Body)));
    CHECK(WorldCore::of(swarm.world).components().require("BodyCMP").pool.live() <= 50);
}

TEST_CASE("work for dropped frames is dropped", "[rewind][history]") {
    Swarm swarm({.seconds = 1e6, .bytes = std::size_t{64} << 20, .blockFrames = 8});
    swarm.spawn(400);
    for (int round = 0; round < 12; ++round) {
        swarm.ticks(60);
        switch (round % 4) {
            case 0: swarm.rewind->clear(); break;
            case 1:
                swarm.rewind->seek(*swarm.rewind->getOldestFrame() + 20);
                swarm.rewind->stop();
                break;
            case 2: swarm.rewind->setBudget({.seconds = 0.25, .blockFrames = 8}); break;
            default: swarm.rewind->setBudget({.seconds = 1e6, .blockFrames = 8}); break;
        }
        swarm.ticks(3);
        swarm.rewind->seek(*swarm.rewind->getOldestFrame());
        REQUIRE(swarm.isExact());
        swarm.rewind->stop();
    }
}

#ifdef REVENANT_COUNTS_MEMORY
TEST_CASE("the process grows by hardly more than the budget, however far behind packing is",
          "[rewind][history]") {
    constexpr std::size_t bytes = std::size_t{32} << 20;
    Swarm swarm({.seconds = 1e6, .bytes = bytes});
    swarm.spawn(5000);
    swarm.ticks(2);
    const MemoryPeak peak;
    if (!peak.isCounted()) SKIP("the system counts no peak anew");
    swarm.ticks(1500);  // as fast as it can: some dozen times as fast as packing
    CHECK(swarm.rewind->getMemory() <= bytes);
    CHECK(peak.bytes() <= bytes + bytes / 2);
}

TEST_CASE("memory of dropped frames goes back to the system", "[rewind][history]") {
    Swarm swarm({.seconds = 1e6, .bytes = std::size_t{256} << 20, .pack = false});
    swarm.spawn(5000);
    swarm.ticks(2);
    const std::size_t before = residentBytes();
    swarm.ticks(600);
    const std::size_t full = residentBytes();
    REQUIRE(full > before + (std::size_t{60} << 20));
    const bool isCleared = GENERATE(true, false);
    if (isCleared)
        swarm.rewind->clear();
    else
        swarm.rewind->setBudget({.seconds = 0.1, .pack = false});
    swarm.ticks(2);
    auto isBack = [&] { return residentBytes() < before + (full - before) / 4; };
    for (int i = 0; i < 500 && !isBack(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(isBack());
}
#endif
