-- Before the first game and after each one the rocks fly alone, until the player starts.

local only = require "only"
local world = require "world"
local StartSys = require("revenant").BaseSystem:extend("StartSys")

function StartSys:init(levels)
    self.levels = levels
end

function StartSys:tick()
    local player = only("PlayerCMP")
    local isWanted = player.start
    player.start = false
    if not isWanted or only("GameCMP").lives > 0 then return end
    for _, name in ipairs { "RockCMP", "GhostCMP", "GameCMP" } do
        for _, old in ipairs(world:query():with(name):entities()) do world:removeEntity(old) end
    end
    world:spawn("game", { GameCMP = { lives = 3 } })
    self.levels:load("wave1")
end

return StartSys
