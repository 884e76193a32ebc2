-- ImmuneSys: things that are immune to time live on through a rewind, but only in the level that they came with. At frames
-- of other levels they are out of the world, but kept, and return as they were left. Once there is no frame of
-- their level any more, they go.

local revenant = require "revenant"

local ImmuneSys = revenant.BaseSystem:extend("ImmuneSys")
ImmuneSys.tickWhileRewinding = true

function ImmuneSys:init()
    self.maps = {}  -- by entity: the map it came with
    self.kept = {}  -- the entities, in the order in which they came; each is retained
end

-- Records the things that have come with a map. Returns those that had come with it before, as a set: after a rewind
-- to its very beginning a map is laid out once more, and they stay where they are.
function ImmuneSys:claim(map)
    local settled = {}
    for _, entity in ipairs(self:getWorld():query():with("ImmuneCMP"):entities()) do
        if self.maps[entity] then
            settled[entity] = true
        else
            self.maps[entity] = map
            self.kept[#self.kept + 1] = entity
            entity:retain()
        end
    end
    return settled
end

function ImmuneSys:tick()
    local world = self:getWorld()
    for i = #self.kept, 1, -1 do
        local entity = self.kept[i]
        local there, here = self.maps[entity]:getState(), entity:getState()
        if here == "managed" and there ~= "managed" then
            world:removeEntity(entity)
        elseif here == "zombie" and there == "managed" then
            world:addEntity(entity)
        elseif there == "destroyed" then
            self.maps[entity] = nil
            table.remove(self.kept, i)
            entity:release()
        end
    end
end

return ImmuneSys
