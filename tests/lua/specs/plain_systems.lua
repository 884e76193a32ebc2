-- Plain tables as systems, onEntityAdded and onEntityRemoved, and system.enabled.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

test("any table with a name and a tick or fixedTick is a system", function()
    local world = scene.world()
    local log = {}
    local first = { name = "FirstSys", priority = 5, tick = function(self, dt) log[#log + 1] = self.name .. dt end }
    local second = { name = "SecondSys", fixedStepSeconds = 0.5, fixedTick = function(_, step) log[#log + 1] = "fixed" .. step end }
    local third = setmetatable({ name = "ThirdSys" }, { __index = { tick = function() log[#log + 1] = "third" end } })
    equal(world:registerSystem(second), second)
    world:registerSystem(third)
    world:registerSystem(first)
    check(rawequal(world:getSystem("FirstSys"), first))
    world:update(0.5)
    same(log, { "FirstSys0.5", "fixed0.5", "third" })
    world:unregisterSystem(first)
    equal(world:getSystem("FirstSys"), nil)
    world:registerSystem(first)
    world:unregisterSystem(second)
    world:unregisterSystem(third)
    log = {}
    world:update(1)
    same(log, { "FirstSys1" })
    raises(function() world:registerSystem(first) end, "FirstSys", "already")
    raises(function() world:registerSystem {} end, "registerSystem", "no name")
    raises(function() world:registerSystem { name = "X" } end, "neither tick nor fixedTick")
    raises(function() world:registerSystem { name = "X", tick = 3 } end, "tick", "3")
    raises(function() world:registerSystem { name = "X", tick = print, priority = "high" } end, "priority")
    raises(function() world:registerSystem { name = "X", tick = print, getRewindState = print } end, "restoreRewindState")
    raises(function() world:registerSystem(3) end, "registerSystem", "3")
    world:reset()
    world:registerSystem(first)
    world:update(1)
end)

test("the state of a plain system is rewound by its hooks", function()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local counter = { name = "CountSys", n = 0 }
    function counter:tick() self.n = self.n + 1 end
    function counter:getRewindState() return self.n end
    function counter:restoreRewindState(n) self.n = n end
    world:registerSystem(counter)
    for _ = 1, 10 do world:update(0.1) end
    rewind:seek(4)
    equal(counter.n, 3)
end)

test("a system is called when entities start and stop matching its view", function()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local log = {}
    local function take()
        local text = table.concat(log, " ")
        log = {}
        return text
    end
    local a = scene.spawn(world, "a", { TransformCMP = {} })
    scene.spawn(world, "other")
    world:update(0.1)
    local Sys = revenant.BaseSystem:extend("MatchSys")
    function Sys:init()
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("VelocityCMP", Desc:without())
    end
    function Sys:onEntityAdded(e) log[#log + 1] = "+" .. e:getName() end
    function Sys:onEntityRemoved(e) log[#log + 1] = "-" .. e:getName() end
    local system = Sys:new(world)
    equal(take(), "")
    world:registerSystem(system)
    equal(take(), "+a")  -- those already there
    local plain = { name = "PlainSys", requirements = { "TransformCMP" }, tick = function() end,
        onEntityAdded = function(_, e) log[#log + 1] = "p" .. e:getName() end }
    world:registerSystem(plain)
    equal(take(), "pa")
    equal(plain.view.count, 1)
    world:unregisterSystem(plain)
    local b = scene.spawn(world, "b", { TransformCMP = {} })
    local c = scene.spawn(world, "c", { TransformCMP = {} })
    world:update(0.1)
    equal(take(), "+b +c")
    a:addComponent("VelocityCMP")
    b:setEnabled(false)
    world:removeEntity(c)
    world:update(0.1)
    equal(take(), "-a -b -c")
    rewind:seek(2)
    equal(take(), "+a +b +c")
    rewind:seek(1)
    equal(take(), "-b -c")
    rewind:seek(3)
    equal(take(), "-a")
    rewind:stop()
    world:unregisterSystem(system)
    a:removeComponent("VelocityCMP")
    world:update(0.1)
    equal(take(), "")
end)

test("errors in onEntityAdded and onEntityRemoved are raised by update, after all were called", function()
    local world = scene.world()
    local count = 0
    world:registerSystem { name = "BadSys", requirements = { "TransformCMP" }, tick = function() end,
        onEntityAdded = function(_, e)
            count = count + 1
            error("cannot take " .. e:getName())
        end }
    scene.spawn(world, "a", { TransformCMP = {} })
    scene.spawn(world, "b", { TransformCMP = {} })
    raises(function() world:update(0.1) end, "2 errors", "cannot take a", "cannot take b")
    equal(count, 2)
    raises(function() world:registerSystem { name = "NoView", tick = function() end, onEntityAdded = print } end, "requirements")
end)

test("system.enabled = false works, from the next tick on", function()
    local world = scene.world()
    local count = 0
    local Sys = revenant.BaseSystem:extend("CountSys")
    function Sys:tick() count = count + 1 end
    local system = world:registerSystem(Sys:new(world))
    local plain = world:registerSystem { name = "PlainSys", tick = function() count = count + 100 end }
    world:update(0.1)
    equal(count, 101)
    system.enabled, plain.enabled = false, false
    equal(system:isEnabled(), false)
    world:update(0.1)
    equal(count, 101)
    system.enabled = true
    world:update(0.1)
    equal(count, 102)
    system:setEnabled(false)
    equal(system.enabled, false)
    plain.enabled = nil
    world:update(0.1)
    equal(count, 202)
    system.enabled = 3
    raises(function() world:update(0.1) end, "CountSys", "enabled", "3")
end)

test("a disabled system is called for entities all the same", function()
    local world = scene.world()
    local count = 0
    local system = { name = "CountSys", requirements = { "TransformCMP" }, enabled = false, tick = function() error("it ticks") end,
        onEntityAdded = function() count = count + 1 end, onEntityRemoved = function() count = count - 1 end }
    local e = scene.spawn(world, "a", { TransformCMP = {} })
    world:update(0.1)
    world:registerSystem(system)
    scene.spawn(world, "b", { TransformCMP = {} })
    world:update(0.1)
    equal(count, 2)
    e:setEnabled(false)
    world:update(0.1)
    equal(count, 1)
end)

test("while the past is shown, a plain table that is ticked by hand ticks, and a system of a class does not", function()
    local world = scene.world()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local plain, made = 0, 0
    local Sys = revenant.BaseSystem:extend("MadeSys")
    function Sys:tick() made = made + 1 end
    local one = world:registerSystem { name = "PlainSys", tick = function() plain = plain + 1 end }
    local two = world:registerSystem(Sys:new(world))
    world:update(0.1)
    world:update(0.1)
    rewind:seek(1)
    world:update(0.1)
    one:tick(0.1)
    two:tick(0.1)
    equal(plain, 3)
    equal(made, 2)
end)
