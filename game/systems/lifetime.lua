-- LifetimeSys: removes entities whose time is up.

local revenant = require "revenant"

local LifetimeSys = revenant.BaseSystem:extend("LifetimeSys")

function LifetimeSys:init()
    self:addComponentRequirement("LifetimeCMP")
end

function LifetimeSys:tick(dt)
    local world, view = self:getWorld(), self:getComponentsView()
    local lifetimes = view.LifetimeCMP
    for i = 1, view.count do
        local life = lifetimes[i]
        life.seconds = life.seconds - dt
        if life.seconds <= 0 then world:removeEntity(view.entities[i]) end
    end
end

return LifetimeSys
