-- A game that declares its components and systems: the language server knows their fields, and finds the mistakes marked
-- `--> code`, and no others.
local revenant = require "revenant"
local t = revenant.types

---@class TransformCMP
---@field x number
---@field y number

---@class revenant.Columns
---@field TransformCMP TransformCMP[]

---@class MovementSys : revenant.BaseSystem
---@field steps integer
local MovementSys = revenant.BaseSystem:extend("MovementSys")

function MovementSys:init(steps)
    self.steps = steps
    self:addComponentRequirement("TransformCMP")
    self:listen("landed", function(entity) print(entity) end)
end

function MovementSys:tick(dt)
    local column = self:getComponentsView().TransformCMP
    column[1].x = column[1].x + dt * self.steps
    print(column[1].z)                                           --> undefined-field
    print(self.stepz)                                            --> undefined-field
    self:listne("landed", print)                                 --> undefined-field
end

---@type revenant.Level
local level = { entities = { { name = "rock", components = { TransformCMP = { x = 3 } } } } }
print(level.entities[1].name)

local world = revenant.World.getInstance()
local movement = MovementSys:new(world, 3)
print(movement.steps + 1)
print(movement.stepz)                                            --> undefined-field
world:registerSystem(movement)
world:unregisterSystem(world:registerSystem({ name = "plain", tick = function() end }))
world:getSystem("MovementSys").steps = "many"                    --> assign-type-mismatch

local rewind = revenant.TimeRewindSys:new(world, { seconds = 3, inThePast = "defer" })
world:registerSystem(rewind)
rewind:seek("start")                                             --> param-type-mismatch
rewind:sek(3)                                                    --> undefined-field

local entity = world:newEntity("a")
entity:addComponent("TransformCMP", { x = 1 }).y = 3
entity:getComponent("TransformCMP").x = "no"                     --> assign-type-mismatch
entity:addChilf(entity)                                          --> undefined-field
world:addEntity(3)                                               --> param-type-mismatch
world:defineComponent("TransformCMP", { x = 0, y = t.lerp(t.f32(0)), z = t.array(t.i32(0), 3), w = t.f32 },
    { methods = { length = function(self) return self.x end }, version = 2, migrate = function(old) return old end })
world:defineScriptComponent("ShapeCMP", { new = function() return {} end }, { base = "DrawableCMP", rewind = false })
world:on("entityAdded", function(each) print(each:getName()) end, { confirmed = true })
world:emit("landed", entity, 2)
world:queue("landed", 2)
world:setResource("gravity", 9.81, { rewind = true })
world:recordCollisionEvent({ first = entity, second = entity, impulse = 3 })
world:recordCollisionEvent({ wall = "left" })
local prefab = world:definePrefab("enemy", { components = { TransformCMP = true } })
prefab:spawn({ TransformCMP = { x = 1 }, children = { gun = { TransformCMP = { x = 2 } } } })
for _, each in ipairs(world:spawnMany("enemy", 3, function(i) return { TransformCMP = { x = i } } end)) do
    print(each:getName())
end
for count, transforms in world:getComponentsView({ TransformCMP = revenant.ComponentRequirementDesc:new() }):runs("TransformCMP") do
    for i = 0, count - 1 do transforms[i].x = world:random(3) end
end
