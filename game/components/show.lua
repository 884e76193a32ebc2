-- The looks of things, and the camera.

return function(world, t)
    -- Drawn centred on the bottom edge of the box.
    world:defineComponent("SpriteCMP", {
        art = t.string(""), clip = t.string("idle"), start = t.f32(0),
        isFlipped = t.bool(false), isHidden = t.bool(false), layer = t.u8(2),
    })
    world:defineComponent("ParticleCMP", {
        color = t.u32(0xffffffff), size = t.f32(2), gravity = t.f32(0), drag = t.f32(0), seconds = t.f32(0.5),
    })
    world:defineComponent("LifetimeCMP", { seconds = t.f32(1) })
    -- The middle of the picture; `look` is how far it leads the player.
    world:defineComponent("CameraCMP", {
        x = t.lerp(t.f32(0)), y = t.lerp(t.f32(0)), look = t.f32(0), shake = t.f32(0), isPlaced = t.bool(false),
    })
end
