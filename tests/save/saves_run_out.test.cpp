// Saving and loading, packed and as JSON, with memory running out at every allocation: it is done, or it throws and the
// world, and the file, are as they were.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <memory>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "tests/scratch_folder.hpp"
#include "tests/world/every_allocation.hpp"
#include "world/codec/file_bytes.hpp"

using namespace revenant;
using namespace revenant::tests;

namespace {

using How = FailingMemory::How;

// A game that runs, with a history.
struct Scene {
    Scene() : random(9, 6) {
        world().registerSystem(std::make_shared<TimeRewindSys>(world(), RewindOptions{}));
        world().update(0.1);
        world().addEntity(world().newEntity("asked for"));
        hash = stateHash(world());
        lines = describeAll(world());
        detached = world().getStats().detached;
    }
    World& world() { return random.world; }
    bool isAsBefore() {
        return stateHash(world()) == hash && describeAll(world()) == lines &&
               world().getStats().detached == detached;
    }

    RandomWorld random;
    std::uint64_t hash = 0;
    std::vector<std::string> lines;
    std::size_t detached = 0;
};

struct Operation {
    const char* name;
    std::function<void(World&)> act;
};

}  // namespace

TEST_CASE("a save or load that runs out of memory changes nothing", "[save][memory]") {
    if (!countsAllocations) return;
    const ScratchFolder folder;
    const std::string path = folder.file("slot.sav");
    RandomWorld other(4, 5);
    save(other.world, path);
    const auto before = readFile(path);
    const auto expected = [&] {
        World loaded;
        defineAll(loaded);
        loadFromBytes(loaded, before);
        return describeAll(loaded);
    }();
    const auto text = saveToBytes(other.world, {SaveFormat::Json});
    const Operation operations[] = {
        {"save", [&](World& world) { saveToBytes(world); }},
        {"save to a file", [&](World& world) { save(world, folder.file("new.sav")); }},
        {"save as JSON", [&](World& world) { saveToBytes(world, {SaveFormat::Json}); }},
        {"load", [&](World& world) { loadFromBytes(world, before); }},
        {"load JSON", [&](World& world) { loadFromBytes(world, text); }},
        {"load from a file", [&](World& world) { load(world, path); }},
    };
    for (const How how : {How::Once, How::Full})
        for (const Operation& operation : operations) {
            INFO(operation.name << (how == How::Full ? ", memory stays full" : ""));
            const bool isLoad = std::string_view(operation.name).starts_with("load");
            const std::size_t failures = failEveryAllocation(
                how, [] { return std::make_unique<Scene>(); },
                [&](Scene& scene) { operation.act(scene.world()); },
                [&](Scene& scene, bool threw) {
                    REQUIRE(scene.world().validate().empty());
                    if (threw || !isLoad)
                        REQUIRE(scene.isAsBefore());
                    else
                        REQUIRE(describeAll(scene.world()) == expected);
                    if (threw) operation.act(scene.world());  // there is memory again
                    scene.world().update(0.1);
                    REQUIRE(scene.world().validate().empty());
                });
            INFO("it allocates " << failures << " times");
            CHECK(failures > 10);
        }
    CHECK(readFile(path) == before);
}
