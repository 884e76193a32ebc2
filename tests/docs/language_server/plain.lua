-- A game that declares nothing: the language server has nothing to say about it.
local revenant = require "revenant"

local MovementSys = revenant.BaseSystem:extend("MovementSys")
MovementSys.priority = 3

function MovementSys:init(gravity)
    self.gravity = gravity
    self:addComponentRequirement("BodyCMP")
    self:addComponentRequirement("ShadowCMP", false, true)
end

function MovementSys:tick(dt)
    local view = self:getComponentsView()
    for i = 1, view.count do
        local body = view.BodyCMP[i]
        body.y = body.y + dt * self.gravity
        if view.ShadowCMP[i] ~= revenant.ComponentsView.EMPTY then self:cast(body) end
    end
end

function MovementSys:cast(body) self.shadow = body.x end

local world = revenant.World:new()
world:defineComponent("BodyCMP", { x = 0, y = 0 })
local Sprite = {}
Sprite.__index = Sprite
function Sprite.new() return setmetatable({ image = "none" }, Sprite) end
function Sprite:onAdded(entity) self.entity = entity end
world:defineScriptComponent("ShadowCMP", Sprite, { rewind = false })

local movement = world:registerSystem(MovementSys:new(world, 9.81))
print(movement.gravity)
local entity = world:newEntity("stone")
local body = entity:addComponent("BodyCMP", { x = 1 })
body.x = body.x + 1
local other = entity:getComponent("BodyCMP")
print(other.x, entity:getComponent("ShadowCMP").image)
world:addEntity(entity)
world:getSystem("MovementSys"):cast(other)

local counter = { name = "counter", count = 0 }
function counter:tick() self.count = self.count + 1 end
world:registerSystem(counter)
world:update(1 / 60)
world:dispose()
