-- The cost of recording script components, per component and tick, beside a deep copy of the same tables by hand, which
-- makes garbage and neither compares nor hashes.

local revenant = require "revenant"
local bench = require "measure"

local function copy(value)
    local made = {}
    for key, each in pairs(value) do made[key] = type(each) == "table" and copy(each) or each end
    return made
end

local function eight(i) return { x = i, y = 2, vx = 3, vy = 4, angle = 5, health = 6, age = 7, mass = 8 } end
local function nested(i)
    local made = eight(i)
    made.target = { x = 1, y = 2, w = 3, h = 4 }
    return made
end
local function changeEight(t)
    t.x, t.y, t.vx, t.vy = t.x + 1, t.y + 0.5, t.vx + 1, t.vy - 1
    t.angle, t.health, t.age, t.mass = t.angle + 0.1, t.health - 1, t.age + 1, t.mass + 1
end
local function changeNested(t)
    changeEight(t)
    local target = t.target
    target.x, target.y, target.w, target.h = target.x + 1, target.y + 1, target.w + 1, target.h + 1
end

local function class(get)
    local made = { getRewindState = get, restoreRewindState = get and function() end }
    made.__index = made
    return made
end
local function mixed(i)
    local made = eight(i)
    made.state, made.name, made.isAwake = "walk", "walker " .. i, true
    return made
end

local Plain = class()
local Named = class(function(self) return { x = self.x, y = self.y, vx = self.vx, vy = self.vy, angle = self.angle } end)
local Array = class(function(self) return { self.x, self.y, self.vx, self.vy, self.angle } end)
local Nothing = class(function() end)

-- `mark`: without it, the worst tick is reported. Ours is the median of the ticks, as that of the copy is.
local function record(work, count, of, mark)
    local world, tables = revenant.World:new(), {}
    world:defineScriptComponent("ThingCMP", of.class, { rewind = of.rewind })
    for i = 1, count do
        tables[i] = of.make(i)
        local entity = world:newEntity("thing")
        entity:addComponent("ThingCMP", tables[i])
        world:addEntity(entity)
    end
    world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 1 }))
    local function change()
        if of.change then
            for i = 1, count do of.change(tables[i]) end
        end
    end
    local function tick() world:update(1 / 60) end
    for _ = 1, 10 do
        change()
        tick()
    end
    local ours, ourWorst = bench.spread(61, tick, change)
    local kept = {}  -- a second of it, as the history has
    local byHand, worstByHand = bench.spread(121, function(frame)
        local frameKept = {}
        for i = 1, count do frameKept[i] = copy(tables[i]) end
        kept[frame % 60] = frameKept
    end, change)
    if mark then
        bench.report("record " .. work .. ", per component and tick", count, ours / count, mark, byHand / count, "copy by hand")
    else
        bench.report("record " .. work .. ", worst tick, per component", count, ourWorst / count, { ratio = 1 },
            worstByHand / count, "worst copy by hand")
    end
    world:reset()
    -- Compiled code keeps what its closures refer to: 40 MB that every later collection, in rows of other work, would go through.
    for _, list in ipairs { kept, tables } do
        for key in pairs(list) do list[key] = nil end
    end
end

-- What 1000 components of which the history knows nothing add to the tick of a world: nothing, to half a nanosecond each.
local function ignore(count)
    local function worldOf(each)
        local world, tables = revenant.World:new(), {}
        world:defineScriptComponent("ThingCMP", Plain, { rewind = false })
        world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 1 }))
        for i = 1, each do
            tables[i] = eight(i)
            local entity = world:newEntity("thing")
            entity:addComponent("ThingCMP", tables[i])
            world:addEntity(entity)
        end
        local function tick()
            for _ = 1, 20 do world:update(1 / 60) end
        end
        tick()
        return world, tick
    end
    local many, tickMany = worldOf(count)
    local one, tickOne = worldOf(1)
    local manyTime, oneTime = bench.measureTogether(200, tickMany, tickOne)
    bench.report("record rewind = false, per component and tick", count, math.max(0, manyTime - oneTime) / 20 / count, { ns = 0.5 })
    many:reset()
    one:reset()
end

return function()
    ignore(1000)
    for _, each in ipairs {
        { "8 numbers, unchanged", { class = Plain, make = eight }, 250 },
        { "8 numbers, all changed", { class = Plain, make = eight, change = changeEight }, 500 },
        { "8 numbers + a table of 4, unchanged", { class = Plain, make = nested }, 500 },
        { "8 numbers + a table of 4, all changed", { class = Plain, make = nested, change = changeNested }, 1000 },
        { "8 numbers, 2 strings and a boolean, numbers changed", { class = Plain, make = mixed, change = changeEight } },
        { "a hook that returns 5 named numbers", { class = Named, make = eight, change = changeEight }, 600 },
        { "a hook that returns an array of 5", { class = Array, make = eight, change = changeEight }, 600 },
        { "a hook that returns nil", { class = Nothing, make = eight, change = changeEight }, 600 },
    } do
        record(each[1], 1000, each[2], { ns = each[3], ratio = 3, both = true })
        collectgarbage()
    end
    record("8 numbers, all changed", 10000, { class = Plain, make = eight, change = changeEight })
    collectgarbage()
end
