-- A bomb breaks the five nearest rocks; those of iron it leaves alone.

local only = require "only"
local world = require "world"
local BombsSys = require("revenant").BaseSystem:extend("BombsSys")

function BombsSys:tick()
    local game, player, ship = only("GameCMP"), only("PlayerCMP"), world:getMainCharacter()
    local isWanted = player.bomb
    player.bomb = false
    if not (isWanted and ship and game.bombs > 0) then return end
    game.bombs = game.bombs - 1
    world:emit("bombDropped", ship)

    local at = ship:getComponent("BodyCMP")
    local function distance(rock)
        local body = rock:getComponent("BodyCMP")
        return (body.x - at.x) ^ 2 + (body.y - at.y) ^ 2
    end
    local nearest = world:query():with("RockCMP"):without("IronCMP"):orderBy(distance):limit(5)
    for _, rock in ipairs(nearest:entities()) do world:emit("rockHit", rock) end
end

return BombsSys
