-- Entities that are there before any level and stay when it goes. All but the session are not rewound.

return function(world)
    world:definePrefab("session", { components = { SessionCMP = true } })
    world:definePrefab("hands", { rewindable = false, components = { ControlsCMP = true } })
    world:definePrefab("clock", { rewindable = false, components = { TimeCMP = true } })
    world:definePrefab("hud", {
        rewindable = false,
        children = {
            { name = "timeline", components = { HudCMP = { kind = "timeline", x = 24, y = 43 } } },
            { name = "coins", components = { HudCMP = { kind = "coins", x = 8, y = 7 } } },
            { name = "keys", components = { HudCMP = { kind = "keys", x = 70, y = 7 } } },
            { name = "title", components = { HudCMP = { kind = "title" } } },
            { name = "message", components = { HudCMP = { kind = "message", y = 96 } } },
        },
    })
end
