-- What the player finds on its way.

return function(world, t)
    world:defineComponent("TileMapCMP", {
        rows = t.string(""),        -- one line per row of tiles
        title = t.string(""),
        hasLogo = t.bool(false),    -- shows the name of the game in place of its own
        next = t.string(""),        -- the level behind the exit; none: the end
        sky = t.string("dusk"),
        isLaidOut = t.bool(false),  -- its letters have become things,
        isReady = t.bool(false),    -- which are in the world
    })
    world:defineComponent("KeyCMP", { color = t.string("gold"), isHeld = t.bool(false) })
    world:defineComponent("DoorCMP", {
        color = t.string("gold"),   -- of the key, or of the plates, that open it
        opening = t.f32(0),         -- 0 shut to 1 open
        isOpen = t.bool(false),
    })
    world:defineComponent("PlateCMP", { color = t.string("teal"), isPressed = t.bool(false) })
    world:defineComponent("CrumbleCMP", { clock = t.f32(0), seconds = t.f32(0.5), isTouched = t.bool(false) })
    world:defineComponent("SpringCMP", { power = t.f32(520), clock = t.f32(0) })
    world:defineComponent("CheckpointCMP", { isLit = t.bool(false) })
    world:defineComponent("TriggerCMP", {
        prefab = t.string(""), count = t.i32(3), spacing = t.f32(24),
        dx = t.f32(0), dy = t.f32(0), isSpent = t.bool(false),
    })
    world:defineComponent("SignCMP", { text = t.string("") })
    -- Goes on while time runs backwards; the entity is not rewindable.
    world:defineComponent("ImmuneCMP", {})
end
