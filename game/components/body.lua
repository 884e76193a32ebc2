-- Where things are and how they move. Lengths are pixels, times seconds.

return function(world, t)
    -- The upper left corner of the box.
    world:defineComponent("TransformCMP", { x = t.lerp(t.f32(0)), y = t.lerp(t.f32(0)) })
    world:defineComponent("BoxCMP", { w = t.f32(16), h = t.f32(16) })
    world:defineComponent("VelocityCMP", { x = t.f32(0), y = t.f32(0) })

    -- Is moved by physics: swept against tiles and solids.
    world:defineComponent("BodyCMP", {
        gravity = t.f32(1),       -- times that of the world
        onGround = t.bool(false),
        wall = t.i32(0),          -- which side a wall stopped it on: -1, 0 or 1
        isPushing = t.bool(false),
        drops = t.bool(false),    -- falls through ledges
        reports = t.bool(false),  -- its contacts become collision events
        nudge = t.f32(0),         -- how far a corner overhead pushes it aside
    })

    -- Stops bodies: from all sides, or from above only.
    world:defineComponent("SolidCMP", { isLedge = t.bool(false), isPushable = t.bool(false) })

    -- Goes to and fro between home and home + d, and carries what stands on it.
    world:defineComponent("MoverCMP", {
        homeX = t.f32(0), homeY = t.f32(0), dx = t.f32(0), dy = t.f32(0),
        seconds = t.f32(4), clock = t.f32(0),
    })

    -- Can be touched by those whose bits it has: 1 the player, 2 the player's bolts.
    world:defineComponent("TouchCMP", { kind = t.string(""), by = t.u8(1) })

    -- Stands where the map has this letter: on the floor of the cell, or hanging from its top.
    world:defineComponent("PlaceCMP", { letter = t.string(""), hangs = t.bool(false) })
end
