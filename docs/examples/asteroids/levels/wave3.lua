return {
    name = "The river",
    entities = {
        { prefab = "rock", components = { BodyCMP = { x = 20, y = 80, speedX = 110, speedY = 0 }, RockCMP = { shape = 31 } } },
        { prefab = "rock", components = { BodyCMP = { x = 260, y = 80, speedX = 110, speedY = 0 }, RockCMP = { shape = 32 } } },
        { prefab = "rock", components = { BodyCMP = { x = 700, y = 80, speedX = 110, speedY = 0 }, RockCMP = { shape = 33 } } },
        { prefab = "rock", components = { BodyCMP = { x = 140, y = 560, speedX = -110, speedY = 0 }, RockCMP = { shape = 34 } } },
        { prefab = "rock", components = { BodyCMP = { x = 500, y = 560, speedX = -110, speedY = 0 }, RockCMP = { shape = 35 } } },
        { prefab = "rock", components = { BodyCMP = { x = 900, y = 560, speedX = -110, speedY = 0 }, RockCMP = { shape = 36 } } },
    },
}
