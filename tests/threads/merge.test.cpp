// Requests of systems that tick beside others wait for the merge, and are carried out in order.
// Over 300 lines: a list of independent claims about one scene.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "tests/threads/crowd.hpp"

using namespace revenant;
using namespace crowd;

namespace {

std::string errorOf(World& world) {
    try {
        world.update(0.1);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

std::vector<std::string> names(const World& world) {
    std::vector<std::string> all;
    for (const Entity& entity : world.getAllManagedEntities()) all.push_back(entity.getName());
    return all;
}

}  // namespace

TEST_CASE("entities come in the order of systems, then of chunks, then of calls", "[threads]") {
    for (const int threads : {1, 2, 8}) {
        Crowd scene(threads, 5);
        World& world = scene.world;
        const auto view = world.view<const Health>();
        scene.system(
            "A",
            [view](World& of, double) {
                of.addEntity(of.newEntity("first"));
                view.parallelEach(
                    [&of](Entity e, const Health&) {
                        of.addEntity(of.newEntity("from " + e.getName()));
                    },
                    1);
                of.addEntity(of.newEntity("last"));
            },
            view.access());
        scene.system("B", [](World& of, double) { of.addEntity(of.newEntity("b")); }, {});
        world.update(0.1);
        world.reconcile();
        CHECK(names(world) == std::vector<std::string>{
                                  "one0", "one1", "one2", "one3", "one4", "first", "from one0",
                                  "from one1", "from one2", "from one3", "from one4", "last", "b"});
        CHECK(world.validate().empty());
    }
}

TEST_CASE("a new entity is built before it is made", "[threads]") {
    Crowd scene(2);
    World& world = scene.world;
    std::string said;
    scene.system("A",
                 [&](World& of, double) {
                     Entity parent = of.newEntity("parent");
                     said += parent.getName() + (parent.isValid() ? " valid " : " stale ");
                     said += std::string(nameOf(parent.getState())) + " ";
                     auto& place = parent.addComponent<Place>({1, 2});
                     place.x = 7;
                     said += parent.hasComponent<Place>() && !parent.hasComponent<Health>() ? "has "
                                                                                            : "";
                     parent.getComponent<Place>().y = 9;
                     parent.addComponent("HealthCMP", std::vector<Override>{{"points", Value(3)}});
                     parent.addComponent<Speed>();
                     parent.removeComponent<Speed>();
                     Entity child = of.newEntity("child");
                     child.addComponent<Aim>({parent.getId(), 1});
                     parent.addChild(child);
                     of.addEntity(parent);
                     said += nameOf(parent.getState());
                     of.setResource("made", Value(parent.getId()), {.rewind = true});
                 },
                 {});
    world.update(0.1);
    CHECK(said == "parent valid detached has pendingAdd");
    world.unregisterSystem(*world.getSystem("A"));
    world.reconcile();
    const Entity parent = world.findEntity("parent");
    REQUIRE(parent.isValid());
    CHECK(parent.getComponent<const Place>().x == 7);
    CHECK(parent.getComponent<const Place>().y == 9);
    CHECK(parent.getComponent<const Health>().points == 3);
    CHECK_FALSE(parent.hasComponent<Speed>());
    const Entity child = world.findEntity("child");
    CHECK(child.getParent() == parent);
    CHECK(child.getComponent<const Aim>().at == parent.getId());
    CHECK(*world.getResource<Value>("made") == Value(parent.getId()));
}

TEST_CASE("the id of a new entity that was written through a view becomes the entity's",
          "[threads]") {
    for (const int threads : {1, 2}) {
        Crowd scene(threads, 600);
        World& world = scene.world;
        const auto view = world.view<Aim>();
        scene.system(
            "A",
            [view](World& of, double) {
                view.parallelEach(
                    [&of](Entity e, Aim& aim) {
                        const Entity made = of.newEntity("target of " + e.getName());
                        of.addEntity(made);
                        aim.at = made.getId();
                    },
                    50);
            },
            view.access());
        world.update(0.1);
        world.unregisterSystem(*world.getSystem("A"));
        world.reconcile();
        std::size_t right = 0;
        view.each([&](Entity e, Aim& aim) {
            const Entity target = world.getEntity(aim.at);
            right += target && target.getName() == "target of " + e.getName() ? 1 : 0;
        });
        CHECK(right == 600);
    }
}

TEST_CASE("a handle to an entity that was made beside others is stale after the tick of its system",
          "[threads]") {
    Crowd scene(1);
    Entity kept;
    scene.system("A", [&](World& of, double) { kept = of.newEntity("x"); }, {});
    scene.world.update(0.1);
    CHECK_FALSE(kept.isValid());
    CHECK(kept.getState() == EntityState::Destroyed);
    CHECK_THROWS_AS(kept.getParent(), Error);
    // Nor does it mean what is made in a later tick.
    bool isValid = true;
    const Entity first = kept;
    scene.system("B", [&](World&, double) { isValid = first.isValid(); }, {});
    scene.world.update(0.1);
    CHECK_FALSE(isValid);
}

TEST_CASE("requests, events and resources wait for the end of the stage", "[threads]") {
    for (const int threads : {1, 2}) {
        Crowd scene(threads, 3);
        World& world = scene.world;
        std::vector<std::string> heard;
        world.defineEvent("hit");
        world.defineEvent("later");
        for (const char* event : {"hit", "later"})
            world.on(event, [&heard, event](const Event& fired) {
                heard.push_back(std::string(event) + " " + std::string(fired.name) + " " +
                                std::to_string(*fired.detail->as<std::int64_t>()));
            });
        const Entity one = world.findEntity("one1");
        bool isOld = false;
        scene.system("A",
                     [&](World& of, double) {
                         of.emit("hit", of.findEntity("one0"), std::make_unique<Value>(1).get());
                         of.queue("later", of.findEntity("one2"), std::make_unique<Value>(2).get());
                         Entity(one).removeComponent<Speed>();
                         Entity(one).setEnabled(false);
                         Entity(one).setField("HealthCMP", "points", Value(5));
                         of.removeEntity(of.findEntity("one2"));
                         of.setResource("r", 42);
                         of.recordCollisionEvent({of.findEntity("one0"), one, {}});
                         isOld = one.hasComponent<Speed>() && one.isEnabled() &&
                                 one.getComponent<const Health>().points == 100 &&
                                 !of.getResource<int>("r");
                     },
                     {.writes = {"HealthCMP"}});
        scene.system(
            "B", [&](World& of, double) { of.emit("hit", one, std::make_unique<Value>(3).get()); },
            {});
        std::size_t heardBefore = 99;
        bool isDone = false;
        world.registerSystem("Plain", [&](World& of, double) {
            heardBefore = heard.size();
            isDone = !one.hasComponent<Speed>() && !one.isEnabled() &&
                     one.getComponent<const Health>().points == 5 && of.getResource<int>("r") &&
                     of.getCollisionEvents().size() == 1;
        });
        world.update(0.1);
        CHECK(isOld);
        CHECK(heardBefore == 2);
        CHECK(isDone);
        CHECK(heard == std::vector<std::string>{"hit one0 1", "hit one1 3"});
        world.unregisterSystem(*world.getSystem("A"));
        world.update(0.1);
        CHECK(world.getStats().managed == 2);
        CHECK(heard.size() == 4);  // the queued one, and B's
    }
}

TEST_CASE("random numbers of a system do not depend on what ticks beside it", "[threads]") {
    auto draw = [](int threads, int others) {
        Crowd scene(threads, 4);
        std::vector<double> drawn;
        for (int i = 0; i < others; ++i)
            scene.system("Other" + std::to_string(i),
                         [i](World& of, double) {
                             for (int k = 0; k <= i; ++k) of.random();
                         },
                         {});
        scene.system("A",
                     [&](World& of, double) {
                         drawn.push_back(of.random());
                         drawn.push_back(static_cast<double>(of.random(1, 1000)));
                     },
                     {});
        for (int tick = 0; tick < 5; ++tick) scene.world.update(0.1);
        return drawn;
    };
    const std::vector<double> alone = draw(1, 0);
    CHECK(alone == draw(2, 0));
    CHECK(alone == draw(8, 5));
    CHECK(alone[0] != alone[2]);
}

TEST_CASE("a failing request says which system made it, and keeps no other from being carried out",
          "[threads]") {
    Crowd scene(2);
    const Entity one = scene.world.findEntity("one0");
    scene.system("A",
                 [&](World& of, double) {
                     Entity(one).addComponent<Place>();
                     of.addEntity(of.newEntity("x"));
                 },
                 {});
    CHECK(errorOf(scene.world) ==
          "system 'A': addComponent: entity 'one0' (#0.1) already has component 'PlaceCMP'");
    scene.world.unregisterSystem(*scene.world.getSystem("A"));
    scene.world.reconcile();
    CHECK(scene.world.findEntity("x").isValid());
}

TEST_CASE("what can neither be done nor wait is refused by a sentence that names the system",
          "[threads]") {
    Crowd scene(2);
    World& world = scene.world;
    std::vector<std::string> said;
    auto attempt = [&said](auto call) {
        try {
            call();
        } catch (const Error& error) {
            said.emplace_back(error.what());
        }
    };
    scene.system("A",
                 [&](World& of, double) {
                     attempt([&] { of.registerSystem("x", [](World&, double) {}); });
                     attempt([&] { of.defineComponent("x", std::vector<FieldSpec>{}); });
                     attempt([&] { of.view<const Place>(); });
                     attempt([&] { of.on("entityAdded", [](const Event&) {}); });
                     attempt([&] { of.defineEvent("x"); });
                     attempt([&] { of.destroyAll(); });
                     attempt([&] { of.update(0.1); });
                     attempt([&] { of.reconcile(); });
                     attempt([&] { of.getSystem("B")->tick(0.1); });
                     attempt([&] { of.setThreads(3); });
                     attempt([&] { HeldEntity{of.findEntity("one0")}; });
                 },
                 {});
    scene.system("B", [](World&, double) {}, {});
    world.update(0.1);
    REQUIRE(said.size() == 11);
    CHECK(said[0] ==
          "registerSystem: system 'A' ticks beside others, where this can be neither done nor kept "
          "for "
          "later; set SystemOptions::onMainThread, or do it in a listener of an event that the "
          "system "
          "emits");
}

TEST_CASE("a loop of a system on the main thread merges at its end", "[threads]") {
    for (const int threads : {1, 2}) {
        Crowd scene(threads, 4);
        World& world = scene.world;
        const auto view = world.view<Health>();
        std::vector<std::string> heard;
        world.defineEvent("hit");
        world.on("hit", [&](const Event& event) { heard.emplace_back(event.name); });
        std::size_t after = 0;
        world.registerSystem("Plain", [&](World& of, double) {
            view.parallelEach(
                [&of](Entity e, Health&) {
                    of.emit("hit", e);
                    of.random();
                },
                1);
            after = heard.size();
        });
        world.update(0.1);
        CHECK(after == 4);
        CHECK(heard == std::vector<std::string>{"one0", "one1", "one2", "one3"});
    }
}

TEST_CASE("a declared system that is ticked by hand merges at its end", "[threads]") {
    Crowd scene(2);
    scene.system("A", [](World& of, double) { of.addEntity(of.newEntity("x")); }, {});
    scene.world.getSystem("A")->tick(0.1);
    CHECK(scene.world.getStats().pending == 1);
    scene.world.reconcile();
    CHECK(scene.world.findEntity("x").isValid());
}
