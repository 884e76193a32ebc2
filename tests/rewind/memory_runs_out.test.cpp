// Every operation of a history, with memory running out at every one of its allocations: it either
// completes, or throws and has changed nothing; every frame that is kept stays exact.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rewind/state_hash.hpp"
#include "tests/rewind/flight.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/world/every_allocation.hpp"

using namespace revenant;

namespace {

using How = FailingMemory::How;

struct Scene {
    Flight flight;
    std::unique_ptr<Flight> other;
    std::string file;

    Scene() : flight(Flight::roomy(8)) {
        flight.define();
        flight.takeOff();
        flight.ticks(30);
        // From here on it is the test that asks: systems are no part of what it is about.
        flight.world.unregisterSystem(*flight.world.getSystem("ChaosSys"));
        askForMuch();
        flight.ticks(1);
    }
    World& world() { return flight.world; }
    TimeRewindSys& rewind() { return *flight.rewind; }

    void askForMuch() {
        for (int i = 0; i < 12; ++i) {
            Entity made = world().newEntity("made, with a name that is long");
            made.addComponent<Hull>({static_cast<float>(i), 0, {}});
            if (i % 3 == 0) made.addComponent<Gauge>();
            Entity child = world().newEntity("child");
            child.addComponent<Gauge>();
            made.addChild(child);
            world().addEntity(made);
        }
        const auto all = world().getAllManagedEntities();
        for (std::size_t i = 0; i < all.size(); ++i) {
            Entity entity = all[i];
            if (entity.getState() != EntityState::Managed) continue;
            if (i % 5 == 0) world().removeEntity(entity);
            if (i % 5 == 1) entity.setEnabled(!entity.isEnabled());
            if (i % 5 == 2 && entity.hasComponent<Gauge>()) entity.removeComponent<Gauge>();
            if (i % 5 == 3 && entity.hasComponent<Hull>()) entity.getComponent<Hull>().x += 1;
            if (i % 5 == 4 && entity.getParent().isValid()) entity.getParent().removeChild(entity);
        }
        world().setResource("seen", Value(static_cast<std::int64_t>(all.size())), {.rewind = true});
    }
    std::string describe() {
        return sentence(flight.describe(), " frame ", rewind().getFrame().value_or(-1), " of ",
                        rewind().getOldestFrame().value_or(-1), " to ",
                        rewind().getNewestFrame().value_or(-1),
                        rewind().isRewinding() ? " past" : "");
    }
};

void checkFrames(Flight& flight) {
    REQUIRE(flight.world.validate().empty());
    TimeRewindSys& rewind = *flight.rewind;
    if (!rewind.getFrame()) return;
    if (rewind.isRewinding())
        REQUIRE(stateHash(flight.world) == rewind.frameHash(*rewind.getFrame()));
    for (std::int64_t frame = *rewind.getOldestFrame(); frame <= *rewind.getNewestFrame();
         ++frame) {
        rewind.seek(frame);
        REQUIRE(stateHash(flight.world) == rewind.frameHash(frame));
        REQUIRE(flight.world.validate().empty());
    }
    rewind.seek((*rewind.getOldestFrame() + *rewind.getNewestFrame()) / 2);
    rewind.stop();
}

void checkGoesOn(Scene& scene) {
    checkFrames(scene.flight);
    scene.askForMuch();
    scene.flight.ticks(3);
    checkFrames(scene.flight);
}

struct Operation {
    const char* name;
    std::function<void(Scene&)> prepare;
    std::function<void(Scene&)> act;
};

const std::vector<Operation>& operations() {
    auto nothing = [](Scene&) {};
    auto much = [](Scene& scene) { scene.askForMuch(); };
    // A seek begins with a reconcile, which it does not take back.
    auto changed = [](Scene& scene) {
        scene.askForMuch();
        scene.world().reconcile();
    };
    auto inThePast = [](Scene& scene) { scene.rewind().seek(12); };
    static const std::vector<Operation> all = {
        {"update", nothing, [](Scene& s) { s.flight.ticks(1); }},
        {"update, with much to do", much, [](Scene& s) { s.flight.ticks(1); }},
        {"update, that completes a block", much, [](Scene& s) { s.flight.ticks(9); }},
        {"update, while rewinding", inThePast, [](Scene& s) { s.flight.ticks(1); }},
        {"update, after a resume",
         [](Scene& s) {
             s.rewind().seek(12);
             s.rewind().stop();
         },
         [](Scene& s) { s.flight.ticks(1); }},
        {"reconcile", much, [](Scene& s) { s.world().reconcile(); }},
        {"setRewindable", nothing,
         [](Scene& s) { s.world().getAllManagedEntities()[3].setRewindable(false); }},
        {"seek far back", changed, [](Scene& s) { s.rewind().seek(2); }},
        {"seek to the newest frame", changed, [](Scene& s) { s.rewind().seek(31); }},
        {"step back", inThePast, [](Scene& s) { s.rewind().step(-1); }},
        {"seek forward", inThePast, [](Scene& s) { s.rewind().seek(30); }},
        {"stop", inThePast, [](Scene& s) { s.rewind().stop(); }},
        {"clear", much, [](Scene& s) { s.rewind().clear(); }},
        {"clear, while rewinding", inThePast, [](Scene& s) { s.rewind().clear(); }},
        {"reset", much, [](Scene& s) { s.world().reset(); }},
        {"reset, while rewinding", inThePast, [](Scene& s) { s.world().reset(); }},
        {"setBudget", nothing,
         [](Scene& s) {
             RewindOptions options = s.rewind().getBudget();
             options.seconds = 0.2;
             s.rewind().setBudget(options);
         }},
        {"setCheckpoint", nothing,
         [](Scene& s) { s.rewind().setCheckpoint("a checkpoint with a long, long name"); }},
        {"compareFrames", nothing, [](Scene& s) { s.rewind().compareFrames(3, 20, 5); }},
        {"the end of a history", inThePast,
         [](Scene& s) {
             s.world().unregisterSystem(s.rewind());
             s.flight.rewind = nullptr;
         }},
    };
    return all;
}

}  // namespace

TEST_CASE("a history that runs out of memory is as it was, or as asked for", "[rewind][memory]") {
    if (!countsAllocations) return;
    for (const How how : {How::Once, How::Full})
        for (const Operation& operation : operations()) {
            INFO(operation.name << (how == How::Full ? ", memory stays full" : ""));
            std::string before;
            const std::size_t failures = failEveryAllocation(
                how,
                [&] {
                    auto scene = std::make_unique<Scene>();
                    operation.prepare(*scene);
                    before = scene->describe();
                    return scene;
                },
                operation.act,
                [&](Scene& scene, bool threw) {
                    if (!scene.flight.rewind) {
                        REQUIRE(scene.world().validate().empty());
                        scene.askForMuch();
                        scene.flight.ticks(1);
                        return;
                    }
                    const bool isOneStep =
                        std::string(operation.name) != "update, that completes a block" &&
                        std::string(operation.name) != "compareFrames";
                    if (threw && isOneStep && how == How::Once)
                        REQUIRE((scene.describe() == before));
                    checkGoesOn(scene);
                });
            INFO("it allocates " << failures << " times");
            CHECK(failures < 10'000);
        }
}

TEST_CASE("saving and loading a history without memory leaves both worlds as they were",
          "[rewind][memory][file]") {
    if (!countsAllocations) return;
    const ScratchFolder folder;
    const std::string path = folder.file("history.rev");
    Scene().rewind().saveHistory(path);
    std::string before;
    failEveryAllocation(
        How::Once,
        [&] {
            auto scene = std::make_unique<Scene>();
            before = scene->describe();
            return scene;
        },
        [&](Scene& scene) { scene.rewind().saveHistory(folder.file("again.rev")); },
        [&](Scene& scene, bool threw) {
            if (threw) REQUIRE((scene.describe() == before));
            checkGoesOn(scene);
        });
    for (const How how : {How::Once, How::Full})
        failEveryAllocation(
            how, [&] { return std::make_unique<Flight>(); },
            [&](Flight& flight) { flight.rewind->loadHistory(path); },
            [&](Flight& flight, bool threw) {
                REQUIRE(flight.world.validate().empty());
                if (threw) {
                    REQUIRE(flight.world.getStats().managed == 0);
                    REQUIRE(flight.world.getStats().zombies == 0);
                    REQUIRE_FALSE(flight.rewind->getFrame());
                    flight.rewind->loadHistory(path);
                }
                checkFrames(flight);
            });
}
