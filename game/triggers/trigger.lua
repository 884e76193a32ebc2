-- When the player steps into a trigger, a group appears.

local burst = require "prefabs.burst"
local level = require "level"
local sound = require "sound"

return function(world, _, trigger)
    local data = trigger:getComponent("TriggerCMP")
    if data.isSpent then return end
    data.isSpent = true
    local transform, box = trigger:getComponent("TransformCMP"), trigger:getComponent("BoxCMP")
    for i = 1, data.count do
        local x = transform.x + data.dx + (i - 1) * data.spacing
        local y = transform.y + box.h + data.dy
        local entity = level.spawn(world, data.prefab, { TransformCMP = { x = x, y = y } })
        local flyer = entity:getComponent("FlyerCMP")
        if flyer then flyer.homeX, flyer.homeY, flyer.clock = x, y, i * 0.7 end
        burst.splash(world, x + 6, y + 6, 6, { "v", "l", "p" })
    end
    sound("hit", 0.8, 0.6)
end
