local revenant = require "revenant"
local t = revenant.types
local World, TimeRewindSys, BaseSystem = revenant.World, revenant.TimeRewindSys, revenant.BaseSystem

local Item = {}
Item.__index = Item
revenant.registerClass("saves.Item", Item)
function Item:worth() return self.price * 2 end

local Brain = {}
Brain.__index = Brain
function Brain:think() return "thinking about " .. self.mood end

local function newWorld()
    local world = World:new()
    world:defineComponent("BodyCMP", { x = 0, y = t.f32(0), score = t.i64(0), on = t.bool(true), tag = t.string(""),
        target = t.entity(), slots = t.array(t.i32(0), 3) })
    world:defineScriptComponent("BrainCMP", Brain)
    return world
end

local function build(world)
    local ship = world:newEntity("ship")
    ship:addComponent("BodyCMP", { x = 1.5, score = 9007199254740993LL, tag = "hero", slots = { 1, 2, 3 } })
    local shield = world:newEntity("shield")
    shield:addComponent("BodyCMP", { target = ship, on = false })
    ship:addChild(shield)
    local brain = ship:addComponent("BrainCMP", { mood = "calm", friend = shield, items = {} })
    brain.items[1] = setmetatable({ price = 4 }, Item)
    brain.items.best, brain.myself = brain.items[1], brain
    local rock = world:newEntity("rock")
    rock:addComponent("BodyCMP")
    rock:setComponentEnabled("BodyCMP", false)
    rock:setEnabled(false)
    for _, e in ipairs { ship, rock } do world:addEntity(e) end
    world:setMainCharacter(ship)
    world:setResource("diary", { "a", { b = ship } }, { rewind = true })
    world:setResource("font", { "not saved" })
    return ship, shield, rock
end

local function checkBuilt(world)
    local all = world:getAllManagedEntities()
    equal(#all, 3)
    local ship, shield, rock = all[1], all[2], all[3]
    equal(ship:getName() .. shield:getName() .. rock:getName(), "shipshieldrock")
    equal(shield:getParent(), ship)
    local body = ship:getComponent("BodyCMP")
    equal(body.x, 1.5)
    check(body.score == 9007199254740993LL)
    equal(body.tag, "hero")
    equal(body.slots[2], 2)
    equal(shield:getComponent("BodyCMP").target, ship)
    equal(shield:getComponent("BodyCMP").on, false)
    local brain = ship:getComponent("BrainCMP")
    equal(brain:think(), "thinking about calm")
    equal(brain.friend, shield)
    equal(brain.myself, brain)
    equal(brain.items[1], brain.items.best)
    equal(brain.items[1]:worth(), 8)
    check(not rock:isEnabled())
    check(not rock:isComponentEnabled("BodyCMP"))
    equal(world:getMainCharacter(), ship)
    equal(world:getResource("diary")[2].b, ship)
    equal(#world:validate(), 0)
    return ship, shield, rock
end

for _, format in ipairs { "binary", "json" } do
    test("a world saved as " .. format .. " comes back in another world, and in its own", function()
        local world = newWorld()
        build(world)
        world:update(0.1)
        world:random(10)
        local text = world:saveToString { format = format }
        local other = newWorld()
        other:loadFromString(text)
        checkBuilt(other)
        equal(other:stateHash(), world:stateHash())
        equal(other:getTick(), 1)
        equal(other:random(1000), world:random(1000))
        local again = world:saveToString { format = format }
        world:loadFromString(text)
        checkBuilt(world)
        equal(world:getResource("font")[1], "not saved")
        equal(again == text, false)  -- a number was drawn
        equal(world:saveToString { format = format }, text)
    end)
end

test("a save holds the world as the next reconcile would make it", function()
    local world = newWorld()
    local ship, shield, rock = build(world)
    local never = world:newEntity("never")
    never:addComponent("BodyCMP")
    local other = newWorld()
    other:loadFromString(world:saveToString())
    checkBuilt(other)
    world:update(0.1)
    world:removeEntity(rock)
    ship:removeChild(shield)
    ship:getComponent("BodyCMP").x = 1000
    local bought = world:newEntity("bought")
    world:addEntity(bought)
    local text, hash = world:saveToString(), nil
    world:reconcile()
    other:loadFromString(text)
    equal(other:stateHash(), world:stateHash())
    equal(#other:getAllManagedEntities(), 3)
    equal(other:getAllManagedEntities()[2]:getName(), "shield")
    equal(other:getAllManagedEntities()[1]:getComponent("BodyCMP").x, 1000)
end)

test("what is not persistent is left out with its children", function()
    local world = newWorld()
    local ship, shield = build(world)
    shield:setPersistent(false)
    local spark = world:newEntity("spark")
    shield:addChild(spark)
    check(not spark:isPersistent())
    check(ship:isPersistent())
    world:update(0.1)
    local other = newWorld()
    other:loadFromString(world:saveToString())
    equal(#other:getAllManagedEntities(), 2)
    check(not other:getAllManagedEntities()[1]:getComponent("BrainCMP").friend:isValid())
    raises(function() ship:setPersistent(3) end, "true or false")
end)

test("loading in a running game keeps systems, listeners and views, and makes old handles stale", function()
    local world = newWorld()
    local rewind = world:registerSystem(TimeRewindSys:new(world))
    local seen, loaded = 0, 0
    local Sys = BaseSystem:extend("CountSys")
    function Sys:init() self:addComponentRequirement("BodyCMP") end
    function Sys:tick() seen = self:getComponentsView().count end
    world:registerSystem(Sys:new(world))
    world:on("worldLoaded", function() loaded = loaded + 1 end)
    local ship, shield, rock = build(world)
    for _ = 1, 5 do world:update(0.1) end
    equal(seen, 2)
    local text = world:saveToString()
    local extra = world:newEntity("extra")
    extra:addComponent("BodyCMP")
    extra:retain()
    world:addEntity(extra)
    local detached = world:newEntity("detached")
    world:update(0.1)
    world:removeEntity(rock)
    world:update(0.1)
    rewind:start()
    rewind:seek(2)
    world:loadFromString(text)
    equal(loaded, 1)
    equal(rewind:isRewinding(), false)
    equal(rewind:getNewestFrame(), nil)
    for _, e in ipairs { ship, shield, rock, extra, detached } do equal(e:isValid(), false) end
    checkBuilt(world)
    equal(world:getTick(), 5)
    for _ = 1, 5 do world:update(0.1) end
    equal(seen, 2)
    check(rewind:getNewestFrame() ~= nil)
    local hash = world:stateHash()
    world:update(0.1)
    rewind:seek(rewind:getNewestFrame())
    equal(#world:validate(), 0)
end)

test("inside a tick a load takes effect after it", function()
    local world = newWorld()
    build(world)
    world:update(0.1)
    local text = world:saveToString()
    local ticked
    local Sys = BaseSystem:extend("LoadSys")
    function Sys:tick()
        if ticked then return end
        raises(function() world:loadFromString("nonsense") end, "it is not a save")
        world:loadFromString(text)
        ticked = world:getAllManagedEntities()[1]
        check(ticked:isValid())
    end
    world:registerSystem(Sys:new(world))
    world:update(0.1)
    check(not ticked:isValid())
    checkBuilt(world)
    equal(world:getTick(), 1)
end)

test("a save that does not fit is refused with component, field and reason", function()
    local world = newWorld()
    build(world)
    local text = world:saveToString()
    local other = World:new()
    other:defineComponent("BodyCMP", { x = "text" })
    local mine = other:newEntity("mine")
    other:addEntity(mine)
    other:update(0.1)
    local hash = other:stateHash()
    raises(function() other:loadFromString(text) end, "BodyCMP", "'x'", "f64", "string")
    raises(function() other:loadFromString(text, { drop = { "BodyCMP" } }) end, "BrainCMP", "defined")
    other:defineScriptComponent("BrainCMP", Brain)
    equal(other:stateHash(), hash)
    check(mine:isValid())
    other:loadFromString(text, { drop = { "BodyCMP" } })
    check(not mine:isValid())
    raises(function() other:load("no/such/file") end, "load", "no/such/file")
    raises(function() other:loadFromString(5) end, "string")
    raises(function() other:saveToString { format = "xml" } end, "format", "json")
    raises(function() other:save("") end, "path")
    raises(function() other:load("x", { drop = { 1 } }) end, "drop")
end)

test("states of systems and their time within a step are saved", function()
    local function make()
        local world = newWorld()
        local Sys = BaseSystem:extend("WaveSys")
        function Sys:getRewindState() return { wave = self.wave, boss = self.boss } end
        function Sys:restoreRewindState(state) self.wave, self.boss = state.wave, state.boss end
        local sys = Sys:new(world)
        sys.wave = 1
        return world, world:registerSystem(sys)
    end
    local world, waves = make()
    local ship = build(world)
    waves.wave, waves.boss = 7, ship
    world:update(0.1)
    local other, theirs = make()
    other:loadFromString(world:saveToString())
    equal(theirs.wave, 7)
    equal(theirs.boss, other:getAllManagedEntities()[1])
end)

test("a hook that fails leaves the world as it was", function()
    local Bad = {}
    Bad.__index = Bad
    function Bad:getRewindState() return { a = 1 } end
    function Bad:restoreRewindState() error("no luck") end
    local world = World:new()
    world:defineScriptComponent("BadCMP", Bad)
    local e = world:newEntity("e")
    e:addComponent("BadCMP")
    world:addEntity(e)
    world:update(0.1)
    local text, hash = world:saveToString(), world:stateHash()
    raises(function() world:loadFromString(text) end, "no luck", "BadCMP")
    equal(world:stateHash(), hash)
    check(e:isValid())
    equal(#world:getAllManagedEntities(), 1)
    equal(world:getStats().detached, 0)
end)

test("lifecycle methods are called for what goes and what comes", function()
    local log = {}
    local Life = {}
    Life.__index = Life
    function Life:onAdded(e) log[#log + 1] = "added " .. e:getName() .. self.n end
    function Life:onRemoved() log[#log + 1] = "removed " .. self.n end
    function Life:onDestroyed() log[#log + 1] = "destroyed " .. self.n end
    local world = World:new()
    world:defineScriptComponent("LifeCMP", Life)
    local e = world:newEntity("e")
    e:addComponent("LifeCMP", { n = 1 })
    world:addEntity(e)
    world:update(0.1)
    local text = world:saveToString()
    e:getComponent("LifeCMP").n = 2
    world:loadFromString(text)
    same(log, { "added e1", "removed 2", "added e1", "destroyed 2" })
end)

test("a save goes to a file and comes back from it", function()
    local path = os.tmpname()
    local world = newWorld()
    build(world)
    world:save(path)
    local other = newWorld()
    other:load(path)
    checkBuilt(other)
    world:save(path, { format = "json" })
    other:load(path)
    checkBuilt(other)
    raises(function() world:save(path .. "/no/folder") end, "save", "no/folder")
    os.remove(path)
end)
