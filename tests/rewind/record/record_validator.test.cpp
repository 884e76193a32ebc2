// What the validator of a history finds, and when it runs by itself.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "rewind/record/recorder.hpp"
#include "tests/rewind/stage.hpp"
#include "tests/world/assertions.hpp"
#include "world/core/restorer.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;
using Catch::Matchers::StartsWith;

namespace {

// A history in which an entity came in with the second frame.
struct Broken : Stage {
    Entity entity;

    Broken() {
        ticks(1);
        entity = spawn("late");
        ticks(3);
    }
    Recorder& recorder() { return WorldCore::of(world).observer<Recorder>(); }
    EntityRecord& record() { return WorldCore::of(world).forest().pool.at(entity.getId().index); }
    bool finds(const std::string& part) {
        const auto problems = rewind->validate();
        return std::ranges::any_of(problems, [&](const std::string& problem) {
            return problem.find(part) != std::string::npos;
        });
    }
    // A frame with the entity's arrival counts as dropped, though it is kept.
    void forgetArrival() { recorder().forget(std::vector{Crossing{2, entity.getId(), {}}}); }
};

}  // namespace

TEST_CASE("the validator of a history compares its references with the frames",
          "[rewind][record][validator]") {
    Broken broken;
    REQUIRE(broken.rewind->validate().empty());
    SECTION("one that is counted once too few") {
        broken.forgetArrival();
        CHECK(broken.finds("'late'"));
        CHECK(broken.finds("is mentioned 1 times by the frames, but the history counts 0"));
        broken.recorder().stop();
    }
    SECTION("one that was given back") {
        Restorer::setRemembered(broken.record(), false);
        CHECK(broken.finds("is known to the history without its reference"));
        Restorer::setRemembered(broken.record(), true);
    }
    SECTION("one that no frame asked for") {
        Entity other = broken.world.newEntity("other");
        EntityRecord& record = WorldCore::of(broken.world).forest().pool.at(other.getId().index);
        Restorer::setRemembered(record, true);
        CHECK(broken.finds("has a reference of the history, which does not know it"));
        Restorer::setRemembered(record, false);
    }
}

TEST_CASE("the validator of a history compares places and copies with the world",
          "[rewind][record][validator]") {
    Broken broken;
    EntityRecord& record = broken.record();
    ++record.serial;
    CHECK(broken.finds("has another place than the history noted"));
    CHECK(broken.finds("has another owner or hash"));
    --record.serial;
    CHECK(broken.rewind->validate().empty());
}

TEST_CASE("the validator of a history finds an entity that is unborn by mistake",
          "[rewind][record][validator]") {
    Broken broken;
    Entity made = broken.world.newEntity("made a tick before it comes in");
    broken.ticks(1);
    broken.world.addEntity(made);
    broken.ticks(2);
    broken.rewind->seek(1);
    REQUIRE(broken.rewind->validate().empty());
    REQUIRE(made.getState() == EntityState::Unborn);
    const Clock clock = broken.recorder().births().clock();
    broken.recorder().births().setClock(clock + 1000);
    CHECK(broken.finds("is unborn at a frame that has it, or the reverse"));
    broken.recorder().births().setClock(clock);
}

TEST_CASE("a validating build validates the history with each frame that is recorded or shown",
          "[rewind][record][validator]") {
    if (!validating) SKIP("only validating builds do");
    const ThrowingAssertions assertions;
    auto says = [](auto call) {
        try {
            call();
        } catch (const AssertionFailed& failed) {
            return std::string(failed.what());
        }
        return std::string("nothing");
    };
    const std::string sentence = "the history is inconsistent: 'late'";
    Broken recorded;
    recorded.forgetArrival();
    CHECK_THAT(says([&] { recorded.ticks(1); }), StartsWith(sentence));
    recorded.recorder().stop();
    Broken shown;
    shown.forgetArrival();
    CHECK_THAT(says([&] { shown.rewind->seek(3); }), StartsWith(sentence));
    shown.recorder().stop();
}
