-- Defines every prefab of the game, once per world.

return function(world)
    if world:getPrefab("player") then return end
    require("prefabs.actors")(world)
    require("prefabs.things")(world)
    require("prefabs.bolt").define(world)
    require("prefabs.burst").define(world)
    require("prefabs.outside")(world)
end
