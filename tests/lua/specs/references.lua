-- Script components that hold other script components: they are references, and stay the same tables.
local revenant = require "revenant"
local scene = require "scene"
local play, demandExact = scene.play, scene.demandExact

local Ship = {}
Ship.__index = Ship

-- A world with a component of a class that is not registered, one without a class, and one whose class is registered.
local Named = {}
Named.__index = Named
revenant.registerClass("references.Named", Named)

local function define(world)
    world:defineScriptComponent("ShipCMP", Ship)
    world:defineScriptComponent("BagCMP")
    world:defineScriptComponent("NamedCMP", Named)
    return world
end

local function stage()
    local world = define(scene.world())
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local function spawn(name, component)
        local e = scene.spawn(world, name)
        return e:addComponent(component or "ShipCMP", {}), e
    end
    return world, rewind, spawn
end

test("components that hold each other are the same tables after a seek", function()
    local world, rewind, spawn = stage()
    local a, b, bag = spawn("a"), spawn("b"), spawn("c", "BagCMP")
    a.target, b.target, bag[1], a.list, bag.named = b, a, { a, b }, { bag, { deep = b } }, spawn("d", "NamedCMP")
    local named = bag.named
    play(world, 3)
    a.target, b.target, bag[1], a.list, bag.named = nil, nil, nil, nil, nil
    play(world, 3)
    rewind:seek(2)
    check(a.target == b and b.target == a and bag[1][1] == a and bag[1][2] == b)
    check(a.list[1] == bag and a.list[2].deep == b and bag.named == named)
    demandExact(world, rewind)
end)

test("components are keys, in the order of their entities", function()
    local world, rewind, spawn = stage()
    local a, b, c = spawn("a"), spawn("b"), spawn("c")
    a.hit = { [b] = 1, [c] = 2 }
    play(world, 2)
    local hash = world:stateHash()
    a.hit = { [c] = 2, [b] = 1 }
    equal(world:stateHash(), hash)
    a.hit = { [b] = 2, [c] = 1 }
    check(world:stateHash() ~= hash)
    play(world, 1)
    rewind:seek(2)
    equal(a.hit[b], 1)
    equal(a.hit[c], 2)
end)

test("a component that holds itself is no reference to itself", function()
    local world, rewind, spawn = stage()
    local a = spawn("a")
    a.myself, a.list = a, { a }
    play(world, 2)
    a.myself = nil
    play(world, 1)
    rewind:seek(2)
    check(a.myself == a and a.list[1] == a)
end)

test("a component whose entity comes in with the next tick is a reference in the frame that asks for it", function()
    local world, rewind = stage()
    local Gun = {}
    Gun.__index = Gun
    world:defineScriptComponent("GunCMP", Gun)
    local Player = {}
    Player.__index = Player
    function Player:onAdded()
        local e = world:newEntity("gun")
        self.gun = e:addComponent("GunCMP", { shots = 3 })
        world:addEntity(e)
    end
    world:defineScriptComponent("PlayerCMP", Player)
    local e = scene.spawn(world, "player")
    local player = e:addComponent("PlayerCMP", {})
    play(world, 4)
    local gun = player.gun
    player.gun = nil
    play(world, 1)
    rewind:seek(1)
    check(player.gun == gun)
    rewind:stop()
    play(world, 3)
    check(player.gun == gun)
    equal(world:findEntity("gun"):getComponent("GunCMP"), gun)
end)

test("a reference to a component that was removed for good is exact in every frame, and no error", function()
    for _, component in ipairs { "ShipCMP", "BagCMP", "NamedCMP" } do
        local world, rewind, spawn = stage()
        local a = spawn("a")
        local b, e = spawn("b", component)
        a.target = b
        b.points = 5
        play(world, 5)
        world:removeEntity(e)
        play(world, 5)
        demandExact(world, rewind)
        rewind:seek(3)
        check(a.target == b)
        rewind:seek(rewind:getNewestFrame())
        equal(a.target.points, 5)
        rewind:stop()
        rewind:setBudget { seconds = 4 / 64 }
        play(world, 20)
        equal(e:getState(), "destroyed")
        equal(a.target.points, 5)
        demandExact(world, rewind)
        rewind:stop()
        b, a.target = nil, nil
        play(world, 2)
        collectgarbage()
        collectgarbage()
        demandExact(world, rewind)
    end
end)

test("an object that is no component belongs to the one that holds it: one that two hold becomes two by a restore", function()
    local world, rewind, spawn = stage()
    local a, b = spawn("a"), spawn("b")
    local shared = { points = 1 }
    a.first, a.second, b.first = shared, shared, shared
    play(world, 2)
    shared.points = 2
    play(world, 1)
    rewind:step(-1)
    check(a.first == a.second and a.first ~= b.first)
    equal(a.first.points, 1)
    equal(b.first.points, 1)
    demandExact(world, rewind)
end)

test("a table that was a component, and is data now, is recorded as data", function()
    local world, rewind, spawn = stage()
    local a = spawn("a")
    local item, e = spawn("item", "NamedCMP")
    item.price = 3
    play(world, 2)
    e:removeComponent("NamedCMP")
    a.items = { item }
    play(world, 2)
    item.price = 4
    play(world, 2)
    rewind:seek(4)
    equal(a.items[1].price, 3)
    check(getmetatable(a.items[1]) == Named)
    demandExact(world, rewind)
    rewind:seek(2)
    check(e:getComponent("NamedCMP") == item)
end)

test("saves and histories from files give references to the tables that they make", function()
    local world, rewind, spawn = stage()
    local a, b = spawn("a"), spawn("b", "NamedCMP")
    a.target, a.hit, b.target = b, { [b] = 1 }, a
    play(world, 2)
    local function demand(other)
        local A = other:findEntity("a"):getComponent("ShipCMP")
        local B = other:findEntity("b"):getComponent("NamedCMP")
        check(A ~= a and A.target == B and B.target == A and A.hit[B] == 1)
        equal(other:stateHash(), world:stateHash())
    end
    if hasSaves() then
        for _, format in ipairs { "binary", "json" } do
            local other = define(scene.world())
            other:registerSystem(revenant.TimeRewindSys:new(other))
            other:loadFromString(world:saveToString { format = format })
            demand(other)
            other:update(0)
        end
    end
    local path = os.tmpname()
    rewind:saveHistory(path)
    local other = define(scene.world())
    local loaded = other:registerSystem(revenant.TimeRewindSys:new(other))
    loaded:loadHistory(path)
    os.remove(path)
    loaded:seek(2)
    rewind:seek(2)
    demand(other)
    demandExact(other, loaded)
end)

test("migrate gets references, and may keep them", function()
    if not hasSaves() then return end
    local world, _, spawn = stage()
    local a, b = spawn("a", "NamedCMP"), spawn("b", "NamedCMP")
    a.target, b.target = b, a
    play(world, 1)
    local other = scene.world()
    other:defineScriptComponent("NamedCMP", Named, { version = 2, migrate = function(old)
        return { enemy = old.target, list = { old.target } }
    end })
    other:loadFromString(world:saveToString())
    local A, B = other:findEntity("a"):getComponent("NamedCMP"), other:findEntity("b"):getComponent("NamedCMP")
    check(A.enemy == B and B.enemy == A and A.list[1] == B)
end)

test("serialize keeps references within the tree, and drops those that lead out of it", function()
    local world, _, spawn = stage()
    local outside = spawn("outside")
    local root, left, right = world:newEntity("root"), world:newEntity("left"), world:newEntity("right")
    root:addChild(left)
    root:addChild(right)
    local a, b, c = root:addComponent("ShipCMP", {}), left:addComponent("BagCMP", {}), right:addComponent("NamedCMP", {})
    a.parts, b.ship, b.hit, c.out = { b, c }, a, { [c] = 1, [root] = 2, [outside] = 3 }, outside
    local function demand(made)
        local A = made:getComponent("ShipCMP")
        local B, C = made:getChildren()[1]:getComponent("BagCMP"), made:getChildren()[2]:getComponent("NamedCMP")
        check(A ~= a and A.parts[1] == B and A.parts[2] == C and B.ship == A and B.hit[C] == 1 and B.hit[made] == 2)
        equal(C.out, nil)
        local count = 0
        for _ in pairs(B.hit) do count = count + 1 end
        equal(count, 2)
    end
    local data = root:serialize()
    demand(world:deserialize(data))
    world:definePrefab("family", data)
    demand(world:spawn("family"))
    demand(world:spawn("family"))
    local copy = world:deserialize(data)
    right:removeComponent("NamedCMP")
    a.parts, b.bag, a.other = nil, right:addComponent("BagCMP", { ship = a }), b
    copy:applyDelta(root:serializeDelta(data))
    local A, B = copy:getComponent("ShipCMP"), copy:getChildren()[1]:getComponent("BagCMP")
    local C = copy:getChildren()[2]:getComponent("BagCMP")
    check(A.other == B and B.bag == C and C.ship == A and A.parts == nil)
end)

test("resources, events and states of hooks refer to components, too", function()
    local world, rewind, spawn = stage()
    local a, b = spawn("a"), spawn("b")
    world:defineEvent("hit")
    local heard = {}
    world:on("hit", function(detail) heard[#heard + 1] = detail end)
    world:on("hit", function() end)
    local system = { name = "WatchSys", tick = function() end, watched = a }
    function system:getRewindState() return { watched = self.watched } end
    function system:restoreRewindState(state) self.watched = state.watched end
    world:registerSystem(system)
    play(world, 1)
    world:setResource("boss", a, { rewind = true })
    world:setResource("team", { a, { b } }, { rewind = true })
    world:emit("hit", { by = a, all = { b } })
    world:queue("hit", { by = b })
    play(world, 1)
    check(world:getResource("boss") == a and world:getResource("team")[2][1] == b)
    check(heard[1].by == a and heard[1].all[1] == b and heard[2].by == b)
    world:setResource("boss", nil)
    system.watched = b
    play(world, 1)
    rewind:seek(2)
    check(world:getResource("boss") == a and system.watched == a)
    rewind:stop()
    world:removeEntity(world:findEntity("a"))
    play(world, 2)
    equal(system.watched, a)
    demandExact(world, rewind)
end)

test("a class of script components may be a component itself, and be registered then", function()
    local world, rewind = stage()
    local Odd = {}
    Odd.__index = Odd
    world:defineScriptComponent("OddCMP")
    local e = scene.spawn(world, "odd")
    e:addComponent("OddCMP", Odd)
    revenant.registerClass("references.Odd" .. tostring(Odd):gsub("%W", ""), Odd)
    play(world, 2)
    raises(function() scene.spawn(world, "two"):addComponent("OddCMP", Odd) end, "already the component")
    demandExact(world, rewind)
end)
