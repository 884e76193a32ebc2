-- When no rock is left, the next wave comes after a rest: a level file. After the last one the first comes again, faster.

local only = require "only"
local world = require "world"
local WavesSys = require("revenant").BaseSystem:extend("WavesSys")

local files = 5

function WavesSys:init(levels)
    self.levels = levels
    self:addComponentRequirement("RockCMP", true, true)
    self:addComponentRequirement("BodyCMP")
    self:listen("levelLoaded", function() self:begin() end)
end

function WavesSys:tick(dt)
    if self:getComponentsView().count > 0 or self.levels:isPending() then return end
    local game = only("GameCMP")
    game.rest = game.rest - dt
    if game.rest > 0 then return end
    game.wave = game.wave + 1
    self.levels:load("wave" .. (game.wave - 1) % files + 1)
end

function WavesSys:begin()
    local view, game, ship = self:getComponentsView(), only("GameCMP"), only("ShipCMP")
    local haste = 1 + 0.4 * math.floor((game.wave - 1) / files)
    for i = 1, view.count do
        local body = view.BodyCMP[i]
        body.speedX, body.speedY = body.speedX * haste, body.speedY * haste
    end
    game.rest = 2
    if ship then ship.safe = 2 end
end

return WavesSys
