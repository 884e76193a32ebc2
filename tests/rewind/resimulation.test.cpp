#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <map>
#include <random>
#include <sstream>

#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"

using namespace revenant;

namespace {

// Frames as they are, packed in small blocks at once, or whenever the thread gets to it.
struct Packing {
    std::size_t blockFrames;
    bool inBackground;
};

// A flight that is under way, and a view of it.
class Scene : public Flight {
public:
    explicit Scene(int seed, const Packing& packing = {600, true})
        : Flight(roomy(packing.blockFrames, packing.inBackground)),
          both_((define(), world.view<const Hull, Optional<const Gauge>>())) {
        world.setRandomSeed(static_cast<std::uint64_t>(seed));
        takeOff();
    }

    // Everything that a player could see, and what systems do, as text.
    std::string describeAll() {
        std::ostringstream out;
        out << describe() << "\nview";
        both_.each([&](Entity entity, const Hull& hull, const Gauge& gauge) {
            if (!entity.isRewindable()) return;
            out << ' ' << entity.getId().bits() << '/' << hull.x << '/' << gauge.ticks;
        });
        return std::move(out).str();
    }

private:
    View<const Hull, Optional<const Gauge>> both_;
};

}  // namespace

TEST_CASE("every frame comes back exactly, in any order", "[rewind]") {
    const auto seed = GENERATE(range(1, 13));
    const Packing packing = GENERATE(values<Packing>({{600, true}, {7, false}, {5, true}}));
    CAPTURE(seed, packing.blockFrames);
    Scene scene(seed, packing);
    scene.rescopes = GENERATE(false, true);
    CAPTURE(scene.rescopes);
    std::map<std::int64_t, std::string> seen;
    scene.world.registerSystem(
        "WitnessSys",
        [&](World&, double) {
            seen[*scene.rewind->getFrame()] = scene.describeAll();
            CHECK(stateHash(scene.world) == scene.rewind->frameHash(*scene.rewind->getFrame()));
        },
        {.priority = 1000});
    scene.ticks(120);
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int i = 0; i < 60; ++i) {
        const std::int64_t frame = 1 + random() % 120;
        CAPTURE(i, frame);
        scene.rewind->seek(frame);
        const auto problems = scene.world.validate();
        CAPTURE(problems);
        REQUIRE(problems.empty());
        REQUIRE(scene.describeAll() == seen[frame]);
        REQUIRE(stateHash(scene.world) == scene.rewind->frameHash(frame));
    }
}

TEST_CASE("a run that was rewound and resumed equals one that was not", "[rewind]") {
    const auto seed = GENERATE(range(1, 9));
    const Packing packing = GENERATE(values<Packing>({{600, true}, {7, false}, {5, true}}));
    CAPTURE(seed, packing.blockFrames);
    Scene straight(seed);
    straight.ticks(150);
    Scene crooked(seed, packing);
    std::mt19937 random(static_cast<unsigned>(seed));
    crooked.ticks(40);
    for (int round = 0; round < 12; ++round) {
        const auto oldest = *crooked.rewind->getOldestFrame();
        const auto newest = *crooked.rewind->getNewestFrame();
        crooked.rewind->seek(oldest + static_cast<std::int64_t>(random() % (newest - oldest + 1)));
        crooked.rewind->stop();
        crooked.ticks(static_cast<int>(random() % 30));
    }
    while (*crooked.rewind->getFrame() < 150) crooked.ticks(1);
    for (std::int64_t frame = 1; frame <= 150; ++frame) {
        CAPTURE(frame);
        REQUIRE(crooked.rewind->frameHash(frame) == straight.rewind->frameHash(frame));
    }
}
