-- A coin is taken.

local burst = require "prefabs.burst"
local sound = require "sound"

return function(world, _, coin, session)
    session.coins = session.coins + 1
    local transform, box = coin:getComponent("TransformCMP"), coin:getComponent("BoxCMP")
    burst.sparkle(world, transform.x + box.w / 2, transform.y + box.h / 2, 6)
    world:removeEntity(coin)
    sound("coin", 0.6)
end
