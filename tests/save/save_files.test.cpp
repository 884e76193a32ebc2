// Files: one that is no save is refused; saves of every format stay readable.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>

#include "rewind/state_hash.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "tests/scratch_folder.hpp"

using namespace revenant;
using namespace revenant::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

struct KeptSave {
    const char* name;
    std::uint64_t hash;
};
constexpr KeptSave keptSaves[] = {{"format_1.save", 13916409629857342003U},
                                  {"format_1.json", 13916409629857342003U},
                                  {"format_2.save", 18147155519366228058U},
                                  {"format_2.json", 18147155519366228058U}};

}  // namespace

TEST_CASE("a file that is too large for a save is refused before it is read", "[save][file]") {
    const ScratchFolder folder;
    const std::string path = folder.file("video.sav");
    World empty;
    save(empty, path);
#ifdef _WIN32  // mingw's resize_file takes 31 bits
    constexpr std::uintmax_t size = (std::uintmax_t{1} << 30) + 1;
#else
    constexpr std::uintmax_t size = std::uintmax_t{1} << 40;
#endif
    std::filesystem::resize_file(path, size);  // sparse: it takes no room
    World world;
    world.addEntity(world.newEntity("running"));
    CHECK_THROWS_WITH(load(world, path),
                      ContainsSubstring("video.sav") && ContainsSubstring("too large"));
    CHECK(world.getAllManagedEntities().empty());
    world.update(1);
    CHECK(world.getAllManagedEntities().size() == 1);
}

// To add one when the format changes, run `revenant_tests "[write-save]"` and keep the files that it writes.
TEST_CASE("writes a save of the present format, as bytes and as JSON", "[.][write-save]") {
    RandomWorld random(11, 14);
    save(random.world, "format_2.save");
    save(random.world, "format_2.json", {SaveFormat::Json});
}

TEST_CASE("a save of every format that ever was opens, and holds what it held", "[save][file]") {
    const KeptSave kept = GENERATE(from_range(keptSaves));
    CAPTURE(kept.name);
    World world;
    defineAll(world);
    load(world, (std::filesystem::path(REVENANT_SAVE_FILES) / kept.name).string());
    CHECK(world.validate().empty());
    CHECK(stateHash(world) == kept.hash);
    addGame(world);
    for (int i = 0; i < 10; ++i) world.update(0.1);
}
