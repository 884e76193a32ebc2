-- Any world comes back: from a save, from JSON, from serialize, from deltas; and goes on alike.
local revenant = require "revenant"
local scene = require "random_saved_world"
local World = revenant.World

local function newWorld() return scene.define(World:new()) end

local function build(seed, count)
    local world, random = newWorld(), scene.random(seed)
    local all = { world:newEntity("first") }
    world:addEntity(all[1])
    for _ = 1, count do scene.change(random, world, all, true) end
    world:setRandomSeed(seed)
    world:setMainCharacter(all[1])
    world:setResource("diary", { all[random(#all)], { n = random(9) }, "text" }, { rewind = true })
    world:update(0.1)
    for _ = 1, count / 3 do scene.change(random, world, all, true) end
    for i = 1, 3 do
        local e = all[random(#all)]
        world:removeEntity(e)
        if e:isValid() then world:queue("lost", e, { at = i }) end
    end
    return world, all, random
end

local function play(world, ticks)
    for _ = 1, ticks do world:update(0.1) end
end

for _, format in ipairs { "binary", "json" } do
    test("any world, saved as " .. format .. ", comes back equal and goes on alike for a hundred ticks", function()
        for seed = 1, 12 do
            local world = build(seed * 7919, 120)
            local text = world:saveToString { format = format }
            world:reconcile()  -- what the save is of
            local expected = scene.describe(world:getAllManagedEntities())
            local loaded = newWorld()
            loaded:loadFromString(text)
            equal(scene.describe(loaded:getAllManagedEntities()), expected, "seed " .. seed)
            -- The first may still say where a reference was to something that is gone.
            local second, third = loaded:saveToString { format = format }, newWorld()
            third:loadFromString(second)
            check(third:saveToString { format = format } == second, "seed " .. seed)
            equal(#loaded:validate(), 0)
            -- Both from the same bytes: what the first one still knows of those that are gone is none in either.
            world:loadFromString(text)
            equal(world:stateHash(), loaded:stateHash(), "seed " .. seed)
            local mine, theirs = scene.addGame(world), scene.addGame(loaded)
            play(world, 50)
            -- Once more in the middle, with the state of the system, in the other format.
            loaded:loadFromString(world:saveToString { format = format == "json" and "binary" or "json" })
            equal(theirs.waves, mine.waves)
            world:loadFromString(world:saveToString())
            play(world, 50)
            play(loaded, 50)
            equal(world:stateHash(), loaded:stateHash(), "seed " .. seed)
            equal(scene.describe(loaded:getAllManagedEntities()), scene.describe(world:getAllManagedEntities()), "seed " .. seed)
        end
    end)
end

-- A world of what the trees of another are as plain data.
local function copyOf(world)
    local copy = newWorld()
    for _, e in ipairs(world:getAllManagedEntities()) do
        if not e:getParent() then copy:addEntity(copy:deserialize(e:serialize())) end
    end
    copy:update(0)
    return copy
end

test("any tree comes back equal through serialize, and worlds of them go on alike for a hundred ticks", function()
    for seed = 1, 10 do
        local world = build(seed * 104729, 120)
        world:reconcile()
        local copy = copyOf(world)
        local roots, copies = {}, {}
        for _, e in ipairs(world:getAllManagedEntities()) do if not e:getParent() then roots[#roots + 1] = e end end
        for _, e in ipairs(copy:getAllManagedEntities()) do if not e:getParent() then copies[#copies + 1] = e end end
        equal(#copies, #roots)
        for i, root in ipairs(roots) do
            equal(scene.describe(scene.treeOf(copies[i])), scene.describe(scene.treeOf(root)), "seed " .. seed)
        end
        local again = copyOf(copy)
        equal(again:stateHash(), copy:stateHash(), "seed " .. seed)
        for _, each in ipairs { copy, again } do
            each:setRandomSeed(seed)
            scene.addGame(each)
            play(each, 100)
        end
        equal(again:stateHash(), copy:stateHash(), "seed " .. seed)
        equal(scene.describe(again:getAllManagedEntities()), scene.describe(copy:getAllManagedEntities()))
    end
end)

test("any change of a tree goes through a delta, and both go on alike for a hundred ticks", function()
    for seed = 1, 10 do
        local random = scene.random(seed * 31337)
        local world, other = newWorld(), newWorld()
        local root = world:newEntity("root")
        local all = { root }
        for _ = 1, 80 do scene.change(random, world, all) end
        local base = root:serialize()
        local copy = other:deserialize(base)
        local isIn = seed % 2 == 0
        if isIn then
            world:addEntity(root)
            other:addEntity(copy)
            play(world, 1)
            play(other, 1)
        end
        for step = 1, 5 do
            for _ = 1, 12 do scene.change(random, world, all) end
            if step == 3 then  -- children that go, and others in their place
                local child = root:getChildren()[1]
                if child then
                    if isIn then world:removeEntity(child) end
                    root:removeChild(child)
                end
            end
            copy:applyDelta(root:serializeDelta(base))
            base = root:serialize()
            equal(scene.describe(scene.treeOf(copy)), scene.describe(scene.treeOf(root)), "seed " .. seed .. ", step " .. step)
            local clean = other:deserialize(base)  -- references to what is gone are none
            equal(copy:serializeDelta(clean:serialize()), nil, "seed " .. seed .. ", step " .. step)
            clean:destroy()
            if isIn then
                play(world, 1)
                play(other, 1)
            end
        end
        equal(#other:validate(), 0)
        local first, second = newWorld(), newWorld()
        first:addEntity(first:deserialize(root:serialize()))
        second:addEntity(second:deserialize(copy:serialize()))
        for _, each in ipairs { first, second } do
            each:setRandomSeed(seed)
            scene.addGame(each)
            play(each, 100)
        end
        equal(first:stateHash(), second:stateHash(), "seed " .. seed)
    end
end)
