-- The Lua figures, each beside its baseline in the same run.
--
--     luajit bench/lua/bench.lua [build/release] [saves]
--
-- The work is pos += vel * dt over 2 components of doubles. Each figure is the best of several
-- rounds, as those of C++ are; marks are nanoseconds, those of iteration ratios to the C loop, too.
-- What scripts call all the time is in calls.lua, what recording their tables costs in captures.lua,
-- what a game without the compiler does in interpreted.lua.

local build = arg[1] or "build/release"
package.cpath = build .. "/?.so;" .. package.cpath
package.path = (arg[0]:match("^(.*)/[^/]*$") or ".") .. "/?.lua;" .. package.path
local revenant = require "revenant"
local bench = require "measure"
local measure, report = bench.measure, bench.report
local ffi = require "ffi"
local World, ComponentRequirementDesc, EMPTY = revenant.World, revenant.ComponentRequirementDesc, revenant.ComponentsView.EMPTY

ffi.cdef [[
typedef struct { double x, y; } Pair;
void baselineMove(Pair *positions, const Pair *velocities, size_t count, double dt);
void baselineOptional(Pair *positions, const Pair *velocities, const double **boosts, size_t count, double dt);
]]
local baseline = ffi.load(build .. "/bench/revenant_lua_baseline.so")

local dt = 1 / 60

local function defineAll(world)
    world:defineComponent("TransformCMP", { x = 0, y = 0 })
    world:defineComponent("VelocityCMP", { x = 0, y = 0 })
    world:defineComponent("BoostCMP", { amount = 0 })
end

local function fill(world, count, withBoost)
    local random = math.random
    for i = 1, count do
        local e = world:newEntity("mover")
        e:addComponent("TransformCMP", { x = i, y = 0 })
        e:addComponent("VelocityCMP", { x = 1, y = 2 })
        if withBoost and random() < 0.5 then e:addComponent("BoostCMP", { amount = 1 }) end
        world:addEntity(e)
    end
    world:update(0)
end

local mustHave, readOnly = ComponentRequirementDesc:new(), ComponentRequirementDesc:new(true, true)
local optional = ComponentRequirementDesc:new(false, true)

local function moveColumns(view, transforms, velocities)
    for i = 1, view.count do
        local t, v = transforms[i], velocities[i]
        t.x = t.x + v.x * dt
        t.y = t.y + v.y * dt
    end
end

local function moveRuns(view)
    for count, transforms, velocities in view:runs("TransformCMP", "VelocityCMP") do
        for i = 0, count - 1 do
            local t, v = transforms[i], velocities[i]
            t.x = t.x + v.x * dt
            t.y = t.y + v.y * dt
        end
    end
end

local function moveOptional(view, transforms, velocities, boosts)
    local EMPTY = EMPTY
    for i = 1, view.count do
        local t, v, b = transforms[i], velocities[i], boosts[i]
        local extra = 0
        if b ~= EMPTY then extra = b.amount end
        t.x = t.x + v.x * dt + extra
        t.y = t.y + v.y * dt
    end
end

local function iterate(count, rounds)
    local world = World:new()
    defineAll(world)
    fill(world, count)
    local view = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = readOnly }
    local transforms, velocities = view.TransformCMP, view.VelocityCMP
    local c = measure(rounds, function()  -- over the very same bytes
        for length, positions, speeds in view:contiguousRuns("TransformCMP", "VelocityCMP") do
            baseline.baselineMove(ffi.cast("Pair *", positions), ffi.cast("Pair *", speeds), length, dt)
        end
    end) / count
    local columns = measure(rounds, function() moveColumns(view, transforms, velocities) end) / count
    report("2 components, checked columns", count, columns, { ratio = 2.7, ns = 1.8 }, c)
    local runs = measure(rounds, function() moveRuns(view) end) / count
    report("2 components, runs", count, runs, { ratio = 1.45, ns = 0.95 }, c)
    world:reset()  -- worlds live as long as the state: what is in them would slow the collector down
end

local function iterateOptional(count, rounds, mark)
    local world = World:new()
    defineAll(world)
    fill(world, count, true)
    local view = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = readOnly, BoostCMP = optional }
    local transforms, velocities, boosts = view.TransformCMP, view.VelocityCMP, view.BoostCMP
    local positions, speeds = ffi.new("Pair[?]", count), ffi.new("Pair[?]", count)
    local amounts, pointers = ffi.new("double[?]", count), ffi.new("const double *[?]", count)
    for i = 0, count - 1 do
        if boosts[i + 1] ~= EMPTY then pointers[i] = amounts + i end
    end
    local c = measure(rounds, function() baseline.baselineOptional(positions, speeds, pointers, count, dt) end) / count
    local columns = measure(rounds, function() moveOptional(view, transforms, velocities, boosts) end) / count
    report("+ optional on a random half, checked columns", count, columns, { ns = mark }, c)
    world:reset()
end

local function spawn(count, rounds)
    local world = World:new()
    defineAll(world)
    local view = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = mustHave }
    local spawned = {}
    local function clear()
        for i = 1, #spawned do world:removeEntity(spawned[i]) end
        spawned = {}
        world:update(0)
        collectgarbage()
    end
    local one = measure(rounds, function()
        for i = 1, count do
            local e = world:newEntity("mover")
            e:addComponent("TransformCMP", { x = i, y = 2 })
            e:addComponent("VelocityCMP", { x = 1, y = 2 })
            world:addEntity(e)
            spawned[i] = e
        end
        world:update(0)
    end, clear) / count
    assert(view.count == count)
    report("spawn with 2 components, reconcile included", count, one, { ns = 250 })
    clear()

    local mover = world:definePrefab("mover", { components = { TransformCMP = { x = 1 }, VelocityCMP = { x = 1 } } })
    local byPrefab = measure(rounds, function()
        for i = 1, count do spawned[i] = mover:spawn { TransformCMP = { x = i } } end
        world:update(0)
    end, clear) / count
    assert(view.count == count)
    report("spawn by prefab with an override, reconcile included", count, byPrefab, { ns = 250 })
    clear()
    local list
    local function clearBulk()
        for i = 1, list and #list or 0 do world:removeEntity(list[i]) end
        list = nil
        world:update(0)
        collectgarbage()
    end
    local bulk = measure(rounds, function()
        list = world:spawnMany("mover", count)
        world:update(0)
    end, clearBulk) / count
    assert(view.count == count)
    report("spawn by prefab in bulk, reconcile included", count, bulk, { ns = 150 })
    clearBulk()
    world:reset()
end

local function addByHand(world)
    return function()
        local e = world:newEntity("mover")
        e:addComponent("TransformCMP", { x = 1, y = 2 })
        e:addComponent("VelocityCMP", { x = 1, y = 2 })
        world:addEntity(e)
        return e
    end
end

local function addByPrefab(world)
    local mover = world:definePrefab("mover",
        { components = { TransformCMP = { x = 1, y = 2 }, VelocityCMP = { x = 1, y = 2 } } })
    return function() return mover:spawn() end
end

local function churn(count, frames, makeAdd, how)
    local world = World:new()
    defineAll(world)
    local view = world:getComponentsView { TransformCMP = mustHave, VelocityCMP = mustHave }
    local add = makeAdd(world)
    local alive = {}
    for i = 1, count do alive[i] = add() end
    world:update(0)
    local each = count / 100
    local random = math.random
    local function frame()
        for k = 1, each do
            local i = random(k, count)  -- none twice
            alive[k], alive[i] = alive[i], alive[k]
            world:removeEntity(alive[k])
        end
        for k = 1, each do alive[k] = add() end
        world:update(0)
    end
    for _ = 1, 20 do frame() end
    -- All in one: several collections are part of it, and none is left out.
    local nanoseconds = measure(1, function()
        for _ = 1, frames do frame() end
    end) / (frames * each * 2)
    assert(view.count == count)
    report("churn of 1 % + 1 %, per change, order kept, " .. how, count, nanoseconds, { ns = 800 })
    world:reset()
end

local calls, captures, interpreted = require "calls", require "captures", require "interpreted"

-- One entity with two components, to plain data and back.
local function serialize(count, rounds)
    local world = World:new()
    defineAll(world)
    local e = world:newEntity("mover")
    e:addComponent("TransformCMP", { x = 1, y = 2 })
    e:addComponent("VelocityCMP", { x = 3, y = 4 })
    local data = e:serialize()
    local kept = {}
    report("serialize an entity with 2 components", count, measure(rounds, function()
        for i = 1, count do kept[i] = e:serialize() end
    end) / count, { ns = 5000 })
    report("deserialize it", count, measure(rounds, function()
        for i = 1, count do kept[i] = world:deserialize(data) end
    end, function()
        kept = {}
        collectgarbage()
        world:update(0)
    end) / count, { ns = 5000 })
end

local function round()
    bench.clock = bench.wall
    iterate(10000, 401)
    iterate(100000, 101)
    iterateOptional(10000, 401, 6)
    iterateOptional(100000, 101, 11)
    bench.clock = bench.processor
    spawn(10000, 15)
    for _, count in ipairs { 10000, 100000 } do
        local frames = count == 10000 and 300 or 120
        churn(count, frames, addByPrefab, "spawned by prefab")
        churn(count, frames, addByHand, "with tables of overrides")
    end
    calls(10000)
    captures()
    interpreted(10000)
end

local function saves()
    bench.clock = bench.processor
    serialize(10000, 5)
end

math.randomseed(1)
for _ = 1, 6 do
    (arg[2] == "saves" and saves or round)()
    collectgarbage()
end
os.exit(bench.print() == 0)
