return {
    name = "Hail",
    entities = {
        { prefab = "rock", components = { BodyCMP = { x = 60, y = 40, speedX = 40, speedY = 130 }, RockCMP = { shape = 41 } } },
        { prefab = "rock", components = { BodyCMP = { x = 220, y = 600, speedX = -30, speedY = 120 }, RockCMP = { shape = 42 } } },
        { prefab = "rock", components = { BodyCMP = { x = 740, y = 40, speedX = 30, speedY = 130 }, RockCMP = { shape = 43 } } },
        { prefab = "rock", components = { BodyCMP = { x = 900, y = 600, speedX = -40, speedY = 120 }, RockCMP = { shape = 44 } } },
        { prefab = "iron", components = { BodyCMP = { x = 480, y = 20, speedX = 0, speedY = 150 }, RockCMP = { shape = 45 } } },
        { prefab = "iron", components = { BodyCMP = { x = 480, y = 620, speedX = 20, speedY = 140 }, RockCMP = { shape = 46 } } },
    },
}
