// For what a rewind calls listeners, and what they and hooks may do during it.
// Over 300 lines: a list of independent claims about one stage.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <functional>
#include <memory>
#include <stdexcept>

#include "rewind/file/history_file.hpp"
#include "tests/rewind/stage.hpp"

using namespace revenant;

namespace {

// Which entities came, went and returned, as listeners are called.
void listen(World& world, std::string& heard) {
    for (const char* event : {"entityAdded", "entityRemoved", "entityResurrected"})
        world.on(event, [&heard, event](const Event& told) {
            heard += std::string(event) + ":" + std::string(told.name) + " ";
        });
}

}  // namespace

TEST_CASE("pending requests are dropped at a restore, and listeners hear the net difference",
          "[rewind]") {
    Stage stage;
    Entity old = stage.spawn("old");
    stage.ticks(3);
    Entity asked = stage.spawn("asked");
    stage.world.removeEntity(old);
    std::string heard;
    listen(stage.world, heard);
    stage.rewind->seek(3);
    CHECK(stage.names() == "old ");
    CHECK(old.getState() == EntityState::Managed);
    CHECK_FALSE(asked.isValid());
    CHECK(heard.empty());
}

TEST_CASE("listeners hear of what a restore brings back and takes away, once", "[rewind]") {
    Stage stage;
    Entity old = stage.spawn("old");
    stage.ticks(5);
    stage.world.removeEntity(old);
    stage.spawn("new");
    stage.ticks(5);
    std::string heard;
    listen(stage.world, heard);
    stage.rewind->seek(3);
    CHECK(heard == "entityRemoved:new entityResurrected:old ");
    heard.clear();
    stage.rewind->seek(8);
    CHECK(heard == "entityRemoved:old entityAdded:new ");
    heard.clear();
    stage.rewind->seek(7);
    CHECK(heard.empty());
}

TEST_CASE("a listener may update and rewind again while rewinding ends", "[rewind]") {
    Stage stage;
    Entity entity = stage.spawn("entity");
    stage.ticks(10);
    int heard = 0;
    stage.world.on("rewindEnded", [&](const Event&) {
        if (++heard > 4) return;
        stage.ticks(2);
        if (stage.rewind->getFrame()) stage.rewind->start();
    });
    stage.rewind->seek(4);
    stage.rewind->stop();
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getNewestFrame() == 5);
    stage.rewind->seek(2);
    stage.rewind->clear();
    CHECK(heard == 2);
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getOldestFrame() == stage.rewind->getFrame().value() - 1);
    stage.rewind->stop();
    CHECK(entity.getState() == EntityState::Managed);
}

TEST_CASE("what a listener of rewindStarted asks of time waits for the next tick", "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    const std::string asked = GENERATE("seek", "step", "stop", "start", "seek and stop");
    CAPTURE(asked);
    int heard = 0;
    stage.world.on("rewindStarted", [&](const Event&) {
        ++heard;
        if (asked.starts_with("seek")) stage.rewind->seek(3);
        if (asked == "step") stage.rewind->step(-2);
        if (asked.ends_with("stop")) stage.rewind->stop();
        if (asked == "start") stage.rewind->start();
    });
    stage.rewind->seek(8);
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getFrame() == 8);
    const bool replaces = GENERATE(false, true);
    if (replaces) stage.rewind->seek(9);
    CHECK(heard == 1);
    const std::int64_t from = replaces ? 9 : 8;
    stage.ticks(1);
    CHECK(heard == 1);
    const bool isResumed = asked.ends_with("stop") && !replaces;
    CHECK(stage.rewind->isRewinding() != isResumed);
    std::int64_t expected = from - 1;  // time goes back
    if (!replaces && asked.starts_with("seek")) expected = 3;
    if (!replaces && asked == "step") expected = 6;
    if (!replaces && asked == "stop") expected = 8;
    CHECK(stage.rewind->getFrame() == expected);
    CHECK(stage.world.validate().empty());
}

TEST_CASE("a listener that drops all frames while time moves back ends the rewind", "[rewind]") {
    Stage stage;
    stage.spawn("first");
    stage.ticks(10);
    stage.spawn("second");
    stage.ticks(10);
    stage.world.on("entityRemoved", [&](const Event&) { stage.rewind->clear(); });
    stage.rewind->start();
    stage.rewind->setSpeed(20);
    stage.ticks(1);
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.ticks(3);
    CHECK(stage.names() == "first ");
    CHECK(stage.rewind->getNewestFrame().has_value());
}

TEST_CASE("a listener of a seek may reset the world: it is empty, and play begins anew",
          "[rewind]") {
    const char* event = GENERATE("entityRemoved", "entityResurrected", "rewindStarted");
    const bool isInTick = GENERATE(false, true);
    CAPTURE(event, isInTick);
    Stage stage;
    Entity first = stage.spawn("first");
    stage.ticks(5);
    stage.world.removeEntity(first);
    stage.spawn("second");
    stage.ticks(5);
    int resets = 0;
    stage.world.on(event, [&](const Event&) {
        stage.world.reset();
        ++resets;
    });
    if (isInTick)
        stage.world.registerSystem("SeekSys", [&](World&, double) { stage.rewind->seek(3); });
    else
        stage.rewind->seek(3);
    stage.ticks(2);  // it acts after the tick, or at the next reconcile
    CHECK(resets == 1);
    CHECK(stage.names().empty());
    CHECK(first.getState() == EntityState::Destroyed);
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.world.isInPast());
    CHECK(stage.world.validate().empty());
    CHECK(stage.rewind->validate().empty());
    const auto again = std::make_shared<TimeRewindSys>(stage.world);
    stage.world.registerSystem(again);
    stage.spawn("third");
    stage.ticks(3);
    CHECK(stage.names() == "third ");
    again->seek(*again->getOldestFrame());
    CHECK(stateHash(stage.world) == again->frameHash(*again->getFrame()));
    CHECK(again->validate().empty());
}

TEST_CASE("errors of listeners wait until a restore is done, and are thrown then", "[rewind]") {
    Stage stage;
    Entity parent = stage.spawn("parent");
    stage.ticks(5);
    for (int i = 0; i < 6; ++i) {
        stage.spawn("child", parent);
        stage.ticks(2);
    }
    int raised = 0;
    for (const char* event : {"entityAdded", "entityRemoved", "entityDestroyed"})
        stage.world.on(event, [&](const Event&) {
            ++raised;
            throw std::runtime_error("a listener's");
        });
    auto check = [&] {
        CHECK(stage.isExact());
        CHECK(stage.world.validate().empty());
    };
    Entity shortLived = stage.spawn("short-lived");  // in no frame: it goes while rewinding begins
    CHECK_THROWS_AS(stage.rewind->seek(9), std::runtime_error);
    CHECK(stage.rewind->getFrame() == 9);
    CHECK(shortLived.getState() == EntityState::Destroyed);
    check();
    CHECK_THROWS_AS(stage.rewind->seek(14), std::runtime_error);
    check();
    CHECK_THROWS_AS(stage.rewind->seek(7), std::runtime_error);
    CHECK_THROWS_AS(stage.rewind->stop(), std::runtime_error);
    CHECK_FALSE(stage.rewind->isRewinding());
    CHECK_FALSE(stage.world.isInPast());
    check();
    CHECK(raised > 6);
    stage.ticks(1);
    stage.spawn("another");
    CHECK_THROWS_AS(stage.world.update(1.0 / 64), std::runtime_error);
    CHECK(stage.rewind->getNewestFrame() == 8);
    stage.world.reconcile();
}

TEST_CASE("a frame is what its reconcile left, whatever listeners ask for at once", "[rewind]") {
    struct Heat {
        float degrees = 20;
    };
    Stage stage;
    stage.world.defineComponent<Heat>("HeatCMP", {field("degrees", &Heat::degrees)});
    Entity parent = stage.spawn("parent");
    Entity old = stage.spawn("old");
    stage.ticks(3);
    // Whatever gets a component, or comes in, loses and gets others before the frame is taken.
    auto toggle = [](Entity entity) {
        if (entity.hasComponent("HeatCMP"))
            entity.removeComponent("HeatCMP");
        else
            entity.addComponent<Heat>();
        entity.setEnabled(!entity.isEnabled());
    };
    const auto bound = stage.world.on("componentAdded", [&](const Event& event) {
        if (event.entity == old) toggle(old);
    });
    const auto added = stage.world.on("entityAdded", [&](const Event& event) {
        toggle(event.entity);
        parent.addChild(event.entity);
    });
    old.addComponent<Heat>();
    Entity fresh = stage.spawn("fresh");
    Entity warm = stage.world.newEntity("warm");
    warm.addComponent<Heat>({70});
    stage.world.addEntity(warm);
    stage.ticks(1);
    stage.world.off(bound);
    stage.world.off(added);
    stage.ticks(4);
    const std::int64_t newest = *stage.rewind->getNewestFrame();
    for (std::int64_t frame = newest; frame >= *stage.rewind->getOldestFrame(); --frame) {
        stage.rewind->seek(frame);
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(frame));
    }
    stage.rewind->seek(4);
    CHECK(old.hasComponent("HeatCMP"));
    CHECK(old.isEnabled());
    CHECK_FALSE(fresh.hasComponent("HeatCMP"));
    CHECK(fresh.getParent() == Entity());
    CHECK(warm.getComponent<const Heat>().degrees == 70);
    stage.rewind->seek(5);
    CHECK_FALSE(old.hasComponent("HeatCMP"));
    CHECK_FALSE(old.isEnabled());
    CHECK(fresh.hasComponent("HeatCMP"));
    CHECK(fresh.getParent() == parent);
    CHECK_FALSE(warm.hasComponent("HeatCMP"));
    for (std::int64_t frame = 1; frame <= newest; ++frame) {
        stage.rewind->seek(frame);
        CHECK(stateHash(stage.world) == stage.rewind->frameHash(frame));
    }
}

TEST_CASE("a hook that would pull the history from under a restore is refused", "[rewind]") {
    struct Meddler final : System {
        explicit Meddler(World& world) : System(world, "MeddlerSys") {}
        bool hasRewindState() const override { return true; }
        void getRewindState(std::vector<std::byte>& into) override {
            meddle();
            into.assign(4, std::byte{7});
        }
        void restoreRewindState(std::span<const std::byte>) override { meddle(); }
        void onTick(double) override {}
        void meddle() const {
            if (work) work();
        }
        std::function<void()> work;
    };
    Stage stage;
    auto meddler = std::make_shared<Meddler>(stage.world);
    stage.world.registerSystem(meddler);
    Entity entity = stage.spawn("entity");
    stage.ticks(10);
    int refusals = 0;
    auto refused = [&](auto call) {
        try {
            call();
        } catch (const Error& error) {
            CHECK(error.code() == ErrorCode::Reentrant);
            ++refusals;
        }
    };
    meddler->work = [&] {
        refused([&] { stage.rewind->clear(); });
        refused([&] { stage.rewind->setBudget({}); });
        refused([&] { stage.rewind->takeHistory(); });
        refused([&] { stage.rewind->tick(1.0 / 64); });
        stage.rewind->seek(3);  // waits
        stage.world.reset();    // waits, too
    };
    stage.rewind->seek(4);
    CHECK(refusals >= 4);
    CHECK(refusals % 4 == 0);
    CHECK(stage.rewind->getFrame() == 4);
    CHECK(entity.getState() == EntityState::Managed);
    meddler->work = nullptr;
    stage.ticks(1);
    CHECK(entity.getState() == EntityState::Destroyed);
}

TEST_CASE("listeners hear which components came, went and were switched, and only those",
          "[rewind]") {
    Stage stage;
    Entity ship = stage.spawn("ship");
    Entity hold = stage.spawn("hold", ship);
    stage.ticks(5);
    ship.setEnabled(false);
    hold.removeComponent<Position>();
    stage.ticks(5);
    std::string heard;
    for (const char* event :
         {"componentAdded", "componentRemoved", "entityEnabled", "entityDisabled"})
        stage.world.on(event, [&heard, event](const Event& told) {
            heard += std::string(event) + ":" + std::string(told.name) + " ";
        });
    stage.rewind->seek(4);
    CHECK(heard == "entityEnabled:ship componentAdded:hold entityEnabled:hold ");
    heard.clear();
    stage.rewind->seek(2);
    CHECK(heard.empty());
    stage.rewind->seek(9);
    CHECK(heard == "entityDisabled:ship componentRemoved:hold entityDisabled:hold ");
}

TEST_CASE("the start and end of rewinding are announced once, however they came about",
          "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    std::string heard;
    for (const char* event : {"rewindStarted", "rewindEnded"})
        stage.world.on(event, [&heard, event](const Event&) { heard += std::string(event) + " "; });
    stage.rewind->start();
    stage.rewind->start();
    stage.rewind->seek(4);
    stage.ticks(2);
    CHECK(heard == "rewindStarted ");
    stage.rewind->stop();
    stage.rewind->stop();
    CHECK(heard == "rewindStarted rewindEnded ");
    heard.clear();
    stage.rewind->step(-1);
    stage.rewind->clear();
    CHECK(heard == "rewindStarted rewindEnded ");
}

TEST_CASE("a seek or step from inside a listener acts at the next tick", "[rewind]") {
    Stage stage;
    stage.spawn("entity");
    stage.ticks(10);
    const bool steps = GENERATE(false, true);
    stage.world.on("entityAdded", [&](const Event&) {
        steps ? stage.rewind->step(-6) : stage.rewind->seek(4);
        CHECK_FALSE(stage.rewind->isRewinding());
    });
    stage.spawn("late");
    stage.world.reconcile();
    CHECK_FALSE(stage.rewind->isRewinding());
    stage.ticks(1);
    CHECK(stage.rewind->isRewinding());
    CHECK(stage.rewind->getFrame() == 4);
    CHECK(stage.isExact());
}
