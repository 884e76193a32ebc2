-- Bullets and sparks leave the world when their time is up.

local world = require "world"
local LifetimeSys = require("revenant").BaseSystem:extend("LifetimeSys")

function LifetimeSys:init()
    self:addComponentRequirement("LifetimeCMP")
end

function LifetimeSys:tick(dt)
    local view = self:getComponentsView()
    for i = 1, view.count do
        local lifetime = view.LifetimeCMP[i]
        lifetime.left = lifetime.left - dt
        if lifetime.left <= 0 then world:removeEntity(view.entities[i]) end
    end
end

return LifetimeSys
