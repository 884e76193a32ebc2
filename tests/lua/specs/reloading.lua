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

test("every file is checked, whatever onError raises, and an unreadable one is reported once", function()
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

test("a reload says what it cannot take over, and takes over the rest", function()
    local world = scene.world()
    local source = [[
local revenant = require "revenant"
local Sys = revenant.BaseSystem:extend("HotSys")
Sys.priority = 0
function Sys:init() self:addComponentRequirement("TransformCMP") end
function Sys:tick() self.version = 1 end
return Sys
]]
    local text, notices = source, {}
    local reload = revenant.HotReload:new { read = function() return text end,
        onNotice = function(message, path) notices[#notices + 1] = path .. "|" .. message end }
    local system = world:registerSystem(reload:load("hot.lua"):new(world))
    local function again(from, to)
        text = source:gsub(from, to)
        equal(reload:update(), 1)
        world:update(0)
        return reload:getNotice("hot.lua")
    end
    equal(again("version = 1", "version = 2"), nil)
    equal(system.version, 2)
    equal(again("\nfunction Sys:tick", "\n\n\nfunction Sys:tick"), nil)  -- other lines, the same code
    local notice = again('"TransformCMP"%)', '"TransformCMP") self:listen("entityAdded", print)')
    for _, piece in ipairs { "HotSys", "init", "requirements", "listeners", "make it anew" } do
        check(notice:find(piece, 1, true), notice)
    end
    equal(notices[1], "hot.lua|" .. notice)
    notice = again("priority = 0", "priority = 5")
    check(notice:find("priority is 5", 1, true), notice)
    again("priority = 5", "priority = 0")
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    equal(again("return Sys", "function Sys:onEntityAdded(e) self.heard = e end return Sys"), nil)
    check(rawequal(system.heard, e), "onEntityAdded of the new code was not called")
end)

test("a reloaded file may define components, classes and prefabs again", function()
    local world = scene.world()
    rawset(_G, "theWorld", world)
    local source = [[
local revenant = require "revenant"
local Brain = {}
Brain.__index = Brain
function Brain:think() return "old" end
function Brain:forget() return true end
theWorld:defineComponent("HotCMP", { x = 1 })
theWorld:defineScriptComponent("HotBrainCMP", Brain)
revenant.registerClass("HotBrain", Brain)
theWorld:definePrefab("hot", { components = { HotCMP = { x = 1 } } })
return Brain
]]
    local text = source
    local reload = revenant.HotReload:new { read = function() return text end, onError = function(message) error(message, 0) end }
    local Brain = reload:load("brain.lua")
    local e = world:newEntity("e")
    local brain = e:addComponent("HotBrainCMP")
    local prefab = world:getPrefab("hot")
    equal(brain:think(), "old")
    text = source:gsub('"old"', '"new"'):gsub("function Brain:forget.-\n", ""):gsub("HotCMP = { x = 1 }", "HotCMP = { x = 5 }")
    equal(reload:update(), 1)
    equal(brain:think(), "new")
    equal(brain.forget, nil)
    equal(world:newEntity("f"):addComponent("HotBrainCMP"):think(), "new")
    check(rawequal(world:getPrefab("hot"), prefab))
    equal(prefab:spawn():getComponent("HotCMP").x, 5)
    equal(world:spawn("hot"):getComponent("HotCMP").x, 5)
    -- Outside of a reload these are mistakes.
    raises(function() world:definePrefab("hot", {}) end, "already defined")
    raises(function() world:defineScriptComponent("HotBrainCMP", Brain) end, "already defined")
    -- A definition that does not fit is an error, and the old code stays.
    text = source:gsub("{ x = 1 }%)", "{ x = 1, y = 2 })"):gsub('"old"', '"broken"')
    raises(function() reload:update() end, "HotCMP")
    equal(brain:think(), "new")
    rawset(_G, "theWorld", nil)
end)

test("what onNotice raises is raised by update, when all files were looked at", function()
    local world = scene.world()
    local texts = { ["a.lua"] = first, ["b.lua"] = first:gsub('"Movement"', '"Other"') }
    local reload = revenant.HotReload:new { read = function(path) return texts[path] end,
        onNotice = function() error("onNotice has an error") end }
    local a, b = reload:load("a.lua"), reload:load("b.lua")
    for path, text in pairs(texts) do texts[path] = text:gsub("function Movement:init%(%)", "%0 self.more = 1"):gsub("return 1", "return 2") end
    raises(function() reload:update() end, "onNotice has an error")
    equal(a.step(), 2)
    equal(b.step(), 2)
    check(reload:getNotice("a.lua") and reload:getNotice("b.lua") and not reload:getError("a.lua"))
    raises(function() revenant.HotReload:new { onNotice = 5 } end, "onNotice")
    check(world)
end)

test("classes that copy their bases run the new code of these, too", function()
    local world = scene.world()
    local function copy(class, ...)
        class.__index, class.__includes = class, { ... }
        for _, base in ipairs(class.__includes) do
            for key, value in pairs(base) do
                if class[key] == nil then class[key] = value end
            end
        end
        return setmetatable(class, { __call = function() return setmetatable({}, class) end })
    end
    rawset(_G, "theCopy", copy)
    local text = [[
local Base = theCopy {}
function Base:hello() return "old" end
function Base:own() return "old" end
function Base:lost() end
return Base
]]
    local reload = revenant.HotReload:new { read = function() return text end, onError = function(message) error(message, 0) end }
    local Base = reload:load("base.lua")
    local Middle = copy({ own = function() return "its own" end }, Base)
    local Derived = copy({}, { other = function() return "other" end }, Middle)
    local Named, Unknown = copy({}, Base), copy({}, Base)
    revenant.registerClass("reloading.Named", Named)
    world:defineScriptComponent("MiddleCMP", Middle)
    world:defineScriptComponent("DerivedCMP", Derived)
    local e = world:newEntity("e")
    local middle, derived, named = e:addComponent("MiddleCMP"), e:addComponent("DerivedCMP"), Named()
    text = text:gsub('"old"', '"new"'):gsub("function Base:lost", "function Base:fresh")
    equal(reload:update(), 1)
    rawset(_G, "theCopy", nil)
    for name, each in pairs { middle = middle, derived = derived, named = named } do
        equal(each:hello(), "new", name)
        check(each.fresh and not each.lost, name)
    end
    equal(middle:own(), "its own")
    equal(derived:own(), "its own")
    equal(named:own(), "new")
    equal(derived:other(), "other")
    equal(Unknown():hello(), "old")  -- the module has never seen it
end)

test("components of classes of any library run the new code", function()
    require "class_shapes" (function(name, make, _, _, extend)
        local world = scene.world()
        rawset(_G, "theWorld", world)
        rawset(_G, "theExtend", extend)
        local source = [[
local Base = theExtend("HotBase")
function Base:inherited() return 1 end
local Brain = theExtend("Brain", Base)
function Brain:think() return "old" end
theWorld:defineScriptComponent("HotBrainCMP", Brain)
return Brain
]]
        local text = source
        local reload = revenant.HotReload:new { read = function() return text end, onError = function(message) error(message, 0) end }
        local Brain = reload:load("brain.lua")
        local brain = world:newEntity("e"):addComponent("HotBrainCMP", make(Brain, {}))
        equal(brain:think(), "old", name)
        text = source:gsub('"old"', '"new"')
        equal(reload:update(), 1, name)
        equal(brain:think(), "new", name)
        equal(brain:inherited(), 1, name)
    end)
    rawset(_G, "theWorld", nil)
    rawset(_G, "theExtend", nil)
end)
