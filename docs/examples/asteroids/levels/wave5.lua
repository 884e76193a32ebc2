return {
    name = "Foundry",
    entities = {
        { prefab = "iron", components = { BodyCMP = { x = 60, y = 60, speedX = 70, speedY = 50 }, RockCMP = { shape = 51 } } },
        { prefab = "iron", components = { BodyCMP = { x = 900, y = 60, speedX = -70, speedY = 50 }, RockCMP = { shape = 52 } } },
        { prefab = "iron", components = { BodyCMP = { x = 60, y = 580, speedX = 70, speedY = -50 }, RockCMP = { shape = 53 } } },
        { prefab = "iron", components = { BodyCMP = { x = 900, y = 580, speedX = -70, speedY = -50 }, RockCMP = { shape = 54 } } },
        { prefab = "rock", components = { BodyCMP = { x = 480, y = 40, speedX = 90, speedY = 20 }, RockCMP = { shape = 55 } } },
        { prefab = "rock", components = { BodyCMP = { x = 480, y = 600, speedX = -90, speedY = -20 }, RockCMP = { shape = 56 } } },
        { prefab = "rock", components = { BodyCMP = { x = 40, y = 320, speedX = 20, speedY = 80 }, RockCMP = { shape = 57 } } },
        { prefab = "rock", components = { BodyCMP = { x = 920, y = 320, speedX = -20, speedY = -80 }, RockCMP = { shape = 58 } } },
    },
}
