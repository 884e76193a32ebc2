-- Deltas of random trees: children come, go and are hung elsewhere, references lead anywhere, components of families change. A
-- copy that gets the delta is as the original.
local revenant = require "revenant"
local t = revenant.types
local World = revenant.World

local function newWorld(seed)
    local world = World:new()
    world:setRandomSeed(seed)
    world:defineComponent("BodyCMP", { x = 0, target = t.entity(), friends = t.array(t.entity(), 2) })
    world:defineScriptComponent("BrainCMP")
    world:defineScriptComponent("UnitCMP")
    world:defineScriptComponent("TankCMP", nil, { base = "UnitCMP" })
    world:defineScriptComponent("BusCMP", nil, { base = "UnitCMP" })
    return world
end

local function gather(entity, into)
    into[#into + 1] = entity
    for _, child in ipairs(entity:getChildren()) do gather(child, into) end
    return into
end

local function isBelow(entity, top)
    while entity do
        if entity == top then return true end
        entity = entity:getParent()
    end
    return false
end

local families = { "TankCMP", "BusCMP", "UnitCMP" }
local deeds = {
    function(world, entity)
        local child = world:newEntity("child" .. world:random(3))
        entity:addChild(child)
        if entity:getState() == "managed" then world:addEntity(child) end
    end,
    function(_, entity, other)
        if entity:getParent() and not isBelow(other, entity) then other:addChild(entity) end
    end,
    function(world, entity)
        local parent = entity:getParent()
        if not parent then return end
        if entity:getState() ~= "detached" then world:removeEntity(entity) end
        parent:removeChild(entity)
    end,
    function(world, entity, other, outside)
        local body = entity:hasComponent("BodyCMP") and entity:getComponent("BodyCMP") or entity:addComponent("BodyCMP")
        body = entity:getComponent("BodyCMP")
        body.x, body.target = world:random(9), other
        body.friends[world:random(2)] = world:random(3) == 1 and outside or other
    end,
    function(world, entity, other, outside)
        if not entity:hasComponent("BrainCMP") then entity:addComponent("BrainCMP", { mood = "calm" }) end
        local brain = entity:getComponent("BrainCMP")
        brain.friend, brain.list, brain.outside = other, { other, world:random(3), { other, outside } }, outside
        if world:random(2) == 1 then brain[other] = world:random(5) end
    end,
    function(world, entity)
        for _, name in ipairs(families) do
            if entity:hasComponent(name) then
                entity:removeComponent(name)
                break
            end
        end
        entity:addComponent(families[world:random(3)], { kind = world:random(4) })
    end,
    function(world, entity) entity:setEnabled(world:random(2) == 1) end,
    function(world, entity) entity:setPersistent(world:random(2) == 1) end,
    function(world, entity)
        for _, name in ipairs(entity:getComponentNames()) do entity:setComponentEnabled(name, world:random(2) == 1) end
    end,
    function(_, entity)
        if entity:hasComponent("BrainCMP") then entity:removeComponent("BrainCMP") end
    end,
}

local function mutate(world, root, outside)
    for _ = 1, world:random(6) do
        local all = gather(root, {})
        local deed = deeds[world:random(#deeds)]
        if #all < 12 or deed ~= deeds[1] then deed(world, all[world:random(#all)], all[world:random(#all)], outside) end
    end
end

for seed = 1, 6 do
    test("a delta brings a copy of a random tree to where the original is: " .. seed, function()
        local world = newWorld(seed)
        local outside = world:newEntity("outside")
        for round = 1, 40 do
            local what = "round " .. round
            local root = world:newEntity("root")
            for _ = 1, 3 do mutate(world, root, outside) end
            if world:random(2) == 1 then world:addEntity(root) end
            world:reconcile()
            local base = root:serialize()
            local copy = world:deserialize(base)
            equal(copy:serializeDelta(base), nil, what)
            if world:random(2) == 1 then world:addEntity(copy) end
            world:reconcile()
            mutate(world, root, outside)
            world:reconcile()
            copy:applyDelta(root:serializeDelta(base))
            world:reconcile()
            equal(copy:serializeDelta(root:serialize()), nil, what)
            equal(root:serializeDelta(copy:serialize()), nil, what)
            equal(#world:validate(), 0, what)
        end
    end)
end
