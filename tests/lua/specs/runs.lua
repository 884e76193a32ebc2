-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

test("runs hand out plain arrays over all rows, in order", function()
    local world = scene.world()
    for i = 1, 300 do
        scene.spawn(world, "e" .. i, { TransformCMP = { x = i }, VelocityCMP = { x = 2 },
            HealthCMP = i % 3 == 0 and {} or nil })
    end
    world:update(0)
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true), HealthCMP = Desc:new(false) }
    local row = 0
    for count, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
        for i = 0, count - 1 do
            row = row + 1
            equal(transforms[i].x, row)
            transforms[i].x = transforms[i].x + velocities[i].x
        end
    end
    equal(row, 300)
    equal(view.TransformCMP[300].x, 302)
    local present = 0
    for count, health in view:runs("HealthCMP") do
        if health ~= nil then present = present + count end
    end
    equal(present, 100)
    raises(function() view:runs() end, "columns")
    raises(function() view:runs("NopeCMP") end, "NopeCMP")
    raises(function() view:runs("entities") end, "entities")
    raises(function() view:runs(nil) end, "nil")
end)

test("loops over the same runs may be nested, and left in the middle", function()
    local world = scene.world()
    for i = 1, 10 do scene.spawn(world, "e" .. i, { TransformCMP = { x = i } }) end
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local pairsSeen = 0
    for count in view:runs("TransformCMP") do
        for inner in view:runs("TransformCMP") do pairsSeen = pairsSeen + count * inner end
    end
    equal(pairsSeen, 100)
    for _ in view:runs("TransformCMP") do break end
    local rows = 0
    for count in view:runs("TransformCMP") do rows = rows + count end
    equal(rows, 10)
end)

test("runs go over any number of columns at once", function()
    local world = scene.world()
    world:defineComponent("AgeCMP", { ticks = 0 })
    local names = { "TransformCMP", "VelocityCMP", "HealthCMP", "AgeCMP" }
    for i = 1, 20 do
        scene.spawn(world, "e" .. i, { TransformCMP = { x = i }, VelocityCMP = { x = i }, HealthCMP = { points = i },
            AgeCMP = { ticks = i } })
    end
    world:update(0)
    local view = world:getComponentsView(scene.require(unpack(names)))
    local row = 0
    for count, transforms, velocities, healths, ages in view:runs(unpack(names)) do
        for i = 0, count - 1 do
            row = row + 1
            equal(transforms[i].x, row)
            equal(velocities[i].x, row)
            equal(healths[i].points, row)
            equal(ages[i].ticks, row)
        end
    end
    equal(row, 20)
    row = 0
    for count, ages, _, transforms in view:runs("AgeCMP", "HealthCMP", "TransformCMP") do
        row = row + count
        equal(ages[count - 1].ticks, transforms[count - 1].x)
    end
    equal(row, 20)
end)

test("a loop over runs raises when the world is reconciled or the view released inside it", function()
    local world = scene.world()
    local function fill()
        for i = 1, 40 do scene.spawn(world, "e" .. i, { TransformCMP = {}, VelocityCMP = i % 2 == 0 and {} or nil }) end
        world:update(0)
    end
    fill()
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(false) }
    local message = raises(function()
        for _ in view:runs("VelocityCMP") do world:update(0) end
    end, "view:runs", "inside the loop")
    check(message:find("runs.lua", 1, true), message)
    raises(function()
        for _ in view:runs("VelocityCMP") do view:release() end
    end, "view:runs", "inside the loop")
end)

test("script components have no runs", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    scene.spawn(world, "e", { BrainCMP = {} })
    local view = world:getComponentsView(scene.require("BrainCMP"))
    raises(function() view:runs("BrainCMP") end, "BrainCMP", "script component")
end)

local function scatteredView()
    local world, alive = scene.world(), {}
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true), HealthCMP = Desc:new(false) }
    for i = 1, 400 do alive[i] = scene.spawn(world, "e", { TransformCMP = { x = i }, VelocityCMP = { x = 2 } }) end
    world:update(0)
    world:setRandomSeed(1)
    for _ = 1, 200 do
        for _ = 1, 5 do
            local i = world:random(400)
            world:removeEntity(alive[i])
            alive[i] = scene.spawn(world, "e", { TransformCMP = { x = i }, VelocityCMP = { x = 2 }, HealthCMP = i > 200 and {} or nil })
        end
        world:update(0)
    end
    return world, view
end

test("scattered rows are one run, indexed alike, and writes to them count", function()
    local world, view = scatteredView()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local runs, alone, row = 0, 0, 0
    for _ in view:contiguousRuns("TransformCMP", "VelocityCMP") do alone = alone + 1 end
    check(alone > 100, "rows are not scattered: " .. alone .. " runs")
    world:update(0)
    local frame, hash = rewind:getFrame(), world:stateHash()
    for count, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
        runs = runs + 1
        for i = 0, count - 1 do
            row = row + 1
            equal(transforms[i].x, view.TransformCMP[row].x)
            transforms[i].x = transforms[i].x + velocities[i].x
            equal(velocities[i].x, 2)
            local copied = view.TransformCMP[row].x
            transforms[i] = transforms[i]
            equal(view.TransformCMP[row].x, copied)
        end
        raises(function() velocities[0].x = 1 end, "read-only")
    end
    equal(runs, 1)
    equal(row, view.count)
    world:update(0)
    check(rewind:frameHash(rewind:getNewestFrame()) ~= hash, "what was written is not part of the frame")
    rewind:seek(frame)
    equal(world:stateHash(), hash)
end)

test("runs that would be short are one, also where rows are few: it takes as long to begin one as to go through many rows", function()
    local world, alive = scene.world(), {}
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local function countRuns(call)
        local runs, rows = 0, 0
        for count, transforms in view[call](view, "TransformCMP") do
            for i = 0, count - 1 do equal(transforms[i].x, view.TransformCMP[rows + i + 1].x) end
            runs, rows = runs + 1, rows + count
        end
        equal(rows, view.count)
        return runs
    end
    for i = 1, 40 do alive[i] = scene.spawn(world, "e", { TransformCMP = { x = i } }) end
    world:update(0)
    equal(countRuns("runs"), 1)
    for i = 1, 40, 3 do world:removeEntity(alive[i]) end
    world:update(0)
    check(countRuns("contiguousRuns") > 10)
    equal(countRuns("runs"), 1)
    -- Of long ones each is a pointer, as C functions take it.
    for i = 1, 1000 do alive[i] = scene.spawn(world, "e", { TransformCMP = { x = i } }) end
    world:update(0)
    for i = 500, 502 do world:removeEntity(alive[i]) end
    world:removeEntity(alive[2])
    world:update(0)
    for _, e in ipairs(world:query():with("TransformCMP"):limit(26):entities()) do world:removeEntity(e) end
    world:update(0)
    equal(countRuns("runs"), countRuns("contiguousRuns"))
end)

test("what is written in runs is recorded, whatever looked at the column before: listeners, columns, other runs", function()
    local world, hashes, sums = scene.world(), {}, {}
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local function add(amount)
        for count, transforms in view:runs("TransformCMP") do
            for i = 0, count - 1 do transforms[i].x = transforms[i].x + amount end
        end
    end
    local function sum()
        local all = 0
        for i = 1, view.count do all = all + view.TransformCMP[i].x end
        return all
    end
    world:defineEvent("push")
    world:on("push", function() add(1000) end)
    world:on("entityAdded", sum)
    world:registerSystem { name = "PushSys", tick = function()
        add(1)
        scene.spawn(world, "e", { TransformCMP = {} })
        world:queue("push")
    end }
    for tick = 1, 30 do
        world:update(1 / 64)
        hashes[tick], sums[tick] = world:stateHash(), sum()
        add(0.5)
    end
    for tick = 30, 2, -1 do
        rewind:seek(tick)
        equal(world:stateHash(), rewind:frameHash(tick))
        add(-1)  -- the next seek takes it back
    end
    for tick = 2, 30 do
        rewind:seek(tick)
        equal(world:stateHash(), rewind:frameHash(tick))
    end
    check(sums[30] > sums[20] + 1000 and hashes[30] ~= hashes[29])
end)

test("loops over runs of any number of columns leave no garbage", function()
    if revenant.isValidating then return end
    -- Without side traces, what leaves a loop goes on in the interpreter, which allocates (docs/platforms.md).
    local hasSideTraces = jit.arch ~= "arm64" or jit.version_num >= 20199
    local world, names, requirements = scene.world(), {}, {}
    for i = 1, 7 do
        names[i] = "Part" .. i .. "CMP"
        world:defineComponent(names[i], { value = i })
        requirements[names[i]] = Desc:new()
    end
    local view, sum = world:getComponentsView(requirements), 0
    for _ = 1, 10 do
        local e = world:newEntity("e")
        for i = 1, 7 do e:addComponent(names[i]) end
        world:addEntity(e)
    end
    world:update(0)
    for count = 1, 7 do
        local function loop()
            for rows, first, second in view:runs(unpack(names, 1, count)) do
                for i = 0, rows - 1 do sum = sum + first[i].value + (second and second[i].value or 0) end
            end
        end
        for _ = 1, 300 do loop() end
        sum = 0
        loop()
        equal(sum, count > 1 and 30 or 10)
        -- What the values themselves are made of, of which the compiler makes none: the state of the loop would be more.
        collectgarbage()
        collectgarbage("stop")
        local least = math.huge
        for _ = 1, 10 do
            local before = collectgarbage("count")
            loop()
            least = math.min(least, (collectgarbage("count") - before) * 1024)
        end
        collectgarbage("restart")
        check(least <= 40 * count + 200 or not hasSideTraces, count .. " columns leave " .. least .. " bytes")
    end
end)

test("runs of scattered rows tell which lack an optional component", function()
    local _, view = scatteredView()
    local present, absent, row = 0, 0, 0
    for count, transforms, healths in view:runs("TransformCMP", "HealthCMP") do
        check(transforms ~= nil)
        for i = 0, count - 1 do
            row = row + 1
            local isAbsent = view.HealthCMP[row] == revenant.ComponentsView.EMPTY
            equal(healths == nil, isAbsent)
            if healths ~= nil then
                healths[i].points = 7
                equal(view.HealthCMP[row].points, 7)
            end
        end
        if healths ~= nil then present = present + count else absent = absent + count end
    end
    equal(present + absent, view.count)
    check(present > 50 and absent > 50)
end)

-- Code that was compiled for rows side by side took three times as long for scattered ones.
test("a loop that was compiled before its rows scattered is compiled anew", function()
    if not jit.status() then return end
    local world, alive = scene.world(), {}
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local function spawn() return scene.spawn(world, "e", { TransformCMP = { x = 1 } }) end
    for i = 1, 2000 do alive[i] = spawn() end
    world:update(0)
    local calls = 0
    local function add()
        calls = calls + 1
        for count, transforms in view:runs("TransformCMP") do
            for i = 0, count - 1 do transforms[i].x = transforms[i].x + 1 end
        end
    end
    local roots, isRoot = 0, {}
    local function note(what, trace, fn, _, parent)
        if what == "start" then isRoot[trace] = fn == add and not parent end
        if what == "stop" and isRoot[trace] then roots = roots + 1 end
    end
    local function compiled()
        roots = 0
        for _ = 1, 50 do add() end
        return roots
    end
    -- What is around the inner loop may become hot later than it: when depends on addresses.
    local function settles()
        for _ = 1, 20 do
            if compiled() == 0 then return true end
        end
        return false
    end
    jit.attach(note, "trace")
    check(compiled() > 0)
    check(settles())
    for i = 1, 2000, 2 do world:removeEntity(alive[i]) end
    world:update(0)
    check(compiled() > 0)
    check(settles())
    jit.attach(note)
    for i = 1, view.count do equal(view.TransformCMP[i].x, 1 + calls) end
end)
