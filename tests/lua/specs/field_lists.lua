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
