-- Components that exist once: the run, and the parts of the game that are not rewound.

return function(world, t)
    -- Rewound with the world.
    world:defineComponent("SessionCMP", {
        state = t.string("play"),   -- play, dying, dead, leaving, loading, won
        clock = t.f32(0),           -- since the state began
        coins = t.i32(0),
    })
    -- The player's input in this step; not rewound.
    world:defineComponent("ControlsCMP", {
        left = t.bool(false), right = t.bool(false), down = t.bool(false),
        jump = t.bool(false), act = t.bool(false),
        jumpPressed = t.bool(false), actPressed = t.bool(false),
    })
    -- How time runs; not rewound.
    world:defineComponent("TimeCMP", {
        mode = t.string("play"),    -- play, rewind, pause, dead
        held = t.f32(0),            -- how long the key has been held
        speed = t.f32(0),
        deaths = t.i32(0), rewinds = t.i32(0),
    })
    -- A part of the picture that is no part of the world; not rewound.
    world:defineComponent("HudCMP", { kind = t.string(""), x = t.f32(0), y = t.f32(0), shown = t.f32(0), clock = t.f32(0) })
end
