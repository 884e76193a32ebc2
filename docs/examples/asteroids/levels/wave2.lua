return {
    name = "Iron heart",
    entities = {
        { prefab = "rock", components = { BodyCMP = { x = 60, y = 320, speedX = 70, speedY = 10 }, RockCMP = { shape = 21 } } },
        { prefab = "rock", components = { BodyCMP = { x = 900, y = 320, speedX = -70, speedY = -10 }, RockCMP = { shape = 22 } } },
        { prefab = "rock", components = { BodyCMP = { x = 480, y = 40, speedX = 15, speedY = 60 }, RockCMP = { shape = 23 } } },
        { prefab = "rock", components = { BodyCMP = { x = 480, y = 600, speedX = -15, speedY = -60 }, RockCMP = { shape = 24 } } },
        { prefab = "iron", components = { BodyCMP = { x = 120, y = 100, speedX = 45, speedY = 45 }, RockCMP = { shape = 25 } } },
    },
}
