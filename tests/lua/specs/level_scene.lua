-- Levels that are read from a table of texts, for specs of levels.
local revenant = require "revenant"
local scene = require "scene"

local level_scene = { files = {} }
local files = level_scene.files

-- A world and its LevelManager.
function level_scene.world(options)
    local world = scene.world()
    options = options or {}
    options.folder = "levels"
    options.read = function(path) return files[path], path .. ": no such file" end
    return world, revenant.LevelManager:new(world, options)
end

files["levels/forest.lua"] = [[
return {
    prefabs = {
        tree = { components = { TransformCMP = { x = 1 } } },
    },
    entities = {
        { name = "hero", components = { TransformCMP = {}, HealthCMP = { points = 3 } } },
        { prefab = "tree", components = { TransformCMP = { x = 10 } } },
        { name = "camp", children = { { name = "fire", components = { TransformCMP = {} } } } },
    },
}
]]
files["levels/cave.lua"] = [[return { entities = { { name = "bat" } } }]]

return level_scene
