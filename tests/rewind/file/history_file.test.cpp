#include "rewind/file/history_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <map>
#include <random>

#include "tests/rewind/recorded_flight.hpp"
#include "tests/rewind/stage.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

TEST_CASE("ticks beyond 32 bits are counted, rewound, saved and loaded", "[rewind][file]") {
    constexpr std::uint64_t many = (std::uint64_t{1} << 32) - 3;
    Stage stage({.seconds = 1e6, .blockFrames = 4, .packInBackground = false});
    stage.spawn("ship");
    WorldCore& core = WorldCore::of(stage.world);
    WorldGlobals globals = core.getGlobals();
    globals.ticks = many;
    core.setGlobals(globals);
    stage.ticks(12);
    CHECK(stage.world.getTick() == many + 12);
    auto check = [](Stage& shown) {
        for (const std::int64_t frame : {1, 12, 5, 9}) {
            shown.rewind->seek(frame);
            CHECK(shown.world.getTick() == many + static_cast<std::uint64_t>(frame));
            CHECK(shown.isExact());
        }
    };
    check(stage);
    const auto bytes = writeHistory(stage.rewind->takeHistory());
    Stage other;
    other.rewind->openHistory(parseHistory(bytes));
    check(other);
    other.rewind->stop();
    other.ticks(2);
    CHECK(other.world.getTick() == many + 10);
}

TEST_CASE("a history that was saved and loaded shows every frame as it was", "[rewind][file]") {
    const auto seed = GENERATE(range(1, 9));
    const auto blockFrames = GENERATE(as<std::size_t>(), 600, 7);
    const bool isRewound = GENERATE(false, true);
    CAPTURE(seed, blockFrames, isRewound);
    const TemporaryFile file;
    Recorded flight(seed, 100, Flight::roomy(blockFrames, seed % 2 == 0));
    if (isRewound) flight.rewind->seek(40);
    flight.rewind->setCheckpoint("here");
    flight.rewind->saveHistory(file.path());
    const std::vector<std::string> outside = flight.describeOutside();
    const auto shown = *flight.rewind->getFrame();

    Flight tool;
    tool.rewind->loadHistory(file.path());
    CHECK(tool.world.validate().empty());
    CHECK(tool.rewind->isRewinding());
    CHECK(tool.rewind->getFrame() == shown);
    CHECK(tool.rewind->getCheckpoint("here") == shown);
    CHECK(stateHash(tool.world) == flight.rewind->frameHash(shown));
    CHECK(tool.describe() == flight.seen.at(shown));
    // All but the entities that were never in the world, which no frame mentions.
    const std::vector<std::string> known = tool.describeOutside();
    CHECK(std::ranges::includes(outside, known));
    CHECK(known.size() + 3 > outside.size());
    checkAllFrames(flight, tool, static_cast<unsigned>(seed));
}

TEST_CASE("saving changes nothing, and what was done since the last frame is not in the file",
          "[rewind][file]") {
    const TemporaryFile file;
    Recorded flight(5, 60, Flight::roomy(7));
    Recorded straight(5, 60, Flight::roomy(7));
    const std::string before = flight.describe();
    flight.rewind->saveHistory(file.path());
    CHECK(flight.describe() == before);
    flight.ticks(60);
    straight.ticks(60);
    CHECK(flight.rewind->frameHash(120) == straight.rewind->frameHash(120));
    Flight tool;
    tool.rewind->loadHistory(file.path());
    CHECK(tool.describe() == flight.seen.at(60));
}

TEST_CASE("play resumes from a loaded frame as it would have from the recorded one",
          "[rewind][file]") {
    const auto seed = GENERATE(range(1, 7));
    CAPTURE(seed);
    const TemporaryFile file;
    Recorded flight(seed, 120, Flight::roomy(9));
    flight.rewind->seek(50);
    flight.rewind->saveHistory(file.path());
    Flight tool(Flight::roomy(9));
    tool.define();
    tool.takeOff();
    tool.rewind->loadHistory(file.path());
    tool.rewind->seek(70);
    tool.rewind->stop();
    while (*tool.rewind->getFrame() < 120) tool.ticks(1);
    for (std::int64_t frame = 1; frame <= 120; ++frame) {
        CAPTURE(frame);
        REQUIRE(tool.rewind->frameHash(frame) == flight.rewind->frameHash(frame));
    }
    // What came since is unborn in the loaded past.
    for (const std::int64_t frame : {60, 115, 1, 70, 100, 3}) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        REQUIRE(tool.world.validate().empty());
        REQUIRE(stateHash(tool.world) == tool.rewind->frameHash(frame));
        if (frame <= 70) REQUIRE(tool.describe() == flight.seen.at(frame));
    }
}

TEST_CASE("a history that was resumed from its past again and again is saved as it came to be",
          "[rewind][file]") {
    const auto seed = GENERATE(range(1, 7));
    CAPTURE(seed);
    const TemporaryFile file;
    Recorded flight(seed, 60, Flight::roomy(11));
    flight.rescopes = seed % 2 == 0;
    std::mt19937 random(static_cast<unsigned>(seed));
    for (int round = 0; round < 10; ++round) {
        flight.rewind->seek(20 + static_cast<std::int64_t>(random() % 20));
        flight.rewind->stop();
        flight.ticks(10 + static_cast<int>(random() % 30));
    }
    flight.rewind->seek(15);
    flight.rewind->saveHistory(file.path());
    Flight tool;
    tool.rewind->loadHistory(file.path());
    checkAllFrames(flight, tool, static_cast<unsigned>(seed));
}

TEST_CASE("entities that ceased to be rewindable are shown where they were", "[rewind][file]") {
    const auto seed = GENERATE(range(1, 9));
    CAPTURE(seed);
    const TemporaryFile file;
    Recorded flight(seed, 0, Flight::roomy(11));
    flight.rescopes = true;
    flight.ticks(90);
    flight.rewind->seek(seed * 10);
    flight.rewind->saveHistory(file.path());
    Flight tool;
    tool.rewind->loadHistory(file.path());
    checkAllFrames(flight, tool, static_cast<unsigned>(seed));
}

TEST_CASE("a history whose oldest frames were dropped is saved from the first one left",
          "[rewind][file]") {
    const auto blockFrames = GENERATE(as<std::size_t>(), 600, 7);
    const TemporaryFile file;
    RewindOptions options = Flight::roomy(blockFrames);
    options.seconds = 0.5;
    Recorded flight(2, 100, options);
    REQUIRE(*flight.rewind->getOldestFrame() > 50);
    flight.rewind->saveHistory(file.path());
    Flight tool({.seconds = 0.1});
    tool.rewind->loadHistory(file.path());
    checkAllFrames(flight, tool, 1);
}

TEST_CASE("what a tool loaded and saves again is the same history", "[rewind][file]") {
    const TemporaryFile file;
    Recorded flight(4, 50, Flight::roomy(7));
    flight.rewind->saveHistory(file.path());
    Flight tool;
    tool.rewind->loadHistory(file.path());
    const TemporaryFile again;
    tool.rewind->saveHistory(again.path());
    Flight other;
    other.rewind->loadHistory(again.path());
    checkAllFrames(flight, other, 1);
}

TEST_CASE("a history of one frame, and of no entities, can be saved and loaded", "[rewind][file]") {
    const TemporaryFile file;
    Flight flight;
    flight.ticks(1);
    flight.rewind->saveHistory(file.path());
    Flight tool;
    tool.rewind->loadHistory(file.path());
    CHECK(tool.rewind->getFrame() == 1);
    CHECK(stateHash(tool.world) == flight.rewind->frameHash(1));
    tool.rewind->stop();
    tool.ticks(3);
    CHECK(tool.rewind->getNewestFrame() == 3);
}

namespace {

// A number beside the component, as a physics body is.
class Bodies : public ComponentHooks {
public:
    std::map<EntityId, std::uint64_t> states;
    bool fails = false;

    void getRewindState(EntityId owner, const std::byte*, std::vector<std::byte>& into) override {
        const auto bytes = std::as_bytes(std::span(&states[owner], 1));
        into.assign(bytes.begin(), bytes.end());
    }
    void restoreRewindState(EntityId owner, std::byte*, std::span<const std::byte> state) override {
        if (fails) throw std::runtime_error("no body today");
        std::memcpy(&states[owner], state.data(), sizeof(std::uint64_t));
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        return static_cast<std::uint64_t>(state[0]);
    }
};

struct Gymnasium : Flight {
    std::shared_ptr<Bodies> bodies = std::make_shared<Bodies>();

    void train() {
        define();
        world.setRewindHooks("GaugeCMP", bodies);
    }
};

}  // namespace

TEST_CASE("states of hooks that a tool does not have are kept, and are there for one that has them",
          "[rewind][file]") {
    Gymnasium game;
    game.train();
    Entity entity = game.world.newEntity("athlete");
    entity.addComponent<Gauge>();
    game.world.addEntity(entity);
    for (std::uint64_t i = 1; i <= 20; ++i) {
        game.bodies->states[entity.getId()] = i;
        game.ticks(1);
    }
    Flight tool;
    tool.rewind->openHistory(parseHistory(writeHistory(game.rewind->takeHistory())));
    tool.rewind->seek(5);
    tool.rewind->seek(12);
    Gymnasium other;
    other.train();
    other.rewind->openHistory(parseHistory(writeHistory(tool.rewind->takeHistory())));
    CHECK(other.bodies->states[entity.getId()] == 12);
    CHECK(stateHash(other.world) == game.rewind->frameHash(12));
    other.rewind->seek(3);
    CHECK(other.bodies->states[entity.getId()] == 3);
    CHECK(stateHash(other.world) == game.rewind->frameHash(3));

    Gymnasium closed;
    closed.train();
    closed.bodies->fails = true;
    CHECK_THROWS_WITH(
        closed.rewind->openHistory(parseHistory(writeHistory(game.rewind->takeHistory()))),
        "no body today");
    CHECK_FALSE(closed.rewind->getFrame());
    CHECK_FALSE(closed.rewind->isRewinding());
    CHECK(closed.world.getAllManagedEntities().empty());
    CHECK(closed.world.getZombies().empty());
    CHECK(WorldCore::of(closed.world).forest().pool.alive() == 0);
    CHECK(closed.world.validate().empty());
    closed.ticks(3);
    CHECK(closed.rewind->getNewestFrame() == 3);
}

TEST_CASE("listeners hear of what a loaded history brings", "[rewind][file]") {
    const TemporaryFile file;
    writeFile(file.path(), smallFile());
    Flight tool;
    int added = 0;
    int started = 0;
    tool.world.on(EventKind::EntityAdded, [&](const Event&) { ++added; });
    tool.world.on("rewindStarted", [&](const Event&) { ++started; });
    tool.rewind->loadHistory(file.path());
    CHECK(added == static_cast<int>(tool.world.getAllManagedEntities().size()));
    CHECK(added > 0);
    CHECK(started == 1);
}

TEST_CASE("ticks go on beyond 32 bits, in the world, its frames and their file", "[rewind][file]") {
    constexpr std::uint64_t many = std::uint64_t{UINT32_MAX} - 5;
    Flight flight(Flight::roomy(4));
    flight.define();
    WorldCore& core = WorldCore::of(flight.world);
    WorldGlobals globals = core.getGlobals();
    globals.ticks = many;
    core.setGlobals(globals);
    flight.takeOff();
    flight.ticks(12);
    CHECK(flight.world.getTick() == many + 12);
    Flight tool;
    tool.rewind->openHistory(parseHistory(writeHistory(flight.rewind->takeHistory())));
    for (const std::int64_t frame : {12, 1, 7, 5, 6}) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        CHECK(tool.world.getTick() == many + static_cast<std::uint64_t>(frame));
        CHECK(stateHash(tool.world) == flight.rewind->frameHash(frame));
    }
}
