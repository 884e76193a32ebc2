-- The world, its components and the templates that entities are made from. Every other file asks for this one.

local revenant = require "revenant"
local t = revenant.types
local world = revenant.World.getInstance()

world:defineComponent("BodyCMP", { x = 0, y = 0, speedX = 0, speedY = 0, angle = 0, spin = 0, radius = 0 })
world:defineComponent("ShipCMP", { reload = 0, energy = 1, safe = 3, isThrusting = false })
world:defineComponent("ShieldCMP")
world:defineComponent("BulletCMP")
world:defineComponent("RockCMP", { size = t.i32(3), shape = t.i32(1) })
world:defineComponent("IronCMP", { hits = t.i32(4) })
world:defineComponent("SparkCMP", { hue = 0 })
world:defineComponent("LifetimeCMP", { left = 1, of = 1 })
-- Where a ship was, thirty times a second, for a minute and a half. A ship that is lost keeps it as a ghost.
world:defineComponent("FlightCMP", {
    count = t.i32(0),
    x = t.array(t.f32(0), 2700), y = t.array(t.f32(0), 2700), angle = t.array(t.f32(0), 2700),
})
world:defineComponent("GhostCMP")
world:defineComponent("GameCMP", { score = t.i32(0), lives = t.i32(0), wave = t.i32(1), bombs = t.i32(0), wait = 0, rest = 2, shake = 0 })
-- The player is not rewound: keys are held now, and the charge is what rewinding costs.
world:defineComponent("PlayerCMP", {
    turn = 0, thrust = false, fire = false, shield = false, bomb = false, rewind = false, start = false,
    charge = 6,
})

world:definePrefab("game", { components = { GameCMP = true } })
world:definePrefab("player", { components = { PlayerCMP = true }, rewindable = false })
world:definePrefab("ship", {
    components = { BodyCMP = { x = 480, y = 320, angle = -math.pi / 2, radius = 13 }, ShipCMP = true, FlightCMP = true },
    children = { { name = "shield", components = { ShieldCMP = true } } },
})
world:definePrefab("bullet", {
    components = { BodyCMP = { radius = 3 }, BulletCMP = true, LifetimeCMP = { left = 0.9, of = 0.9 } },
})
world:definePrefab("rock", { components = { BodyCMP = { radius = 52, spin = 0.4 }, RockCMP = true } })
world:definePrefab("iron", { prefab = "rock", components = { BodyCMP = { radius = 36 }, RockCMP = { size = 2 }, IronCMP = true } })
world:definePrefab("spark", { components = { BodyCMP = { radius = 2 }, SparkCMP = true, LifetimeCMP = true } })

world:defineEvent("shotFired")   -- (ship)
world:defineEvent("rockHit")     -- (rock)
world:defineEvent("rockBroken")  -- (rock, points)
world:defineEvent("shipHit")     -- (ship, rock)
world:defineEvent("shipLost")    -- (ship)
world:defineEvent("bombDropped") -- (ship)

return world
