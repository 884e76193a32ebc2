-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local t = revenant.types
local World = revenant.World

local Item = {}
Item.__index = Item
revenant.registerClass("serializing.Item", Item)

local Hooked = {}
Hooked.__index = Hooked
function Hooked:getRewindState() return { deep = self.hidden } end
function Hooked:restoreRewindState(state) self.hidden = state.deep end

local Brain = {}
Brain.__index = Brain
Brain.rewindIgnore = { "cache" }

local function newWorld()
    local world = World:new()
    world:defineComponent("BodyCMP", { x = 0, y = t.f32(0), score = t.i64(0), on = t.bool(true), tag = t.string(""),
        target = t.entity(), slots = t.array(t.i32(0), 3), friends = t.array(t.entity(), 2) })
    world:defineComponent("MarkCMP")
    world:defineScriptComponent("BrainCMP", Brain)
    world:defineScriptComponent("HookedCMP", Hooked)
    world:defineScriptComponent("ArtCMP", nil, { rewind = false })
    return world
end

local function build(world)
    local ship = world:newEntity("ship")
    ship:addComponent("BodyCMP", { x = 1.5, score = 9007199254740993LL, tag = "hero", slots = { 1, 2, 3 } })
    ship:addComponent("MarkCMP")
    ship:setComponentEnabled("MarkCMP", false)
    ship:addComponent("ArtCMP", { draw = print })
    local wing = world:newEntity("wing")
    wing:setEnabled(false)
    wing:setPersistent(false)
    ship:addChild(wing)
    local gun = world:newEntity("gun")
    gun:setRewindable(false)
    gun:addComponent("BodyCMP", { target = ship, friends = { wing, gun } })
    wing:addChild(gun)
    local brain = ship:addComponent("BrainCMP", { mood = "calm", gun = gun, cache = print, 10, 20 })
    brain.items = { setmetatable({ price = 4 }, Item), [gun] = "of mine" }
    brain.best, brain.myself, brain.class = brain.items[1], brain, Brain
    gun:addComponent("HookedCMP", { hidden = wing })
    return ship, wing, gun
end

local function checkBuilt(ship)
    local wing = ship:getChildren()[1]
    local gun = wing:getChildren()[1]
    equal(ship:getName() .. wing:getName() .. gun:getName(), "shipwinggun")
    local body = ship:getComponent("BodyCMP")
    equal(body.x, 1.5)
    check(body.score == 9007199254740993LL)
    equal(body.tag, "hero")
    equal(body.slots[3], 3)
    equal(ship:isComponentEnabled("MarkCMP"), false)
    check(ship:hasComponent("ArtCMP"))
    equal(wing:isEnabled(), false)
    equal(wing:isPersistent(), false)
    equal(gun:isRewindable(), false)
    equal(gun:getComponent("BodyCMP").target, ship)
    equal(gun:getComponent("BodyCMP").friends[1], wing)
    equal(gun:getComponent("BodyCMP").friends[2], gun)
    equal(gun:getComponent("HookedCMP").hidden, wing)
    local brain = ship:getComponent("BrainCMP")
    equal(brain.mood, "calm")
    equal(brain.gun, gun)
    equal(brain.cache, nil)
    equal(brain[2], 20)
    equal(getmetatable(brain), Brain)
    equal(getmetatable(brain.items[1]), Item)
    equal(brain.items[gun], "of mine")
    equal(brain.best, brain.items[1])
    equal(brain.myself, brain)
    equal(brain.class, Brain)
    return wing, gun
end

test("an entity tree comes back from its plain data, also in another world", function()
    local world, other = newWorld(), newWorld()
    local ship = build(world)
    local data = ship:serialize()
    local copy = other:deserialize(data)
    checkBuilt(copy)
    equal(copy:getState(), "detached")
    checkBuilt(world:deserialize(data))
    equal(copy:serializeDelta(data), nil)
    other:addEntity(copy)
    other:update(0.1)
    equal(#other:validate(), 0)
end)

test("what serialize gives is the template of a prefab", function()
    local world = newWorld()
    local ship = build(world)
    world:definePrefab("ship", ship:serialize())
    local first = world:spawn("ship")
    checkBuilt(first)
    local second = world:spawn("ship", { BodyCMP = { x = 7 } })
    equal(second:getComponent("BodyCMP").x, 7)
    check(second:getComponent("BrainCMP").items ~= first:getComponent("BrainCMP").items)
    -- References are those of the prefab's own tree, wherever it stands.
    world:definePrefab("fleet", { children = { { prefab = "ship" }, { prefab = "ship" } } })
    for _, each in ipairs(world:spawn("fleet"):getChildren()) do checkBuilt(each) end
end)

test("references out of the tree are none", function()
    local world = newWorld()
    local ship, wing, gun = build(world)
    local copy = world:deserialize(gun:serialize())
    equal(copy:getComponent("BodyCMP").target, nil)
    equal(copy:getComponent("BodyCMP").friends[1], nil)
    equal(copy:getComponent("BodyCMP").friends[2], copy)
    equal(copy:getComponent("HookedCMP").hidden, nil)
end)

test("a delta holds only what differs, and brings a base to where it was taken", function()
    local world = newWorld()
    local ship, wing, gun = build(world)
    local base = ship:serialize()
    local copy = world:deserialize(base)
    equal(ship:serializeDelta(base), nil)
    ship:getComponent("BodyCMP").x = 0 / 0
    gun:getComponent("BodyCMP").target = nil
    gun:getComponent("BodyCMP").slots[2] = 9
    gun:getComponent("BodyCMP").friends[1] = ship
    wing:setEnabled(true)
    ship:removeComponent("MarkCMP")
    wing:addComponent("MarkCMP")
    gun:getComponent("HookedCMP").hidden = ship
    ship:getComponent("BrainCMP").mood = "angry"
    local extra = world:newEntity("extra")
    extra:addComponent("BodyCMP", { target = wing })
    wing:addChild(extra)
    local delta = ship:serializeDelta(base)
    equal(delta.enabled, nil)
    equal(delta.children[1].enabled, true)
    equal(delta.components.BodyCMP.tag, nil)
    equal(#delta.children[1].newChildren, 1)
    copy:applyDelta(delta)
    equal(ship:serializeDelta(copy:serialize()), nil)
    equal(copy:serializeDelta(ship:serialize()), nil)
    local added = copy:getChildren()[1]:getChildren()[2]
    equal(added:getComponent("BodyCMP").target, copy:getChildren()[1])
    -- And back.
    copy:applyDelta(copy:serializeDelta(base) and world:deserialize(base):serializeDelta(copy:serialize()))
    equal(copy:serializeDelta(base), nil)
    checkBuilt(copy)
end)

test("a delta applies to an entity that is in the world", function()
    local world = newWorld()
    local ship, wing, gun = build(world)
    world:addEntity(ship)
    world:update(0.1)
    local base = ship:serialize()
    wing:removeChild(gun)
    local now = ship:serializeDelta(base)
    equal(now.children[1].keptChildren, 0)
    wing:addChild(gun)
    ship:applyDelta(now)
    world:update(0.1)
    equal(#wing:getChildren(), 0)
    equal(gun:isValid(), false)
    equal(#world:validate(), 0)
end)

test("any tree comes back through serialize, and through deltas", function()
    local seed = 7
    local function random(n)
        seed = (seed * 16807) % 2147483647
        return seed % n + 1
    end
    for round = 1, 30 do
        local world, other = newWorld(), newWorld()
        local root = world:newEntity("root")
        local all = { root }
        local function change()
            local e = all[random(#all)]
            local kind = random(7)
            if kind == 1 then
                local child = world:newEntity("n" .. random(3))
                e:addChild(child)
                all[#all + 1] = child
            elseif kind == 2 and not e:hasComponent("BodyCMP") then
                e:addComponent("BodyCMP", { x = random(5) / 3, target = all[random(#all)], slots = { random(9) } })
            elseif kind == 3 and e:hasComponent("BodyCMP") then
                local body = e:getComponent("BodyCMP")
                body.x, body.target, body.tag = random(9), random(2) == 1 and all[random(#all)] or nil, "t" .. random(3)
            elseif kind == 4 and e:hasComponent("BodyCMP") and random(2) == 1 then
                e:removeComponent("BodyCMP")
            elseif kind == 5 and not e:hasComponent("BrainCMP") then
                local brain = e:addComponent("BrainCMP", { mood = random(4), list = { 1, { 2, all[random(#all)] } } })
                if random(2) == 1 then brain.self = brain end
            elseif kind == 6 and e:hasComponent("BrainCMP") then
                local brain = e:getComponent("BrainCMP")
                brain.mood, brain[random(3)] = nil, { item = setmetatable({ price = random(3) }, Item) }
            else
                e:setEnabled(random(2) == 1)
            end
        end
        for _ = 1, 30 do change() end
        local base = root:serialize()
        local copy = other:deserialize(base)
        equal(copy:serializeDelta(base), nil, "round " .. round)
        for step = 1, 4 do
            for _ = 1, 6 do change() end
            local delta = root:serializeDelta(base)
            if delta then copy:applyDelta(delta) end
            base = root:serialize()
            equal(copy:serializeDelta(base), nil, "round " .. round .. ", step " .. step)
        end
        other:addEntity(copy)
        other:update(0.1)
        equal(#other:validate(), 0)
    end
end)

test("bad data is refused, and nothing of it remains", function()
    local world = newWorld()
    local e = world:newEntity("e")
    for _, each in ipairs {
        { 5, "number" },
        { { what = 1 }, "what" },
        { { name = 3 }, "name" },
        { { components = { NoCMP = {} } }, "NoCMP" },
        { { components = { BodyCMP = { z = 1 } } }, "BodyCMP", "z" },
        { { components = { BodyCMP = { x = "a" } } }, "BodyCMP", "x" },
        { { components = { BodyCMP = 5 } }, "BodyCMP" },
        { { components = { BodyCMP = { target = { ["$entity"] = "4" } } } }, "4" },
        { { components = { BrainCMP = { a = { ["$class"] = "Nobody" } } } }, "Nobody" },
        { { children = { { name = 1 } } }, "name" },
    } do
        raises(function() world:deserialize(each[1]) end, "deserialize", unpack(each, 2))
    end
    local loop = { name = "loop" }
    loop.children = { loop }
    raises(function() world:deserialize(loop) end, "deep")
    collectgarbage()
    collectgarbage()
    world:update(0)
    equal(world:getStats().detached, 1)
    raises(function() e:applyDelta(3) end, "applyDelta")
    raises(function() e:applyDelta { what = 1 } end, "what")
    raises(function() e:applyDelta { components = { NoCMP = {} } } end, "NoCMP")
    raises(function() e:applyDelta { children = { {} } } end, "child")
    raises(function() e:serializeDelta() end, "serializeDelta")
    e:addComponent("BrainCMP", { f = print })
    raises(function() e:serialize() end, "BrainCMP", "f", "function")
    e:getComponent("BrainCMP").f = setmetatable({}, {})
    raises(function() e:serialize() end, "registerClass")
    e:getComponent("BrainCMP").f = { ["$class"] = 1 }
    raises(function() e:serialize() end, "$class")
    e:destroy()
    raises(function() e:serialize() end, "destroyed")
end)

test("migrate brings saved components of earlier versions into this one", function()
    local function make(version)
        local world = World:new()
        if version == 1 then
            world:defineComponent("HealthCMP", { percent = 0, id = t.i64(0), target = t.entity(), list = t.array(t.i32(0), 2) })
            world:defineScriptComponent("BrainCMP", Brain)
        else
            world:defineComponent("HealthCMP", { share = 1, id = t.i64(0), target = t.entity(), first = t.i32(0) }, { version = 2,
                migrate = function(old, from)
                    equal(from, 1)
                    return { share = old.percent / 100, id = old.id, target = old.target, first = old.list[1] }
                end })
            world:defineScriptComponent("BrainCMP", Brain, { version = 3,
                migrate = function(old, from) return { mood = old.feeling .. from, friend = old.friend } end })
        end
        return world
    end
    local old, new = make(1), make(2)
    local e = old:newEntity("e")
    e:addComponent("HealthCMP", { percent = 50, id = -9007199254740993LL, target = e, list = { 6, 7 } })
    e:addComponent("BrainCMP", { feeling = "calm", friend = e })
    old:addEntity(e)
    for _, format in ipairs { "binary", "json" } do
        new:loadFromString(old:saveToString { format = format })
        local loaded = new:getAllManagedEntities()[1]
        local health = loaded:getComponent("HealthCMP")
        equal(health.share, 0.5)
        check(health.id == -9007199254740993LL)
        equal(health.target, loaded)
        equal(health.first, 6)
        equal(loaded:getComponent("BrainCMP").mood, "calm1")
        equal(loaded:getComponent("BrainCMP").friend, loaded)
        equal(getmetatable(loaded:getComponent("BrainCMP")), Brain)
    end
    raises(function() old:loadFromString(new:saveToString()) end, "version")
    raises(function() World:new():defineComponent("A", {}, { version = 0 }) end, "version")
    raises(function() World:new():defineComponent("A", {}, { migrate = 3 }) end, "migrate")
    local bad = World:new()
    bad:defineComponent("HealthCMP", { share = 1 }, { version = 2, migrate = function() return 5 end })
    bad:defineScriptComponent("BrainCMP", Brain)
    raises(function() bad:loadFromString(old:saveToString()) end, "HealthCMP", "migrate")
    local worse = World:new()
    worse:defineComponent("HealthCMP", { share = 1 }, { version = 2, migrate = function() error("no luck") end })
    worse:defineScriptComponent("BrainCMP", Brain, { version = 2, migrate = function() error("never") end })
    raises(function() worse:loadFromString(old:saveToString()) end, "HealthCMP", "version 1", "migrate", "no luck")
    equal(#bad:getAllManagedEntities(), 0)
    equal(bad:getStats().detached, 0)
end)
