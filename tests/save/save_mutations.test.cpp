// Saves that nearly make sense: a short run of the fuzzer (tests/fuzz/save_fuzz.cpp), and what it has found.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

#include "save/format/save_bytes.hpp"
#include "save/json/save_json.hpp"
#include "save/save.hpp"
#include "tests/fuzz/save_mutator.hpp"
#include "tests/fuzz/save_probe.hpp"
#include "tests/save/random_world.hpp"
#include "tests/save/save_envelope.hpp"

using namespace revenant;
using namespace revenant::fuzz;
using Catch::Matchers::ContainsSubstring;
using tests::bodyOf;
using tests::wrapBody;

TEST_CASE("a save that was changed anywhere is refused, or a world like any other", "[save][bad]") {
    SaveMutator mutator(20261118);
    SaveProbe probe;
    const std::vector<Bytes> seeds = seedSaves();
    int accepted = 0;
    constexpr int rounds = 1200;
    for (int round = 0; round < rounds; ++round) {
        const Bytes& seed = seeds[mutator.below(seeds.size())];
        SaveImage image = readSave(seed, true);
        Bytes save;
        if (round % 8 == 0) {
            const auto text = writeSaveJson(image);
            const auto* begin = reinterpret_cast<const char*>(text.data());
            fuzz::Json json = fuzz::Json::parse(begin, begin + text.size());
            mutator.mutate(json, fuzz::Json(json));
            const std::string dumped =
                json.dump(-1, ' ', false, fuzz::Json::error_handler_t::replace);
            save = tests::bytesOf(dumped);
        } else if (round % 8 == 1) {
            Bytes body = bodyOf(seed);
            mutator.mutate(body);
            save = wrapBody(body);
        } else {
            mutator.mutate(image);
            save = writeSave(image);
        }
        const Verdict verdict = probe.probe(save);
        if (!verdict.problem.empty()) FAIL("round " << round << ": " << verdict.problem);
        accepted += verdict.accepted ? 1 : 0;
    }
    CHECK(accepted > rounds / 10);
    CHECK(accepted < rounds * 9 / 10);
}

// Found by the sanitizers: an offset to a null pointer.
TEST_CASE("a component that no entity has may be in a save", "[save][bad]") {
    tests::RandomWorld random(5);
    SaveImage image = readSave(saveToBytes(random.world), true);
    SavedComponent unused = image.components.front();
    REQUIRE_FALSE(unused.fields.empty());
    unused.name = "TagCMP";
    for (const SavedComponent& each : image.components)
        if (each.name == unused.name) unused.name = "UnusedCMP";
    unused.rowCount = 0;
    unused.rows.clear();
    image.components.push_back(unused);
    World world;
    tests::defineAll(world);
    loadFromBytes(world, writeSave(image), {.drop = {"UnusedCMP"}});
    CHECK(world.validate().empty());
}

// Its bytes went to the script's hook as they were, with entities of another world in them.
TEST_CASE("bytes of a hook are not taken for the plain data of a script", "[save][bad]") {
    tests::RandomWorld random(5);
    SaveImage image = readSave(saveToBytes(random.world), true);
    for (SavedComponent& component : image.components)
        if (component.name == "PlainCMP") component.stateKind = StateKind::Bytes;
    World world;
    tests::defineAll(world);
    CHECK_THROWS_WITH(loadFromBytes(world, writeSave(image)),
                      ContainsSubstring("PlainCMP") && ContainsSubstring("script component"));
    CHECK(world.getStats().detached == 0);
}
