-- A game in a module that was built without saves: all plays, rewinds and serializes; saves are refused by a sentence.
--
--     luajit without_saves.lua MODULE_FOLDER

package.cpath = arg[1] .. "/?.so"
local revenant = require "revenant"

local world = revenant.World:new()
world:defineComponent("PositionCMP", { x = 0 })
local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
local MovementSys = revenant.BaseSystem:extend("MovementSys")
function MovementSys:init()
    self:addComponentRequirement("PositionCMP")
end
function MovementSys:tick()
    local view = self:getComponentsView()
    for i = 1, view.count do view.PositionCMP[i].x = view.PositionCMP[i].x + 1 end
end
world:registerSystem(MovementSys:new(world))

local entity = world:newEntity("entity")
entity:addComponent("PositionCMP")
world:addEntity(entity)
for _ = 1, 10 do world:update(0.1) end
rewind:seek(5)
assert(entity:getComponent("PositionCMP").x == 4, entity:getComponent("PositionCMP").x)
rewind:stop()
local copy = world:deserialize(entity:serialize())
assert(copy:getComponent("PositionCMP").x == 4, "a copy holds what its original held")

local path = arg[1] .. "/game.save"
for _, call in ipairs {
    function() world:save(path) end,
    function() world:load(path) end,
    function() world:saveToString() end,
    function() world:loadFromString("{}") end,
} do
    local ok, message = pcall(call)
    assert(not ok and message:find("this build of the module has no saves (REVENANT_SAVE)", 1, true), message)
end
assert(entity:getComponent("PositionCMP").x == 4 and #world:validate() == 0, "a refused save changes nothing")
print("played, rewound and serialized without saves")
