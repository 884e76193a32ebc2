// Every operation of a world and its views, with memory running out at every one of its allocations:
// it either completes, or throws and has changed nothing; the world goes on afterwards.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/world/every_allocation.hpp"
#include "tests/world/snapshot.hpp"
#include "views/query.hpp"
#include "views/view.hpp"
#include "world/core/world_core.hpp"

using namespace revenant;

namespace {

using How = FailingMemory::How;

struct Place {
    double x = 0;
};
struct Tag {
    StringId text;
};

// Trees with components, views on them, zombies and detached ones, and much that is pending.
struct Scene {
    World world;
    std::vector<Entity> roots;
    std::shared_ptr<ComponentsView> places;
    std::shared_ptr<ComponentsView> tags;
    int heard = 0;

    Scene() {
        world.defineComponent<Place>("Place", {field("x", &Place::x)});
        world.defineComponent<Tag>("Tag", {field("text", &Tag::text)});
        for (int i = 0; i < 6; ++i) world.defineComponent("Extra" + std::to_string(i), {});
        for (int i = 0; i < 8; ++i) roots.push_back(tree("root " + std::to_string(i)));
        for (Entity root : roots) world.addEntity(root);
        using Desc = ComponentRequirementDesc;
        places = world.getComponentsView({{"Place", Desc(true)}, {"Tag", Desc(false)}});
        tags = world.getComponentsView({{"Tag", Desc(true)}, {"Extra0", Desc::without()}});
        roots[2].retain();
        world.update(0.1);
        world.removeEntity(roots[2]);
        world.update(0.1);
    }
    Entity tree(const std::string& name) {
        Entity root = world.newEntity(name + ", whose name is too long to fit into a string");
        root.addComponent<Place>({1});
        for (int i = 0; i < 3; ++i) {
            Entity child = world.newEntity("child");
            child.addComponent<Tag>();
            if (i == 1) child.addComponent<Place>();
            root.addChild(child);
        }
        return root;
    }
    void listen() {
        for (std::uint16_t kind = 0; kind < eventKinds; ++kind)
            world.on(static_cast<EventKind>(kind), [this](const Event&) { ++heard; });
    }
    // Something for each phase of a reconcile.
    void askForMuch() {
        for (int i = 0; i < 40; ++i) world.addEntity(tree("new " + std::to_string(i)));
        world.removeEntity(roots[0]);
        roots[1].setEnabled(false);
        roots[3].addChild(roots[4]);
        roots[5].removeChild(roots[5].getChildren().front());
        roots[6].removeComponent<Place>();
        roots[6].addComponent<Place>({3});
        roots[7].addComponent("Extra0");
        roots[7].setComponentEnabled("Place", false);
        world.addEntity(roots[2]);
        Entity dropped = tree("dropped");
        const HeldEntity held(dropped);
    }
};

void checkRows(Scene& scene) {
    std::size_t places = 0;
    for (const Entity& entity : scene.world.getActiveEntities())
        if (entity.hasComponent<Place>() && entity.isComponentEnabled("Place")) ++places;
    CHECK(scene.places->count() == places);
}

void checkGoesOn(Scene& scene) {
    REQUIRE(scene.world.validate().empty());
    for (int i = 0; i < 5; ++i) scene.world.addEntity(scene.tree("later"));
    scene.world.update(0.1);
    for (Entity entity : scene.world.getAllManagedEntities())
        if (entity.getChildren().empty()) scene.world.removeEntity(entity);
    scene.world.update(0.1);
    REQUIRE(scene.world.validate().empty());
    if (scene.places->isValid()) checkRows(scene);
    scene.world.reset();
    REQUIRE(scene.world.validate().empty());
    scene.world.update(0.1);
}

struct Operation {
    const char* name;
    std::function<void(Scene&)> prepare;
    std::function<void(Scene&)> act;
};

const std::vector<Operation>& operations() {
    auto nothing = [](Scene&) {};
    auto much = [](Scene& scene) { scene.askForMuch(); };
    auto listening = [](Scene& scene) {
        scene.listen();
        scene.askForMuch();
    };
    static const std::vector<Operation> all = {
        {"newEntity", nothing,
         [](Scene& s) { s.world.newEntity("a name that is too long for a small string, too"); }},
        {"many new entities", nothing,
         [](Scene& s) {
             for (int i = 0; i < 300; ++i) s.world.newEntity("new");
         }},
        {"addComponent", nothing, [](Scene& s) { s.roots[0].addComponent<Tag>(); }},
        {"addComponent beyond the inline slots", nothing,
         [](Scene& s) {
             for (int i = 0; i < 6; ++i) s.roots[0].addComponent("Extra" + std::to_string(i));
         }},
        {"addComponent with overrides", nothing,
         [](Scene& s) {
             const Override text{"text", std::string("a text that is too long to be small")};
             s.roots[0].addComponent("Tag", {&text, 1});
         }},
        {"removeComponent", nothing, [](Scene& s) { s.roots[0].removeComponent<Place>(); }},
        {"setField", nothing,
         [](Scene& s) {
             s.roots[1].getChildren()[0].setField("Tag", "text",
                                                  std::string("a text that is new and long"));
         }},
        {"setComponentEnabled", nothing,
         [](Scene& s) { s.roots[0].setComponentEnabled("Place", false); }},
        {"setRewindable", nothing, [](Scene& s) { s.roots[0].setRewindable(false); }},
        {"destroy", nothing, [](Scene& s) { s.tree("detached").destroy(); }},
        {"requests", nothing,
         [](Scene& s) {
             s.world.addEntity(s.roots[2]);
             s.world.removeEntity(s.roots[0]);
             s.roots[3].addChild(s.roots[4]);
             s.roots[1].setEnabled(false);
         }},
        {"reconcile", much, [](Scene& s) { s.world.reconcile(); }},
        {"reconcile, with listeners", listening, [](Scene& s) { s.world.reconcile(); }},
        {"update", much, [](Scene& s) { s.world.update(0.1); }},
        {"update, with listeners", listening, [](Scene& s) { s.world.update(0.1); }},
        {"reset", much, [](Scene& s) { s.world.reset(); }},
        {"reset, with listeners", listening, [](Scene& s) { s.world.reset(); }},
        {"a new view", nothing,
         [](Scene& s) {
             using Desc = ComponentRequirementDesc;
             s.world.getComponentsView({{"Place", Desc(true)}, {"Extra1", Desc(false)}});
         }},
        {"iteration", nothing,
         [](Scene& s) { s.world.view<Place>().each([](Place& place) { place.x += 0; }); }},
        {"query", nothing,
         [](Scene& s) {
             s.world.query()
                 .with("Tag")
                 .without("Extra0")
                 .orderBy([](Entity) { return 1.0; })
                 .entities();
         }},
        {"setResource", nothing,
         [](Scene& s) {
             s.world.setResource("a resource with a long name, or so", Value(ValueArray(9)),
                                 {.rewind = true});
         }},
        {"defineComponent", nothing,
         [](Scene& s) {
             std::vector<FieldSpec> fields(1);
             fields[0].name = "text";
             fields[0].type = FieldType::String;
             fields[0].initial = std::string("a default that is long");
             s.world.defineComponent("Another component with a long name", std::move(fields));
         }},
        {"on and emit", nothing,
         [](Scene& s) {
             WorldCore::of(s.world).listeners().defineEvent("an event with a long, long name");
             s.world.on("an event with a long, long name", [&s](const Event&) { ++s.heard; });
             s.world.emit("an event with a long, long name");
         }},
        {"registerSystem", nothing,
         [](Scene& s) {
             s.world.registerSystem("A system with a long, long name", [](World&, double) {});
         }},
    };
    return all;
}

}  // namespace

TEST_CASE("an operation that runs out of memory changes nothing, or is done", "[world][memory]") {
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
                    scene->world.getStats();
                    before = snapshot(scene->world);
                    return scene;
                },
                operation.act,
                [&](Scene& scene, bool threw) {
                    REQUIRE(scene.world.validate().empty());
                    const bool isOneStep =
                        std::string(operation.name).find("new entities") == std::string::npos &&
                        std::string(operation.name).find("beyond") == std::string::npos &&
                        std::string(operation.name) != "destroy";
                    if (threw && isOneStep) REQUIRE(snapshot(scene.world) == before);
                    checkGoesOn(scene);
                });
            INFO("it allocates " << failures << " times");
            CHECK(failures < 10'000);
        }
}

TEST_CASE("a world without memory refuses, and goes on when there is some", "[world][memory]") {
    if (!countsAllocations) return;
    Scene scene;
    scene.askForMuch();
    const std::string before = snapshot(scene.world);
    {
        const FailingMemory memory(1, How::Full);
        // The first one may still be done, with what was set aside.
        int done = 0;
        for (int i = 0; i < 5; ++i) try {
                scene.world.update(0.1);
                ++done;
            } catch (const std::bad_alloc&) {
                continue;
            }
        CHECK(done <= 5);
    }
    REQUIRE(scene.world.validate().empty());
    checkGoesOn(scene);
}
