local revenant = require "revenant"
local scene = require "scene"
local BaseSystem = revenant.BaseSystem

local function logging(name, log, fields)
    local class = BaseSystem:extend(name)
    function class:tick() log[#log + 1] = name end
    for key, value in pairs(fields or {}) do class[key] = value end
    return class
end

test("a system acquires its view once, after init, and ticks with it", function()
    local world = scene.world()
    local MovementSys = BaseSystem:extend("MovementSys")
    function MovementSys:init(factor)
        self.factor = factor
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("VelocityCMP", true, true)
    end
    function MovementSys:tick(dt)
        local view = self:getComponentsView()
        local transforms, velocities = view["TransformCMP"], view["VelocityCMP"]
        for i = 1, view.count do
            transforms[i].x = transforms[i].x + velocities[i].x * dt * self.factor
        end
    end
    local movement = MovementSys:new(world, 10)
    check(rawequal(movement:getComponentsView(), movement:getComponentsView()))
    equal(world:registerSystem(movement), movement)
    local e = scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 4 do world:update(0.5) end
    equal(e:getComponent("TransformCMP").x, 20)
    check(rawequal(world:getSystem("MovementSys"), movement))
    check(movement:isRegistered())
    check(movement:getLastTickNanoseconds() > 0)
    raises(function() movement:addComponentRequirement("HealthCMP") end, "MovementSys", "init")
    world:unregisterSystem(movement)
    equal(world:getSystem("MovementSys"), nil)
    world:update(0.5)
    equal(e:getComponent("TransformCMP").x, 20)
end)

test("a requirement may be a description, as getComponentsView takes it", function()
    local world = scene.world()
    local Still = BaseSystem:extend("Still")
    function Still:init()
        self:addComponentRequirement("TransformCMP", revenant.ComponentRequirementDesc:new(true, true))
        self:addComponentRequirement("VelocityCMP", revenant.ComponentRequirementDesc:without())
    end
    local still = Still:new(world)
    scene.spawn(world, "rock", { TransformCMP = {} })
    scene.spawn(world, "bird", { TransformCMP = {}, VelocityCMP = {} })
    world:update(0)
    local view = still:getComponentsView()
    same(scene.names(view.entities), { "rock" })
    raises(function() view.TransformCMP[1].x = 1 end)
end)

test("systems tick by priority, then in order of registration, and after what they depend on", function()
    local world, log = scene.world(), {}
    world:registerSystem(logging("A", log):new(world))
    world:registerSystem(logging("B", log, { priority = 5 }):new(world))
    world:registerSystem(logging("C", log, { dependencies = { "D" } }):new(world))
    world:registerSystem(logging("D", log):new(world))
    world:update(0)
    same(log, { "B", "A", "D", "C" })
    same(world:getSystemNames(), { "B", "A", "D", "C" })
end)

test("an error in a system lets the others tick, then update raises it with its traceback", function()
    local world, log = scene.world(), {}
    local Broken = BaseSystem:extend("Broken")
    local function culprit() error("the lamp broke") end
    function Broken:tick() culprit() end
    world:registerSystem(Broken:new(world))
    world:registerSystem(logging("After", log):new(world))
    local message = raises(function() world:update(0) end, "the lamp broke", "stack traceback", "systems.lua")
    check(message:find("culprit"), message)
    same(log, { "After" })
    raises(function() world:update(0) end, "the lamp broke")
end)

test("errors that are no strings arrive as they were thrown", function()
    local world = scene.world()
    local Odd = BaseSystem:extend("Odd")
    local thrown
    function Odd:tick() error(thrown) end
    world:registerSystem(Odd:new(world))
    for _, value in ipairs { {}, true, print, setmetatable({}, { __tostring = function() return "I am an error" end }) } do
        thrown = value
        local ok, message = pcall(world.update, world, 0)
        check(not ok and rawequal(message, value))
    end
    thrown = 5
    raises(function() world:update(0) end, "5")
    thrown = nil
    raises(function() world:update(0) end)
end)

test("fixed steps run as often as they are due", function()
    local world, steps = scene.world(), {}
    local Fixed = BaseSystem:extend("Fixed")
    Fixed.fixedStepSeconds = 0.25
    function Fixed:fixedTick(step) steps[#steps + 1] = step end
    world:registerSystem(Fixed:new(world))
    world:update(0.6)
    world:update(0.2)
    same(steps, { 0.25, 0.25, 0.25 })
end)

test("a class may be derived from another, and call it", function()
    local world, log = scene.world(), {}
    local Base = BaseSystem:extend("Base")
    function Base:init() self:addComponentRequirement("TransformCMP") end
    function Base:tick() log[#log + 1] = "base" end
    local Derived = Base:extend("Derived")
    function Derived:init()
        Base.init(self)
        self:addComponentRequirement("HealthCMP")
    end
    function Derived:tick(dt)
        Base.tick(self, dt)
        log[#log + 1] = "derived"
    end
    local system = Derived:new(world)
    equal(system:getName(), "Derived")
    check(system:getComponentsView().HealthCMP and system:getComponentsView().TransformCMP)
    world:registerSystem(system)
    world:update(0)
    same(log, { "base", "derived" })
end)

test("systems can be ticked by hand, which while rewinding does nothing unless they ask for it", function()
    local world, log = scene.world(), {}
    local rewind = revenant.TimeRewindSys:new(world)
    local plain = logging("Plain", log):new(world)
    local drawing = logging("Drawing", log, { tickWhileRewinding = true }):new(world)
    scene.spawn(world, "e", { TransformCMP = {} })
    for _ = 1, 3 do
        world:reconcile()
        rewind:tick(0.1)
        plain:tick(0.1)
        drawing:tick(0.1)
    end
    equal(#log, 6)
    rewind:seek(1)
    plain:tick(0.1)
    drawing:tick(0.1)
    equal(#log, 7)
    equal(log[7], "Drawing")
    rewind:stop()
    plain:tick(0.1)
    equal(log[8], "Plain")
    raises(function() plain:tick(-1) end, "dt")
    raises(function() plain:tick() end, "dt")
    raises(function() plain:tick(0 / 0) end, "dt")
end)

test("a disabled system does not tick", function()
    local world, log = scene.world(), {}
    local system = logging("S", log):new(world)
    world:registerSystem(system)
    system:setEnabled(false)
    check(not system:isEnabled())
    world:update(0)
    equal(#log, 0)
    system:setEnabled(true)
    world:update(0)
    equal(#log, 1)
end)

test("systems may come, go and reset the world inside a tick", function()
    local world, log = scene.world(), {}
    local Second = logging("Second", log)
    local First = BaseSystem:extend("First")
    function First:tick()
        log[#log + 1] = "First"
        world:unregisterSystem(self)
        world:registerSystem(Second:new(world))
    end
    world:registerSystem(First:new(world))
    world:update(0)
    world:update(0)
    same(log, { "First", "Second" })
    local Resetter = BaseSystem:extend("Resetter")
    function Resetter:tick() world:reset() end
    world:registerSystem(Resetter:new(world))
    scene.spawn(world, "e")
    world:update(0)
    equal(#world:getAllManagedEntities(), 0)
    same(world:getSystemNames(), {})
end)

test("update and reconcile inside a tick are refused", function()
    local world = scene.world()
    local Inner = BaseSystem:extend("Inner")
    local call
    function Inner:tick() call(world) end
    world:registerSystem(Inner:new(world))
    call = function() world:update(0) end
    raises(function() world:update(0) end, "inside")
    call = function() world:reconcile() end
    raises(function() world:update(0) end, "inside")
    call = function() end
    world:update(0)
end)

test("a registered system lives without a reference from the script, one that is not registered is collected", function()
    local world, log = scene.world(), {}
    world:registerSystem(logging("Kept", log):new(world))
    local weak = setmetatable({ logging("Lost", log):new(world) }, { __mode = "v" })
    collectgarbage()
    collectgarbage()
    equal(weak[1], nil)
    world:update(0)
    same(log, { "Kept" })
end)

test("names of systems are unique, and dependencies must exist", function()
    local world, log = scene.world(), {}
    local A = logging("A", log)
    world:registerSystem(A:new(world))
    raises(function() world:registerSystem(A:new(world)) end, "'A'", "already")
    world:registerSystem(logging("B", log, { dependencies = { "Nope" } }):new(world))
    raises(function() world:update(0) end, "Nope")
end)

test("misuse of classes and systems says what is wrong", function()
    local world = scene.world()
    local S = BaseSystem:extend("S")
    raises(function() BaseSystem:extend() end, "name")
    raises(function() BaseSystem.extend("S") end, "extend")
    raises(function() S:new() end, "world")
    raises(function() S.new(world) end, "class")
    raises(function() BaseSystem:new(world) end, "extend")
    raises(function() S:addComponentRequirement("TransformCMP") end, "S")
    raises(function() S:getComponentsView() end, "S")
    raises(function() world:registerSystem(S) end, "system")
    raises(function() world:registerSystem({}) end, "system")
    raises(function() world:registerSystem(S:new(scene.world())) end, "another world")
    raises(function() world:unregisterSystem(S:new(world)) end, "'S'")
    local Bad = BaseSystem:extend("Bad")
    function Bad:init() self:addComponentRequirement("NopeCMP") end
    raises(function() Bad:new(world) end, "NopeCMP")
    local other = scene.world()
    local registered = S:new(other)
    other:registerSystem(registered)
    raises(function() world:unregisterSystem(registered) end, "'S'", "not registered with this world")
    raises(function() world:unregisterSystem(5) end, "takes a system", "5")
    function Bad:init()
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("TransformCMP")
    end
    raises(function() Bad:new(world) end, "'Bad'", "requires 'TransformCMP' already")
    function Bad:init() self:addComponentRequirement("TransformCMP", 1) end
    raises(function() Bad:new(world) end, "mustHave must be true or false", "1")
    function Bad:init() self:addComponentRequirement("TransformCMP", true, "yes") end
    raises(function() Bad:new(world) end, "readOnly must be true or false", "yes")
    Bad.priority = "high"
    function Bad:init() end
    raises(function() Bad:new(world) end, "priority")
end)

test("priorities and fixed steps that are no whole numbers are refused", function()
    local world = scene.world()
    for _, wrong in ipairs { 2.5, 0 / 0, 1e300 } do
        local Sys = revenant.BaseSystem:extend("OddSys")
        Sys.priority = wrong
        raises(function() Sys:new(world) end, "priority", "whole number")
    end
    for _, wrong in ipairs { 0, -1, 1.5, 0 / 0 } do
        local Sys = revenant.BaseSystem:extend("OddSys")
        Sys.maxFixedSteps = wrong
        raises(function() Sys:new(world) end, "maxFixedSteps", "1 or more")
    end
end)

test("a system's hooks come in pairs, and its name is a string", function()
    local world = scene.world()
    local Half = revenant.BaseSystem:extend("Half")
    function Half:getRewindState() return 1 end
    raises(function() Half:new(world) end, "Half", "both getRewindState and restoreRewindState")
    Half.restoreRewindState = 5
    raises(function() Half:new(world) end, "Half", "restoreRewindState must be a function")
    local Named = revenant.BaseSystem:extend("Named")
    Named.name = 5
    raises(function() Named:new(world) end, "name", "must be a string")
end)
