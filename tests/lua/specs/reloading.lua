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

test("a base class that is defined in the file is re-read with it", function()
    local world = scene.world()
    local source = [[
local revenant = require "revenant"
local Base = revenant.BaseSystem:extend("Base")
function Base:step() return 1 end
local Derived = Base:extend("Derived")
function Derived:tick() self.steps = (self.steps or 0) + self:step() end
return Derived
]]
    local text = source
    local reload = revenant.HotReload:new { read = function() return text end }
    local system = world:registerSystem(reload:load("derived.lua"):new(world))
    world:update(0)
    equal(system.steps, 1)
    text = source:gsub("return 1", "return 10")
    equal(reload:update(), 1)
    world:update(0)
    equal(system.steps, 11)
end)

test("every file is looked at, whatever onError raises, and one that cannot be read is told once", function()
    local texts, told = { ["a.lua"] = first, ["b.lua"] = first:gsub('"Movement"', '"Other"') }, {}
    local reload = revenant.HotReload:new { read = function(path) return texts[path], "it is gone" end,
        onError = function(message, path)
            told[#told + 1] = message
            if path == "a.lua" then error("onError has an error") end
        end }
    reload:load("a.lua")
    reload:load("b.lua")
    texts = { ["a.lua"] = "return (", ["b.lua"] = texts["b.lua"] .. "-- changed" }
    raises(function() reload:update() end, "onError has an error")
    equal(#told, 1)
    texts = { ["a.lua"] = texts["a.lua"] }
    equal(reload:update(), 0)
    equal(reload:update(), 0)
    equal(#told, 2)
    check(told[2]:find("b.lua: cannot be read: it is gone", 1, true))
    equal(reload:getError("b.lua"), told[2])
end)
