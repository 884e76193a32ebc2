// States that live outside of the world: hooks of components and of systems.
// Over 300 lines: a list of independent claims about one stage.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "rewind/file/history_file.hpp"
#include "tests/rewind/stage.hpp"
#include "world/outside_hooks.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {

// A body in a physics engine, say: what the component holds is only its number.
struct Body {
    std::uint32_t number = 0;
};
class Bodies final : public ComponentHooks {
public:
    std::map<std::uint32_t, int> heights;
    std::uint32_t refusing = 0;  // the number of the body whose hooks fail
    int answers = -1;            // so many states are given, the next one fails; -1: all are given

    void getRewindState(EntityId, const std::byte* component,
                        std::vector<std::byte>& into) override {
        if (answers == 0) fail(ErrorCode::WrongState, "the body will not tell");
        if (answers > 0) --answers;
        const auto bytes = std::as_bytes(std::span(&heights.at(numberOf(component)), 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void restoreRewindState(EntityId, std::byte* component,
                            std::span<const std::byte> state) override {
        if (numberOf(component) == refusing) fail(ErrorCode::WrongState, "the body will not move");
        std::memcpy(&heights[numberOf(component)], state.data(), sizeof(int));
    }
    bool lerpRewindState(EntityId, const std::byte* component, std::span<const std::byte> now,
                         std::span<const std::byte> next, double part,
                         std::vector<std::byte>& into) override {
        if (numberOf(component) == refusing) fail(ErrorCode::WrongState, "nothing lies between");
        int from = 0;
        int to = 0;
        std::memcpy(&from, now.data(), sizeof from);
        std::memcpy(&to, next.data(), sizeof to);
        const double between = from + (to - from) * part;
        const auto bytes = std::as_bytes(std::span(&between, 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
        return true;
    }
    std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
        std::uint64_t hash = 17;
        for (const std::byte byte : state) hash = hash * 31 + static_cast<std::uint64_t>(byte);
        return hash;
    }

private:
    static std::uint32_t numberOf(const std::byte* component) {
        Body body;
        std::memcpy(&body, component, sizeof body);
        return body.number;
    }
};

// A stage with bodies that fall.
struct Physics : Stage {
    std::shared_ptr<Bodies> bodies = std::make_shared<Bodies>();
    std::map<std::uint32_t, int> falls;  // by how much per tick

    explicit Physics(const RewindOptions& options = {}) : Stage(options) {
        world.defineComponent<Body>("BodyCMP", {field("number", &Body::number)});
        world.setRewindHooks("BodyCMP", bodies);
        world.registerSystem("FallSys", [this](World&, double) {
            for (const auto& [number, by] : falls) bodies->heights[number] -= by;
        });
    }
    Entity spawnBody(const char* name, std::uint32_t number, int height, int fallsBy) {
        bodies->heights[number] = height;
        falls[number] = fallsBy;
        Entity entity = spawn(name);
        entity.addComponent<Body>({number});
        return entity;
    }
};

// A system with a state of its own.
class CountSys final : public System {
public:
    int count = 0;

    explicit CountSys(World& world) : System(world, "CountSys") {}
    bool hasRewindState() const override { return true; }
    void getRewindState(std::vector<std::byte>& into) override {
        const auto bytes = std::as_bytes(std::span(&count, 1));
        into.insert(into.end(), bytes.begin(), bytes.end());
    }
    void restoreRewindState(std::span<const std::byte> state) override {
        std::memcpy(&count, state.data(), sizeof count);
    }
    bool lerpRewindState(std::span<const std::byte> now, std::span<const std::byte>, double part,
                         std::vector<std::byte>& into) override {
        into.assign(now.begin(), now.end());
        into.push_back(static_cast<std::byte>(part * 100));
        return true;
    }

protected:
    void onTick(double) override { ++count; }
};

}  // namespace

TEST_CASE("what lives elsewhere is rewound by its hooks, and a refusal changes nothing",
          "[rewind][record]") {
    Physics stage(smallBlocks());
    stage.spawnBody("ship", 4, 100, 2);
    stage.ticks(30);
    stage.rewind->finishPacking();
    CHECK(stage.bodies->heights[4] == 40);
    stage.rewind->seek(10);
    CHECK(stage.bodies->heights[4] == 82);
    CHECK(stage.isExact());
    stage.bodies->refusing = 4;
    CHECK_THROWS_WITH(stage.rewind->seek(20), ContainsSubstring("will not move"));
    CHECK(stage.rewind->getFrame() == 10);
    CHECK(stage.bodies->heights[4] == 82);
    CHECK(stage.isExact());
    stage.bodies->refusing = 0;
    stage.bodies->heights[4] = 0;  // written while the past is shown: the next seek discards it
    stage.rewind->seek(11);
    CHECK(stage.bodies->heights[4] == 80);
    CHECK(stage.isExact());
}

TEST_CASE(
    "a state that was written since the last frame, as the frame sought has it, is that of the "
    "frame",
    "[rewind][record]") {
    Physics stage(smallBlocks());
    stage.spawnBody("ship", 4, 1, 0);
    stage.ticks(5);
    stage.bodies->heights[4] = 0;
    stage.ticks(5);
    stage.bodies->heights[4] =
        1;  // in no frame: undone when rewinding begins, and sought again at once
    stage.rewind->seek(3);
    CHECK(stage.bodies->heights[4] == 1);
    CHECK(stage.isExact());
    stage.rewind->seek(8);
    CHECK(stage.bodies->heights[4] == 0);
    CHECK(stage.isExact());
}

TEST_CASE("one hook of several that fails leaves all the others, and the world, as they were",
          "[rewind][record]") {
    Physics stage;
    for (std::uint32_t number = 1; number <= 5; ++number) stage.spawnBody("body", number, 1000, 1);
    stage.ticks(10);
    Entity late = stage.spawnBody("late", 6, 1000, 1);
    stage.ticks(10);
    stage.rewind->seek(15);
    const auto before = stage.bodies->heights;
    for (std::uint32_t number = 1; number <= 5; ++number) {
        stage.bodies->refusing = number;
        CHECK_THROWS_WITH(stage.rewind->seek(4), ContainsSubstring("will not move"));
        CHECK(stage.bodies->heights == before);
        CHECK(stage.rewind->getFrame() == 15);
        CHECK(late.getState() == EntityState::Managed);
        CHECK(stage.isExact());
        CHECK(stage.world.validate().empty());
    }
    stage.bodies->refusing = 0;
    stage.rewind->seek(4);
    CHECK(stage.bodies->heights.at(1) == before.at(1) + 11);
    CHECK(late.getState() == EntityState::Unborn);
    CHECK(stage.isExact());
}

TEST_CASE("a hook that fails while rewinding begins leaves the game playing", "[rewind][record]") {
    Physics stage;
    stage.spawnBody("body", 1, 1000, 1);
    stage.ticks(10);
    int told = 0;
    stage.world.on("rewindStarted", [&](const Event&) { ++told; });
    stage.world.on("rewindEnded", [&](const Event&) { ++told; });
    stage.bodies->refusing = 1;
    CHECK_THROWS_WITH(stage.rewind->seek(4), ContainsSubstring("will not move"));
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.world.isInPast());
    CHECK(told == 0);
    stage.bodies->refusing = 0;
    stage.ticks(3);
    CHECK(stage.rewind->getNewestFrame() == 13);
    for (const std::int64_t frame : {4, 10, 13}) {
        stage.rewind->seek(frame);
        CHECK(stage.isExact());
    }
}

TEST_CASE("a seek from play that a hook cancels loses nothing and leaves no trace",
          "[rewind][record]") {
    // Plays the same in both; in one of them rewinding is tried and refused on the way.
    auto play = [](Physics& stage, bool tries) {
        int added = 0;
        stage.world.on("entityAdded", [&](const Event&) { ++added; });
        Entity first = stage.spawnBody("first", 1, 1000, 1);
        Entity second = stage.spawnBody("second", 2, 1000, 3);
        stage.ticks(12);
        auto refuse = [&](std::int64_t frame) {
            if (!tries) return;
            stage.bodies->refusing = 1;
            CHECK_THROWS_WITH(stage.rewind->seek(frame), ContainsSubstring("will not move"));
            stage.bodies->refusing = 0;
            CHECK_FALSE(stage.rewind->isRewinding());
            CHECK(stage.world.validate().empty());
        };
        first.getComponent<Position>().x = 77;
        stage.bodies->heights[2] = 5;
        stage.world.removeEntity(second);
        Entity third = stage.spawn("third");
        refuse(3);
        CHECK(first.getComponent<const Position>().x == 77);
        CHECK(stage.bodies->heights[2] == 5);
        CHECK(third.getState() == EntityState::PendingAdd);  // it still waits
        CHECK(second.getState() == EntityState::PendingRemove);
        first.getComponent<Position>().angle = 3;
        stage.spawn("fourth", third);
        refuse(5);  // again, before the next frame
        CHECK(first.getComponent<const Position>().angle == 3);
        stage.ticks(5);
        third.removeComponent<Position>();
        refuse(1);
        stage.ticks(20);
        // Right after play was resumed, before the frame is shown once more.
        stage.rewind->seek(30);
        stage.rewind->stop();
        first.getComponent<Position>().x = -1;
        stage.world.removeEntity(third);
        refuse(2);
        stage.ticks(10);
        return added;
    };
    Physics plain(smallBlocks());
    Physics tried(smallBlocks());
    CHECK(play(plain, false) == play(tried, true));
    CHECK(plain.names() == tried.names());
    REQUIRE(plain.rewind->getNewestFrame() == tried.rewind->getNewestFrame());
    for (std::int64_t frame = *plain.rewind->getNewestFrame(); frame > 0; --frame) {
        CAPTURE(frame);
        REQUIRE(plain.rewind->frameHash(frame) == tried.rewind->frameHash(frame));
        tried.rewind->seek(frame);
        REQUIRE(tried.isExact());
        REQUIRE(tried.world.validate().empty());
    }
}

TEST_CASE("a tick whose seek a hook calls off has its frame like any other", "[rewind][record]") {
    auto play = [](Physics& stage, bool tries) {
        stage.spawnBody("body", 1, 1000, 1);
        bool isAsked = false;
        stage.world.registerSystem("AskSys", [&](World&, double) {
            if (std::exchange(isAsked, false)) stage.rewind->seek(3);
        });
        stage.ticks(10);
        isAsked = tries;
        stage.ticks(1);
        stage.bodies->refusing = tries ? 1 : 0;
        if (tries)
            CHECK_THROWS_WITH(stage.ticks(1), ContainsSubstring("will not move"));
        else
            stage.ticks(1);
        stage.bodies->refusing = 0;
        stage.ticks(10);
        stage.world.unregisterSystem(*stage.world.getSystem("AskSys"));
    };
    Physics plain;
    Physics tried;
    play(plain, false);
    play(tried, true);
    REQUIRE(tried.rewind->getNewestFrame() == plain.rewind->getNewestFrame());
    for (std::int64_t frame = 1; frame <= *plain.rewind->getNewestFrame(); ++frame) {
        CAPTURE(frame);
        CHECK(tried.rewind->frameHash(frame) == plain.rewind->frameHash(frame));
    }
}

TEST_CASE("what was done before a seek was called off cannot be saved until it is in a frame",
          "[rewind][record]") {
    Physics stage;
    stage.spawnBody("body", 1, 1000, 1);
    stage.ticks(5);
    stage.bodies->refusing = 1;
    CHECK_THROWS(stage.rewind->seek(2));
    CHECK_THROWS_WITH(stage.rewind->takeHistory(), ContainsSubstring("after the next tick"));
    stage.bodies->refusing = 0;
    stage.ticks(1);
    CHECK_NOTHROW(stage.rewind->takeHistory());
    // Nor does it outlive the history.
    stage.bodies->refusing = 1;
    CHECK_THROWS(stage.rewind->seek(2));
    stage.rewind->clear();
    stage.bodies->refusing = 0;
    stage.ticks(3);
    stage.rewind->seek(*stage.rewind->getOldestFrame());
    CHECK(stage.isExact());
}

TEST_CASE("a system's own state is rewound, and counts for the hash", "[rewind][record]") {
    Stage stage(smallBlocks());
    auto counter = std::make_shared<CountSys>(stage.world);
    stage.world.registerSystem(counter);
    stage.ticks(40);
    stage.rewind->finishPacking();
    stage.rewind->seek(7);
    CHECK(counter->count == 6);
    CHECK(stage.isExact());
    stage.rewind->stop();
    stage.ticks(3);
    CHECK(counter->count == 9);
    stage.rewind->seek(9);
    CHECK(counter->count == 8);
}

TEST_CASE("between two frames hooks say what to draw, and what they say changes nothing",
          "[rewind][record]") {
    Physics stage(smallBlocks());
    auto counter = std::make_shared<CountSys>(stage.world);
    stage.world.registerSystem(counter);
    Entity ship = stage.spawnBody("ship", 4, 100, 2);
    Entity rock = stage.spawnBody("rock", 5, 7, 0);
    Entity bare = stage.spawn("bare");
    stage.ticks(20);
    CHECK_FALSE(stage.rewind->getDisplayState(ship, "BodyCMP"));  // in play nothing lies between
    stage.rewind->start();
    stage.rewind->setSpeed(0.25);
    stage.ticks(1);
    REQUIRE(stage.rewind->getBlend() == Catch::Approx(0.75));
    const auto between = stage.rewind->getDisplayState(ship, "BodyCMP");
    REQUIRE(between);
    double height = 0;
    std::memcpy(&height, between->data(), sizeof height);
    CHECK(height == stage.bodies->heights[4] - 1.5);
    CHECK_FALSE(stage.rewind->getDisplayState(rock, "BodyCMP"));  // the same in both frames
    CHECK_FALSE(stage.rewind->getDisplayState(bare, "BodyCMP"));
    const auto count = stage.rewind->getDisplayState(*counter);
    REQUIRE(count);
    REQUIRE(count->size() == sizeof(int) + 1);
    CHECK(std::memcmp(count->data(), &counter->count, sizeof(int)) == 0);
    CHECK(count->back() == std::byte{75});
    CHECK(stage.isExact());

    stage.bodies->refusing = 4;
    CHECK_THROWS_WITH(stage.rewind->getDisplayState(ship, "BodyCMP"),
                      ContainsSubstring("nothing lies between"));
    CHECK(stage.isExact());
    stage.bodies->refusing = 0;
    stage.rewind->seek(10);
    CHECK_FALSE(stage.rewind->getDisplayState(ship, "BodyCMP"));  // a frame is what it is
}

TEST_CASE("a tick in the past whose restore a hook calls off leaves the time at its frame",
          "[rewind][record]") {
    Physics stage(smallBlocks());
    stage.spawnBody("ship", 4, 100, 2);
    stage.ticks(5);
    stage.rewind->seek(1);
    REQUIRE(stage.world.getTick() == 1);
    stage.bodies->heights[4] = 0;  // so that its state is put back
    stage.bodies->refusing = 4;
    CHECK_THROWS_WITH(stage.ticks(1), ContainsSubstring("will not move"));
    CHECK(stage.rewind->getFrame() == 1);
    CHECK(stage.world.getTick() == 1);
    CHECK(stage.world.getTime() == 1.0 / 64);
}

TEST_CASE("a hook sees the same time when its frame is recorded once more", "[rewind][record]") {
    class Clockwork final : public System {
    public:
        explicit Clockwork(World& world) : System(world, "Clockwork") {}
        bool hasRewindState() const override { return true; }
        void getRewindState(std::vector<std::byte>& into) override {
            const double now[] = {getWorld().getTime(), static_cast<double>(getWorld().getTick())};
            const auto bytes = std::as_bytes(std::span(now));
            into.insert(into.end(), bytes.begin(), bytes.end());
        }

    protected:
        void onTick(double) override {}
    };
    Stage stage;
    stage.world.registerSystem(std::make_shared<Clockwork>(stage.world));
    stage.ticks(5);
    const std::uint64_t before = stage.rewind->frameHash(3);
    stage.rewind->seek(3);
    stage.rewind->stop();
    stage.ticks(1);
    CHECK(stage.rewind->getFrame() == 3);
    CHECK(stage.rewind->frameHash(3) == before);
}

TEST_CASE("a resource that was set before the hook of a waiting component failed is rewound",
          "[rewind]") {
    Physics stage;
    stage.ticks(2);
    Entity late = stage.world.newEntity("late");
    late.addComponent<Body>({9});
    stage.bodies->heights[9] = 0;
    stage.world.addEntity(late);
    stage.world.setResource("score", Value(std::int64_t{1}), {.rewind = true});
    for (const int answers : {0, 1, 2, 3}) {
        CAPTURE(answers);
        stage.bodies->answers = answers;
        try {
            stage.rewind->seek(2);
        } catch (const Error&) {
            CHECK_FALSE(stage.rewind->isRewinding());
            continue;
        }
        CHECK(stage.world.getResource<Value>("score") == nullptr);
        CHECK(stage.isExact());
    }
    CHECK(stage.rewind->isRewinding());
}

TEST_CASE("a state of an entity that is out is compared as often, however many are in",
          "[rewind][record]") {
    struct Page {
        std::uint8_t number = 0;
    };
    struct Pages final : ComponentHooks, OutsideHooks {
        std::map<EntityId, std::byte> written;

        void getRewindState(EntityId owner, const std::byte*,
                            std::vector<std::byte>& into) override {
            into.push_back(written[owner]);
        }
        void restoreRewindState(EntityId owner, std::byte*,
                                std::span<const std::byte> state) override {
            written[owner] = state[0];
        }
        void getOutsideStates(std::span<const HookedComponent> components,
                              OutsideSink& sink) override {
            getRewindStates(components, sink);
        }
        void restoreOutsideState(EntityId owner, std::byte* component,
                                 std::span<const std::byte> state) override {
            restoreRewindState(owner, component, state);
        }
        std::uint64_t hashRewindState(std::span<const std::byte> state) const override {
            return std::to_integer<std::uint64_t>(state[0]);
        }
    };
    Stage stage;
    const auto pages = std::make_shared<Pages>();
    stage.world.defineComponent<Page>("PageCMP", {field("number", &Page::number)});
    stage.world.setRewindHooks("PageCMP", pages);
    std::vector<Entity> all;
    for (int i = 0; i < 500; ++i) {
        all.push_back(stage.spawn("book"));
        all.back().addComponent<Page>();
    }
    stage.ticks(2);
    for (const std::size_t i : {0, 1, 2, 100, 101, 200, 300, 400, 498, 499})
        stage.world.removeEntity(all[i]);
    stage.ticks(3);
    for (const std::size_t i : {0, 2, 200, 499}) {
        CAPTURE(i);
        const std::byte before = pages->written[all[i].getId()];
        pages->written[all[i].getId()] = std::byte{7};
        stage.ticks(2);  // 10 that are out, 8 in each frame
        const std::int64_t since = *stage.rewind->getFrame();
        stage.rewind->seek(since - 2);
        CHECK(pages->written[all[i].getId()] == before);
        stage.rewind->seek(since);
        CHECK(pages->written[all[i].getId()] == std::byte{7});
        stage.rewind->stop();
        stage.ticks(1);
    }
}
