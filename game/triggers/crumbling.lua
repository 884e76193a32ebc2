-- Blocks that fall to pieces once stood on. Only a rewind brings them back.

local burst = require "prefabs.burst"
local sound = require "sound"

local crumbling = {}

function crumbling.touch(world, block)
    local data = block:getComponent("CrumbleCMP")
    if data.isTouched then return end
    data.isTouched = true
    local sprite, transform = block:getComponent("SpriteCMP"), block:getComponent("TransformCMP")
    sprite.clip, sprite.start = "shake", world:getTime()
    burst.dust(world, transform.x + 8, transform.y + 14, 3)
    sound("crumble", 0.5)
end

function crumbling.tick(world, view, dt)
    for i = 1, view.count do
        local data = view.CrumbleCMP[i]
        if data.isTouched then
            data.clock = data.clock + dt
            if data.clock >= data.seconds then
                local transform = view.TransformCMP[i]
                burst.chips(world, transform.x + 8, transform.y + 8, 7)
                world:removeEntity(view.entities[i])
            end
        end
    end
end

return crumbling
