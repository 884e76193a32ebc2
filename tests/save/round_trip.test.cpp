#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "views/view.hpp"

using namespace revenant;
using namespace revenant::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

void play(World& world, int ticks) {
    for (int i = 0; i < ticks; ++i) world.update(0.1);
}

}  // namespace

TEST_CASE("any world comes back equal, hashes alike, and goes on alike for a hundred ticks",
          "[save]") {
    const auto seed = GENERATE(range(1, 25));
    const auto format = seed % 2 == 0 ? SaveFormat::Binary : SaveFormat::Json;
    CAPTURE(seed);
    RandomWorld original(static_cast<std::uint64_t>(seed));
    const World& shown = original.world;  // saving changes nothing
    const auto save = saveToBytes(shown, {format});
    World loaded;
    defineAll(loaded);
    // One that is in use already.
    Entity older = loaded.newEntity("older");
    older.addComponent<Moving>();
    loaded.addEntity(older);
    play(loaded, 3);
    loadFromBytes(loaded, save);
    CHECK_FALSE(older.isValid());
    CHECK(loaded.validate().empty());
    original.world.reconcile();  // what the save is of
    CHECK(stateHash(loaded) == stateHash(original.world));
    CHECK(describeAll(loaded) == describeAll(original.world));
    CHECK((saveToBytes(original.world, {format}) == save));
    CHECK((saveToBytes(loaded, {format}) == save));
    CHECK(loaded.getTick() == original.world.getTick());
    CHECK(loaded.getTime() == original.world.getTime());
    addGame(original.world);
    addGame(loaded);
    play(original.world, 100);
    play(loaded, 100);
    CHECK(stateHash(loaded) == stateHash(original.world));
    CHECK(describeAll(loaded) == describeAll(original.world));
}

TEST_CASE("fields with the names of the save's own keys come back from JSON", "[save]") {
    auto define = [](World& world) {
        world.defineComponent("OddCMP", {{"$state", FieldType::I32},
                                         {"$make", FieldType::I32},
                                         {"$id", FieldType::I32},
                                         {"[24]", FieldType::I32}});
    };
    World world;
    define(world);
    Entity entity = world.newEntity("e");
    entity.addComponent("OddCMP");
    const char* names[] = {"$state", "$make", "$id", "[24]"};
    for (std::int64_t i = 0; i < 4; ++i) entity.setField("OddCMP", names[i], Value(i + 5));
    world.addEntity(entity);
    World other;
    define(other);
    loadFromBytes(other, saveToBytes(world, {SaveFormat::Json}));
    const Entity loaded = other.getAllManagedEntities().front();
    for (std::int64_t i = 0; i < 4; ++i) CHECK(loaded.getField("OddCMP", names[i]) == Value(i + 5));
}

TEST_CASE("views, listeners and systems go on through a load", "[save]") {
    World world;
    defineAll(world);
    auto moving = world.view<const Moving>();
    int added = 0;
    int loaded = 0;
    std::size_t seen = 0;
    world.on(EventKind::EntityAdded, [&](const Event&) { ++added; });
    world.on("worldLoaded", [&](const Event&) { ++loaded; });
    world.registerSystem("CountSys", [&](World&, double) { seen = moving.count(); });
    Entity entity = world.newEntity("e");
    entity.addComponent<Moving>({4, 2});
    world.addEntity(entity);
    world.update(1);
    const auto save = saveToBytes(world);
    entity.retain();
    loadFromBytes(world, save);
    CHECK(added == 2);
    CHECK(loaded == 1);
    CHECK(moving.count() == 1);
    CHECK_FALSE(entity.isValid());
    world.update(1);
    CHECK(seen == 1);
    CHECK(world.getZombies().empty());
    CHECK(world.getStats().detached == 0);
}

TEST_CASE("an error in a listener is raised when the load is done", "[save]") {
    World world;
    defineAll(world);
    world.addEntity(world.newEntity("e"));
    const auto save = saveToBytes(world);
    world.on("worldLoaded", [&](const Event&) { throw std::runtime_error("a listener"); });
    CHECK_THROWS_WITH(loadFromBytes(world, save), "a listener");
    CHECK(world.getAllManagedEntities().size() == 1);
}

TEST_CASE("a load inside a tick waits for its end, and a reset cancels it", "[save]") {
    World world;
    defineAll(world);
    world.addEntity(world.newEntity("saved"));
    world.update(1);
    const auto save = saveToBytes(world);
    world.addEntity(world.newEntity("second"));
    std::size_t inside = 0;
    System& loader = world.registerSystem("LoadSys", [&](World& own, double) {
        loadFromBytes(own, save);
        inside = own.getAllManagedEntities().size();
    });
    world.update(1);
    CHECK(inside == 2);
    CHECK(world.getAllManagedEntities().size() == 1);
    CHECK(world.getTick() == 1);
    world.unregisterSystem(loader);
    world.registerSystem("ResetSys", [&](World& own, double) {
        loadFromBytes(own, save);
        own.reset();
    });
    world.update(1);
    CHECK(world.getAllManagedEntities().empty());
}

TEST_CASE("a load that every load asks for once more ends in an error", "[save]") {
    World world;
    defineAll(world);
    world.addEntity(world.newEntity("saved"));
    world.update(1);
    const auto save = saveToBytes(world);
    int loads = 0;
    int wanted = 5;
    world.on("worldLoaded", [&](const Event&) {
        if (++loads < wanted) loadFromBytes(world, save);
    });
    loadFromBytes(world, save);
    CHECK(loads == wanted);
    wanted = 1 << 30;
    CHECK_THROWS_WITH(loadFromBytes(world, save), ContainsSubstring("the save is loaded") &&
                                                      ContainsSubstring("nested 16 deep"));
    CHECK(world.getAllManagedEntities().size() == 1);
    CHECK(world.validate().empty());
    wanted = 0;
    world.update(1);
    loadFromBytes(world, save);
    CHECK(world.getTick() == 1);
}

TEST_CASE("a save of the past holds what lives on there though it was made later", "[save]") {
    World world;
    auto rewind = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(rewind);
    world.addEntity(world.newEntity("early"));
    world.update(0.1);
    Entity display = world.newEntity("display");
    display.setRewindable(false);
    world.addEntity(display);
    world.addEntity(world.newEntity("late"));
    world.update(0.1);
    rewind->seek(1);
    for (const SaveFormat format : {SaveFormat::Binary, SaveFormat::Json}) {
        World loaded;
        loadFromBytes(loaded, saveToBytes(world, {format}));
        CHECK(loaded.findEntity("early").isValid());
        CHECK(loaded.findEntity("display").isValid());
        CHECK_FALSE(loaded.findEntity("late").isValid());
        for (int i = 0; i < 5; ++i) loaded.addEntity(loaded.newEntity("new"));
        loaded.update(0.1);
        CHECK(loaded.validate().empty());
        World again;
        loadFromBytes(again, saveToBytes(loaded, {format}));
        CHECK(stateHash(again) == stateHash(loaded));
    }
}
