#include "game/host/input_log.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "world/error.hpp"

using namespace revenant::game;
using Catch::Matchers::ContainsSubstring;

namespace {

void refuses(const char* text, const char* because) {
    INFO(text);
    CHECK_THROWS_WITH(parseInputLog(text, "log"), ContainsSubstring(because));
}

}  // namespace

TEST_CASE("a log says what is held in each step", "[game][host]") {
    const InputLog log = parseInputLog(
        "# a comment\n\nlevel levels/one.lua\nseed 18446744073709551615\n"
        "10 60 right jump # behind it, too\r\n20 30 act\nhash 120 8b1a9953c4611296",
        "log");
    CHECK(log.level == "levels/one.lua");
    CHECK(log.seed == UINT64_MAX);
    CHECK(log.heldIn(9).empty());
    CHECK(log.heldIn(10).has(Action::Jump));
    CHECK_FALSE(log.heldIn(10).has(Action::Act));
    CHECK(log.heldIn(20).has(Action::Act));
    CHECK(log.heldIn(59).has(Action::Right));
    CHECK(log.heldIn(60).empty());
    CHECK(log.hashes.at(120) == 0x8b1a9953c4611296U);
    CHECK(log.length() == 121);
}

TEST_CASE("what makes no sense in a log is refused, with its line", "[game][host]") {
    refuses("10 60 right\n10 60 fly", "log:2: there is no action 'fly'");
    refuses("10 60", "log:1: expected 'FIRST END ACTION...'");
    refuses("60 10 right", "the end must be larger");
    refuses("5 5 right", "the end must be larger");
    refuses("-5 5 right", "out of range");
    refuses("1 99999999999999 right", "out of range");
    refuses("x 5 right", "'x' is no step");
    refuses("1 5.5 right", "'5.5' is no step");
    refuses("level", "expected 'level NUMBER_OR_PATH'");
    refuses("level 1 2", "expected 'level NUMBER_OR_PATH'");
    refuses("seed -1", "'-1' is no seed");
    refuses("hash 5 123", "sixteen digits");
    refuses("hash 5 123456789012345g", "is no hash");
    refuses("hash 5 0000000000000001\nhash 5 0000000000000001", "log:2: step 5 has a hash already");
    CHECK_THROWS_WITH(readInputLog("/no/such/log"), ContainsSubstring("/no/such/log"));
    CHECK_THROWS_AS(saveInputLog({}, "/no/such/folder/log"), revenant::Error);
}

TEST_CASE("a recording says the same when it is read again", "[game][host]") {
    InputLog log;
    log.level = "2";
    log.seed = 7;
    ActionSet running;
    running.add(Action::Right);
    ActionSet jumping = running;
    jumping.add(Action::Jump);
    for (int step = 3; step < 9; ++step) log.append(step, step < 6 ? running : jumping);
    log.append(9, {});
    log.append(12, jumping);
    log.hashes[12] = 0xAB;
    CHECK(log.spans.size() == 3);
    const std::string text = writeInputLog(log);
    CHECK_THAT(text, ContainsSubstring("3 6 right\n6 9 right jump\n12 13 right jump\n"));
    CHECK_THAT(text, ContainsSubstring("hash 12 00000000000000ab"));
    const InputLog again = parseInputLog(text, "again");
    for (int step = 0; step < 20; ++step) CHECK(again.heldIn(step) == log.heldIn(step));
    CHECK(writeInputLog(again) == text);
}

TEST_CASE("a step sees what was pressed and released since the previous step", "[game][host]") {
    StepInput input;
    ActionSet jump;
    jump.add(Action::Jump);
    input.advance(jump);
    CHECK(input.wasPressed(Action::Jump));
    input.advance(jump);
    CHECK(input.isDown(Action::Jump));
    CHECK_FALSE(input.wasPressed(Action::Jump));
    input.advance({});
    CHECK(input.wasReleased(Action::Jump));
    CHECK_FALSE(input.isDown(Action::Jump));
}
