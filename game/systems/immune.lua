-- ImmuneSys: what is immune to time lives on through a rewind, but not in another level: there it is
-- switched off until time comes back to its own. (LayoutSys removes what belongs to no future any more.)

local revenant = require "revenant"

local ImmuneSys = revenant.BaseSystem:extend("ImmuneSys")
ImmuneSys.tickWhileRewinding = true

function ImmuneSys:tick()
    local world = self:getWorld()
    local running = world:getSystem("LevelManager"):getLevel() or ""
    if running == self.seen then return end  -- looks again only where another level is on show
    self.seen = running
    for _, entity in ipairs(world:query():with("ImmuneCMP"):entities()) do
        local isHere = entity:getComponent("ImmuneCMP").level == running
        if entity:isEnabled() ~= isHere then entity:setEnabled(isHere) end
    end
end

return ImmuneSys
