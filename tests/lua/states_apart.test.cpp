#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <vector>

#include "lua/script_host.hpp"
#include "tests/scratch_folder.hpp"

using namespace revenant;

namespace {

// A world of its own, with systems, script components, events, a history and a rewind; it returns the last hash.
constexpr const char* game = R"(
    local revenant = require "revenant"
    local Coin = {}
    Coin.__index = Coin
    revenant.registerClass("Coin", Coin)
    local game = {}
    function game.play(seed, ticks)
        local world = revenant.World:new()
        world:defineComponent("BodyCMP", { x = 0, v = 1 })
        world:defineScriptComponent("CoinCMP", Coin)
        world:setRandomSeed(seed)
        local rewind = revenant.TimeRewindSys:new(world, { seconds = 10 })
        world:registerSystem(rewind)
        local view = world:getComponentsView { BodyCMP = revenant.ComponentRequirementDesc:new(true, false) }
        world:registerSystem { name = "Move", tick = function(_, dt)
            local bodies, entities = view.BodyCMP, view.entities
            for i = 1, view.count do
                bodies[i].x = bodies[i].x + bodies[i].v * dt * world:random(1, 9)
                if world:random(1, 40) == 1 then world:removeEntity(entities[i]) end
            end
            local e = world:newEntity("coin" .. world:random(1, 1000))
            e:addComponent("BodyCMP", { v = world:random(1, 5) })
            e:addComponent("CoinCMP", setmetatable({ worth = { world:random(1, 9) } }, Coin))
            world:addEntity(e)
        end }
        for _ = 1, ticks do world:update(1 / 60) end
        rewind:seek(rewind:getNewestFrame() - 20)
        rewind:stop()
        for _ = 1, 30 do world:update(1 / 60) end
        local hash = tostring(world:stateHash())
        world:dispose()
        return { hash = hash }
    end
    return game)";

std::string play(const std::string& path, double seed) {
    ScriptHost script("host");
    script.addFunction("seed", [seed](ScriptCall& call) { call.give(seed); });
    script.load(path);
    return *script.callForTable("run").at("hash").as<std::string>();
}

}  // namespace

TEST_CASE("worlds of different Lua states run on different threads at the same time",
          "[lua][threads]") {
    const ScratchFolder folder;
    std::string text = game;
    text.replace(
        text.rfind("return game"), 11,
        "function game.run() return game.play((require 'host').seed(), 120) end\n return game");
    const std::string path = folder.write("main.lua", text);
    const std::string first = play(path, 1);
    const std::string second = play(path, 2);
    CHECK(first != second);
    std::vector<std::string> hashes(4);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < hashes.size(); ++i)
        threads.emplace_back([&, i] { hashes[i] = play(path, i % 2 == 0 ? 1 : 2); });
    for (std::thread& thread : threads) thread.join();
    for (std::size_t i = 0; i < hashes.size(); ++i)
        CHECK(hashes[i] == (i % 2 == 0 ? first : second));
}
