-- The player, with the camera as its child, and its enemies.

return function(world)
    world:definePrefab("player", {
        components = {
            TransformCMP = true, BoxCMP = { w = 10, h = 14 }, VelocityCMP = true,
            BodyCMP = { reports = true, nudge = 4 }, PlayerCMP = true, PlaceCMP = { letter = "@" },
            SpriteCMP = { art = "player", layer = 4 },
        },
        children = { { name = "camera", components = { CameraCMP = true } } },
    })
    world:definePrefab("walker", { components = {
        TransformCMP = true, BoxCMP = { w = 12, h = 10 }, VelocityCMP = true, BodyCMP = true, WalkerCMP = true,
        HealthCMP = true, TouchCMP = { kind = "enemy", by = 3 }, SpriteCMP = { art = "walker", clip = "walk" },
    } })
    world:definePrefab("flyer", { components = {
        TransformCMP = true, BoxCMP = { w = 12, h = 9 }, VelocityCMP = true, FlyerCMP = true,
        HealthCMP = true, TouchCMP = { kind = "enemy", by = 3 }, SpriteCMP = { art = "flyer", clip = "fly", layer = 3 },
    } })
    local function shooter(direction)
        return { components = {
            TransformCMP = true, BoxCMP = { w = 14, h = 15 }, ShooterCMP = { direction = direction },
            HealthCMP = { points = 2 }, TouchCMP = { kind = "enemy", by = 3 },
            SpriteCMP = { art = "shooter", isFlipped = direction < 0 },
        } }
    end
    world:definePrefab("shooter", shooter(-1))
    world:definePrefab("shooterRight", shooter(1))
end
