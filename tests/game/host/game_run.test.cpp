#include "game/host/game_run.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "rewind/state_hash.hpp"
#include "rewind/time_rewind_sys.hpp"
#include "tests/scratch_folder.hpp"
#include "world/world.hpp"

using namespace revenant;
using namespace revenant::game;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string walk = REVENANT_FIXTURES "/walk";

void play(GameRun& run, std::int64_t steps) {
    run.start();
    while (run.steps() < steps) run.step({});
    run.finish();
}

}  // namespace

TEST_CASE("a recording replays to the same hashes, with a rewind in it", "[game][host]") {
    const ScratchFolder folder;
    Options recording;
    recording.script =
        folder.write("script", "level 2\nseed 5\n5 50 right\n20 25 jump\n60 90 rewind\n");
    recording.record = folder.file("log");
    SoundDevice silence(false);
    std::uint64_t hash = 0;
    {
        GameRun run(recording, walk, silence, true);
        CHECK(run.logLength() == 90);
        play(run, 150);
        CHECK(run.script().errors().count() == 0);
        hash = stateHash(World::getInstance());
    }
    const InputLog log = readInputLog(recording.record);
    CHECK(log.level == "2");
    CHECK(log.seed == 5U);
    CHECK(log.hashes.size() == 3);
    CHECK(log.hashes.at(149) == hash);

    Options replaying;
    replaying.replay = recording.record;
    GameRun run(replaying, walk, silence, true);
    play(run, run.logLength());
    CHECK_FALSE(run.mismatch());
    CHECK(stateHash(World::getInstance()) == hash);
}

TEST_CASE("a replay that comes out differently says at which step", "[game][host]") {
    const ScratchFolder folder;
    SoundDevice silence(false);
    Options options;
    options.replay = folder.write("log", "hash 10 0000000000000001\nhash 20 0000000000000002\n");
    GameRun run(options, walk, silence, true);
    play(run, 30);
    REQUIRE(run.mismatch());
    CHECK_THAT(*run.mismatch(), ContainsSubstring("step 10 came out differently"));
    CHECK_THAT(*run.mismatch(), ContainsSubstring("instead of 0000000000000001"));
}

TEST_CASE("a history is saved, and any frame of it shown without the game", "[game][host]") {
    const ScratchFolder folder;
    SoundDevice silence(false);
    Options options;
    options.script = folder.write("script", "0 100 right\n");
    options.saveHistory = folder.file("history");
    std::vector<std::uint64_t> hashes;
    {
        GameRun run(options, walk, silence, true);
        play(run, 120);
        for (std::int64_t frame = 1; frame <= 120; ++frame)
            hashes.push_back(findHistory()->frameHash(frame));
    }
    World world;
    auto history = std::make_shared<TimeRewindSys>(world);
    world.registerSystem(history);
    history->loadHistory(options.saveHistory);
    for (const std::int64_t frame : {120, 1, 60, 61, 59, 7}) {
        history->seek(frame);
        CHECK(stateHash(world) == hashes[static_cast<std::size_t>(frame - 1)]);
    }
}

TEST_CASE("where there is no history, saving it is an error; so are logs that cannot be read",
          "[game][host]") {
    const ScratchFolder folder;
    SoundDevice silence(false);
    World::getInstance().reset();
    Options options;
    options.saveHistory = folder.file("history");
    folder.write("main.lua", "return { start = function() end, step = function() end }");
    GameRun run(options, folder.path(), silence, true);
    run.start();
    CHECK_THROWS_WITH(run.finish(), ContainsSubstring("keeps no history"));
    options.replay = folder.file("nothing");
    CHECK_THROWS_WITH(GameRun(options, walk, silence, true), ContainsSubstring("nothing"));
}
