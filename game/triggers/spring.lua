-- A spring throws up everything that lands on it.

local burst = require "prefabs.burst"
local sound = require "sound"

return function(world, player, spring)
    local velocity = player:getComponent("VelocityCMP")
    local body = player:getComponent("BodyCMP")
    if velocity.y < 0 and not body.onGround then return end
    local transform, sprite = spring:getComponent("TransformCMP"), spring:getComponent("SpriteCMP")
    velocity.y = -spring:getComponent("SpringCMP").power
    body.onGround = false
    local data = player:getComponent("PlayerCMP")
    data.isJumping, data.coyote, data.squash = false, 0, -0.2
    sprite.clip, sprite.start = "spring", world:getTime()
    burst.dust(world, transform.x + 7, transform.y + 8, 5)
    sound("spring")
end
