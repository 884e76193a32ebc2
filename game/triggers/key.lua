-- A key is taken: from now on it floats behind the player (triggers/doors.lua). One that is immune to
-- time stays taken, whatever is rewound.

local burst = require "prefabs.burst"
local sound = require "sound"

return function(world, _, key)
    local data = key:getComponent("KeyCMP")
    if data.isHeld then return end
    data.isHeld = true
    local transform = key:getComponent("TransformCMP")
    burst.sparkle(world, transform.x + 6, transform.y + 6, 10)
    sound("key")
end
