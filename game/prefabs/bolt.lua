-- Bolts, which are thrown or spat. They fly straight until they hit something or their time is up.

local level = require "level"

local bolt = {}

function bolt.define(world)
    local function flying(kind, isFriendly, by, seconds)
        return { components = {
            TransformCMP = true, BoxCMP = { w = 7, h = 5 }, VelocityCMP = true,
            BodyCMP = { gravity = 0, reports = true }, BoltCMP = { isFriendly = isFriendly },
            TouchCMP = { kind = "bolt", by = by }, LifetimeCMP = { seconds = seconds },
            SpriteCMP = { art = kind, layer = 3 },
        } }
    end
    world:definePrefab("bolt", flying("bolt", true, 0, 0.75))
    world:definePrefab("spit", flying("spit", false, 1, 4))
end

function bolt.spawn(world, kind, x, y, velocityX, velocityY)
    return level.spawn(world, kind, {
        TransformCMP = { x = x, y = y }, VelocityCMP = { x = velocityX, y = velocityY },
        SpriteCMP = { isFlipped = velocityX < 0 },
    })
end

return bolt
