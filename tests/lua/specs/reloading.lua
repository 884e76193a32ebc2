local revenant = require "revenant"
local scene = require "scene"

local first = [[
local revenant = require "revenant"
local Movement = revenant.BaseSystem:extend("Movement")
function Movement:init() self:addComponentRequirement("TransformCMP") end
function Movement:tick(dt)
    local view = self:getComponentsView()
    for i = 1, view.count do view.TransformCMP[i].x = view.TransformCMP[i].x + self:step() end
end
function Movement:step() return 1 end
return Movement
]]

test("a changed file is re-read with the world kept; an error keeps the old code running", function()
    local world = scene.world()
    local text, messages = first, {}
    local reload = revenant.HotReload:new { read = function() return text end,
        onError = function(message) messages[#messages + 1] = message end }
    local Movement = reload:load("movement.lua")
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:registerSystem(Movement:new(world))
    world:update(0)
    equal(e:getComponent("TransformCMP").x, 1)
    equal(reload:update(), 0)
    text = first:gsub("return 1", "return 10")
    equal(reload:update(), 1)
    world:update(0)
    equal(e:getComponent("TransformCMP").x, 11)
    text = "this is no Lua"
    equal(reload:update(), 0)
    check(messages[1]:find("movement.lua:1:", 1, true), messages[1])
    check(reload:getError("movement.lua"))
    world:update(0)
    equal(e:getComponent("TransformCMP").x, 21)
    text = "error('half-way')"
    reload:update()
    check(messages[2]:find("half-way", 1, true))
    text = "return 5"
    reload:update()
    check(messages[3]:find("class", 1, true))
    equal(#messages, 3)
    reload:update()
    equal(#messages, 3)
    text = first
    equal(reload:update(), 1)
    equal(reload:getError("movement.lua"), nil)
    world:update(0)
    equal(e:getComponent("TransformCMP").x, 22)
    check(rawequal(reload:load("movement.lua"), Movement))
end)

test("misuse of HotReload says what is wrong", function()
    local reload = revenant.HotReload:new()
    raises(function() reload:load("/no/such/file.lua") end)
    raises(function() reload:load() end, "path")
    raises(function() revenant.HotReload.load({}, "x") end, "HotReload")
    raises(function() revenant.HotReload:new(5) end, "table")
    raises(function() revenant.HotReload:new { read = 5 } end, "read")
end)
