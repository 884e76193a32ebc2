#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <random>

#include "rewind/state_hash.hpp"
#include "save/save.hpp"
#include "tests/save/random_world.hpp"
#include "tests/save/save_envelope.hpp"

using namespace revenant;
using namespace revenant::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// A running game that bad saves are loaded into, and that must stay as it is.
struct Running {
    Running() {
        defineAll(world);
        Entity entity = world.newEntity("running");
        entity.addComponent<Moving>();
        world.addEntity(entity);
        world.update(1);
        hash = stateHash(world);
    }
    // Returns whether the save was refused; the message is then in `said`.
    bool refuses(std::span<const std::byte> save, bool checksums = true) {
        try {
            loadFromBytes(world, save, {.checksums = checksums});
            return false;
        } catch (const Error& error) {
            said = error.what();
        }
        CHECK_FALSE(said.empty());
        CHECK(stateHash(world) == hash);
        CHECK(world.getStats().detached == 0);
        return true;
    }
    bool refuses(const std::string& json) { return refuses(std::as_bytes(std::span(json))); }

    World world;
    std::uint64_t hash = 0;
    std::string said;
};

std::vector<std::byte> smallSave() {
    RandomWorld random(5);
    return saveToBytes(random.world);
}

}  // namespace

TEST_CASE("a save that is cut off anywhere is refused", "[save][bad]") {
    Running running;
    const auto save = smallSave();
    for (std::size_t size = 0; size < save.size(); ++size)
        if (!running.refuses(std::span(save).first(size))) FAIL("accepted " << size << " bytes");
    auto longer = save;
    longer.push_back(std::byte{0});
    CHECK(running.refuses(longer));
}

TEST_CASE("a save with any byte changed is refused", "[save][bad]") {
    Running running;
    auto save = smallSave();
    for (std::size_t i = 0; i < save.size(); ++i) {
        save[i] ^= std::byte{0x10};
        if (!running.refuses(save)) FAIL("accepted a change of byte " << i);
        save[i] ^= std::byte{0x10};
    }
}

TEST_CASE("a body changed behind the checksum is refused, or a save of something else",
          "[save][bad]") {
    const auto save = smallSave();
    const std::vector<std::byte> body = bodyOf(save);
    std::mt19937 engine(7);
    int refused = 0;
    for (int round = 0; round < 1500; ++round) {
        std::vector<std::byte> changed = body;
        for (unsigned k = engine() % 3 + 1; k > 0; --k) {
            const std::size_t at = engine() % changed.size();
            changed[at] = static_cast<std::byte>(engine() % 4 == 0 ? 0xFF : engine());
        }
        if (engine() % 8 == 0) changed.resize(engine() % changed.size());
        Running running;
        if (running.refuses(wrapBody(changed)))
            ++refused;
        else if (!running.world.validate().empty())
            FAIL("round " << round << ": " << running.world.validate().front());
    }
    CHECK(refused > 300);
}

TEST_CASE("a decompression bomb is recognised by its size", "[save][bad]") {
    Running running;
    const std::vector<std::byte> zeros(std::size_t{64} << 20);
    CHECK(running.refuses(wrapBody(zeros)));
    CHECK_THAT(running.said, ContainsSubstring("too large"));
    // A world that is as uniform, but real, is opened.
    constexpr std::uint32_t count = 250000;
    World many;
    defineAll(many);
    for (std::uint32_t i = 0; i < count; ++i) {
        Entity entity = many.newEntity("same");
        entity.addComponent<Everything>();
        many.addEntity(entity);
    }
    const auto save = saveToBytes(many);
    loadFromBytes(running.world, save);
    CHECK(save.size() > count * 60 / 512);
    CHECK(running.world.getStats().managed == count);
}

TEST_CASE("JSON of a wrong shape is refused with the place", "[save][bad]") {
    Running running;
    const std::string world =
        R"("world":{"time":1,"tick":1,"random":[1,2,3,4],"draws":0,"lastSerial":9})";
    const std::string body =
        R"("components":{"MovingCMP":{"version":1,"fields":{"x":"f64","speed":"f64"}}})";
    auto save = [&](const std::string& entities, const std::string& resources = "{}",
                    const std::string& systems = "{}") {
        return R"({"format":"revenant save","version":1,)" + world + "," + body +
               R"(,"entities":)" + entities + R"(,"resources":)" + resources + R"(,"systems":)" +
               systems + "}";
    };
    REQUIRE_FALSE(running.refuses(
        save(R"([{"name":"a","serial":1,"components":{"MovingCMP":{"x":1,"speed":"inf"}}}])")));
    auto withLastSerial = [&](const std::string& number) {
        std::string json = save("[]");
        const std::string own = R"("lastSerial":)";
        return json.replace(json.find(own) + own.size(), 1, number);
    };
    REQUIRE_FALSE(running.refuses(withLastSerial("4000000000")));
    struct Bad {
        std::string json;
        const char* said;
    };
    const Bad bad[] = {
        {withLastSerial("4294967295"), "leaves none for new"},
        {"{", "JSON"},
        {"{}", "format"},
        {R"({"format":3})", "format"},
        {R"({"format":"revenant save","version":3})", "version 3"},
        {R"({"format":"revenant save","version":0})", "version 0"},
        {R"({"format":"revenant save","version":1})", "components"},
        {save("{}"), "entities"},
        {save("[3]"), "entities[0]"},
        {save("[{}]"), "name"},
        {save(R"([{"name":3}])"), "entities[0].name"},
        {save(R"([{"name":"a"}])"), "serial"},
        {save(R"([{"name":"a","serial":-1}])"), "serial"},
        {save(R"([{"name":"a","serial":1}])"), "components"},
        {save(R"([{"name":"a","serial":10,"components":{}}])"), "serial"},
        {save(R"([{"name":"a","serial":1,"parent":1,"components":{}}])"), "parent"},
        {save(R"([{"name":"a","serial":1,"enabled":1,"components":{}}])"), "enabled"},
        {save(R"([{"name":"a","serial":1,"components":{"NoCMP":{}}}])"), "NoCMP"},
        {save(R"([{"name":"a","serial":1,"components":{"MovingCMP":{}}}])"), "lacks"},
        {save(R"([{"name":"a","serial":1,"components":{"MovingCMP":{"x":"a","speed":1}}}])"), ".x"},
        {save(R"([{"name":"a","serial":1,"components":{"MovingCMP":{"x":1,"speed":1,"z":1}}}])"),
         ".z"},
        {save(
             R"([{"name":"a","serial":1,"components":{}},{"name":"a","serial":1,"components":{}}])"),
         "serial"},
        {save(R"([{"name":{"$bytes":"f"},"serial":1,"components":{}}])"), "half a byte"},
        {save(R"([{"name":"a","serial":1,"components":{},"colour":1}])"), "entities[0].colour"},
        {save(R"([{"name":"a","serial":1,"components":{},"disabled":["MovingCMP"]}])"),
         "entities[0].disabled[0]"},
        {save("[]", "3"), "resources"},
        {save("[]", "[]"), "resources"},
        {save("[]", R"({"r":{"$entity":5}})"), "resource 'r'"},
        {save("[]", R"({"r":{"$gone":-5}})"), "resources.r.$gone"},
        {save("[]", R"({"r":{"$gone":5,"$entity":1}})"), "resources.r"},
        {save("[]", R"({"r":[{"$unknown":"5"}]})"), "resources.r[0].$unknown"},
        {save("[]", "{}", R"({"s":{"accumulatedSeconds":0,"state":{"$gone":0}}})"), "entity 0"},
        {save("[]", "{}",
              R"({"s":{"accumulatedSeconds":0,"state":{"$component":"X","of":{"$gone":"3"}}}})"),
         "state.of.$gone"},
        {save("[]", "{}",
              R"({"s":{"accumulatedSeconds":0,"state":{"$component":"X","of":3,"lost":1}}})"),
         "state.lost"},
        {save("[]", R"({"r":1,"r":2})"), "resources.r is there twice"},
        {save("[]", R"({"r":{"$whole":"1","x":2}})"), "resources.r"},
        {save("[]", "{}", R"({"s":{}})"), "accumulatedSeconds"},
        {save("[]", "{}", R"({"s":{"accumulatedSeconds":0,"state":1,"bytes":"00"}})"), "systems.s"},
        {save("[]", "{}", R"({"s":{"accumulatedSeconds":0,"state":{"$again":1}}})"), "$again"},
        {save("[]", "{}", R"({"s":{"accumulatedSeconds":0,"state":{"$what":1}}})"), "$what"},
        {save("[]", "{}", R"({"s":{"accumulatedSeconds":0,"state":{"a":1,"b":2,"a":3}}})"),
         "systems.s.state.a is there twice"},
        {save("[]", "{}",
              R"({"s":{"accumulatedSeconds":0,"state":)" + std::string(500, '[') +
                  std::string(500, ']') + "}}"),
         "deep"},
        {save("[]", R"({"r":)" + std::string(102, '[') + std::string(102, ']') + "}"), "100 deep"},
        {save("[]") + std::string(1, '\0') + "more", "zero byte"},
        {save("[]") + "more", "it is not JSON"},
        {R"({"format":"revenant save","version":1,"a":1})", "the save.a"},
        {std::string(100000, '['), "save"},
        {R"({"entities":)" + std::string(100000, '['), "deep"},
        {save(std::string(100000, '9')), "overflow"},
        {save("[]", R"({")" + std::string(100000, 'k') + R"(":{"$what":1}})"), " ... "},
        {save("[]", R"({"r":)" + std::string(100000, '[')), "deep"},
    };
    for (const Bad& each : bad) {
        CAPTURE(each.json.substr(0, 300));
        Running fresh;
        CHECK(fresh.refuses(each.json));
        CHECK_THAT(fresh.said, ContainsSubstring(each.said));
        CHECK(fresh.said.size() < 1000);
    }
}
