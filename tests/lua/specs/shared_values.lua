-- Functions of a component's own class, and values that the game shares: components refer to them by their names.
local revenant = require "revenant"
local scene = require "scene"
local play, demandExact = scene.play, scene.demandExact

local Walker = {}
Walker.__index = Walker
function Walker:walk() self.x = self.x + 1 end
function Walker:rest() self.energy = self.energy + 1 end
local Runner = setmetatable({}, { __index = Walker })
Runner.__index = Runner
function Runner:run() self.x = self.x + 10 end
function Runner:rest() self.energy = self.energy + 5 end

local function define(world)
    world:defineScriptComponent("WalkerCMP", Walker)
    world:defineScriptComponent("RunnerCMP", Runner)
    return world
end

local function stage()
    local world = define(scene.world())
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:registerSystem { name = "StepSys", requirements = { "WalkerCMP" }, tick = function(self)
        for i = 1, self.view.count do self.view.WalkerCMP[i]:state() end
    end }
    return world, rewind
end

local constants = { speed = 4, hook = print }
revenant.registerShared("shared_values.constants", constants)
local function callback() end
revenant.registerShared("shared_values.callback", callback)
local image = newproxy(true)
revenant.registerShared("shared_values.image", image)

test("the state of a machine, a function of the class, is rewound", function()
    local world, rewind = stage()
    local walkers = {}
    for i = 1, 40 do
        walkers[i] = scene.spawn(world, "walker"):addComponent("WalkerCMP", { x = 0, energy = 0, state = Walker.walk, stack = { Walker.rest } })
    end
    play(world, 5)
    for i = 1, 20 do walkers[i].state, walkers[i].stack = Walker.rest, { Walker.walk, { deep = Walker.rest } } end
    play(world, 5)
    demandExact(world, rewind)
    rewind:seek(3)
    check(walkers[1].state == Walker.walk and walkers[1].stack[1] == Walker.rest and walkers[1].x == 2)
    rewind:seek(9)
    check(walkers[1].state == Walker.rest and walkers[1].stack[2].deep == Walker.rest and walkers[30].state == Walker.walk)
    rewind:seek(3)
    rewind:stop()
    play(world, 2)
    equal(walkers[1].x, 4)
end)

test("inherited functions are found, and those that a class overrides are not taken for its own", function()
    local world, rewind = stage()
    local runner = scene.spawn(world, "runner"):addComponent("RunnerCMP", { x = 0, energy = 0, state = Runner.walk, other = Runner.rest })
    play(world, 2)
    runner.state, runner.other = Runner.run, nil
    play(world, 2)
    rewind:seek(2)
    check(runner.state == Walker.walk and runner.other == Runner.rest)
    rewind:seek(4)
    check(runner.state == Runner.run and runner.other == nil)
    rewind:stop()
    runner.state = Walker.rest  -- which instances of Runner do not have
    raises(function() play(world, 1) end, "RunnerCMP", "self.state is a function", "registerShared")
    runner.state = function() end
    raises(function() play(world, 1) end, "self.state is a function")
    runner.state = nil
    play(world, 1)
end)

test("a method that a reloaded class has anew comes back as the new one", function()
    local world, rewind = stage()
    local Class = {}
    Class.__index = Class
    local function old() end
    local function new() end
    Class.act = old
    world:defineScriptComponent("ActorCMP", Class)
    local actor = scene.spawn(world, "actor"):addComponent("ActorCMP", { state = old })
    play(world, 2)
    Class.act = new
    play(world, 2)
    demandExact(world, rewind)
    rewind:stop()
    actor.state = nil
    play(world, 2)
    rewind:seek(2)
    check(actor.state == new)
end)

test("what is shared comes back as itself: tables, functions, userdata", function()
    local world, rewind = stage()
    local runner = scene.spawn(world, "runner"):addComponent("RunnerCMP", { definition = constants, image = image, list = { callback } })
    play(world, 2)
    runner.definition, runner.image, runner.list = nil, nil, nil
    constants.speed = 5
    play(world, 2)
    demandExact(world, rewind)
    rewind:seek(2)
    check(runner.definition == constants and runner.image == image and runner.list[1] == callback)
    equal(runner.definition.speed, 5)
    constants.speed = 4
    rewind:stop()
    world:setResource("look", { image, constants }, { rewind = true })
    world:defineEvent("shown")
    local heard
    world:on("shown", function(detail) heard = detail end)
    world:queue("shown", { with = image, by = callback })
    play(world, 2)  -- the first shows the frame from which play goes on
    check(world:getResource("look")[1] == image and world:getResource("look")[2] == constants)
    check(heard.with == image and heard.by == callback)
end)

test("saves, serialize and migrate keep both", function()
    if not hasSaves() then return end
    local world = define(scene.world())
    local e = scene.spawn(world, "walker")
    e:addComponent("WalkerCMP", { x = 0, energy = 0, state = Walker.walk, definition = constants, list = { callback, image } })
    play(world, 1)
    local function demand(walker)
        check(walker.state == Walker.walk and walker.definition == constants and walker.list[1] == callback and walker.list[2] == image)
    end
    for _, format in ipairs { "binary", "json" } do
        local other = define(scene.world())
        other:loadFromString(world:saveToString { format = format })
        demand(other:findEntity("walker"):getComponent("WalkerCMP"))
    end
    demand(world:deserialize(e:serialize()):getComponent("WalkerCMP"))
    local later = scene.world()
    later:defineScriptComponent("WalkerCMP", Walker, { version = 2, migrate = function(old)
        return { state = old.state, definition = old.definition, list = old.list, next = Walker.rest }
    end })
    later:loadFromString(world:saveToString())
    local walker = later:findEntity("walker"):getComponent("WalkerCMP")
    demand(walker)
    check(walker.next == Walker.rest)
    local without = scene.world()
    without:defineScriptComponent("WalkerCMP", { rest = Walker.rest })
    raises(function() without:loadFromString(world:saveToString()) end, "WalkerCMP", "state", "no method 'walk'")
end)

test("a shared value has one name, and a name one value", function()
    equal(revenant.registerShared("shared_values.constants", constants), constants)
    raises(function() revenant.registerShared("another", constants) end, "already registered as 'shared_values.constants'")
    raises(function() revenant.registerShared("shared_values.constants", {}) end, "another value", "unique")
    raises(function() revenant.registerShared("", {}) end, "needs a name")
    raises(function() revenant.registerShared("number", 3) end, "must be a table, a function or a userdata, not the number 3")
    raises(function() revenant.registerShared(nil, {}) end, "must be a string")
    raises(function() revenant.registerClass("shared_values.image", {}) end, "unique")
    local world = define(scene.world())
    local component = scene.spawn(world, "e"):addComponent("WalkerCMP", {})
    raises(function() revenant.registerShared("component", component) end, "is a script component")
end)
