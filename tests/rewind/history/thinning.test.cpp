// Where frames come faster than they can be packed, older ones are thinned; each that is kept is exact.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <map>
#include <random>

#include "rewind/file/history_file.hpp"
#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

// Everything that can happen happens; without a packer, so that the budget fills with frames as they are.
struct Thinned : Flight {
    struct Live {
        std::uint64_t hash;
        std::string text;
    };
    std::map<std::int64_t, Live> live;

    explicit Thinned(unsigned seed, const RewindOptions& options = tight(256)) : Flight(options) {
        define();
        world.setRandomSeed(seed);
        takeOff();
        for (int i = 0; i < 12; ++i) {
            Entity made = world.newEntity("first");
            made.addComponent<Hull>();
            world.addEntity(made);
        }
    }
    static RewindOptions tight(std::size_t kibibytes) {
        return {.seconds = 1e6, .bytes = kibibytes << 10, .blockFrames = 8, .pack = false};
    }
    // The hash of a frame is that of the world as it was recorded, before systems have ticked.
    void play(int count) {
        for (int i = 0; i < count; ++i) {
            ticks(1);
            const std::int64_t frame = *rewind->getFrame();
            live[frame] = {rewind->frameHash(frame), {}};
            REQUIRE(rewind->getMemory() <= rewind->getBudget().bytes);
        }
    }
    std::vector<std::int64_t> kept() {
        std::vector<std::int64_t> all;
        for (auto frame = *rewind->getOldestFrame(); frame <= *rewind->getNewestFrame(); ++frame)
            if (!rewind->isThinned(frame)) all.push_back(frame);
        return all;
    }
    // Each look at a frame shows the same as the first one did.
    void look(std::int64_t frame) {
        if (frame < *rewind->getOldestFrame()) return;  // dropped: the past takes some memory, too
        CAPTURE(frame, *rewind->getFrame());
        rewind->seek(frame);
        REQUIRE(rewind->getFrame() == frame);
        REQUIRE(stateHash(world) == live.at(frame).hash);
        REQUIRE(rewind->frameHash(frame) == live.at(frame).hash);
        REQUIRE(world.validate().empty());
        std::string text = describe();
        if (live.at(frame).text.empty()) live.at(frame).text = text;
        REQUIRE(text == live.at(frame).text);
    }
};

}  // namespace

TEST_CASE("every kept frame of a thinned history hashes as it did live", "[rewind][thinning]") {
    Thinned flight(GENERATE(1U, 2U, 3U), Thinned::tight(512));
    flight.rescopes = GENERATE(false, true);
    flight.play(1500);
    const HistoryStatistics statistics = flight.rewind->getStatistics();
    CAPTURE(statistics.kept, statistics.thinned, statistics.dropped);
    REQUIRE(statistics.thinned > statistics.kept);
    const auto kept = flight.kept();
    REQUIRE(kept.size() == statistics.kept);
    for (auto frame = kept.rbegin(); frame != kept.rend(); ++frame) flight.look(*frame);
    for (const std::int64_t frame : kept) flight.look(frame);
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) flight.look(kept[random() % kept.size()]);
}

TEST_CASE("older frames lie farther apart, and the recent past is complete", "[rewind][thinning]") {
    Thinned flight(5, Thinned::tight(704));
    flight.play(1500);
    const auto kept = flight.kept();
    CAPTURE(kept.size(), kept.front());
    const std::int64_t newest = kept.back();
    REQUIRE(kept.size() > 16);  // enough to tell
    // The block that is open is never thinned.
    for (auto frame = flight.rewind->getBlocks().back().first; frame <= newest; ++frame)
        CHECK_FALSE(flight.rewind->isThinned(frame));
    CHECK(newest - kept.front() > 4 * static_cast<std::int64_t>(kept.size()));
    CHECK(kept[1] - kept[0] > 4);
    for (std::size_t i = 1; i < kept.size(); ++i) CHECK(kept[i] - kept[i - 1] <= 64);
}

TEST_CASE("a thinned frame stands for the nearest kept one before it", "[rewind][thinning]") {
    Thinned flight(6, Thinned::tight(384));
    flight.play(1200);
    TimeRewindSys& rewind = *flight.rewind;
    const auto kept = flight.kept();
    std::size_t gap = kept.size() / 4;  // the oldest may go: moving through the past takes memory
    while (kept[gap] - kept[gap - 1] < 3) ++gap;
    const std::int64_t before = kept[gap - 1];
    rewind.seek(kept[gap] - 1);
    CHECK(rewind.getFrame() == before);
    CHECK(rewind.frameHash(kept[gap] - 1) == rewind.frameHash(before));
    CHECK(stateHash(flight.world) == rewind.frameHash(kept[gap] - 1));
    rewind.step(1);
    CHECK(rewind.getFrame() == kept[gap]);
    rewind.step(-1);
    CHECK(rewind.getFrame() == before);
    rewind.step(100000);
    CHECK(rewind.getFrame() == rewind.getNewestFrame());
    // Time moves through the gaps, never past what is kept.
    rewind.setSpeed(8);
    for (int i = 0; i < 40; ++i) {
        flight.ticks(1);
        CHECK_FALSE(rewind.isThinned(*rewind.getFrame()));
        CHECK(stateHash(flight.world) == rewind.frameHash(*rewind.getFrame()));
    }
}

TEST_CASE("checkpoints keep their frames", "[rewind][thinning]") {
    Thinned flight(7, Thinned::tight(512));
    for (int i = 0; i < 8; ++i) {
        flight.play(51);
        flight.rewind->setCheckpoint("c" + std::to_string(i));
    }
    flight.play(600);
    CAPTURE(flight.rewind->getOldestFrame().value_or(0));
    REQUIRE(flight.rewind->getStatistics().thinned > 300);
    int met = 0;
    for (const auto& [name, frame] : flight.rewind->getCheckpoints()) {
        CHECK_FALSE(flight.rewind->isThinned(frame));
        flight.rewind->seekCheckpoint(name);
        CHECK(flight.rewind->getFrame() == frame);
        ++met;
    }
    CHECK(met > 3);
}

TEST_CASE("play resumes from a thinned past, and the runs agree", "[rewind][thinning]") {
    Thinned flight(GENERATE(8U, 9U));
    flight.play(900);
    for (const std::size_t part : {1U, 2U, 3U}) {
        const auto kept = flight.kept();
        const std::int64_t frame = kept[part * kept.size() / 4];
        flight.look(frame);
        flight.rewind->stop();
        CHECK(flight.rewind->getNewestFrame() == frame);
        // Random numbers are part of the world: the same happens again.
        for (int i = 0; i < 40; ++i) {
            flight.ticks(1);
            const std::int64_t now = *flight.rewind->getFrame();
            const std::uint64_t hash = flight.rewind->frameHash(now);
            REQUIRE(flight.live.try_emplace(now, Thinned::Live{hash, {}}).first->second.hash ==
                    hash);
        }
        flight.play(400);
        for (const std::int64_t each : flight.kept()) flight.look(each);
        flight.rewind->seek(*flight.rewind->getNewestFrame());
        flight.rewind->stop();
    }
}

TEST_CASE("a thinned history is saved and loaded, frame by frame the same", "[rewind][thinning]") {
    Thinned flight(10);
    flight.rescopes = true;
    flight.play(900);
    const auto recorded = flight.kept();
    flight.rewind->seek(recorded[recorded.size() / 2]);
    const auto kept =
        flight.kept();  // the past takes some memory: the seek may have dropped frames
    REQUIRE(kept.size() > recorded.size() / 2);
    const auto bytes = writeHistory(flight.rewind->takeHistory());
    Flight tool;
    tool.rewind->openHistory(parseHistory(bytes));
    CHECK(tool.rewind->getFrame() == flight.rewind->getFrame());
    for (auto frame = kept.front(); frame <= kept.back(); ++frame) {
        REQUIRE(tool.rewind->isThinned(frame) == flight.rewind->isThinned(frame));
        if (flight.rewind->isThinned(frame)) continue;
        REQUIRE(tool.rewind->frameHash(frame) == flight.live.at(frame).hash);
    }
    for (const std::size_t i : {std::size_t{0}, kept.size() - 1, std::size_t{1}, kept.size() / 3}) {
        CAPTURE(kept[i]);
        tool.rewind->seek(kept[i]);
        flight.rewind->seek(kept[i]);
        CHECK(stateHash(tool.world) == flight.live.at(kept[i]).hash);
        CHECK(tool.describe() == flight.describe());
        CHECK(tool.world.validate().empty());
    }
    // What a file says of frames that are not there is checked.
    auto damaged = bytes;
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        damaged = bytes;
        damaged[random() % damaged.size()] ^= static_cast<std::byte>(1U << (random() % 8));
        try {
            parseHistory(damaged, {.checksums = false});
        } catch (const Error&) {
            continue;
        }
    }
}

TEST_CASE("overload leaves a long past within the budget, however far behind packing is",
          "[rewind][thinning][alone]") {
    struct Body {
        float x, y, vx, vy;
    };
    // Frames as they are would fill the budget with some two dozen, or with less than one dozen.
    const std::size_t bytes = GENERATE(std::size_t{16} << 20, std::size_t{6500} << 10);
    CAPTURE(bytes);
    World world;
    world.defineComponent<Body>("BodyCMP", {field("x", &Body::x), field("y", &Body::y),
                                            field("vx", &Body::vx), field("vy", &Body::vy)});
    auto rewind =
        std::make_shared<TimeRewindSys>(world, RewindOptions{.seconds = 1e6, .bytes = bytes});
    world.registerSystem(rewind);
    world.registerSystem("MoveSys", [bodies = world.view<Body>()](World& in, double) {
        bodies.each([&](Body& body) {
            body.vx += static_cast<float>(in.random()) - 0.5F;
            body.vy += static_cast<float>(in.random()) - 0.5F;
            body.x += body.vx;
            body.y += body.vy;
        });
    });
    for (int i = 0; i < 10000; ++i) {
        Entity body = world.newEntity("body");
        body.addComponent<Body>({1, 2, 3, 4});
        world.addEntity(body);
    }
    std::map<std::int64_t, std::uint64_t> live;
    for (int i = 0; i < 400; ++i) {
        world.update(1.0 / 60);
        live[*rewind->getFrame()] = rewind->frameHash(*rewind->getFrame());
        REQUIRE(rewind->getMemory() <= bytes);
        // At no time is all lost.
        REQUIRE(*rewind->getNewestFrame() - *rewind->getOldestFrame() >= std::min(i, 40));
    }
    const HistoryStatistics statistics = rewind->getStatistics();
    CAPTURE(statistics.kept, statistics.thinned, statistics.waiting, statistics.dropped);
    const std::int64_t span = *rewind->getNewestFrame() - *rewind->getOldestFrame();
    if (bytes > std::size_t{8} << 20) {
        CHECK(span > 60);
        // Where packing keeps up, none need be thinned: most are packed.
        CHECK((statistics.thinned > 0 || statistics.waiting * 2 < statistics.kept));
    }
    for (auto frame = *rewind->getNewestFrame(); frame > *rewind->getOldestFrame();) {
        rewind->step(-1);
        REQUIRE(*rewind->getFrame() < frame);
        frame = *rewind->getFrame();
        REQUIRE(stateHash(world) == live.at(frame));
    }
}
