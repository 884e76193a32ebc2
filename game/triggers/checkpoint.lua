-- A checkpoint is lit: it names this moment, and one key leads back to it.

local burst = require "prefabs.burst"
local sound = require "sound"

return function(world, _, checkpoint)
    local data = checkpoint:getComponent("CheckpointCMP")
    if data.isLit then return end
    data.isLit = true
    local sprite, transform = checkpoint:getComponent("SpriteCMP"), checkpoint:getComponent("TransformCMP")
    sprite.clip, sprite.start = "lit", world:getTime()
    burst.sparkle(world, transform.x + 6, transform.y + 6, 14)
    sound("checkpoint")
    local rewind = world:getSystem("TimeRewindSys")
    if rewind and rewind:getFrame() then rewind:setCheckpoint("checkpoint") end
end
