-- The game's entry. It keeps no lists of its own: everything there is, is in the world.

local revenant = require "revenant"
local host = require "host"
local controls = require "controls"
local reload = require "reload"
local timeControl = require "time_control"

local game = { world = revenant.World.getInstance() }

-- In the order in which they tick.
local systems = {
    "layout", "immune", "input", "ai", "movement", "physics", "triggers", "combat", "lifetime", "session",
    "animation", "camera", "trace", "hud", "drawing",
}

local function levelName(level)
    if type(level) == "number" or (type(level) == "string" and level:match("^%d+$")) then
        return "levels/level_" .. level
    end
    return ((level or "levels/level_1"):gsub("%.lua$", ""))
end

function game.start(options)
    local world = game.world
    world:reset()
    world:setRandomSeed(options and options.seed or 1)
    require("components.all")(world)
    require("prefabs.all")(world)
    game.rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 600, bytes = 96 * 2 ^ 20 }))
    local levels = revenant.LevelManager:new(world, { read = reload.read })
    for _, name in ipairs(systems) do world:registerSystem(reload.load("systems/" .. name .. ".lua"):new(world)) end
    for _, name in ipairs { "session", "hands", "clock", "hud" } do world:spawn(name) end
    levels:load(levelName(options and options.level))
end

function game.step(dt)
    reload.step(dt)
    controls.step(game.world)
    timeControl.step(game.world, dt)
    game.world:update(dt)
end

function game.draw(alpha)
    local drawing = game.world:getSystem("DrawingSys")
    if drawing then drawing:draw(host.canvas, alpha) end
end

-- The inspector has moved time: the picture must show the new frame, and nothing of the one before.
function game.refresh()
    local drawing = game.world:getSystem("DrawingSys")
    if drawing then
        drawing:tick(0)
        drawing:tick(0)
    end
end

function game.summary()
    return require("summary")(game.world, game.rewind)
end

return game
