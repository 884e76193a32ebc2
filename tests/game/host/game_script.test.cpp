#include "game/host/game_script.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "game/host/game_run.hpp"
#include "tests/scratch_folder.hpp"
#include "world/world.hpp"

using namespace revenant;
using namespace revenant::game;
using Catch::Matchers::ContainsSubstring;

namespace {

// A folder with a main.lua of one's own, and a script that runs in it.
class Stage {
public:
    explicit Stage(const std::string& source) {
        World::getInstance().reset();
        folder_.write("main.lua", source);
        script.emplace(folder_.path(), canvas, input, silence, true);
    }
    ~Stage() { script.reset(); }

    // Runs `body` as the game's step and tells what it raised.
    static std::string raisedBy(const std::string& body) {
        Stage stage(
            "local host = require 'host'\nreturn { start = function() end, step = function()\n" +
            body + "\nend, draw = function() end }");
        stage.script->start({});
        stage.script->step(1.0 / 60);
        return stage.script->errors().text();
    }

    Canvas canvas{canvasWidth, canvasHeight};
    StepInput input;
    SoundDevice silence{false};
    std::optional<GameScript> script;

private:
    ScratchFolder folder_;
};

const std::string counting = R"(
    local game = { steps = 0 }
    function game.start(options) game.level, game.seed = options.level, options.seed end
    function game.step(dt)
        game.steps = game.steps + 1
        if game.steps == 2 then error("the second step") end
    end
    function game.draw() require("host").canvas:clear(0x102030FF) end
    function game.summary()
        return { steps = game.steps, level = game.level, seed = game.seed, ok = true, { "nested" } }
    end
    return game
)";

}  // namespace

TEST_CASE("an error in a step is shown, and the game goes on with the next", "[game][host]") {
    Stage stage(counting);
    stage.script->start({"3", 9});
    for (int i = 0; i < 5; ++i) stage.script->step(1.0 / 60);
    CHECK(stage.script->errors().count() == 1);
    CHECK(stage.script->errors().isShown());
    CHECK_THAT(stage.script->errors().text(), ContainsSubstring("in step: "));
    CHECK_THAT(stage.script->errors().text(), ContainsSubstring("the second step"));
    CHECK_THAT(stage.script->errors().text(), ContainsSubstring("stack traceback:"));
    const ScriptTable summary = stage.script->summary();
    CHECK(*summary.at("steps").as<double>() == 5);
    CHECK(*summary.at("level").as<double>() == 3);
    CHECK(*summary.at("seed").as<double>() == 9);
    CHECK(*summary.at("ok").as<bool>());
    CHECK(summary.size() == 4);
    // On the canvas, over what the game has drawn; and it goes away again.
    stage.script->draw(0);
    const Color sky = Color::of(0x102030FF);
    CHECK(std::ranges::count(stage.canvas.pixels(), sky) < canvasWidth * canvasHeight);
    for (int i = 0; i < 400; ++i) stage.script->step(1.0 / 60);
    stage.script->draw(0);
    CHECK(std::ranges::count(stage.canvas.pixels(), sky) == canvasWidth * canvasHeight);
}

TEST_CASE("a main.lua that is missing, broken or returns no table is reported and drawn",
          "[game][host]") {
    for (const char* source :
         {"this is not Lua", "return 7", "error('no')", "return require 'nothing'"}) {
        INFO(source);
        Stage stage(source);
        stage.script->start({});
        stage.script->step(1.0 / 60);
        stage.canvas.clear(Color::of(0x102030FF));
        stage.script->draw(0);
        CHECK(stage.script->errors().isShown());
        CHECK(stage.canvas.at(canvasWidth - 1, canvasHeight - 1) != Color::of(0x102030FF));
        CHECK(stage.script->summary().empty());
    }
    Stage stage("");
    GameScript nowhere("/no/such/folder", stage.canvas, stage.input, stage.silence, true);
    nowhere.start({});
    CHECK_THAT(nowhere.errors().text(), ContainsSubstring("/no/such/folder/main.lua"));
}

TEST_CASE("a game that lacks a function gets an error that names it", "[game][host]") {
    Stage stage("return { start = function() end }");
    stage.script->start({});
    stage.script->step(1.0 / 60);
    CHECK_THAT(stage.script->errors().text(), ContainsSubstring("no function 'step'"));
}

TEST_CASE("refresh is called where a game has it, and is optional", "[game][host]") {
    Stage without(counting);
    without.script->refresh();
    without.script->start({});
    without.script->refresh();
    CHECK(without.script->errors().count() == 0);
    Stage with("return { start = function() end, refresh = function() error('refreshed') end }");
    with.script->start({});
    with.script->refresh();
    CHECK_THAT(with.script->errors().text(), ContainsSubstring("in refresh: "));
}

TEST_CASE("bad arguments raise a sentence that names function and argument", "[game][host]") {
    const auto raises = [](const char* body, const char* sentence) {
        INFO(body);
        CHECK_THAT(Stage::raisedBy(body), ContainsSubstring(sentence));
    };
    raises("host.canvas:clear()",
           "host.canvas:clear: argument 1 (color) must be a number, not no value");
    raises("host.canvas:clear('red')", "must be a number, not string");
    raises("host.canvas:clear(-1)", "must be a colour 0xRRGGBBAA, not -1");
    raises("host.canvas:clear(2^32)", "must be a colour");
    raises("host.canvas.clear(0)", "host.canvas:clear: call it with a colon");
    raises("host.canvas:rect(0, 0, 1, 0/0, 0)", "argument 4 (h) must be a finite number");
    raises("host.canvas:draw(1, 0, 0)", "there is no image 1");
    raises("host.canvas:newImage(2, 2, 'short')", "2 x 2 pixels are 16 bytes, not 5");
    raises("host.canvas:newImage(0, 2, '')", "each side must be 1 to");
    raises("host.canvas:text(0, 0, 5, 0)", "argument 3 (string) must be a string");
    raises("host.canvas:text(0, 0, 'a', 0, 0)", "scale must be 1 to 64");
    raises("host.canvas:grade(9, 0, 0)", "(saturation) must be 0 to 4");
    raises("host.canvas:grade(1, 0, 1.5)", "(strength) must be 0 to 1");
    raises("host.input:isDown('fly')", "there is no action 'fly'");
    raises("host.sound:play('boing')", "there is no sound 'boing'");
    raises("host.sound:play('coin', 2)", "(volume) must be 0 to 1");
    raises("host.sound:setRewind(-1)", "(speed) must be 0 to");
    raises("host.readFile('nothing.txt')", "cannot read 'nothing.txt'");
    raises("host.readFile()", "host.readFile: argument 1 (path)");
}

TEST_CASE("good arguments raise nothing", "[game][host]") {
    const std::string raised = Stage::raisedBy(R"(
        local canvas = host.canvas
        canvas:clear(0xFF)
        local image = canvas:newImage(1, 2, ("\255"):rep(8))
        canvas:draw(image, 1.9, -0.5)
        canvas:draw(image, 1e300 > 0 and 5 or 0, 0, 0, 0, 1, 1, true, 0xFFFFFF80)
        canvas:rect(-1e9, -1e9, 2e9, 2e9, 0x11223344)
        canvas:line(0, 0, 1e12, 5, 0xFFFFFFFF)
        canvas:text(3, 3, "two\nlines", 0xFFFFFFFF, 2)
        assert(canvas:textWidth("abc", 2) == 2 * canvas:textWidth("abc"))
        canvas:grade(0, 0, 1)
        host.sound:play("coin")
        host.sound:play("coin", 0.5, 2)
        host.sound:setRewind(0)
        assert(host.width == 480 and host.height == 270 and host.headless == true)
        assert(host.input:isDown("left") == false)
        assert(#host.readFile("main.lua") > 0)
        assert(require("revenant").World)
    )");
    INFO(raised);
    CHECK(raised.empty());
}
