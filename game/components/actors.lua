-- The player and its enemies.

return function(world, t)
    world:defineComponent("PlayerCMP", {
        wish = t.i32(0),            -- where it wants to go: -1, 0 or 1
        isJumpHeld = t.bool(false),
        isJumping = t.bool(false),  -- rises by its own jump, which letting go cuts short
        wantsDrop = t.bool(false),  -- through a ledge
        wantsThrow = t.bool(false),
        buffer = t.f32(0),          -- how long a press of jump still counts
        coyote = t.f32(0),          -- how long it may still jump off a floor it has left
        cooldown = t.f32(0),        -- until the next throw
        thrown = t.f32(0),          -- how long the arm is still out
        facing = t.i32(1),
        squash = t.f32(0),          -- > 0: just landed, < 0: just jumped
        isAlive = t.bool(true),
        startX = t.f32(0),          -- where it came into the level
    })
    world:defineComponent("HealthCMP", { points = t.i32(1) })
    world:defineComponent("WalkerCMP", { speed = t.f32(28), direction = t.i32(-1) })
    world:defineComponent("FlyerCMP", {
        homeX = t.f32(0), homeY = t.f32(0), clock = t.f32(0),
        reach = t.f32(110),         -- how near the player must come to be chased
        isChasing = t.bool(false),
    })
    world:defineComponent("ShooterCMP", {
        period = t.f32(2), clock = t.f32(1), direction = t.i32(-1), range = t.f32(300), speed = t.f32(110),
    })
    world:defineComponent("BoltCMP", { isFriendly = t.bool(false) })
end
