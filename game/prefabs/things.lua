-- Things in levels.

local function thing(width, height, kind, art, more)
    local components = {
        TransformCMP = true, BoxCMP = { w = width, h = height }, TouchCMP = kind and { kind = kind } or nil,
        SpriteCMP = { art = art, layer = 1 }, PlaceCMP = true,
    }
    for name, fields in pairs(more or {}) do components[name] = fields end
    return { components = components }
end

return function(world)
    world:definePrefab("map", { components = { TileMapCMP = true } })
    world:definePrefab("coin", thing(10, 14, "coin", "coin", { SpriteCMP = { art = "coin", layer = 3 } }))
    world:definePrefab("key", thing(12, 12, "key", "key", { KeyCMP = true, SpriteCMP = { art = "key", layer = 3 } }))
    world:definePrefab("door", thing(12, 48, nil, "door", { DoorCMP = true, SolidCMP = true }))
    world:definePrefab("plate", thing(16, 4, nil, "plate", { PlateCMP = true }))
    world:definePrefab("spring", thing(14, 8, "spring", "spring", { SpringCMP = true }))
    world:definePrefab("checkpoint", thing(12, 24, "checkpoint", "checkpoint", { CheckpointCMP = true }))
    world:definePrefab("exit", thing(16, 30, "exit", "exit"))
    world:definePrefab("trigger", { components = {
        TransformCMP = true, BoxCMP = { w = 16, h = 64 }, TouchCMP = { kind = "trigger" }, TriggerCMP = true, PlaceCMP = true,
    } })
    world:definePrefab("sign", thing(14, 16, nil, "sign", { SignCMP = true }))
    world:definePrefab("crumble", thing(16, 16, nil, "crumble", {
        SolidCMP = true, CrumbleCMP = true, SpriteCMP = { art = "crumble", layer = 2 } }))
    world:definePrefab("platform", thing(48, 8, nil, "platform", {
        SolidCMP = { isLedge = true }, MoverCMP = true, PlaceCMP = { hangs = true }, SpriteCMP = { art = "platform", layer = 2 } }))
    -- Immune to time: it stays where it is while everything else goes back.
    local crate = thing(16, 16, nil, "crate", {
        VelocityCMP = true, BodyCMP = true, SolidCMP = { isPushable = true }, ImmuneCMP = true,
        SpriteCMP = { art = "crate", layer = 2 } })
    crate.rewindable = false
    world:definePrefab("crate", crate)
end
