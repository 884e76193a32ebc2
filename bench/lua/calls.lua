-- Frequent calls of scripts, per call, beside the same in plain Lua where there is such a thing.

local revenant = require "revenant"
local bench = require "measure"
local measure, report = bench.measure, bench.report

local function makeWorld()
    local world = revenant.World:new()
    world:defineComponent("TransformCMP", { x = 0, y = 0 })
    world:defineComponent("VelocityCMP", { x = 0, y = 0 })
    return world
end

-- In random order, as entities that scripts keep are.
local function shuffled(list)
    local result = {}
    for i = 1, #list do result[i] = list[i] end
    for i = #result, 2, -1 do
        local j = math.random(i)
        result[i], result[j] = result[j], result[i]
    end
    return result
end

local function access(count)
    local world, made = makeWorld(), {}
    for i = 1, count do
        made[i] = world:newEntity("e")
        made[i]:addComponent("TransformCMP", { x = i })
        world:addEntity(made[i])
    end
    world:update(0)
    local entities, handles, plain, sum = shuffled(made), {}, {}, 0
    for i = 1, count do handles[i], plain[i] = entities[i]:getComponent("TransformCMP"), { x = i, y = 0 } end
    local function read()
        for i = 1, count do sum = sum + entities[i]:getComponent("TransformCMP").x end
    end
    local function write()
        for i = 1, count do entities[i]:getComponent("TransformCMP").x = i end
    end
    local kept = handles[1]
    local readPlain = measure(30, function()
        for i = 1, count do sum = sum + plain[i].x end
    end) / count
    local writePlain = measure(30, function()
        for i = 1, count do plain[i].x = i end
    end) / count
    report('e:getComponent("X").x, entities in random order', count, measure(30, read) / count, { ns = 20 }, readPlain, "plain table")
    report('e:getComponent("X").x = value, the same', count, measure(30, write) / count, { ns = 20 }, writePlain, "plain table")
    report("garbage of these reads, bytes", count, bench.garbage(read) / count, { ns = 0.01 })
    report("garbage of these writes, bytes", count, bench.garbage(write) / count, { ns = 0.01 })
    report("a kept handle, read", count, measure(30, function()
        for _ = 1, count do sum = sum + kept.x end
    end) / count, { ns = 5 })
    report("kept handles in random order, read", count, measure(30, function()
        for i = 1, count do sum = sum + handles[i].x end
    end) / count)
    local last
    local function spawnAndRemove()
        if last then world:removeEntity(last) end
        last = world:newEntity("e")
        last:addComponent("TransformCMP", { x = 1 })
        world:addEntity(last)
        world:update(0)
    end
    report('e:getComponent("X").x, random order, one spawned and one removed in each tick', count,
        measure(30, read, spawnAndRemove) / count, nil, readPlain, "plain table")
    report('e:getComponent("X").x = value, the same with spawns and removals', count, measure(30, write, spawnAndRemove) / count, nil,
        writePlain, "plain table")
    world:reset()
end

local function events(count)
    local world, heard = makeWorld(), 0
    local function listener() heard = heard + 1 end
    local ten = {}
    for i = 1, 10 do ten[i] = function() heard = heard + 1 end end
    for _, event in ipairs { "none", "one", "ten" } do world:defineEvent(event) end
    world:on("one", listener)
    for i = 1, 10 do world:on("ten", ten[i]) end
    local byHand = { none = {}, one = { listener }, ten = ten }
    local payload = { x = 1, y = 2, kind = "hit" }
    local function emit(event, detail)
        return measure(20, function()
            for _ = 1, count do world:emit(event, detail) end
        end) / count
    end
    local function call(event, detail)
        local all = byHand
        return measure(20, function()
            for _ = 1, count do
                local listeners = all[event]
                for i = 1, #listeners do listeners[i](detail) end
            end
        end) / count
    end
    report("emit without listeners", count, emit("none"), { ns = 20 }, call("none"), "plain Lua")
    report("emit to one listener", count, emit("one"), { ns = 60 }, call("one"), "plain Lua")
    report("emit to ten listeners", count, emit("ten"), { ns = 200 }, call("ten"), "plain Lua")
    report("emit with a small table", count, emit("one", payload), { ns = 250 }, call("one", payload), "plain Lua")
    world:reset()
end

local function queries(count)
    local world = makeWorld()
    local entities = {}
    for i = 1, count do
        entities[i] = world:newEntity("e")
        entities[i]:addComponent("TransformCMP", { x = math.random() })
        world:addEntity(entities[i])
    end
    world:update(0)
    local function isRight(e) return e:getComponent("TransformCMP").x > 0.5 end
    local function keyOf(e) return e:getComponent("TransformCMP").x end
    local scan = measure(10, function()
        local found = {}
        for i = 1, count do
            if isRight(entities[i]) then found[#found + 1] = entities[i] end
        end
    end)
    report("query:where(..):limit(10), the whole call", count, measure(20, function()
        world:query():with("TransformCMP"):where(isRight):limit(10):entities()
    end), { ratio = 1 }, scan, "scan by hand")
    report("query:first(), the whole call", count, measure(20, function() world:query():with("TransformCMP"):first() end),
        { ratio = 1 }, scan, "scan by hand")
    local sort = measure(5, function()
        local keys, list = {}, {}
        for i = 1, count do list[i], keys[entities[i]] = entities[i], keyOf(entities[i]) end
        table.sort(list, function(a, b) return keys[a] < keys[b] end)
    end)
    report("query:orderBy(..), the whole call", count, measure(5, function()
        world:query():with("TransformCMP"):orderBy(keyOf):entities()
    end), { ns = 5e6 }, sort, "table.sort")
    report("query:orderBy(..):limit(10), the whole call", count, measure(5, function()
        world:query():with("TransformCMP"):orderBy(keyOf):limit(10):entities()
    end), { ns = 5e6 }, sort, "table.sort")
    world:reset()
end

local function lives(count)
    local world, spawned = makeWorld(), {}
    local mover = world:definePrefab("mover", { components = { TransformCMP = { x = 1 }, VelocityCMP = { x = 1 } } })
    local function clear()
        for i = 1, #spawned do world:removeEntity(spawned[i]) end
        spawned = {}
        world:update(0)
        collectgarbage()
    end
    -- The same data as plain tables, which nothing lists, finds or orders.
    local plain = measure(10, function()
        local list = {}
        for i = 1, count do
            list[i] = { name = "mover", TransformCMP = { x = i, y = 2 }, VelocityCMP = { x = 1, y = 2 } }
        end
    end, collectgarbage) / count
    local function spawnByHand()
        for i = 1, count do
            local e = world:newEntity("mover")
            e:addComponent("TransformCMP", { x = i, y = 2 })
            e:addComponent("VelocityCMP", { x = 1, y = 2 })
            world:addEntity(e)
            spawned[i] = e
        end
    end
    local function spawnByPrefab()
        for i = 1, count do spawned[i] = mover:spawn() end
    end
    -- Marked with their reconcile: this one, and that of spawning by hand in bench.lua.
    report("spawn with 2 components, the calls", count, measure(10, spawnByHand, clear) / count, nil, plain, "plain tables")
    report("spawn by prefab, the call", count, measure(10, spawnByPrefab, clear) / count, nil, plain, "plain tables")
    report("spawn by prefab, reconcile included", count, measure(10, function()
        spawnByPrefab()
        world:update(0)
    end, clear) / count, { ns = 150 }, plain, "plain tables")
    report("remove, up to destroyed", count, measure(10, function()
        for i = 1, count do world:removeEntity(spawned[i]) end
        spawned = {}
        world:update(0)
    end, function()
        clear()
        for i = 1, count do spawned[i] = mover:spawn() end
        world:update(0)
    end) / count, { ns = 60 })
    report("remove in random order, up to destroyed", count, measure(10, function()
        for i = 1, count do world:removeEntity(spawned[i]) end
        spawned = {}
        world:update(0)
    end, function()
        clear()
        spawnByPrefab()
        spawned = shuffled(spawned)
        world:update(0)
    end) / count)
    clear()
    world:reset()
end

local function scattered(count)
    local world, alive = makeWorld(), {}
    local Desc = revenant.ComponentRequirementDesc
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true) }
    local mover = world:definePrefab("mover", { components = { TransformCMP = { x = 1 }, VelocityCMP = { x = 1 } } })
    local kept, keptVelocities = view.TransformCMP, view.VelocityCMP
    local function fetched()
        local transforms, velocities = view.TransformCMP, view.VelocityCMP
        for i = 1, view.count do
            local t, v = transforms[i], velocities[i]
            t.x, t.y = t.x + v.x * 0.1, t.y + v.y * 0.1
        end
    end
    local function upvalues()
        for i = 1, view.count do
            local t, v = kept[i], keptVelocities[i]
            t.x, t.y = t.x + v.x * 0.1, t.y + v.y * 0.1
        end
    end
    local function runs()
        for length, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
            for i = 0, length - 1 do
                local t, v = transforms[i], velocities[i]
                t.x, t.y = t.x + v.x * 0.1, t.y + v.y * 0.1
            end
        end
    end
    for i = 1, count do alive[i] = mover:spawn() end
    world:update(0)
    for _ = 1, 200 do
        for _ = 1, count / 100 do
            local i = math.random(count)
            world:removeEntity(alive[i])
            alive[i] = mover:spawn()
        end
        world:update(0)
        runs()  -- compiled while rows lie side by side, as in a game
    end
    local fetchedTime, upvaluesTime, runsTime = bench.measureTogether(120, fetched, upvalues, runs)
    report("columns kept as upvalues, per row", count, upvaluesTime / count, { ratio = 1.05 }, fetchedTime / count, "fetched in the tick")
    report("runs after churn, per row", count, runsTime / count, { ratio = 1 }, fetchedTime / count, "columns")
    world:reset()
end

-- The cost of beginning a loop, over so few rows that little else is left.
local function begun(count)
    local world = makeWorld()
    local Desc = revenant.ComponentRequirementDesc
    local view = world:getComponentsView { TransformCMP = Desc:new(), VelocityCMP = Desc:new(true, true) }
    local mover = world:definePrefab("mover", { components = { TransformCMP = { x = 1 }, VelocityCMP = { x = 1 } } })
    for _ = 1, count do mover:spawn() end
    world:update(0)
    local loops = 1000
    local function columns()
        for _ = 1, loops do
            local transforms, velocities = view.TransformCMP, view.VelocityCMP
            for i = 1, view.count do transforms[i].x = transforms[i].x + velocities[i].x end
        end
    end
    local function runs()
        for _ = 1, loops do
            for length, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
                for i = 0, length - 1 do transforms[i].x = transforms[i].x + velocities[i].x end
            end
        end
    end
    local columnsTime, runsTime = bench.measureTogether(120, columns, runs)
    report("a loop over runs of few rows, the whole loop", count, runsTime / loops, nil, columnsTime / loops, "columns")
    world:reset()
end

return function(count)
    access(count)
    events(count)
    queries(count)
    lives(count)
    scattered(count)
    begun(10)
end
