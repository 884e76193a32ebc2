#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/threads/crowd.hpp"

using namespace revenant;
using namespace crowd;

namespace {

class Mover final : public System {
public:
    explicit Mover(World& world) : System(world, "Mover"), view_(view<Place, const Speed>()) {}

private:
    void onTick(double dt) override {
        view_.each([dt](Place& place, const Speed& speed) {
            place.x += speed.x * static_cast<float>(dt);
        });
    }
    View<Place, const Speed> view_;
};

void nothing(World& /*world*/, double /*dt*/) {}

// Waits, some seconds at most, until another thread has come here as well. Returns whether it has.
bool meet(std::atomic<int>& here, int wanted) {
    ++here;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (here < wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return here >= wanted;
}

}  // namespace

TEST_CASE("the schedule says which systems may tick at the same time, what each waits for and why",
          "[threads]") {
    Crowd scene(1);
    World& world = scene.world;
    world.registerSystem("Input", nothing);
    world.registerSystem(std::make_shared<Mover>(world));
    scene.system("Healer", nothing, {.writes = {"HealthCMP"}});
    scene.system("Camera", nothing, {.reads = {"PlaceCMP"}, .writes = {"the camera"}});
    world.registerSystem("Late", nothing, {.dependencies = {"Healer"}, .access = SystemAccess{}});
    world.registerSystem("Alone", nothing, {.access = SystemAccess{}, .onMainThread = true});
    CHECK(world.describeSchedule() ==
          "stage 1, one by one on the main thread:\n"
          "  Input\n"
          "stage 2, at the same time where nothing else is said:\n"
          "  Mover: reads SpeedCMP; writes PlaceCMP\n"
          "  Healer: writes HealthCMP\n"
          "  Camera: reads PlaceCMP; writes the camera; after Mover (PlaceCMP)\n"
          "  Late: touches nothing; after Healer (depends on it)\n"
          "stage 3, one by one on the main thread:\n"
          "  Alone\n");
}

TEST_CASE(
    "a system waits only for the last of those it conflicts with, which waited for the others",
    "[threads]") {
    Crowd scene(1);
    scene.system("A", nothing, {.writes = {"PlaceCMP"}});
    scene.system("B", nothing, {.writes = {"PlaceCMP"}});
    scene.system("C", nothing, {.reads = {"PlaceCMP"}});
    CHECK(scene.world.describeSchedule() ==
          "stage 1, at the same time where nothing else is said:\n"
          "  A: writes PlaceCMP\n"
          "  B: writes PlaceCMP; after A (PlaceCMP)\n"
          "  C: reads PlaceCMP; after B (PlaceCMP)\n");
}

TEST_CASE("a view that a system asks for later changes the plan", "[threads]") {
    Crowd scene(1);
    scene.system("Healer", nothing, {.writes = {"HealthCMP"}});
    System& late = scene.world.registerSystem("Late", nothing);
    CHECK(scene.world.describeSchedule().find("stage 2, one by one") != std::string::npos);
    late.view<const Health>();
    CHECK(scene.world.describeSchedule().find("after Healer (HealthCMP)") != std::string::npos);
}

TEST_CASE("systems that do not conflict tick at the same time", "[threads]") {
    Crowd scene(2);
    if (scene.world.getThreads() < 2) SKIP("this build has no threads");
    std::atomic<int> here = 0;
    std::atomic<int> met = 0;
    for (const char* name : {"A", "B"})
        scene.system(name, [&](World&, double) { met += meet(here, 2) ? 1 : 0; },
                     {.writes = {std::string("thing ") + name}});
    scene.world.update(0.1);
    CHECK(met == 2);
    CHECK(scene.world.getSystem("A")->getLastTickLane() !=
          scene.world.getSystem("B")->getLastTickLane());
}

TEST_CASE("systems that conflict keep their order on any number of threads", "[threads]") {
    for (const int threads : {1, 2, 8}) {
        Crowd scene(threads);
        std::vector<int> order;  // not guarded: they must not overlap
        for (int i = 0; i < 10; ++i)
            scene.system("S" + std::to_string(i),
                         [&order, i](World&, double) { order.push_back(i); },
                         {.writes = {"the list"}});
        for (int tick = 0; tick < 20; ++tick) {
            order.clear();
            scene.world.update(0.1);
            CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        }
    }
}

TEST_CASE("systems without declared access tick on the thread that called update, in their place",
          "[threads]") {
    Crowd scene(4);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> before = 0;
    int seen = -1;
    std::thread::id thread;
    for (const char* name : {"A", "B", "C"})
        scene.system(name, [&](World&, double) { ++before; }, {});
    scene.world.registerSystem("Plain", [&](World&, double) {
        seen = before;
        thread = std::this_thread::get_id();
    });
    for (const char* name : {"D", "E"}) scene.system(name, [&](World&, double) { ++before; }, {});
    scene.world.update(0.1);
    CHECK(seen == 3);
    CHECK(thread == caller);
    CHECK(before == 5);
}

TEST_CASE("a loop is split over the threads", "[threads]") {
    Crowd scene(2, 2);
    if (scene.world.getThreads() < 2) SKIP("this build has no threads");
    const auto view = scene.world.view<Place>();
    std::atomic<int> here = 0;
    std::atomic<int> met = 0;
    view.parallelEach([&](Place& place) { place.x = meet(here, 2) ? float(++met) : 0; }, 1);
    CHECK(met == 2);
}

TEST_CASE("a split loop visits every row once, however the rows lie", "[threads]") {
    for (const int threads : {1, 2, 8}) {
        Crowd scene(threads, 5000);
        World& world = scene.world;
        // Gaps and returns scatter the rows.
        const std::vector<Entity> all = world.getAllManagedEntities();
        for (std::size_t i = 0; i < all.size(); i += 3) world.removeEntity(all[i]);
        world.reconcile();
        for (int i = 0; i < 700; ++i) spawn(world);
        world.reconcile();
        const auto view = world.view<Place, const Speed>();
        for (const std::size_t chunk : {0, 1, 7, 512, 100000}) {
            view.parallelEach([](Place& place, const Speed&) { place.y += 1; }, chunk);
            view.parallelEach([](Entity e, Place& place,
                                 const Speed&) { place.x = static_cast<float>(e.getId().index); },
                              chunk);
        }
        std::size_t right = 0;
        view.each([&](Entity e, Place& place, const Speed&) {
            right += place.y == 5 && place.x == static_cast<float>(e.getId().index) ? 1 : 0;
        });
        CHECK(right == view.count());
    }
}

TEST_CASE("an error in one system keeps none of the others from ticking", "[threads]") {
    for (const int threads : {1, 2, 8}) {
        Crowd scene(threads);
        std::atomic<int> ticked = 0;
        for (int i = 0; i < 6; ++i)
            scene.system("S" + std::to_string(i),
                         [&ticked, i](World&, double) {
                             ++ticked;
                             if (i == 2 || i == 4)
                                 throw std::runtime_error("S" + std::to_string(i));
                         },
                         {});
        std::string said;
        try {
            scene.world.update(0.1);
        } catch (const std::exception& error) {
            said = error.what();
        }
        CHECK(said == "S2");
        CHECK(ticked == 6);
    }
}

TEST_CASE("disabled systems and systems that were unregistered in the tick are passed over",
          "[threads]") {
    Crowd scene(2);
    World& world = scene.world;
    std::atomic<int> ticked = 0;
    world.registerSystem("Plain", [&](World& of, double) {
        if (System* gone = of.getSystem("B")) of.unregisterSystem(*gone);
    });
    for (const char* name : {"A", "B", "C"})
        scene.system(name, [&](World&, double) { ++ticked; }, {});
    world.getSystem("A")->setEnabled(false);
    world.update(0.1);
    CHECK(ticked == 1);
    CHECK_FALSE(world.getSystem("B"));
}
