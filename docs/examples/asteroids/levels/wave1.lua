return {
    name = "Drifters",
    entities = {
        { prefab = "rock", components = { BodyCMP = { x = 80, y = 60, speedX = 55, speedY = 35 }, RockCMP = { shape = 11 } } },
        { prefab = "rock", components = { BodyCMP = { x = 880, y = 60, speedX = -45, speedY = 40 }, RockCMP = { shape = 12 } } },
        { prefab = "rock", components = { BodyCMP = { x = 80, y = 580, speedX = 40, speedY = -50 }, RockCMP = { shape = 13 } } },
        { prefab = "rock", components = { BodyCMP = { x = 880, y = 580, speedX = -60, speedY = -30 }, RockCMP = { shape = 14 } } },
    },
}
