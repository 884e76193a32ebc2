-- applyDelta as a whole or not at all, wherever it fails.
local revenant = require "revenant"
local t = revenant.types
local World = revenant.World

local Item = {}
Item.__index = Item
revenant.registerClass("deltas.Item", Item)

local Hooked = {}
Hooked.__index = Hooked
function Hooked:getRewindState() return { hidden = self.hidden } end
function Hooked:restoreRewindState(state)
    if state.hidden == "bad" then error("no luck") end
    self.hidden = state.hidden
end

local Brain = {}
Brain.__index = Brain
Brain.rewindIgnore = { "cache" }

local function newWorld()
    local world = World:new()
    world:defineComponent("BodyCMP", { x = 0, tag = t.string(""), target = t.entity(), slots = t.array(t.i32(0), 2) })
    world:defineComponent("MarkCMP")
    world:defineScriptComponent("BrainCMP", Brain)
    world:defineScriptComponent("HookedCMP", Hooked)
    world:defineScriptComponent("DrawableCMP")
    world:defineScriptComponent("SpriteCMP", nil, { base = "DrawableCMP" })
    world:defineScriptComponent("MeshCMP", nil, { base = "DrawableCMP" })
    return world
end

local function build(world)
    local ship = world:newEntity("ship")
    ship:addComponent("BodyCMP", { x = 1, tag = "old", slots = { 3, 4 } })
    ship:addComponent("BrainCMP", { mood = "calm", cache = print, items = { setmetatable({ price = 2 }, Item) } })
    ship:addComponent("HookedCMP", { hidden = "well" })
    ship:addComponent("MarkCMP")
    ship:addComponent("SpriteCMP", { image = "ship" })
    ship:setComponentEnabled("MarkCMP", false)
    for i = 1, 3 do
        local child = world:newEntity("child" .. i)
        child:addComponent("BodyCMP", { x = i })
        ship:addChild(child)
    end
    return ship
end

-- Everything that must be unchanged, the values themselves included.
local function look(ship)
    return { data = ship:serialize(), brain = ship:getComponent("BrainCMP"), hooked = ship:getComponent("HookedCMP"),
        sprite = ship:getComponent("SpriteCMP"), items = ship:getComponent("BrainCMP").items, children = ship:getChildren() }
end

local function expectUntouched(ship, before, what)
    local now = look(ship)
    equal(ship:serializeDelta(before.data), nil, what)
    for key, value in pairs(before) do
        if key ~= "data" and key ~= "children" then equal(now[key], value, what .. ": " .. key) end
    end
    equal(#now.children, #before.children, what)
    for i, child in ipairs(before.children) do equal(now.children[i], child, what) end
    equal(now.brain.cache, print, what)
    equal(#ship:getWorld():validate(), 0, what)
end

-- Everything that a delta can do, so that all of it is to be undone.
local function much()
    return { enabled = false, persistent = false, removedComponents = { "MarkCMP" }, disabled = { "BodyCMP" }, keptChildren = 1,
        components = { BodyCMP = { x = 9, slots = { 7, 8 }, target = { ["$entity"] = "2" } },
            BrainCMP = { mood = "angry", ["$removed"] = { "items" } }, HookedCMP = { ["$whole"] = { ["$state"] = { hidden = "new" } } } },
        children = { { components = { BodyCMP = { x = 50 } }, rewindable = false } },
        newChildren = { { name = "fresh", components = { BodyCMP = { x = 5 } }, children = { { name = "below" } } } } }
end

local wrongs = {
    { "a text for a number", function(d) d.components.BodyCMP.x = "a" end, "BodyCMP", "x" },
    { "a number for a text", function(d) d.components.BodyCMP.tag = 3 end, "BodyCMP", "tag" },
    { "an array that is too long", function(d) d.components.BodyCMP.slots = { 1, 2, 3 } end, "BodyCMP", "slots" },
    { "half a number in an array", function(d) d.components.BodyCMP.slots = { 1, 2.5 } end, "BodyCMP", "slots" },
    { "a whole component that is wrong", function(d) d.components.BodyCMP = { ["$whole"] = { x = {} } } end, "BodyCMP", "x" },
    { "a reference that leads nowhere", function(d) d.components.BodyCMP.target = { ["$entity"] = "9.9" } end, "9.9" },
    { "a reference in a script component", function(d) d.components.BrainCMP.friend = { ["$entity"] = "7" } end, "7" },
    { "a class that is not registered", function(d) d.components.BrainCMP.item = { ["$class"] = "deltas.No" } end, "deltas.No" },
    { "a hook that fails", function(d) d.components.HookedCMP = { ["$whole"] = { ["$state"] = { hidden = "bad" } } } end, "no luck" },
    { "a second of a family", function(d) d.components.MeshCMP = { ["$whole"] = {} } end, "MeshCMP" },
    { "a new child that is wrong", function(d) d.newChildren[1].components.BodyCMP.x = true end, "BodyCMP", "x" },
    { "a new child below that is wrong", function(d) d.newChildren[1].children[1].components = { NoCMP = {} } end, "NoCMP" },
    { "a child that is wrong", function(d) d.children[1].components.BodyCMP.x = {} end, "BodyCMP", "x" },
    { "a component that is not defined", function(d) d.removedComponents = { "NoCMP" } end, "NoCMP" },
    { "a list of what is no name", function(d) d.disabled = { 3 } end, "disabled" },
    { "a removed field that is no table", function(d) d.components.BrainCMP["$removed"] = 3 end, "$removed" },
    { "more children than there are", function(d) d.keptChildren = 4 end, "children" },
    { "half a child", function(d) d.keptChildren = 0.5 end, "children" },
}

for _, state in ipairs { "detached", "managed" } do
    test("a delta that cannot be applied changes nothing of a " .. state .. " entity", function()
        local world = newWorld()
        local ship = build(world)
        if state == "managed" then
            world:addEntity(ship)
            world:update(0.1)
        end
        for _, wrong in ipairs(wrongs) do
            local delta = much()
            wrong[2](delta)
            local before, hash, detached = look(ship), world:stateHash(), world:getStats().detached
            raises(function() ship:applyDelta(delta) end, "applyDelta", unpack(wrong, 3))
            expectUntouched(ship, before, wrong[1])
            equal(world:stateHash(), hash, wrong[1])
            world:update(0)
            expectUntouched(ship, before, wrong[1] .. ", after a tick")
            equal(world:getStats().detached, detached, wrong[1])
        end
        local children = ship:getChildren()
        ship:applyDelta(much())
        equal(ship:getComponent("BodyCMP").x, 9)
        equal(ship:getComponent("BodyCMP").target:getName(), "fresh")
        equal(ship:getComponent("HookedCMP").hidden, "new")
        equal(ship:getComponent("BrainCMP").items, nil)
        equal(ship:getComponent("BrainCMP").cache, print)
        world:update(0)
        equal(#ship:getChildren(), 2)
        equal(children[1]:getComponent("BodyCMP").x, 50)
        equal(children[2]:isValid(), false)
        equal(#world:validate(), 0)
    end)
end

test("lifecycle methods do not notice a delta that was refused", function()
    local world = World:new()
    local log = {}
    local Life = {}
    Life.__index = Life
    function Life:onAdded() log[#log + 1] = "added" end
    function Life:onRemoved() log[#log + 1] = "removed" end
    function Life:onDestroyed() log[#log + 1] = "destroyed" end
    world:defineScriptComponent("LifeCMP", Life)
    world:defineComponent("BodyCMP", { x = 0 })
    local e, child = world:newEntity("e"), world:newEntity("child")
    child:addComponent("LifeCMP")
    child:addComponent("BodyCMP")
    e:addChild(child)
    world:addEntity(e)
    world:update(0)
    same(log, { "added" })
    local data = { newChildren = { { components = { BodyCMP = { x = "a" } } } } }
    for _, delta in ipairs { { keptChildren = 0 }, { children = { { removedComponents = { "LifeCMP" } } } } } do
        delta.newChildren = data.newChildren
        raises(function() e:applyDelta(delta) end, "BodyCMP", "x")
        world:update(0)
    end
    same(log, { "added" })
    equal(child:getParent(), e)
end)

test("a component that is replaced as a whole stays the same table", function()
    local world = newWorld()
    local ship, other = build(world), build(world)
    local base, brain = ship:serialize(), ship:getComponent("BrainCMP")
    local theirs = other:getComponent("BrainCMP")
    theirs.myself, theirs.items = theirs, { theirs.items[1], theirs.items[1] }
    ship:applyDelta(other:serializeDelta(base))
    equal(ship:getComponent("BrainCMP"), brain)
    equal(brain.myself, brain)
    equal(brain.items[1], brain.items[2])
    equal(brain.cache, print)
    equal(getmetatable(brain.items[1]), Item)
    equal(ship:serializeDelta(other:serialize()), nil)
end)

test("what serializeDelta gives where nothing differs can be applied", function()
    local world = newWorld()
    local ship = build(world)
    ship:applyDelta(ship:serializeDelta(ship:serialize()))
    ship:destroy()
    raises(function() ship:applyDelta(nil) end, "applyDelta", "isValid")
end)

test("a delta leads from any component of a family to any other", function()
    local Base, Derived = {}, {}
    Base.__index, Derived.__index = Base, Derived
    local world = newWorld()
    world:defineScriptComponent("UnitCMP", Base)
    world:defineScriptComponent("TankCMP", Derived, { base = "UnitCMP" })
    world:defineScriptComponent("BusCMP", nil, { base = "UnitCMP" })
    for _, managed in ipairs { false, true } do
        for _, from in ipairs { "UnitCMP", "TankCMP", "BusCMP" } do
            for _, to in ipairs { "UnitCMP", "TankCMP", "BusCMP" } do
                for _, isOff in ipairs { false, true } do
                    local function make(name, fields)
                        local e = world:newEntity("e")
                        e:addComponent(name, fields)
                        if managed then world:addEntity(e) end
                        return e
                    end
                    local a, b = make(from, { hp = 1, old = true }), make(to, { hp = 2, new = { 1 } })
                    if isOff then b:setComponentEnabled(to, false) end
                    world:reconcile()
                    a:applyDelta(b:serializeDelta(a:serialize()))
                    world:reconcile()
                    local what = from .. " to " .. to
                    equal(a:serializeDelta(b:serialize()), nil, what)
                    equal(a:getComponent(to).new[1], 1, what)
                    equal(a:isComponentEnabled(to), not isOff, what)
                    equal(#world:validate(), 0, what)
                end
            end
        end
    end
end)

test("references that lead out of a tree are none, and make no difference", function()
    local world = newWorld()
    local outside, ship = world:newEntity("outside"), build(world)
    ship:getComponent("BodyCMP").target = outside
    ship:getComponent("BrainCMP").friend = outside
    ship:getComponent("BrainCMP").list = { 1, outside, 3, [outside] = 4 }
    local data = ship:serialize()
    equal(data.components.BodyCMP.target, nil)
    equal(data.components.BrainCMP.friend, nil)
    equal(ship:serializeDelta(data), nil)
    local copy = world:deserialize(data)
    equal(copy:serializeDelta(data), nil)
    equal(copy:getComponent("BrainCMP").list[3], 3)
    ship:applyDelta(copy:serializeDelta(data))
    equal(ship:getComponent("BodyCMP").target, outside)  -- it keeps its own
    -- From one inside to one outside: none.
    copy:getComponent("BodyCMP").target = copy:getChildren()[1]
    local inside = copy:serialize()
    copy:getComponent("BodyCMP").target = outside
    local other = world:deserialize(inside)
    equal(other:getComponent("BodyCMP").target, other:getChildren()[1])
    other:applyDelta(copy:serializeDelta(inside))
    equal(other:getComponent("BodyCMP").target, nil)
end)
