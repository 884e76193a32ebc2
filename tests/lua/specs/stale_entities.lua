-- Entities that were destroyed, in the tables of script components: they stay there as stale values, live and restored alike.
local revenant = require "revenant"
local scene = require "scene"

local function history()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    return world, world:registerSystem(revenant.TimeRewindSys:new(world))
end

-- Every frame that is kept hashes as it was recorded.
local function hashesHold(world, rewind)
    for frame = rewind:getOldestFrame(), rewind:getNewestFrame() do
        rewind:seek(frame)
        equal(world:stateHash(), rewind:frameHash(frame), "frame " .. frame)
    end
end

test("a destroyed entity stays in a script component, as a value and as a key", function()
    local world, rewind = history()
    local a, b, c = world:newEntity("a"), world:newEntity("b"), world:newEntity("c")
    local brain = { friend = b, [b] = "key", nested = { [c] = { b }, list = { c, c } } }
    brain.nested.self, brain.nested[b] = brain, brain.nested
    a:addComponent("BrainCMP", brain)
    world:addEntity(a)
    b:destroy()
    world:update(0.1)
    brain.step = 1
    c:destroy()
    world:update(0.1)
    brain.step = 2
    world:update(0.1)
    equal(world:stateHash(), rewind:frameHash(3))
    hashesHold(world, rewind)
    for _, frame in ipairs { 1, 3, 2, 1 } do
        rewind:seek(frame)
        equal(brain[b], "key")
        check(rawequal(brain.friend, b))
        check(rawequal(brain.nested[c][1], b) and rawequal(brain.nested.list[2], c))
        check(brain.nested.self == brain and brain.nested[b] == brain.nested)
        check(not b:isValid() and b:getState() == "destroyed")
    end
    rewind:stop()
    world:update(0.1)
    world:update(0.1)
    equal(brain[b], "key")
    equal(world:stateHash(), rewind:frameHash(rewind:getFrame()))
end)

test("an entity that the history releases stays a key in the frames that are left", function()
    local world, rewind = history()
    rewind:setBudget { seconds = 0.5 }
    local a, enemy = scene.spawn(world, "a"), scene.spawn(world, "enemy")
    local brain = a:addComponent("BrainCMP", { seen = {} })
    world:update(0.1)
    brain.seen[enemy] = 1
    world:update(0.1)
    world:removeEntity(enemy)
    for i = 1, 20 do
        brain.step = i
        world:update(0.1)
    end
    equal(enemy:getState(), "destroyed")
    equal(brain.seen[enemy], 1)
    hashesHold(world, rewind)
    equal(brain.seen[enemy], 1)
end)

test("two values of one destroyed entity as keys of a table raise and are not merged", function()
    local world = history()
    local a, b = scene.spawn(world, "a"), world:newEntity("b")
    world:setResource("who", { b }, { rewind = true })
    b:destroy()
    local again = world:getResource("who")[1]
    check(again == b and not rawequal(again, b))
    a:addComponent("BrainCMP", { seen = { [b] = 1, [again] = 2 } })
    raises(function() world:update(0.1) end, "'a'", "seen[entity #1.1]", "twice")
end)

test("entities as keys hash alike in a resumed run that gave them other slots", function()
    local function play(isInterrupted)
        local world, rewind = history()
        world:setRandomSeed(1)
        local a = scene.spawn(world, "a")
        local brain = a:addComponent("BrainCMP", { seen = {} })
        for i = 1, 3 do
            local e = world:newEntity("e" .. i)
            world:addEntity(e)
            world:update(0.1)
        end
        if isInterrupted then
            for i = 1, 4 do scene.spawn(world, "dropped" .. i) end
            world:update(0.1)
            world:update(0.1)
            rewind:seek(3)
            rewind:stop()
            world:update(0.1)
        end
        -- Made in this order; a run that was interrupted has freed slots to give.
        for i = 1, 4 do brain.seen[scene.spawn(world, "late" .. i)] = i end
        world:update(0.1)
        return rewind:frameHash(rewind:getNewestFrame()), rewind:getNewestFrame()
    end
    local plain, frame = play(false)
    local resumed, other = play(true)
    equal(other, frame)
    equal(resumed, plain)
end)

test("a sync test tells which field of a script component differs, as Lua writes it", function()
    local world, rewind = history()
    local a, b = scene.spawn(world, "a"), scene.spawn(world, "b")
    local brain = a:addComponent("BrainCMP", { list = { 1, { deep = "x" } }, [b] = true, ["odd key"] = {}, same = 1 / 3 })
    brain.list[3] = brain.list
    local calls = 0
    local S = revenant.BaseSystem:extend("S")
    function S:tick()
        calls = calls + 1
        brain.list[2].deep = "x" .. calls
    end
    world:registerSystem(S:new(world))
    rewind:setSyncTest(2)
    for _ = 1, 4 do world:update(0.1) end
    local report = check(rewind:getSyncReport())
    equal(report.component, "BrainCMP")
    equal(report.field, "list[2].deep")
    equal(report.here, '"x1"')
    check(report.text:find("BrainCMP.list[2].deep is \"x1\" here", 1, true), report.text)
end)

test("a difference between two histories names the path of the script's field", function()
    local function play(last, isMore)
        local world, rewind = history()
        local a = scene.spawn(world, "a")
        a:addComponent("BrainCMP", { here = 1, plan = { steps = { 1, 2, last }, ["to do"] = isMore } })
        local S = revenant.BaseSystem:extend("PlannerSys")
        function S:getRewindState() return { queue = { "a", last } } end
        function S:restoreRewindState() end
        if isMore == nil then world:registerSystem(S:new(world)) end
        world:update(0.1)
        return rewind
    end
    local found = play(3, false):findDivergence(play(4, false))
    equal(found.field, "plan.steps[3]")
    equal(found.here .. " " .. found.there, "3 4")
    found = play(3, false):findDivergence(play(3, { true }))
    equal(found.field, 'plan["to do"]')
    equal(found.here .. " " .. found.there, "false absent")
end)

test("the history releases entities that were requested at its first frame, and those that come and leave between two frames", function()
    local world = scene.world()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 0.3 }))
    local asked
    world:on("entityAdded", function(entity)
        if entity:getName() ~= "first" then return end
        asked = world:newEntity("asked")
        world:addEntity(asked)
    end)
    world:addEntity(world:newEntity("first"))
    for _ = 1, 2 do
        world:update(0.1)
        same(rewind:validate(), {})
    end
    world:removeEntity(asked)
    local guest = world:newEntity("guest")
    world:addEntity(guest)
    world:reconcile()
    world:removeEntity(guest)
    for _ = 1, 8 do
        world:update(0.1)
        same(rewind:validate(), {})
    end
    equal(asked:getState(), "destroyed")
    equal(guest:getState(), "destroyed")
end)
