-- How the player moves: the numbers that make the game feel as it does. Pixels and seconds.

return {
    runSpeed = 132,
    groundAcceleration = 1100,
    groundFriction = 1400,
    airAcceleration = 850,
    airFriction = 420,
    gravity = 980,
    riseGravity = 1,          -- factors of gravity: while a jump is held,
    cutGravity = 2.6,         -- when it was let go,
    apexGravity = 0.55,       -- near the top of a held jump,
    fallGravity = 1.25,       -- and on the way down
    apexSpeed = 42,
    fallSpeed = 340,
    jumpSpeed = 312,
    coyoteSeconds = 0.1,
    bufferSeconds = 0.13,
    stompSpeed = 230,
    stompHeldSpeed = 312,
    throwSpeed = 260,
    throwSeconds = 0.32,
    pushSpeed = 46,
    shakeDecay = 5,           -- per second
}
