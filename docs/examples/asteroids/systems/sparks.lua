-- Sparks, and a screen that shakes. Sparks are entities like any other: rewound, an explosion becomes a rock again.

local only = require "only"
local world = require "world"
local SparksSys = require("revenant").BaseSystem:extend("SparksSys")

local function burst(entity, count, hue, speed, shake)
    local body, game = entity:getComponent("BodyCMP"), only("GameCMP")
    game.shake = math.max(game.shake, shake)
    world:spawnMany("spark", count, function()
        local angle, pace = world:random() * 2 * math.pi, speed * (0.2 + world:random())
        local left = 0.4 + 0.7 * world:random()
        return {
            BodyCMP = {
                x = body.x, y = body.y,
                speedX = body.speedX * 0.5 + math.cos(angle) * pace, speedY = body.speedY * 0.5 + math.sin(angle) * pace,
            },
            SparkCMP = { hue = hue + 0.06 * world:random() },
            LifetimeCMP = { left = left, of = left },
        }
    end)
end

function SparksSys:init()
    self:listen("rockHit", function(rock) burst(rock, 6, 0.1, 90, 0) end)
    self:listen("rockBroken", function(rock) burst(rock, 8 + 12 * rock:getComponent("RockCMP").size, 0.05, 150, 0.15) end)
    self:listen("shipLost", function(ship) burst(ship, 90, 0.55, 260, 0.7) end)
    self:listen("bombDropped", function(ship) burst(ship, 120, 0.8, 420, 0.5) end)
end

function SparksSys:tick(dt)
    local game = only("GameCMP")
    game.shake = math.max(0, game.shake - dt)
end

return SparksSys
