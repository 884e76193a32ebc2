-- Any world comes back: from a save, from JSON, from serialize, from deltas; and goes on alike.
local revenant = require "revenant"
local scene = require "random_saved_world"
local World = revenant.World

local function newWorld() return scene.define(World:new()) end

local function build(seed, count, options)
    local world, random = newWorld(), scene.random(seed)
    local rewind = options and options.history and world:registerSystem(revenant.TimeRewindSys:new(world))
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
        if options and options.queue and e:isValid() then world:queue("lost", e, { at = i }) end
    end
    return world, rewind
end

local function play(world, ticks)
    for _ = 1, ticks do world:update(0.1) end
end

local function expectEqual(a, b, what)
    equal(scene.describe(a:getAllManagedEntities(), true), scene.describe(b:getAllManagedEntities(), true), what)
    equal(a:stateHash(), b:stateHash(), what)
end

-- A history of either holds the same frames, and goes back to each.
local function expectSameFrames(a, b, what)
    for frame = b:getOldestFrame() + 1, b:getNewestFrame(), 7 do
        local other = frame - b:getNewestFrame() + a:getNewestFrame()
        equal(a:frameHash(other), b:frameHash(frame), what)
        b:seek(frame)
        equal(b:getFrame(), frame)
        equal(b:frameHash(frame), b.world:stateHash(), what)
    end
    b:stop()
end

for _, format in ipairs { "binary", "json" } do
    for _, history in ipairs { false, true } do
        local claim = ("any world%s, saved as %s, comes back equal, hashes alike, and goes on alike for a hundred ticks"):format(
            history and " with a history" or "", format)
        test(claim, function()
            for seed = 1, 12 do
                local what, queue = "seed " .. seed, seed % 3 == 0
                local world, rewind = build(seed * 7919, 120, { history = history, queue = queue })
                local text = world:saveToString { format = format }
                world:reconcile()  -- what the save is of
                local loaded = newWorld()
                local theirRewind = history and loaded:registerSystem(revenant.TimeRewindSys:new(loaded))
                loaded:loadFromString(text)
                equal(loaded:saveToString { format = format }, text, what)
                if queue then loaded:reconcile() end  -- which delivers what was queued, in the other as well
                expectEqual(loaded, world, what)
                equal(loaded:saveToString { format = format }, world:saveToString { format = format }, what)
                equal(#loaded:validate(), 0)
                local mine, theirs = scene.addGame(world), scene.addGame(loaded)
                play(world, 50)
                play(loaded, 50)
                -- Once more in the middle, with the state of the system, in the other format.
                local third = newWorld()
                if history then third:registerSystem(revenant.TimeRewindSys:new(third)) end
                local last = scene.addGame(third)
                third:loadFromString(world:saveToString { format = format == "json" and "binary" or "json" })
                equal(last.waves, mine.waves)
                for _, each in ipairs { world, loaded, third } do play(each, 50) end
                equal(theirs.waves, mine.waves)
                expectEqual(loaded, world, what)
                expectEqual(third, world, what)
                if history then
                    theirRewind.world = loaded
                    expectSameFrames(rewind, theirRewind, what)
                end
            end
        end)
    end
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

-- Both must look alike, whatever serials their entities have.
local function playAlike(seed, a, b)
    for _, each in ipairs { a, b } do
        each:setRandomSeed(seed)
        scene.addGame(each)
        play(each, 100)
    end
    equal(scene.describe(a:getAllManagedEntities()), scene.describe(b:getAllManagedEntities()), "seed " .. seed)
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
        playAlike(seed, copy, again)
        equal(again:stateHash(), copy:stateHash(), "seed " .. seed)
    end
end)

test("a tree that holds all of a world goes on as its copy through serialize does", function()
    for seed = 1, 10 do
        local world, random = newWorld(), scene.random(seed * 3571)
        local all = { world:newEntity("root") }
        for _ = 1, 120 do scene.change(random, world, all) end
        world:addEntity(all[1])
        world:update(0)
        playAlike(seed, world, copyOf(world))
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
        playAlike(seed, first, second)
        equal(first:stateHash(), second:stateHash(), "seed " .. seed)
        if isIn then playAlike(seed, world, other) end
    end
end)
