-- Puts the game together: the history, the systems in their order, the first entities.

local revenant = require "revenant"
local world = require "world"

local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 60 }))
local levels = revenant.LevelManager:new(world, { folder = "levels", read = love.filesystem.read })

local function register(name, ...)
    world:registerSystem(require("systems." .. name):new(world, ...))
end
register("time", rewind)
register("start", levels)
register("control")
register("shield")
register("movement")
register("lifetime")
register("flight")
register("collision")
register("rocks")
register("bombs")
register("score")
register("sparks")
register("lives")
register("waves", levels)

world:spawn("player")
world:spawn("game")
levels:load("wave1")
world:update(0)

return rewind
