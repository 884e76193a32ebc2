-- A game in the shape of many, written for a world of its own, moved over with a few lines of glue (tests/lua/port).
local revenant = require "revenant"
local folder = specFolder .. "/../port/"
local step = 1 / 60

local function load(name) return dofile(folder .. name .. ".lua") end

local game = load "game"

local function start(makeWorld)
    local simulation = game.Simulation()
    local world = makeWorld()
    return game.Game(world, simulation), simulation, world
end

-- The random numbers of the two worlds are not the same; for comparison the glue gets those of the other.
local function port(random)
    local own = revenant.World:new()
    local run, simulation, glue = start(function()
        local glue = load "glue" (game, own)
        if random then glue.random = random end
        return glue
    end)
    return run, simulation, glue, own
end

test("the glue is shorter than 40 lines", function()
    local count = 0
    for line in io.lines(folder .. "glue.lua") do
        if line:find("%S") and not line:find("^%s*%-%-") then count = count + 1 end
    end
    check(count < 40, count .. " lines")
end)

test("the game plays as it did, frame by frame", function()
    local byHand = start(function() return load "hand_world".new() end)
    local hand = load "hand_world".new()
    local ported = port(function(_, first, last) return hand:random(first, last) end)
    local levels = {}
    for tick = 1, 4000 do
        byHand:update(step)
        ported:update(step)
        local a, b = byHand:draw(), ported:draw()
        if a ~= b then error("tick " .. tick .. ":\n" .. a .. "\nis not\n" .. b) end
        levels[a:match("level (%d)")] = true
    end
    check(levels["1"] and levels["2"] and levels["3"], "not all levels were played")
end)

test("its past is exact: pictures, bodies, levels and score, and it is played again as it was", function()
    local run, simulation, glue, world = port()
    local pictures, hashes = {}, {}
    local function play(count)
        for _ = 1, count do
            run:update(step)
            pictures[glue.rewind:getFrame()] = run:draw()
            hashes[glue.rewind:getFrame()] = glue.rewind:frameHash(glue.rewind:getFrame())
        end
    end
    play(1500)
    local newest = glue.rewind:getNewestFrame()
    local made, destroyed = simulation.made, simulation.destroyed
    equal(destroyed, 0, "frames can still bring every body back")
    for _, frame in ipairs { 700, 40, newest, 3, 1200, 500 } do
        glue.rewind:seek(frame)
        equal(world:stateHash(), hashes[frame])
        for _, e in ipairs(world:getAllManagedEntities()) do
            check(rawequal(e:getComponent("Body").handle.part.thing, e) and e:getComponent("Body").handle.isActive)
            equal(e:getComponent("Drawable").colour:text(), "ff8000")
        end
    end
    -- A removed thing comes back as itself.
    local thing = world:getAllManagedEntities()[1]
    local body = thing:getComponent("Body").handle
    glue.rewind:seek(newest)
    glue.rewind:seek(500)
    check(rawequal(thing:getComponent("Body").handle, body) and thing:isValid())
    equal(simulation.made, made, "no body is made by a rewind")
    local before = pictures
    glue.rewind:stop()
    pictures, hashes = {}, {}
    play(900)
    for frame = 501, 1390 do equal(pictures[frame], before[frame], "frame " .. frame) end
end)

test("its bodies end with their frames, with a reset, and with the world", function()
    local run, simulation, glue, world = port()
    for _ = 1, 1500 do run:update(step) end
    glue.rewind:clear()
    for _ = 1, 3 do run:update(step) end
    check(simulation.destroyed > 0)
    local active = 0
    for _, body in pairs(simulation.bodies) do active = active + (body.isActive and 1 or 0) end
    equal(active, #world:getAllManagedEntities())
    world:dispose()
    equal(next(simulation.bodies), nil, "bodies are left")
    equal(simulation.made, simulation.destroyed)
end)
