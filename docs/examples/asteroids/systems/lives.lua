-- Ships are lost and replaced. A lost ship stays in the world, as the ghost that flies beside the next one.

local only = require "only"
local world = require "world"
local LivesSys = require("revenant").BaseSystem:extend("LivesSys")

local function becomeGhost(ship)
    for _, old in ipairs(world:query():with("GhostCMP"):entities()) do world:removeEntity(old) end
    world:removeEntity(ship:getChildren()[1])
    ship:removeComponent("ShipCMP")
    ship:removeComponent("BodyCMP")
    ship:addComponent("GhostCMP")                        -- and keeps its FlightCMP
    world:setMainCharacter(nil)
end

local function hit(ship, rock)
    if not ship:hasComponent("ShipCMP") then return end  -- lost to another rock in this tick
    world:emit("rockHit", rock)
    if ship:getChildren()[1]:isActive() then return end  -- shielded
    world:emit("shipLost", ship)
    becomeGhost(ship)
    local game = only("GameCMP")
    game.lives, game.wait = game.lives - 1, 1.5
end

function LivesSys:init()
    self:listen("shipHit", hit)
end

function LivesSys:tick(dt)
    local game = only("GameCMP")
    if game.lives == 0 or world:getMainCharacter() then return end
    game.wait = game.wait - dt
    if game.wait > 0 then return end
    game.bombs = 1
    world:setMainCharacter(world:spawn("ship"))
end

return LivesSys
