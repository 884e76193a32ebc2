-- The exit is reached; SessionSys does the rest.

local burst = require "prefabs.burst"
local sound = require "sound"

return function(world, player, exit, session)
    if not player:getComponent("BodyCMP").onGround then return end
    local transform = exit:getComponent("TransformCMP")
    session.state, session.clock = "leaving", 0
    burst.sparkle(world, transform.x + 8, transform.y + 14, 20)
    sound("exit")
end
