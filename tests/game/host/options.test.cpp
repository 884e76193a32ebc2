#include "game/host/options.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <sstream>
#include <vector>

#include "world/error.hpp"

using namespace revenant::game;
using Catch::Matchers::ContainsSubstring;

namespace {

Options parse(std::vector<const char*> arguments) {
    return parseOptions(arguments);
}

void refuses(std::vector<const char*> arguments, const char* because) {
    CHECK_THROWS_WITH(parseOptions(arguments), ContainsSubstring(because));
}

}  // namespace

TEST_CASE("every option that the help names is understood", "[game][host]") {
    const Options options = parse({"--level",
                                   "2",
                                   "--seed",
                                   "7",
                                   "--headless",
                                   "--frames",
                                   "60",
                                   "--record",
                                   "a",
                                   "--replay",
                                   "b",
                                   "--screenshot",
                                   "10",
                                   "c.png",
                                   "--screenshot",
                                   "20",
                                   "d.png",
                                   "--save-history",
                                   "e",
                                   "--inspector",
                                   "--mute",
                                   "--game",
                                   "f",
                                   "--panel",
                                   "views",
                                   "--at",
                                   "5",
                                   "--compare",
                                   "3",
                                   "4",
                                   "--demonstrate",
                                   "g"});
    CHECK(options.level == "2");
    CHECK(options.seed == 7U);
    CHECK(options.headless);
    CHECK(options.frames == 60);
    CHECK(options.record == "a");
    CHECK(options.replay == "b");
    REQUIRE(options.screenshots.size() == 2);
    CHECK(options.screenshots[1].frame == 20);
    CHECK(options.screenshots[1].path == "d.png");
    CHECK(options.compare->second == 4);
    CHECK(parse({"--script", "s", "--help"}).help);
    CHECK(parse({"--history", "h"}).history == "h");
    // The reverse: every option that the help lists is accepted.
    std::istringstream help(usage("play"));
    for (std::string line; std::getline(help, line);) {
        std::istringstream words(line);
        std::string option;
        words >> option;
        if (option.rfind("--", 0) != 0) continue;
        INFO(option);
        std::vector<const char*> arguments = {option.c_str()};
        try {
            parse(arguments);
        } catch (const revenant::Error& error) {
            CHECK_THAT(error.what(), ContainsSubstring("needs"));
        }
    }
}

TEST_CASE("options that make no sense are refused with a sentence that names them",
          "[game][host]") {
    refuses({"--bogus"}, "no option '--bogus'");
    refuses({"level"}, "no option 'level'");
    refuses({"--frames"}, "--frames needs a number");
    refuses({"--frames", "many"}, "not 'many'");
    refuses({"--frames", "-3"}, "not '-3'");
    refuses({"--frames", "3x"}, "not '3x'");
    refuses({"--frames", "99999999999999999999"}, "--frames needs");
    refuses({"--record", "--headless"}, "--record needs a file");
    refuses({"--screenshot", "5"}, "--screenshot needs a step and a file");
    refuses({"--screenshot", "a.png", "5"}, "not 'a.png'");
    refuses({"--panel", "nothing"}, "no panel 'nothing'");
    refuses({"--script", "a", "--replay", "b"}, "exclude each other");
    refuses({"--history", "a", "--replay", "b"}, "exclude each other");
}

TEST_CASE("a game's folder that is not there is named", "[game][host]") {
    Options options;
    options.gameFolder = "/no/such/folder";
    CHECK_THROWS_WITH(findGameFolder(options, "play"), ContainsSubstring("/no/such/folder"));
    options.gameFolder = REVENANT_FIXTURES "/walk";
    CHECK(findGameFolder(options, "play") == options.gameFolder);
}
