-- Finds what touches what, and says so. Listeners decide what follows.

local revenant = require "revenant"
local world = require "world"

local CollisionSys = revenant.BaseSystem:extend("CollisionSys")

local need = revenant.ComponentRequirementDesc:new(true, true)

function CollisionSys:init()
    self:addComponentRequirement("RockCMP", true, true)
    self:addComponentRequirement("BodyCMP", true, true)
    self.bullets = world:getComponentsView { BulletCMP = need, BodyCMP = need }
    self.ships = world:getComponentsView { ShipCMP = need, BodyCMP = need }
end

local function touch(a, b)
    return (a.x - b.x) ^ 2 + (a.y - b.y) ^ 2 < (a.radius + b.radius) ^ 2
end

function CollisionSys:tick()
    local rocks, bullets, ships = self:getComponentsView(), self.bullets, self.ships
    for i = 1, rocks.count do
        local body, rock = rocks.BodyCMP[i], rocks.entities[i]
        for k = 1, bullets.count do
            local bullet = bullets.entities[k]
            if bullet:getState() == "managed" and touch(body, bullets.BodyCMP[k]) then
                world:removeEntity(bullet)
                world:emit("rockHit", rock)
                break
            end
        end
        for k = 1, ships.count do
            if touch(body, ships.BodyCMP[k]) then world:emit("shipHit", ships.entities[k], rock) end
        end
    end
end

return CollisionSys
