-- ImmuneSys: what is immune to time lives on through a rewind, but not into another level: there it is
-- switched off, and gone for good once that level has begun anew.

local revenant = require "revenant"

local ImmuneSys = revenant.BaseSystem:extend("ImmuneSys")
ImmuneSys.tickWhileRewinding = true

function ImmuneSys:tick()
    local world = self:getWorld()
    local manager = world:getSystem("LevelManager")
    local running = manager and manager:getLevel() or ""
    for _, entity in ipairs(world:query():with("ImmuneCMP"):entities()) do
        local data = entity:getComponent("ImmuneCMP")
        if data.level == "" then data.level = running end
        local isHere = data.level == running
        if entity:isEnabled() ~= isHere then entity:setEnabled(isHere) end
    end
end

return ImmuneSys
