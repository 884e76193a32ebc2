-- A stage for specs: the game on the fake host, driven step by step.

local fake = require "fake_host"

local here = debug.getinfo(1, "S").source:match("^@(.-)tests/game/")
fake.folder = here .. "game"
package.path = fake.folder .. "/?.lua;" .. package.path
package.loaded.host = fake

local game = require "main"
local level = require "level"

local stage = { game = game, world = game.world, host = fake }

-- options: level (a number, a path) or rows (a map's text) and entities (templates, as text), seed; isBlind:
-- nothing is prepared for drawing; isBare: no step is made yet.
function stage.start(options)
    if options.rows then
        fake.files["levels/spec.lua"] = ("return { entities = { { prefab = 'map', components = { TileMapCMP = "
            .. "{ title = 'spec', next = %q, rows = [[\n%s]] } } }, { prefab = 'player' }, %s } }")
            :format(options.next or "", options.rows, options.entities or "")
    end
    game.start { level = options.rows and "levels/spec" or options.level, seed = options.seed }
    stage.rewind = game.rewind
    if options.isBlind then
        for _, name in ipairs { "DrawingSys", "HudSys", "TraceSys" } do game.world:getSystem(name):setEnabled(false) end
    end
    stage.steps = 0
    fake.hold {}
    -- The map is laid out in the first step; what it asks for is there from the second on.
    if not options.isBare then stage.step(2) end
    return stage
end

-- Some steps with these keys held: stage.step(10, "right", "jump").
function stage.step(count, ...)
    local keys = { ... }
    for _ = 1, count do
        fake.hold(keys)
        game.step(1 / 60)
        stage.steps = stage.steps + 1
    end
    return stage
end

-- Steps until something holds; an error after `most` of them.
function stage.stepUntil(isDone, most, ...)
    for _ = 1, most do
        if isDone() then return stage end
        stage.step(1, ...)
    end
    if not isDone() then error("it has not happened in " .. most .. " steps", 2) end
    return stage
end

function stage.player() return game.world:getMainCharacter() end
function stage.get(component) return stage.player():getComponent(component) end
function stage.session() return level.session(game.world) end
function stage.time() return level.only(game.world, "TimeCMP"):getComponent("TimeCMP") end

-- The first entity that has a component.
function stage.find(component) return game.world:query():with(component):first() end
function stage.count(component) return game.world:query():with(component):count() end

-- Puts the player somewhere: its feet in the middle of a cell's floor.
function stage.put(column, row)
    level.place(stage.player(), column, row)
    local velocity = stage.get("VelocityCMP")
    velocity.x, velocity.y = 0, 0
    stage.get("BodyCMP").onGround, stage.get("PlayerCMP").coyote = false, 0
end

-- ---- input logs (the format of game/host/input_log.hpp)

function stage.readLog(path)
    local log = { spans = {}, hashes = {}, length = 0 }
    for line in io.lines(path) do
        line = line:gsub("#.*", "")
        local first, last, names = line:match("^%s*(%d+)%s+(%d+)%s*(.*)$")
        local word, value = line:match("^%s*(%a+)%s+(%S+)")
        if first then
            local span = { first = tonumber(first), last = tonumber(last), names = {} }
            for name in names:gmatch("%a+") do span.names[#span.names + 1] = name end
            log.spans[#log.spans + 1] = span
            log.length = math.max(log.length, span.last)
        elseif word == "hash" then
            local step, hash = line:match("hash%s+(%d+)%s+(%x+)")
            log.hashes[tonumber(step)] = hash
            log.length = math.max(log.length, tonumber(step) + 1)
        elseif word then
            log[word] = tonumber(value) or value
        end
    end
    return log
end

function stage.heldIn(log, step)
    local names = {}
    for _, span in ipairs(log.spans) do
        if step >= span.first and step < span.last then
            for _, name in ipairs(span.names) do names[#names + 1] = name end
        end
    end
    return names
end

-- Plays a log from the start; visit(step) after each step.
function stage.play(log, visit)
    stage.start { level = log.level, seed = log.seed, isBare = true, isBlind = true }
    for step = 0, log.length - 1 do
        stage.step(1, unpack(stage.heldIn(log, step)))
        if visit then visit(step) end
    end
    return stage
end

return stage
