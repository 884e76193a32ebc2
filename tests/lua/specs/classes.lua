-- Registered classes: instances inside of recorded data keep their class.
local revenant = require "revenant"
local scene = require "scene"
local eachShape = require "class_shapes"

local serial = 0
local function register(shape, Base, Derived)
    serial = serial + 1
    local suffix = "/" .. shape .. "/" .. serial
    revenant.registerClass("Base" .. suffix, Base)
    revenant.registerClass("Derived" .. suffix, Derived)
end

test("instances inside of a component keep their class through a rewind, whatever library made it", function()
    eachShape(function(shape, make, Base, Derived)
        register(shape, Base, Derived)
        local world, rewind = scene.rewindWorld()
        world:defineScriptComponent("BagCMP")
        local e = scene.spawn(world, "e")
        local bag = e:addComponent("BagCMP", { items = { make(Derived, { x = 1 }) }, best = make(Base, { x = 2 }) })
        bag.same = bag.best
        world:update(0.1)
        local frame, hash = rewind:getFrame(), world:stateHash()
        bag.items[1].x, bag.best.x = 10, 20
        bag.items[2] = make(Derived, { x = 3 })
        world:update(0.1)
        equal(bag.items[2]:bye(), "derived 3", shape)
        rewind:seek(frame)
        equal(world:stateHash(), hash, shape)
        equal(#bag.items, 1, shape)
        equal(bag.items[1]:bye(), "derived 1", shape)
        equal(bag.items[1]:hello(), "base 1", shape)
        equal(bag.best:hello(), "base 2", shape)
        check(rawequal(bag.best, bag.same), shape)
        rewind:step(1)
        equal(bag.items[2]:bye(), "derived 3", shape)
    end)
end)

test("a component may be an instance of any class, registered or not", function()
    eachShape(function(shape, make, Base, Derived)
        local world, rewind = scene.rewindWorld()
        world:defineScriptComponent("ThingCMP", Base)
        local e = scene.spawn(world, "e")
        local thing = e:addComponent("ThingCMP", make(Derived, { x = 1 }))
        world:update(0.1)
        thing.x = 2
        thing.extra = {}
        world:update(0.1)
        rewind:step(-1)
        equal(thing:bye(), "derived 1", shape)
        equal(thing.extra, nil, shape)
        if rawget(thing, "class") then check(rawequal(thing.class, Derived), shape) end
        rewind:stop()
        equal(scene.spawn(world, "bare"):addComponent("ThingCMP", { x = 5 }):hello(), "base 5", shape)
    end)
end)

test("resources, events, hook states and states of systems keep classes, too", function()
    eachShape(function(shape, make, Base, Derived)
        register(shape, Base, Derived)
        local world, rewind = scene.rewindWorld()
        world:defineEvent("hit")
        local heard
        world:on("hit", function(detail) heard = detail end)
        world:emit("hit", { by = make(Derived, { x = 4 }) })
        equal(heard.by:bye(), "derived 4", shape)
        world:setResource("score", { best = make(Derived, { x = 1 }) }, { rewind = true })
        local Body = {}
        Body.__index = Body
        function Body:getRewindState() return make(Derived, { x = self.n }) end
        function Body:restoreRewindState(state) self.n, self.said = state.x, state:bye() end
        world:defineScriptComponent("BodyCMP", Body)
        local body = scene.spawn(world, "e"):addComponent("BodyCMP", { n = 1 })
        local Keeper = revenant.BaseSystem:extend("KeeperSys")
        function Keeper:getRewindState() return { make(Base, { x = self.n }) } end
        function Keeper:restoreRewindState(state) self.n, self.said = state[1].x, state[1]:hello() end
        local keeper = Keeper:new(world)
        keeper.n = 1
        world:registerSystem(keeper)
        world:update(0.1)
        body.n, keeper.n = 2, 2
        world:setResource("score", { best = make(Derived, { x = 2 }) }, { rewind = true })
        world:update(0.1)
        rewind:step(-1)
        equal(world:getResource("score").best:bye(), "derived 1", shape)
        equal(body.said, "derived 1", shape)
        equal(keeper.said, "base 1", shape)
    end)
end)

test("an instance of a class that is not registered is an error that names its path and registerClass", function()
    local world = scene.rewindWorld()
    world:defineScriptComponent("BagCMP")
    local Class = {}
    Class.__index = Class
    local e = scene.spawn(world, "bob")
    local bag = e:addComponent("BagCMP", { items = { {}, setmetatable({}, Class) } })
    raises(function() world:update(0.1) end, "BagCMP", "bob", "self.items[2]", "registerClass")
    bag.items[2] = nil
    world:update(0.1)
    raises(function() world:setResource("r", { a = setmetatable({}, Class) }, { rewind = true }) end, "resource 'r'.a",
        "registerClass")
    world:setResource("r", setmetatable({}, Class))  -- one that is not rewound may be anything
end)

test("nested instances use their own hooks, and leave out what their class ignores", function()
    local world, rewind = scene.rewindWorld()
    local Timer = { rewindIgnore = { "callback" } }
    Timer.__index = Timer
    local Door = {}
    Door.__index = Door
    function Door:getRewindState() return { open = self.open } end
    function Door:restoreRewindState(state) self.open, self.engine = state.open, print end
    revenant.registerClass("classes.Timer", Timer)
    revenant.registerClass("classes.Door", Door)
    world:defineScriptComponent("RoomCMP")
    local room = scene.spawn(world, "room"):addComponent("RoomCMP", {
        timer = setmetatable({ left = 3, callback = print }, Timer),
        door = setmetatable({ open = false, engine = print }, Door),
    })
    room.again = room.door
    world:update(0.1)
    room.timer.left, room.door.open = 2, true
    world:update(0.1)
    rewind:step(-1)
    equal(room.timer.left, 3)
    equal(getmetatable(room.timer), Timer)
    equal(room.door.open, false)
    equal(room.door.engine, print)
    check(rawequal(room.again, room.door))
end)

test("addComponent without a table has the class make one: by Class(), as class libraries do, else by Class:new()", function()
    local world = scene.world()
    local Object = {}  -- as in classic, where new fills an instance
    Object.__index = Object
    function Object:__call(...)
        local made = setmetatable({}, self)
        made:new(...)
        return made
    end
    local Filled = setmetatable({ __call = Object.__call }, Object)
    Filled.__index = Filled
    function Filled:new(x) self.x, self.list = x or 7, {} end
    local Called = {}  -- as in hump.class, which has no new
    Called.__index = Called
    setmetatable(Called, { __call = function(class) return setmetatable({ x = 7, list = {} }, class) end })
    local Both = { static = {} }  -- as in middleclass and 30log, where it does not matter
    Both.__index = Both
    function Both:new() return setmetatable({ x = 7, list = {} }, self) end
    setmetatable(Both, { __call = function(class) return class:new() end })
    local Made = {}
    Made.__index = Made
    function Made:new() return setmetatable({ x = 7, list = {} }, self) end
    for name, class in pairs { FilledCMP = Filled, CalledCMP = Called, BothCMP = Both, MadeCMP = Made } do
        world:defineScriptComponent(name, class)
        local e, other = world:newEntity("e"), world:newEntity("other")
        local one, two = e:addComponent(name), other:addComponent(name)
        equal(one.x, 7, name)
        equal(getmetatable(one), class, name)
        check(one.list and one.list ~= two.list, name)
        equal(rawget(class, "x"), nil, name)
        world:definePrefab(name, { components = { [name] = true } })
        equal(world:spawn(name, { [name] = { y = 2 } }):getComponent(name).y, 2, name)
        equal(world:findEntity(name), nil)
    end
    local Bad = setmetatable({}, { __call = function(class) return class end })
    world:defineScriptComponent("BadCMP", Bad)
    raises(function() world:newEntity("e"):addComponent("BadCMP") end, "'BadCMP'", "calling its class", "the class itself")
    raises(function() world:newEntity("e"):addComponent("MadeCMP", Made) end, "'MadeCMP'", "this is its class", "an instance of it")
    equal(getmetatable(Made), nil)
    local Raising = setmetatable({}, { __call = function() error("on purpose") end })
    world:defineScriptComponent("RaisingCMP", Raising)
    local e = world:newEntity("e")
    raises(function() e:addComponent("RaisingCMP") end, "on purpose")
    equal(e:hasComponent("RaisingCMP"), false)
end)

test("registerClass refuses what would be ambiguous", function()
    local A, B = {}, {}
    revenant.registerClass("classes.A", A)
    equal(revenant.registerClass("classes.A", A), A)
    raises(function() revenant.registerClass("classes.A", B) end, "registerClass", "classes.A")
    raises(function() revenant.registerClass("classes.B", A) end, "registerClass", "classes.A")
    raises(function() revenant.registerClass("", B) end, "registerClass")
    raises(function() revenant.registerClass(3, B) end, "registerClass")
    raises(function() revenant.registerClass("classes.B", 3) end, "registerClass", "classes.B")
end)

test("a class with one of the two hooks is refused where it is defined", function()
    local world = scene.world()
    raises(function() world:defineScriptComponent("A", { getRewindState = function() end }) end, "component 'A'",
        "restoreRewindState")
    raises(function() world:defineScriptComponent("A", { restoreRewindState = function() end }) end, "component 'A'",
        "getRewindState")
    raises(function() world:defineScriptComponent("A", { getRewindState = 1, restoreRewindState = 2 }) end, "function")
    equal(world:isComponentDefined("A"), false)
    raises(function() revenant.registerClass("classes.Half", { getRewindState = function() end }) end, "'classes.Half'",
        "restoreRewindState")
    raises(function() revenant.registerClass("classes.Half", { restoreRewindState = function() end }) end, "'classes.Half'",
        "getRewindState")
    raises(function() revenant.registerClass("classes.Half", { lerpRewindState = 3 }) end, "'classes.Half'", "function")
    revenant.registerClass("classes.Half", {})  -- it has not been registered
end)

-- What games put into their objects by habit: the advice is for that value.
test("a value that cannot be recorded is refused with what to do about it", function()
    local world, rewind = scene.rewindWorld()
    world:defineScriptComponent("BagCMP")
    local e = scene.spawn(world, "bob")
    local handle = e:getComponent("TransformCMP") or e:addComponent("TransformCMP")
    local bag = e:addComponent("BagCMP", {})
    local function refused(value, ...)
        for _, key in ipairs { "v", "list" } do
            bag[key] = key == "v" and value or { 1, value }
            local said = raises(function() world:update(0.1) end, "BagCMP", "bob", key == "v" and "self.v is" or "self.list[2] is",
                "rewindIgnore", ...)
            equal(said:find("table: 0x", 1, true), nil)
            bag[key] = nil
        end
        world:update(0.1)
    end
    refused(handle, "component 'TransformCMP' of an entity", "keep the entity")
    refused(world, "World", "part of no frame", "keep it in a variable", "registerShared")
    refused(rewind, "part of no frame", "registerShared")
    refused(world:getComponentsView { TransformCMP = revenant.ComponentRequirementDesc:new() }, "part of no frame")
    refused(print, "a function", "registerShared")
    for _, value in ipairs { coroutine.create(print), require("ffi").new("int[3]"), 5LL } do
        bag.v = value
        local said = raises(function() world:update(0.1) end, "self.v is a ", "rewindIgnore")
        equal(said:find("registerShared", 1, true), nil, "it cannot be registered")
    end
    bag.v = { [{}] = 1 }
    raises(function() world:update(0.1) end, "self.v has a key that is a table", "an entity or a script component as the key")
    bag.v = nil
    revenant.registerShared("classes.world", world)
    bag.v = world
    world:update(0.1)
    bag.v = nil
    world:update(0.1)
    rewind:step(-1)
    equal(bag.v, world)
    raises(function() world:setResource("r", setmetatable({}, {}), { rewind = true }) end, "registerClass(name, class) for its class")
end)

test("a bad state that a hook returned is reported as what the hook returned", function()
    local world = scene.rewindWorld()
    world:defineScriptComponent("BrainCMP", {
        getRewindState = function() return { f = print } end,
        restoreRewindState = function() end,
    })
    scene.spawn(world, "bob"):addComponent("BrainCMP", {})
    local text = raises(function() world:update(0.1) end, "what getRewindState returned.f is a function")
    equal(text:find("rewindIgnore", 1, true), nil)
end)
