-- Defines every component of the game, once per world.

local files = { "components.body", "components.actors", "components.things", "components.show", "components.session" }

return function(world)
    if world:isComponentDefined("TransformCMP") then return end
    local types = require("revenant").types
    for _, file in ipairs(files) do require(file)(world, types) end
end
