-- The shield is a child of the ship. It is enabled while it protects: a disabled entity is in no view.

local only = require "only"
local ShieldSys = require("revenant").BaseSystem:extend("ShieldSys")

function ShieldSys:init()
    self:addComponentRequirement("ShipCMP")
end

function ShieldSys:tick(dt)
    local view = self:getComponentsView()
    for i = 1, view.count do
        local ship, shield = view.ShipCMP[i], view.entities[i]:getChildren()[1]
        local least = shield:isEnabled() and 0 or 0.2  -- it goes down when drained, and comes up again with some energy
        local isUp = only("PlayerCMP").shield and ship.energy > least
        ship.energy = math.max(0, math.min(1, ship.energy + (isUp and -0.45 or 0.12) * dt))
        ship.safe = math.max(0, ship.safe - dt)      -- a new ship is safe for some seconds, at no cost
        shield:setEnabled(isUp or ship.safe > 0)
    end
end

return ShieldSys
