-- Each thread of LÖVE's is a Lua state of its own: it has worlds of its own, and the process-wide one is that of one state.
--
--     love tests/lua/love_threads MODULE_FOLDER

local code = [[
local modules = ...
package.cpath = modules .. "/?.so;" .. package.cpath
local revenant = require "revenant"
local out = love.thread.getChannel("out")
for round = 1, 10 do
    local world = revenant.World:new()
    world:defineComponent("PlaceCMP", { x = 1 })
    world:defineScriptComponent("MindCMP")
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    for i = 1, 50 do
        local e = world:newEntity("e" .. i)
        e:addComponent("PlaceCMP")
        e:addComponent("MindCMP", { e = e })
        world:addEntity(e)
    end
    for _ = 1, 40 do world:update(1 / 60) end
    rewind:seek(5)
    rewind:stop()
    if round % 2 == 0 then world:dispose() end
end
local ok, message = pcall(revenant.World.getInstance)
out:push(not ok and message:find("another Lua state", 1, true) and "done" or tostring(message))
]]

function love.errorhandler(message)
    print(debug.traceback(message))
    os.exit(1)
end

function love.load(arguments)
    package.cpath = arguments[1] .. "/?.so;" .. package.cpath
    local world = require("revenant").World.getInstance()
    local threads, out = {}, love.thread.getChannel("out")
    for i = 1, 3 do
        threads[i] = love.thread.newThread(code)
        threads[i]:start(arguments[1])
    end
    for _, thread in ipairs(threads) do
        world:update(1 / 60)
        thread:wait()
        assert(not thread:getError(), thread:getError())
        local said = out:pop()
        assert(said == "done", said)
    end
    print("three threads had worlds of their own")
    love.event.quit()
end
