#include "lua/script_host.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <vector>

#include "tests/scratch_folder.hpp"
#include "world/error.hpp"

using namespace revenant;
using Catch::Matchers::ContainsSubstring;

namespace {}  // namespace

TEST_CASE("a host calls its script, and the script its host", "[lua]") {
    const ScratchFolder folder;
    ScriptHost script("host");
    std::vector<double> drawn;
    std::string said;
    script.addMethod("canvas", "dot", [&](ScriptCall& call) {
        drawn.push_back(call.number(1, "x"));
        drawn.push_back(static_cast<double>(call.integer(2, "y")));
    });
    script.addMethod("canvas", "width", [](ScriptCall& call) { call.give(320.0); });
    script.addFunction("say", [&](ScriptCall& call) {
        said = call.text(1, "text");
        if (call.has(2) && call.boolean(2, "loudly")) said += "!";
        call.give(std::string("heard"));
    });
    script.addFunction("isOpen", [](ScriptCall& call) { call.give(true); });
    script.setField("version", Value(3));
    script.setField("title", Value("Moths"));
    CHECK_FALSE(script.isLoaded());
    CHECK_FALSE(script.hasFunction("step"));
    script.load(folder.write("main.lua", R"(
        local host = require "host"
        local game = {}
        function game.step(dt, n)
            host.canvas:dot(dt, n + 0.9)
            assert(host.canvas:width() == 320 and host.isOpen() == true)
            assert(host.version == 3 and host.title == "Moths")
            assert(host.say("hello", dt > 1) == "heard")
        end
        function game.resize(size) host.say(size.name .. size.width .. tostring(size.full)) end
        function game.stats() return { frames = 7, name = "moth", isOn = true, 5, [{}] = 1, inner = {} } end
        return game)"));
    CHECK(script.isLoaded());
    CHECK(script.hasFunction("step"));
    CHECK_FALSE(script.hasFunction("fly"));
    script.call("step", {0.5, 4});
    CHECK(drawn == std::vector<double>{0.5, 4});
    CHECK(said == "hello");
    script.call("step", {1.5, -4});
    CHECK(drawn.back() == -4);  // rounded down
    CHECK(said == "hello!");
    script.call("resize", {{"name", "small"}, {"width", 64.0}, {"full", false}, {"none", {}}});
    CHECK(said == "small64false");
    CHECK(script.callForTable("stats") ==
          ScriptTable{{"frames", 7.0}, {"name", "moth"}, {"isOn", true}});
}

TEST_CASE("a script's mistakes come out as errors that say where", "[lua]") {
    const ScratchFolder folder;
    ScriptHost script("host");
    script.addMethod("canvas", "dot", [](ScriptCall& call) { call.number(1, "x"); });
    script.addFunction("count", [](ScriptCall& call) { call.integer(1, "how many"); });
    script.addFunction("flag", [](ScriptCall& call) { call.boolean(1, "on"); });
    script.addFunction("say", [](ScriptCall& call) { call.text(1, "text"); });
    CHECK_THROWS_WITH(script.call("step"), ContainsSubstring("step: no script is loaded"));
    script.load(folder.write("main.lua", R"(
        local host = require "host"
        return {
            colon = function() host.canvas.dot(1) end,
            number = function() host.canvas:dot("far") end,
            infinite = function() host.canvas:dot(1 / 0) end,
            large = function() host.count(1e300) end,
            flag = function() host.flag(1) end,
            text = function() host.say() end,
            oops = function() error("oops") end,
            five = function() return 5 end,
            step = "not a function",
        })"));
    CHECK_THROWS_WITH(script.call("colon"),
                      ContainsSubstring("main.lua:4: host.canvas:dot: call it with a colon"));
    CHECK_THROWS_WITH(
        script.call("number"),
        ContainsSubstring("host.canvas:dot: argument 1 (x) must be a number, not string"));
    CHECK_THROWS_WITH(script.call("infinite"),
                      ContainsSubstring("must be a finite number, not inf"));
    CHECK_THROWS_WITH(script.call("large"),
                      ContainsSubstring("argument 1 (how many) must be a number of sane size"));
    CHECK_THROWS_WITH(script.call("flag"),
                      ContainsSubstring("host.flag: argument 1 (on) must be a boolean, not 1"));
    CHECK_THROWS_WITH(
        script.call("text"),
        ContainsSubstring("host.say: argument 1 (text) must be a string, not no value"));
    CHECK_THROWS_WITH(script.call("oops"),
                      ContainsSubstring("main.lua:10: oops\nstack traceback:"));
    CHECK_THROWS_WITH(script.call("step"), ContainsSubstring("has no function 'step'"));
    CHECK_THROWS_WITH(script.callForTable("five"),
                      ContainsSubstring("five must return a table, not number"));
    script.call("five");  // what failed before leaves the state usable
}

TEST_CASE("a script that cannot be loaded leaves the one before it in place", "[lua]") {
    const ScratchFolder folder;
    ScriptHost script("host");
    int steps = 0;
    script.addFunction("count", [&](ScriptCall&) { ++steps; });
    script.load(folder.write("main.lua", "return { step = require('host').count }"));
    CHECK_THROWS_WITH(script.load(folder.path() + "/nowhere.lua"),
                      ContainsSubstring("nowhere.lua"));
    CHECK_THROWS_WITH(script.load(folder.write("broken.lua", "return {")),
                      ContainsSubstring("broken.lua:1:"));
    CHECK_THROWS_WITH(script.load(folder.write("number.lua", "return 5")),
                      ContainsSubstring("must return a table of functions, not number"));
    CHECK_THROWS_WITH(script.load(folder.write("raises.lua", "error('no game today')")),
                      ContainsSubstring("no game today"));
    script.call("step");
    CHECK(steps == 1);
    script.load(folder.write("other.lua", "return { leap = require('host').count }"));
    CHECK_FALSE(script.hasFunction("step"));
    script.call("leap");
    CHECK(steps == 2);
}

TEST_CASE("modules are looked for in the host's folder first, and revenant is one", "[lua]") {
    const ScratchFolder folder;
    folder.write("moth.lua", "return { wings = 4 }");
    std::filesystem::create_directory(folder.path() + "/wings");
    folder.write("wings/init.lua", "return { span = 9 }");
    ScriptHost script("host");
    script.addModuleFolder(folder.path());
    script.load(folder.write("main.lua", R"(
        local revenant = require "revenant"
        return { stats = function()
            local world = revenant.World:new()
            world:addEntity(world:newEntity("moth"))
            world:update(0)
            return { wings = require("moth").wings, span = require("wings").span,
                entities = #world:getAllManagedEntities() }
        end })"));
    CHECK(script.callForTable("stats") ==
          ScriptTable{{"wings", 4.0}, {"span", 9.0}, {"entities", 1.0}});
}
