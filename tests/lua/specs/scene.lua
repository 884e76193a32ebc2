-- Shared by specs: a world with components, and spawning.

local revenant = require "revenant"
local scene = {}

function scene.world()
    local world = revenant.World:new()
    local t = revenant.types
    world:defineComponent("TransformCMP", { x = 0, y = 0 })
    world:defineComponent("VelocityCMP", { x = t.f32(0), y = t.f32(0) })
    world:defineComponent("HealthCMP", { points = t.i32(100), isImmortal = false })
    world:defineComponent("TargetCMP", { who = t.entity(), title = t.string("none"), serial = t.i64(0) })
    world:defineComponent("InventoryCMP", { slots = t.array(t.i32(0), 8), names = t.array(t.string(""), 3) })
    return world
end

-- A world and its history.
function scene.rewindWorld()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    return world, rewind
end

-- A world whose transforms move with their velocities, and its history.
function scene.movingWorld()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world, { seconds = 60, bytes = 64 * 2 ^ 20 })
    world:registerSystem(rewind)
    local Movement = revenant.BaseSystem:extend("Movement")
    function Movement:init()
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("VelocityCMP", true, true)
    end
    function Movement:tick(dt)
        local view = self:getComponentsView()
        local transforms, velocities = view.TransformCMP, view.VelocityCMP
        for i = 1, view.count do transforms[i].x = transforms[i].x + velocities[i].x * dt end
    end
    world:registerSystem(Movement:new(world))
    return world, rewind
end

function scene.spawn(world, name, components)
    local entity = world:newEntity(name)
    for component, fields in pairs(components or {}) do entity:addComponent(component, fields) end
    world:addEntity(entity)
    return entity
end

function scene.play(world, ticks)
    for _ = 1, ticks do world:update(1 / 64) end
end

-- Every frame of the history, shown again, hashes as it did.
function scene.demandExact(world, rewind)
    for frame = rewind:getOldestFrame(), rewind:getNewestFrame() do
        rewind:seek(frame)
        if world:stateHash() ~= rewind:frameHash(frame) then error("frame " .. frame .. " is not what it was", 2) end
    end
end

function scene.require(...)
    local requirements = {}
    for i = 1, select("#", ...) do requirements[(select(i, ...))] = revenant.ComponentRequirementDesc:new() end
    return requirements
end

-- The names of the entities in a list or a view's `entities`.
function scene.names(entities)
    local names = {}
    for i = 1, #entities do names[i] = entities[i]:getName() end
    return names
end

return scene
