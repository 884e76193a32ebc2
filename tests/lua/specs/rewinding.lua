local revenant = require "revenant"
local scene = require "scene"
local TimeRewindSys = revenant.TimeRewindSys

local function movingWorld()
    local world = scene.world()
    local rewind = TimeRewindSys:new(world, { seconds = 60, bytes = 64 * 2 ^ 20 })
    world:registerSystem(rewind)
    local Movement = revenant.BaseSystem:extend("Movement")
    function Movement:init()
        self:addComponentRequirement("TransformCMP")
        self:addComponentRequirement("VelocityCMP", true, true)
    end
    function Movement:tick(dt)
        local view = self:getComponentsView()
        local transforms, velocities = view.TransformCMP, view.VelocityCMP
        for i = 1, view.count do transforms[i].x = transforms[i].x + velocities[i].x * dt end
    end
    world:registerSystem(Movement:new(world))
    return world, rewind
end

test("writes through columns, runs, handles and arrays are all seen by the history", function()
    local world, rewind = scene.world()
    rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { TransformCMP = {}, TargetCMP = {}, InventoryCMP = {}, HealthCMP = {} })
    local view = world:getComponentsView(scene.require("TransformCMP", "TargetCMP", "InventoryCMP", "HealthCMP"))
    local column = view.TransformCMP
    local slots = e:getComponent("InventoryCMP").slots
    local writes = {
        function(i) column[1].x = i end,
        function(i) for _, transforms in view:runs("TransformCMP") do transforms[0].y = i end end,
        function(i) e:getComponent("HealthCMP").points = i end,
        function(i) view.TargetCMP[1].title = "t" .. i end,
        function(i) view.TargetCMP[1].who = i % 2 == 0 and e or nil end,
        function(i) view.InventoryCMP[1].slots[3] = i end,
        function(i) slots[4] = i end,
        function(i) e:getComponent("InventoryCMP").slots = { i } end,
        function(i) e:getComponent("TargetCMP").serial = i end,
    }
    local hashes = {}
    for i = 1, 60 do
        world:update(0.1)
        hashes[rewind:getFrame()] = world:stateHash()
        equal(rewind:frameHash(rewind:getFrame()), world:stateHash())
        writes[i % #writes + 1](i)
    end
    for _, frame in ipairs { 59, 3, 30, 31, 1, 60, 17 } do
        rewind:seek(frame)
        equal(world:stateHash(), hashes[frame], "frame " .. frame)
        equal(rewind:getFrame(), frame)
    end
end)

test("a column kept from an earlier tick still marks what is written through it", function()
    local world = scene.world()
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    scene.spawn(world, "e", { TransformCMP = {} })
    local column = world:getComponentsView(scene.require("TransformCMP")).TransformCMP
    for i = 1, 5 do
        world:update(0.1)
        equal(column[1].x, i - 1)
        column[1].x = i
    end
    for i = 6, 8 do world:update(0.1) end
    for frame = 1, 8 do
        rewind:seek(frame)
        equal(column[1].x, math.min(frame - 1, 5))
    end
end)

test("what was removed comes back, the same entity, and what was spawned since is unborn", function()
    local world, rewind = movingWorld()
    local a = scene.spawn(world, "a", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 10 do world:update(0.1) end
    world:removeEntity(a)
    local b = scene.spawn(world, "b", { TransformCMP = {} })
    for _ = 1, 10 do world:update(0.1) end
    equal(a:getState(), "zombie")
    rewind:seek(5)
    check(rewind:isRewinding())
    equal(a:getState(), "managed")
    equal(b:getState(), "unborn")
    check(not b:isValid())
    raises(function() b:getName() end, "not born")
    rewind:seek(20)
    equal(b:getState(), "managed")
    equal(b:getName(), "b")
    rewind:seek(5)
    rewind:stop()
    check(not rewind:isRewinding())
    world:update(0.1)
    equal(b:getState(), "destroyed")
    equal(a:getState(), "managed")
end)

test("an interrupted run and an uninterrupted one agree frame by frame", function()
    local function build()
        local world, rewind = movingWorld()
        for i = 1, 20 do scene.spawn(world, "e" .. i, { TransformCMP = {}, VelocityCMP = { x = i } }) end
        return world, rewind
    end
    local straight, straightRewind = build()
    for _ = 1, 40 do straight:update(0.1) end
    local broken, brokenRewind = build()
    for _ = 1, 30 do broken:update(0.1) end
    brokenRewind:seek(10)
    brokenRewind:stop()
    while brokenRewind:getFrame() < 40 do broken:update(0.1) end
    for frame = 1, 40 do equal(brokenRewind:frameHash(frame), straightRewind:frameHash(frame)) end
end)

test("while the past is on show, structural calls on it raise", function()
    local world, rewind = movingWorld()
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0.1)
    world:update(0.1)
    rewind:seek(1)
    raises(function() world:removeEntity(e) end, "past")
    raises(function() e:addComponent("HealthCMP") end, "past")
    raises(function() e:removeComponent("TransformCMP") end, "past")
    raises(function() e:setEnabled(false) end, "past")
    check(world:isPastOnShow())
    rewind:stop()
    e:addComponent("HealthCMP")
end)

test("start, speed, step and stop move time", function()
    local world, rewind = movingWorld()
    scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 20 do world:update(0.1) end
    rewind:start()
    equal(rewind:getFrame(), 20)
    world:update(0.1)
    equal(rewind:getFrame(), 19)
    rewind:setSpeed(5)
    equal(rewind:getSpeed(), 5)
    world:update(0.1)
    equal(rewind:getFrame(), 14)
    rewind:setSpeed(-1)
    world:update(0.1)
    equal(rewind:getFrame(), 15)
    rewind:step(-3)
    equal(rewind:getFrame(), 12)
    rewind:step(1000)
    equal(rewind:getFrame(), rewind:getNewestFrame())
    rewind:step(-1000)
    equal(rewind:getFrame(), rewind:getOldestFrame())
    rewind:stop()
    rewind:stop()
    check(rewind:getMemory() > 0)
    rewind:clear()
    equal(rewind:getFrame(), nil)
    equal(rewind:getOldestFrame(), nil)
end)

test("seek inside a system acts at the next reconcile", function()
    local world, rewind = movingWorld()
    local e = scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 5 do world:update(1) end
    local Seeker = revenant.BaseSystem:extend("Seeker")
    function Seeker:tick() rewind:seek(2) end
    local seeker = Seeker:new(world)
    world:registerSystem(seeker)
    world:update(1)
    check(not rewind:isRewinding())
    world:update(1)
    check(rewind:isRewinding())
    equal(rewind:getFrame(), 2)
    equal(e:getComponent("TransformCMP").x, 1)
end)

test("entities that are not rewindable live on", function()
    local world, rewind = movingWorld()
    local hud = world:newEntity("hud")
    hud:addComponent("TransformCMP")
    hud:setRewindable(false)
    check(not hud:isRewindable())
    world:addEntity(hud)
    local e = scene.spawn(world, "e", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for i = 1, 5 do
        world:update(1)
        hud:getComponent("TransformCMP").x = i
    end
    rewind:seek(1)
    equal(hud:getComponent("TransformCMP").x, 5)
    equal(e:getComponent("TransformCMP").x, 0)
end)

test("budgets are kept and can be changed", function()
    local world, rewind = movingWorld()
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
    local world, rewind = movingWorld()
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
    local world, rewind = movingWorld()
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

test("a column for display blends between two frames, and is itself at a frame", function()
    local world = revenant.World:new()
    local t = revenant.types
    world:defineComponent("PlaceCMP", { x = t.lerp(t.f64(0)), label = t.string("") })
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { PlaceCMP = {} })
    local view = world:getComponentsView(scene.require("PlaceCMP"))
    for i = 1, 10 do
        world:update(1)
        e:getComponent("PlaceCMP").x = i * 10
    end
    local display = view:display("PlaceCMP")
    check(rawequal(display, view:display("PlaceCMP")))
    equal(#display, 1)
    equal(display[1].x, 100)
    rewind:start()
    rewind:setSpeed(0.5)
    world:update(1)
    equal(view.PlaceCMP[1].x, 80)
    equal(display[1].x, 85)
    equal(rewind:getBlend(), 0.5)
    equal(display[1].label, "")
    raises(function() display[1].x = 3 end)
    raises(function() display[1] = 3 end, "display")
    raises(function() return display[2] end, "row")
    raises(function() view:display("NopeCMP") end, "NopeCMP")
    raises(function() view:display() end, "nil")
    rewind:stop()
    equal(display[1].x, view.PlaceCMP[1].x)
end)

test("what hooks give is blended for display by their lerp", function()
    local world = revenant.World:new()
    local Body = {}
    Body.__index = Body
    function Body:getRewindState() return { x = self.x } end
    function Body:restoreRewindState(state) self.x = state.x end
    function Body:lerpRewindState(a, b, part)
        check(getmetatable(self) == Body)
        return { x = a.x + (b.x - a.x) * part }
    end
    world:defineScriptComponent("BodyCMP", Body)
    world:defineScriptComponent("PlainCMP", {})
    local Clock = revenant.BaseSystem:extend("ClockSys")
    function Clock:init() self.hour = 0 end
    function Clock:tick() self.hour = self.hour + 2 end
    function Clock:getRewindState() return self.hour end
    function Clock:restoreRewindState(hour) self.hour = hour end
    function Clock:lerpRewindState(a, b, part) return a + (b - a) * part end
    local rewind = TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local clock = Clock:new(world)
    world:registerSystem(clock)
    local body, plain = setmetatable({ x = 0 }, Body), { x = 0 }
    scene.spawn(world, "e", { BodyCMP = body, PlainCMP = plain })
    local view = world:getComponentsView(scene.require("BodyCMP", "PlainCMP"))
    for i = 1, 10 do
        world:update(1)
        body.x, plain.x = i * 10, i
    end
    local display = view:display("BodyCMP")
    equal(#display, 1)
    check(rawequal(display[1], body))
    equal(rewind:getDisplayState(clock), nil)
    rewind:start()
    rewind:setSpeed(0.5)
    world:update(1)
    equal(body.x, 80)
    equal(display[1].x, 85)
    check(rawequal(view:display("PlainCMP")[1], plain))
    equal(clock.hour, 16)
    equal(rewind:getDisplayState(clock), 17)
    equal(rewind:getDisplayState("ClockSys"), 17)
    raises(function() rewind:getDisplayState("NopeSys") end, "NopeSys")
    raises(function() rewind:getDisplayState() end, "name")
    raises(function() display[1] = 3 end, "display")
    Body.lerpRewindState = function() error("no way between") end
    raises(function() return display[1] end, "no way between")
    Body.lerpRewindState = function() return { x = print } end
    raises(function() return display[1] end, "lerpRewindState")
    Body.lerpRewindState = function() rewind:clear() end
    pcall(function() return display[1] end)
    Body.lerpRewindState = nil
    check(rawequal(display[1], body))
    rewind:stop()
    check(rawequal(display[1], body))
end)

test("two histories are compared, and a run is checked against itself", function()
    local function build(speed)
        local world, rewind = movingWorld()
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
    local world, rewind = movingWorld()
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
    local world, rewind = movingWorld()
    local e = scene.spawn(world, "walker", { TransformCMP = {}, VelocityCMP = { x = 1 } })
    for _ = 1, 20 do world:update(1) end
    local path = os.tmpname()
    rewind:saveHistory(path)
    local other, otherRewind = movingWorld()
    otherRewind:loadHistory(path)
    equal(otherRewind:getNewestFrame(), 20)
    otherRewind:seek(10)
    equal(other:getAllManagedEntities()[1]:getComponent("TransformCMP").x, 9)
    equal(otherRewind:frameHash(10), rewind:frameHash(10))
    raises(function() otherRewind:loadHistory(path) end)
    os.remove(path)
    raises(function() select(2, movingWorld()):loadHistory(path) end)
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
