-- Without LuaJIT's compiler, as on iOS and consoles: the loop over 2 components of doubles by a formula and by whole fields,
-- beside the same loop over plain Lua tables. Columns are there for comparison: an access to an FFI struct is a call for the
-- interpreter.

local revenant = require "revenant"
local bench = require "measure"
local measure, measureTogether, report = bench.measure, bench.measureTogether, bench.report
local dt = 1 / 60

local function fill(world, count)
    world:defineComponent("TransformCMP", { x = 0, y = 0 })
    world:defineComponent("VelocityCMP", { x = 1, y = 2 })
    for _ = 1, count do
        local e = world:newEntity("mover")
        e:addComponent("TransformCMP")
        e:addComponent("VelocityCMP")
        world:addEntity(e)
    end
    world:update(0)
    local need = revenant.ComponentRequirementDesc
    return world:getComponentsView { TransformCMP = need:new(), VelocityCMP = need:new(true, true) }
end

local function byFields(view)
    local xs, ys, speedsX, speedsY = {}, {}, {}, {}
    return function()
        local _, count = view:readField("TransformCMP", "x", xs)
        view:readField("TransformCMP", "y", ys)
        view:readField("VelocityCMP", "x", speedsX)
        view:readField("VelocityCMP", "y", speedsY)
        for i = 1, count do
            xs[i] = xs[i] + speedsX[i] * dt
            ys[i] = ys[i] + speedsY[i] * dt
        end
        view:writeField("TransformCMP", "x", xs)
        view:writeField("TransformCMP", "y", ys)
    end
end

local function byFormula(view)
    local values = { dt = dt }
    return function()
        view:compute("TransformCMP.x = TransformCMP.x + VelocityCMP.x * dt; TransformCMP.y = TransformCMP.y + VelocityCMP.y * dt", values)
    end
end

local function byColumns(view)
    return function()
        local transforms, velocities = view.TransformCMP, view.VelocityCMP
        for i = 1, view.count do
            local t, v = transforms[i], velocities[i]
            t.x = t.x + v.x * dt
            t.y = t.y + v.y * dt
        end
    end
end

local function byTables(count)
    local rows = {}
    for i = 1, count do rows[i] = { body = { x = 0, y = 0 }, speed = { x = 1, y = 2 } } end
    return function()
        for i = 1, count do
            local row = rows[i]
            local t, v = row.body, row.speed
            t.x = t.x + v.x * dt
            t.y = t.y + v.y * dt
        end
    end
end

return function(count)
    local world = revenant.World:new()
    local view = fill(world, count)
    jit.off()
    local tables, fields, formula = measureTogether(40, byTables(count), byFields(view), byFormula(view))
    tables, fields, formula = tables / count, fields / count, formula / count
    local columns = measure(5, byColumns(view)) / count
    jit.on()
    report("without the compiler, 2 components, a formula", count, formula, { ratio = 3 }, tables, "plain tables")
    report("without the compiler, 2 components, whole fields", count, fields, { ratio = 3 }, tables, "plain tables")
    report("without the compiler, 2 components, checked columns", count, columns, {}, tables, "plain tables")
    world:reset()
end
