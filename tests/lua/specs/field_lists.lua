-- Whole fields as arrays, for games without LuaJIT's compiler.

local revenant = require "revenant"
local t, need = revenant.types, revenant.ComponentRequirementDesc

local function stage()
    local world = revenant.World:new()
    world:defineComponent("BodyCMP", { x = t.f32(1), count = t.i32(2), size = t.u8(3), on = t.bool(true), name = t.string("") })
    world:defineComponent("ExtraCMP", { value = 7 })
    for i = 1, 4 do
        local e = world:newEntity("e" .. i)
        e:addComponent("BodyCMP", { x = i })
        if i % 2 == 0 then e:addComponent("ExtraCMP", { value = i * 10 }) end
        world:addEntity(e)
    end
    local view = world:getComponentsView { BodyCMP = need:new(), ExtraCMP = need:new(false) }
    world:reconcile()
    return world, view
end

test("a field is read into an array, in the order of rows", function()
    local _, view = stage()
    local values, count = view:readField("BodyCMP", "x")
    same(values, { 1, 2, 3, 4 })
    equal(count, 4)
    same(view:readField("ExtraCMP", "value"), { false, 20, false, 40 })
    same(view:readField("BodyCMP", "on"), { true, true, true, true })
    local kept = { 9, 9, 9, 9, 9, 9 }
    check(view:readField("BodyCMP", "size", kept) == kept)
    same(kept, { 3, 3, 3, 3 })
end)

test("a field is written from an array, and the write is recorded", function()
    local world, view = stage()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:update(1)
    view:writeField("BodyCMP", "x", { 10, 20, 30, 40 })
    view:writeField("BodyCMP", "count", { -1, 0, 1, 2147483647 })
    view:writeField("BodyCMP", "on", { false, true, false, true })
    view:writeField("ExtraCMP", "value", { nil, 5, nil, 6 })
    same(view:readField("ExtraCMP", "value"), { false, 5, false, 6 })
    world:update(1)
    rewind:seek(1)
    same(view:readField("BodyCMP", "x"), { 1, 2, 3, 4 })
    rewind:seek(2)
    same(view:readField("BodyCMP", "x"), { 10, 20, 30, 40 })
    same(view:readField("BodyCMP", "count"), { -1, 0, 1, 2147483647 })
    same(view:readField("BodyCMP", "on"), { false, true, false, true })
    equal(world:stateHash(), rewind:frameHash(2))
end)

test("all values are written, or none", function()
    local _, view = stage()
    raises(function() view:writeField("BodyCMP", "size", { 1, 2, 256, 4 }) end, "value 3", "BodyCMP.size", "0 to 255", "256")
    raises(function() view:writeField("BodyCMP", "x", { 1, 2 }) end, "value 3", "a number", "nil")
    raises(function() view:writeField("BodyCMP", "on", { true, 1, true, true }) end, "value 2", "true or false")
    raises(function() view:writeField("BodyCMP", "count", { 1, 0 / 0, 1, 1 }) end, "value 2")
    same(view:readField("BodyCMP", "size"), { 3, 3, 3, 3 })
    same(view:readField("BodyCMP", "x"), { 1, 2, 3, 4 })
end)

test("what cannot be a list is refused with its name", function()
    local world, view = stage()
    raises(function() view:readField("BodyCMP", "name") end, "BodyCMP.name", "row by row")
    raises(function() view:readField("BodyCMP", "speed") end, "BodyCMP", "speed")
    raises(function() view:readField("NoneCMP", "x") end, "NoneCMP")
    raises(function() view:readField("BodyCMP", "x", 5) end, "must be a table", "5")
    raises(function() view:writeField("BodyCMP", "x") end, "must be a table", "nil")
    local readOnly = world:getComponentsView { BodyCMP = need:new(true, true) }
    raises(function() readOnly:writeField("BodyCMP", "x", { 1, 2, 3, 4 }) end, "read-only")
    view:release()
    raises(function() view:readField("BodyCMP", "x") end, "released")
end)

-- ---- formulas ------------------------------------------------------------------------------------

test("a formula sets a field of all rows, and the write is recorded", function()
    local world, view = stage()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:update(1)
    view:compute("BodyCMP.x = BodyCMP.x * 2 + BodyCMP.count - (size / 4 - -1)", { size = 8 })
    same(view:readField("BodyCMP", "x"), { 1, 3, 5, 7 })
    world:update(1)
    rewind:seek(1)
    same(view:readField("BodyCMP", "x"), { 1, 2, 3, 4 })
    rewind:seek(2)
    same(view:readField("BodyCMP", "x"), { 1, 3, 5, 7 })
    equal(world:stateHash(), rewind:frameHash(2))
end)

test("statements of a formula follow each other, and rows that lack a component are left as they are", function()
    local _, view = stage()
    view:compute("BodyCMP.x = BodyCMP.x + ExtraCMP.value; ExtraCMP.value = BodyCMP.x * BodyCMP.on\nBodyCMP.x = BodyCMP.x + BodyCMP.size")
    same(view:readField("BodyCMP", "x"), { 4, 25, 6, 47 })
    same(view:readField("ExtraCMP", "value"), { false, 22, false, 44 })
end)

test("a formula gives the bits that the same loop gives", function()
    local world = revenant.World:new()
    world:defineComponent("PointCMP", { x = 0, y = 0, z = 0 })
    for i = 1, 300 do  -- more than a block of rows, and not a multiple of one
        local e = world:newEntity("e")
        e:addComponent("PointCMP", { x = (i * 7919 % 613) / 17 - 11, y = (i * 104729 % 331) / 13 + 0.1 })
        world:addEntity(e)
    end
    local view = world:getComponentsView { PointCMP = need:new() }
    world:reconcile()
    local m = revenant.math
    local both = {
        ["x + y * 3.25e-1 - x / y"] = function(x, y) return x + y * 3.25e-1 - x / y end,
        ["-x * (y - .5) + -(x)"] = function(x, y) return -x * (y - .5) + -(x) end,
        ["min(x, y) + max(x, 2) + abs(x) + floor(x) + ceil(y)"] = function(x, y)
            return math.min(x, y) + math.max(x, 2) + math.abs(x) + math.floor(x) + math.ceil(y)
        end,
        ["sin(x) + cos(y) + tan(x) + atan(y) + atan2(x, y)"] = function(x, y)
            return m.sin(x) + m.cos(y) + m.tan(x) + m.atan(y) + m.atan2(x, y)
        end,
        ["asin(x / 40) + acos(y / 40) + exp(x / 9)"] = function(x, y) return m.asin(x / 40) + m.acos(y / 40) + m.exp(x / 9) end,
        ["sqrt(y) + log(y) + pow(y, x) + mod(x, y)"] = function(x, y) return m.sqrt(y) + m.log(y) + m.pow(y, x) + m.mod(x, y) end,
    }
    for text, loop in pairs(both) do
        view:compute("PointCMP.z = " .. text:gsub("%f[%w_][xy]%f[^%w_]", "PointCMP.%0"))
        local points = view.PointCMP
        for i = 1, view.count do equal(points[i].z, loop(points[i].x, points[i].y), text) end
    end
end)

test("what a formula cannot mean is refused with a sentence, and nothing is written", function()
    local world, view = stage()
    local function refuses(text, values, ...)
        local pieces = { ... }
        raises(function() view:compute(text, values) end, "view:compute", unpack(pieces))
        same(view:readField("BodyCMP", "x"), { 1, 2, 3, 4 })
    end
    refuses("BodyCMP.x = 1; BodyCMP.x = NoneCMP.y", nil, "no column 'NoneCMP'")
    refuses("BodyCMP.x = BodyCMP.weight", nil, "BodyCMP", "no field 'weight'")
    refuses("BodyCMP.x = BodyCMP.name", nil, "'BodyCMP.name' is not a plain number")
    refuses("BodyCMP.count = 1", nil, "'BodyCMP.count' is i32")
    refuses("BodyCMP.x = speed", nil, "'speed' must be a number, not nil")
    refuses("BodyCMP.x = speed", { speed = "1" }, "'speed' must be a number")
    refuses("BodyCMP.x = ", nil, "a value is missing")
    refuses("BodyCMP.x = 1 +", nil, "a value is missing")
    refuses("BodyCMP.x = * 2", nil, "a value is missing before '*'")
    refuses("BodyCMP.x = (1", nil, "expected ')'")
    refuses("BodyCMP.x = hypot(1, 2)", nil, "no function 'hypot'")
    refuses("BodyCMP.x = min(1)", nil, "expected ','")
    refuses("BodyCMP.x = 2 ^ 3", nil, "'^'")
    refuses("BodyCMP.x", nil, "expected '='")
    refuses("x = 1", nil, "begins with the field that it sets")
    refuses("BodyCMP.x = " .. ("("):rep(20) .. "1" .. (")"):rep(20) .. " + " .. ("(1 + "):rep(20) .. "1" .. (")"):rep(20), nil, "too deeply")
    refuses(5, nil, "must be a string")
    refuses("BodyCMP.x = 1", 5, "must be a table")
    local readOnly = world:getComponentsView { BodyCMP = need:new(true, true) }
    raises(function() readOnly:compute("BodyCMP.x = 1") end, "read-only")
    view:release()
    raises(function() view:compute("BodyCMP.x = 1") end, "released")
end)

test("a formula over no rows does nothing, and many formulas are not kept for ever", function()
    local world = revenant.World:new()
    world:defineComponent("BodyCMP", { x = 1 })
    local view = world:getComponentsView { BodyCMP = need:new() }
    view:compute("BodyCMP.x = 2")
    local e = world:newEntity("e")
    e:addComponent("BodyCMP")
    world:addEntity(e)
    world:reconcile()
    for i = 1, 1000 do view:compute("BodyCMP.x = BodyCMP.x + " .. i) end
    equal(view.BodyCMP[1].x, 500501)
    collectgarbage()
    local before = collectgarbage("count")
    for i = 1001, 6000 do view:compute("BodyCMP.x = " .. i) end
    collectgarbage()
    check(collectgarbage("count") - before < 100, "formulas pile up")
end)
