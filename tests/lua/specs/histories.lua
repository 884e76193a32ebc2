local revenant = require "revenant"
local scene = require "scene"
local TimeRewindSys = revenant.TimeRewindSys

test("budgets are kept and can be changed", function()
    local world, rewind = scene.movingWorld()
    rewind:setBudget { seconds = 1 }
    equal(rewind:getBudget().seconds, 1)
    equal(rewind:getBudget().bytes, 64 * 2 ^ 20)
    for _ = 1, 100 do world:update(0.1) end
    check(rewind:getNewestFrame() - rewind:getOldestFrame() <= 12)
    raises(function() rewind:setBudget() end, "table")
    raises(function() rewind:setBudget { minutes = 1 } end, "minutes")
    raises(function() rewind:setBudget { seconds = -1 } end, "seconds")
    raises(function() rewind:setBudget { bytes = 0 / 0 } end, "bytes")
end)

test("a script cannot give back the history's references", function()
    local world, rewind = scene.movingWorld()
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0.1)
    raises(function() e:release() end, "retain")
    e:retain()
    e:release()
    raises(function() e:release() end, "retain")
    world:removeEntity(e)
    world:update(0.1)
    equal(e:getState(), "zombie")
    rewind:seek(1)
    equal(e:getState(), "managed")
end)

test("checkpoints name frames", function()
    local world, rewind = scene.movingWorld()
    local e = scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for i = 1, 10 do
        world:update(1)
        if i == 4 then rewind:setCheckpoint("door") end
    end
    equal(rewind:getCheckpoint("door"), 4)
    equal(rewind:getCheckpoint("nowhere"), nil)
    equal(rewind:getCheckpoints().door, 4)
    rewind:seekCheckpoint("door")
    equal(rewind:getFrame(), 4)
    equal(e:getComponent("TransformCMP").x, 3)
    check(rewind:removeCheckpoint("door"))
    check(not rewind:removeCheckpoint("door"))
    raises(function() rewind:seekCheckpoint("door") end, "door")
    raises(function() rewind:setCheckpoint(5) end, "name")
    rewind:finishPacking()
end)

test("two histories are compared, and a run is checked against itself", function()
    local function build(speed)
        local world, rewind = scene.movingWorld()
        scene.spawn(world, "walker", { TransformCMP = {}, VelocityCMP = { x = 1 } })
        for i = 1, 10 do
            world:update(1)
            if i == 5 then world:getAllManagedEntities()[1]:getComponent("VelocityCMP").x = speed end
        end
        return world, rewind
    end
    local _, one = build(1)
    local _, same = build(1)
    local _, other = build(2)
    equal(one:findDivergence(same), nil)
    local found = one:findDivergence(other)
    equal(found.frame, 6)
    check(found.text:find("walker") and found.component == "VelocityCMP", found.text)
    raises(function() one:findDivergence({}) end, "TimeRewindSys")
    local world, rewind = scene.movingWorld()
    rewind:setSyncTest(3)
    equal(rewind:getSyncTest(), 3)
    scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 10 do world:update(0.1) end
    equal(rewind:getSyncReport(), nil)
    raises(function() rewind:setSyncTest(-1) end, "-1")
end)

test("what is not rewindable is as it was when a run is checked against itself", function()
    local world = scene.world()
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local hands = world:newEntity("hands")
    hands:addComponent("VelocityCMP")
    hands:addComponent("TransformCMP")
    hands:setRewindable(false)
    world:addEntity(hands)
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    local Obey = revenant.BaseSystem:extend("Obey")
    function Obey:tick()
        local at = e:getComponent("TransformCMP")
        at.x = at.x + hands:getComponent("VelocityCMP").x
        hands:getComponent("TransformCMP").x = hands:getComponent("TransformCMP").x + 1
        at.y = hands:getComponent("TransformCMP").x
    end
    world:registerSystem(Obey:new(world))
    rewind:setSyncTest(4)
    for i = 1, 20 do
        hands:getComponent("VelocityCMP").x = i * i % 7
        world:update(0.1)
    end
    local report = rewind:getSyncReport()
    equal(report and report.text, nil)
    equal(hands:getComponent("TransformCMP").x, 20)
end)

test("a history can be saved, and opened in a world that defines the same", function()
    local world, rewind = scene.movingWorld()
    local e = scene.spawn(world, "walker", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 20 do world:update(1) end
    local path = os.tmpname()
    rewind:saveHistory(path)
    local other, otherRewind = scene.movingWorld()
    otherRewind:loadHistory(path)
    equal(otherRewind:getNewestFrame(), 20)
    otherRewind:seek(10)
    equal(other:getAllManagedEntities()[1]:getComponent("TransformCMP").x, 9)
    equal(otherRewind:frameHash(10), rewind:frameHash(10))
    raises(function() otherRewind:loadHistory(path) end)
    os.remove(path)
    raises(function() select(2, scene.movingWorld()):loadHistory(path) end)
    raises(function() rewind:saveHistory("/no/such/folder/file") end)
    raises(function() rewind:saveHistory() end, "path")
end)

test("misuse of the history says what is wrong", function()
    local world = scene.world()
    local rewind = TimeRewindSys:new(world)
    raises(function() TimeRewindSys:new() end, "world")
    raises(function() TimeRewindSys:new({}) end, "world")
    raises(function() TimeRewindSys:new(world, 5) end, "table")
    raises(function() rewind:seek(1) end, "empty")
    raises(function() rewind:start() end, "empty")
    world:registerSystem(rewind)
    world:update(0.1)
    raises(function() TimeRewindSys:new(world) end, "already")
    raises(function() rewind:seek(99) end, "99")
    raises(function() rewind:seek(-1) end, "-1")
    raises(function() rewind:seek(1.5) end, "whole")
    raises(function() rewind:seek(0 / 0) end, "whole")
    raises(function() rewind:seek("x") end, "whole")
    raises(function() rewind:setSpeed(1 / 0) end, "finite")
    raises(function() rewind:frameHash(99) end, "99")
    raises(function() rewind.seek({}, 1) end, "seek")
    check(rawequal(world:getSystem("TimeRewindSys"), rewind))
    world:unregisterSystem(rewind)
    equal(world:getSystem("TimeRewindSys"), nil)
    rewind = nil
    local again = TimeRewindSys:new(world)
    world:registerSystem(again)
    world:update(0.1)
    equal(again:getFrame(), 1)
end)
