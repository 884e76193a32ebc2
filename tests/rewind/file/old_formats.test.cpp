// A file of every format that ever was, beside this test: each stays readable. To add one when the
// format changes, run `revenant_tests "[write-history]"` and keep the file that it writes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/rewind/recorded_flight.hpp"

using namespace revenant;

namespace {

struct Kept {
    const char* name;
    std::uint32_t format;
    std::uint64_t hashes;  // of all frames, folded into one
};

std::uint64_t fold(TimeRewindSys& rewind) {
    std::uint64_t folded = 0;
    for (std::int64_t frame = *rewind.getOldestFrame(); frame <= *rewind.getNewestFrame(); ++frame)
        folded = folded * 31 + rewind.frameHash(frame);
    return folded;
}

}  // namespace

TEST_CASE("writes a small history file of the present format", "[.][write-history]") {
    Recorded flight(6, 12, Flight::roomy(10));
    flight.rescopes = true;
    flight.ticks(12);
    flight.rewind->setCheckpoint("there");
    flight.rewind->seek(15);
    flight.rewind->setCheckpoint("here");
    const std::string name = "format_" + std::to_string(historyFormat) + ".history";
    flight.rewind->saveHistory(name);
    WARN(name << " has the hashes " << fold(*flight.rewind));
}

TEST_CASE("a history file of each format shows every frame as it was", "[rewind][file]") {
    const auto kept = GENERATE(Kept{"format_2.history", 2, 13809092882186256990U},
                               Kept{"format_3.history", 3, 13809092882186256990U},
                               Kept{"format_4.history", 4, 13809092882186256990U},
                               Kept{"format_5.history", 5, 13809092882186256990U},
                               Kept{"format_6.history", 6, 13809092882186256990U},
                               Kept{"format_7.history", 7, 13809092882186256990U});
    CAPTURE(kept.name);
    const std::string path = (std::filesystem::path(REVENANT_HISTORY_FILES) / kept.name).string();
    REQUIRE(readFile(path).at(sizeof historyMagic) == static_cast<std::byte>(kept.format));
    Flight tool;
    tool.rewind->loadHistory(path);
    CHECK(tool.rewind->getFrame() == 15);
    CHECK(tool.rewind->getCheckpoint("here") == 15);
    CHECK(tool.rewind->getCheckpoint("there") == 24);
    CHECK(fold(*tool.rewind) == kept.hashes);
    for (const std::int64_t frame : {24, 1, 23, 2, 10, 11, 12, 20, 3, 15}) {
        CAPTURE(frame);
        tool.rewind->seek(frame);
        CHECK(tool.world.validate().empty());
        CHECK(stateHash(tool.world) == tool.rewind->frameHash(frame));
        CHECK(tool.world.getTick() == static_cast<std::uint64_t>(frame));
    }
    tool.rewind->stop();
    tool.ticks(5);
    CHECK(tool.world.validate().empty());
    CHECK(tool.rewind->getNewestFrame() == 19);
}
