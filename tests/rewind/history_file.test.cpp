#include "rewind/history_file.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <map>
#include <random>

#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"
#include "tests/world/refusal.hpp"

using namespace revenant;

namespace {

// A file of its own for each test, gone with it.
class TemporaryFile {
public:
    TemporaryFile() {
        static std::random_device device;
        path_ = (std::filesystem::temp_directory_path() /
                 ("revenant_" + std::to_string(device()) + ".history"))
                    .string();
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

// A flight of so many frames, and what there was to see in each.
struct Recorded : Flight {
    std::map<std::int64_t, std::string> seen;

    Recorded(int seed, int frames, const RewindOptions& options) : Flight(options) {
        define();
        world.setRandomSeed(static_cast<std::uint64_t>(seed));
        takeOff();
        world.registerSystem("WitnessSys",
                             [this](World&, double) { seen[*rewind->getFrame()] = describe(); },
                             {.priority = 1000});
        ticks(frames);
    }
};

void checkAllFrames(Recorded& flight, Flight& tool, unsigned seed) {
    CHECK(tool.rewind->getOldestFrame() == flight.rewind->getOldestFrame());
    CHECK(tool.rewind->getNewestFrame() == flight.rewind->getNewestFrame());
    std::vector<std::int64_t> frames;
    for (auto frame = *flight.rewind->getOldestFrame(); frame <= *flight.rewind->getNewestFrame();
         ++frame)
        frames.push_back(frame);
    std::ranges::shuffle(frames, std::mt19937(seed));
    for (const std::int64_t frame : frames) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        const auto problems = tool.world.validate();
        CAPTURE(problems);
        REQUIRE(problems.empty());
        REQUIRE(tool.rewind->frameHash(frame) == flight.rewind->frameHash(frame));
        REQUIRE(stateHash(tool.world) == tool.rewind->frameHash(frame));
        REQUIRE(tool.describe() == flight.seen.at(frame));
    }
}

// A small file in which there is something of everything.
std::vector<std::byte> smallFile() {
    static const std::vector<std::byte> bytes = [] {
        const TemporaryFile file;
        Recorded flight(3, 24, Flight::roomy(10));
        flight.rewind->setCheckpoint("here");
        flight.rewind->saveHistory(file.path());
        return readFile(file.path());
    }();
    return bytes;
}

}  // namespace

TEST_CASE("a history that was saved and loaded shows every frame as it was") {
    const auto seed = GENERATE(range(1, 9));
    const auto stretchFrames = GENERATE(as<std::size_t>(), 600, 7);
    const bool isRewound = GENERATE(false, true);
    CAPTURE(seed, stretchFrames, isRewound);
    const TemporaryFile file;
    Recorded flight(seed, 100, Flight::roomy(stretchFrames, seed % 2 == 0));
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
    // All but those that were never in, which no frame mentions.
    const std::vector<std::string> known = tool.describeOutside();
    CHECK(std::ranges::includes(outside, known));
    CHECK(known.size() + 3 > outside.size());
    checkAllFrames(flight, tool, static_cast<unsigned>(seed));
}

TEST_CASE("saving changes nothing, and what was done since the last frame is not in the file") {
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

TEST_CASE("play resumes from a loaded frame as it would have from the recorded one") {
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

TEST_CASE("a history that was resumed from its past again and again is saved as it came to be") {
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

TEST_CASE("entities that ceased to be rewindable are shown where they were") {
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

TEST_CASE("a history whose oldest frames were dropped is saved from the first one left") {
    const auto stretchFrames = GENERATE(as<std::size_t>(), 600, 7);
    const TemporaryFile file;
    RewindOptions options = Flight::roomy(stretchFrames);
    options.seconds = 0.5;
    Recorded flight(2, 100, options);
    REQUIRE(*flight.rewind->getOldestFrame() > 50);
    flight.rewind->saveHistory(file.path());
    Flight tool({.seconds = 0.1});
    tool.rewind->loadHistory(file.path());
    checkAllFrames(flight, tool, 1);
}

TEST_CASE("what a tool loaded and saves again is the same history") {
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

TEST_CASE("a history of one frame, and of no entities, can be saved and loaded") {
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

TEST_CASE("a file that is none, cut off, damaged or of another version changes nothing") {
    const std::vector<std::byte> good = smallFile();
    const TemporaryFile file;
    Flight tool;
    auto refuse = [&](const std::vector<std::byte>& bytes, const std::string& part) {
        writeFile(file.path(), bytes);
        checkRefused(tool.world, ErrorCode::BadArgument, {"loadHistory", file.path(), part},
                     [&] { tool.rewind->loadHistory(file.path()); });
        CHECK_FALSE(tool.rewind->getFrame());
        CHECK_FALSE(tool.rewind->isRewinding());
        CHECK(tool.world.getStats().componentTypes == 0);
    };
    refuse({}, "is cut off: it has only 0 bytes");
    std::vector<std::byte> bytes = good;
    bytes[3] = std::byte{'e'};
    refuse(bytes, "is no history file");
    bytes = good;
    bytes[8] = std::byte{2};
    refuse(bytes, "it has format 2, but this version reads 1");
    bytes = good;
    bytes.resize(bytes.size() / 2);
    refuse(bytes, "is cut off");
    bytes = good;
    bytes[bytes.size() / 2] ^= std::byte{4};
    refuse(bytes, "its checksum is wrong");
    checkRefused(tool.world, ErrorCode::BadArgument, {"cannot be read"},
                 [&] { tool.rewind->loadHistory("nowhere/no.history"); });
    checkRefused(tool.world, ErrorCode::WrongState, {"the history is empty"},
                 [&] { tool.rewind->saveHistory(file.path()); });
    writeFile(file.path(), good);
    tool.rewind->loadHistory(file.path());
    CHECK(tool.rewind->getFrame() == 24);
    checkRefused(tool.world, ErrorCode::BadArgument, {"cannot be written"},
                 [&] { tool.rewind->saveHistory("nowhere/no.history"); });
}

TEST_CASE("every truncation of a history file is refused") {
    const std::vector<std::byte> good = smallFile();
    for (std::size_t size = 0; size < good.size(); ++size) {
        CAPTURE(size);
        REQUIRE_THROWS_AS(parseHistory(std::span(good).first(size)), Error);
    }
    CHECK_NOTHROW(parseHistory(good));
}

TEST_CASE("every single damaged byte of a history file is found") {
    std::vector<std::byte> bytes = smallFile();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        CAPTURE(at);
        const std::byte good = bytes[at];
        for (const unsigned bits : {0x01U, 0x80U, 0xFFU}) {
            bytes[at] = good ^ static_cast<std::byte>(bits);
            REQUIRE_THROWS_AS(parseHistory(bytes), Error);
        }
        bytes[at] = good;
    }
}

TEST_CASE("a history is refused by a world that is in use or defines things otherwise") {
    const TemporaryFile file;
    writeFile(file.path(), smallFile());
    Flight tool;
    auto refuse = [&](ErrorCode code, std::initializer_list<std::string> parts) {
        checkRefused(tool.world, code, parts, [&] { tool.rewind->loadHistory(file.path()); });
        CHECK_FALSE(tool.rewind->getFrame());
    };
    SECTION("an entity") {
        tool.world.newEntity("mine");
        refuse(ErrorCode::WrongState, {"has 1 entity of its own", "world that was made for it"});
    }
    SECTION("an entity that was") {
        for (int i = 0; i < 3; ++i) tool.world.newEntity("mine").destroy();
        refuse(ErrorCode::WrongState, {"has had entities", "world that was made for it"});
    }
    SECTION("a history") {
        tool.ticks(2);
        checkRefused(tool.world, ErrorCode::WrongState, {"there is a history already"},
                     [&] { tool.rewind->loadHistory(file.path()); });
        CHECK(tool.rewind->getNewestFrame() == 2);
    }
    SECTION("a field of another type") {
        tool.world.defineComponent("HullCMP", {{"x", FieldType::F64}, {"y", FieldType::F32}});
        refuse(ErrorCode::WrongType, {"component 'HullCMP', field 'x'", "another type"});
    }
    SECTION("a field that is missing") {
        tool.world.defineComponent(
            "HullCMP", {{"x", FieldType::F32, {}, 1, false, Blend::Lerp}, {"y", FieldType::F32}});
        refuse(ErrorCode::WrongType, {"component 'HullCMP', field 'target'", "not in this world"});
    }
    SECTION("another order") {
        tool.world.defineComponent("GaugeCMP", {{"ticks", FieldType::I32}});
        refuse(ErrorCode::WrongState, {"component 'HullCMP' is the 1. that was defined"});
    }
    SECTION("another string") {
        tool.world.components().strings().intern("mine");
        refuse(ErrorCode::WrongState, {"the string 'mine' of this world has the number of"});
    }
    SECTION("the same definitions are welcome") {
        tool.define();
        tool.rewind->loadHistory(file.path());
        CHECK(stateHash(tool.world) == tool.rewind->frameHash(24));
    }
    SECTION("inside a tick") {
        tool.world.registerSystem("LoadSys", [&](World&, double) {
            CHECK_THROWS_AS(tool.rewind->loadHistory(file.path()), Error);
        });
        tool.ticks(1);
    }
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
        world.components().require("GaugeCMP").hooks = bodies;
    }
};

}  // namespace

TEST_CASE(
    "states of hooks that a tool does not have are kept, and are there for one that has them") {
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
    CHECK(closed.world.forest().pool.alive() == 0);
    CHECK(closed.world.validate().empty());
    closed.ticks(3);
    CHECK(closed.rewind->getNewestFrame() == 3);
}

TEST_CASE("listeners hear of what a loaded history brings") {
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
