-- The running level: its map entity, its grid, and how things come into it. All of it is looked up in the
-- world; only the views that find it are kept here.

local revenant = require "revenant"
local grid = require "physics.grid"

local level = {}

local views = setmetatable({}, { __mode = "k" })

local function viewOf(world, component)
    local known = views[world]
    if not known then
        known = {}
        views[world] = known
    end
    local view = known[component]
    if not view or not view:isValid() then
        view = world:getComponentsView { [component] = revenant.ComponentRequirementDesc:new(true, true) }
        known[component] = view
    end
    return view
end

-- The only entity that has a component, or nil: the map, the session, the clock.
function level.only(world, component)
    local view = viewOf(world, component)
    if view.count == 0 then return nil end
    return view.entities[1]
end

-- The map's entity and grid, or nil while no level runs; nothing moves before the level is laid out.
function level.find(world)
    local view = viewOf(world, "TileMapCMP")
    if view.count == 0 or not view.TileMapCMP[1].isReady then return nil end
    return view.entities[1], grid.of(view.TileMapCMP[1].rows)
end

function level.session(world)
    local entity = level.only(world, "SessionCMP")
    return entity and entity:getComponent("SessionCMP")
end

-- Makes an instance of a prefab that goes when the level does.
function level.spawn(world, prefab, overrides)
    local map = viewOf(world, "TileMapCMP")
    local entity = world:getPrefab(prefab):instantiate(overrides)
    if map.count > 0 then
        map.entities[1]:addChild(entity)
    else
        world:addEntity(entity)
    end
    return entity
end

-- Puts an entity into a cell: its feet on the floor of it, or its top at the top.
function level.place(entity, column, row)
    local transform, box = entity:getComponent("TransformCMP"), entity:getComponent("BoxCMP")
    local hangs = entity:hasComponent("PlaceCMP") and entity:getComponent("PlaceCMP").hangs
    transform.x = column * grid.size + grid.size / 2 - box.w / 2
    transform.y = hangs and row * grid.size or (row + 1) * grid.size - box.h
    for _, name in ipairs { "MoverCMP", "FlyerCMP" } do
        local home = entity:getComponent(name)
        if home then home.homeX, home.homeY = transform.x, transform.y end
    end
end

return level
