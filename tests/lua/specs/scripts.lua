-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"
local Desc, EMPTY = revenant.ComponentRequirementDesc, revenant.ComponentsView.EMPTY

local function brainWorld(class, name)
    local world = scene.world()
    world:defineScriptComponent(name or "BrainCMP", class)
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    return world, rewind
end

test("a script component is a table with its class's methods, in views as itself", function()
    local Brain = { mood = "calm" }
    Brain.__index = Brain
    function Brain:think() return self.mood .. " " .. self.name end
    local world = brainWorld(Brain)
    local e = world:newEntity("e")
    local brain = e:addComponent("BrainCMP", { name = "bob" })
    equal(brain:think(), "calm bob")
    check(rawequal(e:getComponent("BrainCMP"), brain))
    world:addEntity(e)
    scene.spawn(world, "plain", { TransformCMP = {} })
    world:update(0.1)
    local view = world:getComponentsView { BrainCMP = Desc:new(false) }
    equal(view.count, 2)
    check(rawequal(view.BrainCMP[1], brain))
    check(view.BrainCMP[2] == EMPTY)
    raises(function() return view.BrainCMP[3] end, "BrainCMP")
    raises(function() view:runs("BrainCMP") end, "script")
    equal(world:getSchema("BrainCMP"), nil)
end)

test("classes with new, without __index, inheritance, and none at all, all work", function()
    local Animal = {}
    Animal.__index = Animal
    function Animal:new() return setmetatable({ legs = 4 }, self) end
    function Animal:describe() return self.legs .. " legs" end
    local Bird = setmetatable({}, { __index = Animal })
    Bird.__index = Bird
    function Bird:new()
        local bird = Animal.new(self)
        bird.legs = 2
        return bird
    end
    local world = brainWorld(Animal, "AnimalCMP")
    world:defineScriptComponent("BirdCMP", Bird)
    world:defineScriptComponent("BareCMP")
    world:defineScriptComponent("MixinCMP", { hello = function() return "hello" end })
    local e = scene.spawn(world, "e")
    equal(e:addComponent("AnimalCMP"):describe(), "4 legs")
    equal(e:addComponent("BirdCMP"):describe(), "2 legs")
    equal(e:addComponent("BareCMP", { x = 1 }).x, 1)
    equal(e:addComponent("MixinCMP"):hello(), "hello")
    e:removeComponent("BirdCMP")
    equal(e:addComponent("BirdCMP", setmetatable({ legs = 3 }, Animal)):describe(), "3 legs")
    world:update(0.1)
end)

test("plain data in a script component is rewound; its own table keeps its identity", function()
    local world, rewind = brainWorld()
    local e = scene.spawn(world, "e")
    local other = scene.spawn(world, "other")
    local shared = { "shared" }
    local brain = e:addComponent("BrainCMP", { n = 0, name = "x", flag = true, list = { 1, 2 }, target = other,
        a = shared, b = shared })
    brain.self = brain
    brain[other] = "a key"
    local hashes = {}
    for i = 1, 20 do
        world:update(0.1)
        hashes[rewind:getFrame()] = world:stateHash()
        equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
        brain.n = i
        brain.list[#brain.list + 1] = i
        brain.target = i % 2 == 0 and other or nil
        brain["key" .. i] = i
        if i == 10 then brain.name = nil end
    end
    rewind:seek(5)
    check(rawequal(e:getComponent("BrainCMP"), brain))
    equal(brain.n, 4)
    equal(#brain.list, 6)
    equal(brain.name, "x")
    equal(brain.key4, 4)
    equal(brain.key5, nil)
    check(rawequal(brain.target, other))
    check(rawequal(brain.self, brain))
    check(rawequal(brain.a, brain.b))
    equal(brain[other], "a key")
    for _, frame in ipairs { 20, 1, 11, 10, 19 } do
        rewind:seek(frame)
        equal(world:stateHash(), hashes[frame], "frame " .. frame)
    end
    equal(brain.name, nil)
    rewind:seek(12)
    rewind:stop()
    world:update(0.1)
    brain.n = 100
    world:update(0.1)
    rewind:seek(12)
    equal(brain.n, 11)
end)

test("hooks of a class are asked for its state and given it back", function()
    local Body = {}
    Body.__index = Body
    function Body:getRewindState() return { where = self.handle.position } end
    function Body:restoreRewindState(state) self.handle.position = state.where end
    local world, rewind = brainWorld(Body, "BodyCMP")
    local e = scene.spawn(world, "e")
    local body = e:addComponent("BodyCMP", { handle = { position = 0, engine = print } })
    for i = 1, 10 do
        world:update(0.1)
        body.handle.position = i
    end
    rewind:seek(3)
    equal(body.handle.position, 2)
    rewind:seek(8)
    equal(body.handle.position, 7)
end)

test("what is not plain is an error that names the path, unless the class ignores it", function()
    local Brain = {}
    Brain.__index = Brain
    local world = brainWorld(Brain)
    local e = scene.spawn(world, "thinker")
    local brain = e:addComponent("BrainCMP", { deep = { er = { callback = print } } })
    raises(function() world:update(0.1) end, "BrainCMP", "thinker", "deep.er.callback", "function")
    brain.deep = nil
    brain.sound = print
    Brain.rewindIgnore = { "sound" }
    world:update(0.1)
    world:update(0.1)
    brain.sound = coroutine.create(print)
    world:update(0.1)
    local rewind = world:getSystem("TimeRewindSys")
    local kept = brain.sound
    rewind:seek(rewind:getOldestFrame())
    check(brain.sound == kept)
end)

test("a class lists what to ignore, or says it by name", function()
    for _, ignored in ipairs { { "sound" }, { sound = true, n = false } } do
        local world, rewind = brainWorld({ rewindIgnore = ignored })
        local brain = scene.spawn(world, "thinker"):addComponent("BrainCMP", { sound = print, n = 0 })
        for i = 1, 4 do
            world:update(0.1)
            brain.n = i
        end
        rewind:seek(2)
        equal(brain.n, 1)
        equal(brain.sound, print)
    end
end)

test("a class that can save but not restore, or makes no table, is refused", function()
    local world, rewind = brainWorld()
    -- The class of the component is fine, that of this instance is not.
    local Half = { count = 0 }
    function Half:getRewindState()
        self.count = self.count + 1
        return self.count
    end
    Half.__index = Half
    scene.spawn(world, "half"):addComponent("BrainCMP", setmetatable({}, Half))
    for _ = 1, 3 do world:update(0.1) end
    raises(function() rewind:seek(1) end, "'half'", "getRewindState without restoreRewindState")
    check(not rewind:isRewinding())
    local other = scene.world()
    other:defineScriptComponent("OddCMP", { new = function() return 5 end })
    local e = other:newEntity("odd")
    raises(function() e:addComponent("OddCMP") end, "OddCMP", "new must return a table", "5")
    check(not e:hasComponent("OddCMP"))
end)

test("a failing hook of a restore leaves the world as it was", function()
    local Body = {}
    Body.__index = Body
    local isBroken = false
    function Body:getRewindState() return self.x end
    function Body:restoreRewindState(x)
        if isBroken then error("the body is stuck") end
        self.x = x
    end
    local world, rewind = brainWorld(Body, "BodyCMP")
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    local body = e:addComponent("BodyCMP", { x = 0 })
    for i = 1, 6 do
        world:update(0.1)
        body.x = i
        e:getComponent("TransformCMP").x = i
    end
    isBroken = true
    raises(function() rewind:seek(2) end, "the body is stuck")
    isBroken = false
    rewind:seek(3)
    equal(body.x, 2)
    equal(e:getComponent("TransformCMP").x, 2)
end)

test("a removed script component comes back with its table, however long the garbage collector ran", function()
    local world, rewind = brainWorld()
    local e = scene.spawn(world, "e")
    e:addComponent("BrainCMP", { n = 7 })
    local gone = scene.spawn(world, "gone")
    gone:addComponent("BrainCMP", { n = 8 })
    world:update(0.1)
    e:removeComponent("BrainCMP")
    world:removeEntity(gone)
    for _ = 1, 5 do
        world:update(0.1)
        collectgarbage()
        collectgarbage()
    end
    check(not e:hasComponent("BrainCMP"))
    rewind:seek(1)
    equal(e:getComponent("BrainCMP").n, 7)
    equal(gone:getComponent("BrainCMP").n, 8)
end)

test("a frame whose script refers to an entity that was destroyed since hashes as it did", function()
    local world, rewind = brainWorld()
    local e = scene.spawn(world, "e")
    local brain = e:addComponent("BrainCMP", {})
    local detached = world:newEntity("detached")
    brain.friend = detached
    world:update(0.1)
    detached:destroy()
    world:update(0.1)
    equal(rewind:frameHash(2), world:stateHash())
    brain.friend = nil
    world:update(0.1)
    rewind:seek(1)
    equal(rewind:frameHash(1), world:stateHash())
    check(not brain.friend:isValid())
end)

test("tables that nothing can bring back are released", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    local seen = setmetatable({}, { __mode = "k" })
    local e = scene.spawn(world, "e")
    seen[e:addComponent("BrainCMP", {})] = "removed component"
    local gone = scene.spawn(world, "gone")
    seen[gone:addComponent("BrainCMP", {})] = "removed entity"
    world:update(0.1)
    e:removeComponent("BrainCMP")
    world:removeEntity(gone)
    gone = nil
    for _ = 1, 6 do
        world:update(0.1)
        collectgarbage()
    end
    equal(select(2, next(seen)), nil)
end)

test("a table is the component of one entity only", function()
    local world = brainWorld()
    local a, b = scene.spawn(world, "a"), scene.spawn(world, "b")
    local brain = a:addComponent("BrainCMP", {})
    raises(function() b:addComponent("BrainCMP", brain) end, "already")
    raises(function() a:addComponent("BrainCMP", {}) end, "already")
    a:removeComponent("BrainCMP")
    b:addComponent("BrainCMP", brain)
    check(rawequal(b:getComponent("BrainCMP"), brain))
    raises(function() a:addComponent("BrainCMP", 5) end, "table")
    raises(function() a:addComponent("BrainCMP", EMPTY) end)
    raises(function() world:defineScriptComponent("BrainCMP") end, "BrainCMP")
    raises(function() world:defineScriptComponent("X", 5) end, "class")
    raises(function() world:defineScriptComponent("count") end, "count")
end)

test("a system's own state is rewound by its hooks", function()
    local world, rewind = brainWorld()
    local Counter = revenant.BaseSystem:extend("Counter")
    function Counter:init() self.count = 0 end
    function Counter:tick() self.count = self.count + 1 end
    function Counter:getRewindState() return { count = self.count } end
    function Counter:restoreRewindState(state) self.count = state.count end
    local counter = Counter:new(world)
    world:registerSystem(counter)
    for _ = 1, 10 do world:update(0.1) end
    equal(counter.count, 10)
    rewind:seek(4)
    equal(counter.count, 3)
    rewind:stop()
    world:update(0.1)
    world:update(0.1)
    equal(counter.count, 5)
end)

test("tables nested too deeply are an error, not a crash", function()
    local world = brainWorld()
    local e = scene.spawn(world, "e")
    local deep = {}
    local at = deep
    for _ = 1, 10000 do
        at.next = {}
        at = at.next
    end
    e:addComponent("BrainCMP", deep)
    raises(function() world:update(0.1) end, "deep")
end)

test("what a derived class ignores adds to what its base does", function()
    local Base = { rewindIgnore = { "body" } }
    Base.__index = Base
    local Derived = setmetatable({ rewindIgnore = { "sprite" } }, { __index = Base })
    Derived.__index = Derived
    local world, rewind = brainWorld(Derived)
    local brain = scene.spawn(world, "thinker"):addComponent("BrainCMP", { body = print, sprite = io.stdout, n = 0 })
    for i = 1, 4 do
        world:update(0.1)
        brain.n = i
    end
    rewind:seek(2)
    check(brain.n == 1 and brain.body == print and brain.sprite == io.stdout)
end)

test("a component that was replaced by one with an equal state comes back as it was", function()
    local world = revenant.World:new()
    world:defineScriptComponent("BagCMP")
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local e = world:newEntity("e")
    local first = e:addComponent("BagCMP", {})
    world:addEntity(e)
    world:update(0.1)
    first.coins = 1
    world:update(0.1)
    e:removeComponent("BagCMP")
    world:update(0.1)
    local second = e:addComponent("BagCMP", {})  -- its state is that of the first at frame 1
    world:update(0.1)
    for _, frame in ipairs { 1, 4, 2, 4, 1, 2, 1 } do
        rewind:seek(frame)
        equal(e:getComponent("BagCMP"), frame < 3 and first or second)
        equal(e:getComponent("BagCMP").coins, frame == 2 and 1 or nil)
        equal(world:stateHash(), rewind:frameHash(frame))
    end
    -- The same over an absence of the whole entity.
    rewind:seek(4)
    rewind:stop()
    world:update(0.1)
    second.coins = 2
    world:update(0.1)
    world:removeEntity(e)
    world:update(0.1)
    e:removeComponent("BagCMP")
    e:addComponent("BagCMP", {})
    world:addEntity(e)
    world:update(0.1)
    for _, frame in ipairs { 4, 7, 5, 7, 1, 7, 2 } do
        rewind:seek(frame)
        equal(e:getComponent("BagCMP").coins, ({ nil, 1, nil, nil, 2 })[frame])
        equal(world:stateHash(), rewind:frameHash(frame))
    end
end)
