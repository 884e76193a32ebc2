-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"
local t = revenant.types

test("a component gives defaults merged with overrides", function()
    local world = scene.world()
    local e = world:newEntity("e")
    e:addComponent("HealthCMP", { points = 7 })
    local health = e:getComponent("HealthCMP")
    equal(health.points, 7)
    equal(health.isImmortal, false)
    health.points = 8
    health.isImmortal = true
    equal(e:getComponent("HealthCMP").points, 8)
    equal(e:getComponent("HealthCMP").isImmortal, true)
end)

test("entities, strings, 64-bit integers and arrays read and write as the Lua value one expects", function()
    local world = scene.world()
    local a, b = world:newEntity("a"), world:newEntity("b")
    local target = a:addComponent("TargetCMP", { who = b, title = "hero", serial = 2 ^ 40 })
    check(rawequal(target.who, b))
    equal(target.title, "hero")
    equal(target.serial, 2 ^ 40)
    target.who = nil
    equal(target.who, nil)
    target.title = "a\0b"
    equal(target.title, "a\0b")
    target.serial = -3
    equal(target.serial, -3)
    local inventory = a:addComponent("InventoryCMP", { slots = { 1, 2, 3 }, names = { "x" } })
    equal(#inventory.slots, 8)
    equal(inventory.slots[3], 3)
    equal(inventory.slots[4], 0)
    inventory.slots[8] = 12
    equal(a:getComponent("InventoryCMP").slots[8], 12)
    inventory.names[3] = "z"
    equal(inventory.names[1] .. inventory.names[2] .. inventory.names[3], "xz")
    inventory.slots = { 9, 9 }
    equal(inventory.slots[1] + inventory.slots[3], 12)
end)

test("an entity field that points to something destroyed reads as none", function()
    local world = scene.world()
    local a = scene.spawn(world, "a", { TargetCMP = {} })
    local b = scene.spawn(world, "b")
    a:getComponent("TargetCMP").who = b
    world:update(0)
    world:removeEntity(b)
    world:update(0)
    equal(a:getComponent("TargetCMP").who, nil)
end)

test("adding a component twice, unknown names, unknown fields and wrong types are errors that name them", function()
    local world = scene.world()
    local e = world:newEntity("hero")
    e:addComponent("TransformCMP")
    raises(function() e:addComponent("TransformCMP") end, "hero", "TransformCMP", "already")
    raises(function() e:addComponent("NopeCMP") end, "hero", "NopeCMP")
    raises(function() e:addComponent("HealthCMP", { point = 1 }) end, "HealthCMP", "point", "points")
    raises(function() e:addComponent("HealthCMP", { points = "many" }) end, "HealthCMP", "points", "many")
    raises(function() e:addComponent("HealthCMP", { points = 1.5 }) end, "points", "whole")
    raises(function() e:addComponent("HealthCMP", { points = 2 ^ 40 }) end, "points", "between")
    raises(function() e:addComponent("HealthCMP", { isImmortal = 1 }) end, "isImmortal", "boolean")
    raises(function() e:addComponent("HealthCMP", 5) end, "HealthCMP", "table")
    raises(function() e:addComponent("TargetCMP", { who = 5 }) end, "who", "entity")
    raises(function() e:addComponent("TargetCMP", { title = 5 }) end, "title", "string")
    raises(function() e:addComponent("TargetCMP", { serial = 0.5 }) end, "serial", "whole")
    raises(function() e:addComponent("InventoryCMP", { slots = 5 }) end, "slots", "array")
    raises(function() e:addComponent("InventoryCMP", { slots = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } }) end, "slots", "8")
    raises(function() e:addComponent("InventoryCMP", { slots = { 1, "x" } }) end, "slots")
    raises(function() e:addComponent("InventoryCMP", { [1] = 2 }) end, "InventoryCMP")
    check(not e:hasComponent("HealthCMP") and not e:hasComponent("TargetCMP") and not e:hasComponent("InventoryCMP"))
    same(e:getComponentNames(), { "TransformCMP" })
    e:addComponent("HealthCMP")
    equal(e:getComponent("HealthCMP").points, 100)
end)

test("an unknown field is reported at every call of a compiled loop, whatever table it is in", function()
    local world = scene.world()
    local function add(overrides)
        local e = world:newEntity("e")
        e:addComponent("TransformCMP", overrides)
        return e:getComponent("TransformCMP").x
    end
    local kept = { x = 1, y = 2 }
    for i = 1, 600 do
        kept.x = i
        if i == 500 then kept.z = 3 end
        if i == 501 then kept.z = nil end
        if i == 500 then
            raises(function() add(kept) end, "TransformCMP", "z")
        else
            equal(add(kept), i)
        end
    end
    -- Fresh ones, which the compiler might not make at all.
    local wrong = 0
    for i = 1, 600 do
        local ok
        if i % 100 == 0 then ok = pcall(add, { x = i, z = 2 }) else ok = pcall(add, { x = i, y = 2 }) end
        if not ok then wrong = wrong + 1 end
    end
    equal(wrong, 6)
    for _, key in ipairs { 1, 0, 2.5, true, "X" } do
        raises(function() add { x = 1, [key] = 2 } end, "TransformCMP", tostring(key))
    end
end)

test("overrides are the same table with the same fields afterwards, also where the call raises", function()
    local world = scene.world()
    local called = 0
    local watched = { __index = function() called = called + 1 end, __newindex = function() called = called + 1 end }
    local who, slots = world:newEntity("who"), { 1, 2 }
    local function check(name, overrides, isGood)
        local before, order = {}, {}
        for key, value in pairs(overrides) do before[key], order[#order + 1] = value, key end
        setmetatable(overrides, watched)
        equal(pcall(function() world:newEntity("e"):addComponent(name, overrides) end), isGood)
        local after = {}
        for key, value in pairs(overrides) do
            equal(value, before[key])
            after[#after + 1] = key
        end
        same(after, order)
    end
    check("TransformCMP", { x = 1, y = 2 }, true)
    check("TransformCMP", { x = 1, y = 2, z = 3 }, false)
    check("TransformCMP", { x = 1, y = "2" }, false)
    check("TargetCMP", { who = who, title = "t" }, true)
    check("TargetCMP", { who = who, title = "t", other = 1 }, false)
    check("InventoryCMP", { slots = slots }, true)
    check("InventoryCMP", { slots = slots, [3] = 1 }, false)
    check("HealthCMP", {}, true)
    equal(called, 0)
end)

test("definitions that cannot be are errors", function()
    local world = scene.world()
    raises(function() world:defineComponent("TransformCMP", {}) end, "TransformCMP", "already")
    raises(function() world:defineComponent("count", {}) end, "count")
    raises(function() world:defineComponent("entities", {}) end, "entities")
    raises(function() world:defineComponent("", {}) end, "name")
    raises(function() world:defineComponent("A", { x = print }) end, "A", "x")
    raises(function() world:defineComponent("A", { [1] = 2 }) end, "A")
    raises(function() world:defineComponent("A", { x = t.i32("a") }) end, "x")
    raises(function() world:defineComponent("A", { x = t.u8(300) }) end, "x")
    raises(function() world:defineComponent("A", { x = t.array(t.i32(0), 2 ^ 40) }) end)
    raises(function() t.array(t.i32(0), 0) end, "1 to 65536 elements")
    raises(function() t.array(t.array(t.i32(0), 2), 2) end, "one dimension")
    raises(function() t.lerp(t.i32(0)) end, "f32")
    raises(function() t.entity(5) end, "entity")
    check(not world:isComponentDefined("A"))
end)

test("field names may be anything, C's keywords included", function()
    local world = scene.world()
    world:defineComponent("OddCMP", { ["int"] = 1, ["for"] = 2, ["my field"] = 3, ["end"] = t.f32(4), ["ÄÖ"] = true, uint8_t = 5, _ = 6 })
    local e = world:newEntity("odd")
    local odd = e:addComponent("OddCMP", { ["my field"] = 7 })
    equal(odd["int"] + odd["for"] + odd["my field"] + odd["end"] + odd.uint8_t + odd._, 1 + 2 + 7 + 4 + 5 + 6)
    equal(odd["ÄÖ"], true)
    odd["end"] = 9
    equal(odd["end"], 9)
    raises(function() world:defineComponent("BadCMP", { __x = 1 }) end, "__x")
end)

test("a component without fields, and one with many, work", function()
    local world = scene.world()
    world:defineComponent("TagCMP")
    local fields, overrides = {}, {}
    for i = 1, 60 do
        fields["f" .. i] = i
        overrides["f" .. i] = -i
    end
    world:defineComponent("WideCMP", fields)
    local e = world:newEntity("e")
    e:addComponent("TagCMP")
    check(e:hasComponent("TagCMP"))
    raises(function() return e:getComponent("TagCMP").x end, "TagCMP", "x")
    local wide = e:addComponent("WideCMP", overrides)
    for i = 1, 60 do equal(wide["f" .. i], -i) end
    e:removeComponent("WideCMP")
    overrides.f61 = 3
    raises(function() e:addComponent("WideCMP", overrides) end, "f61")
end)

test("every number type keeps what it can hold", function()
    local world = scene.world()
    world:defineComponent("NumbersCMP", { a = t.f32(0.5), b = t.f64(0.1), c = t.i32(-5), d = t.u32(4294967295),
        e = t.i64(-2 ^ 50), f = t.u8(255), g = t.bool(true), h = t.f32, i = t.i64() })
    local n = world:newEntity("n"):addComponent("NumbersCMP")
    equal(n.a, 0.5)
    equal(n.b, 0.1)
    equal(n.c, -5)
    equal(n.d, 4294967295)
    equal(n.e, -2 ^ 50)
    equal(n.f, 255)
    equal(n.g, true)
    equal(n.h, 0)
    n.e = 9223372036854775807LL
    equal(n.e, 9223372036854775807LL)
    raises(function() n.c = 0.5 end, "c", "whole")
    raises(function() n.f = 256 end, "f", "255")
    raises(function() n.g = nil end, "g", "boolean")
    raises(function() n.a = "x" end, "a", "number")
    raises(function() n.z = 1 end, "z", "NumbersCMP")
end)

test("a handle of getComponent says so when the component is gone", function()
    local world = scene.world()
    local e = scene.spawn(world, "holder", { TransformCMP = { x = 1 }, InventoryCMP = {} })
    local handle = e:getComponent("TransformCMP")
    local slots = e:getComponent("InventoryCMP").slots
    world:update(0)
    e:removeComponent("TransformCMP")
    e:removeComponent("InventoryCMP")
    raises(function() return handle.x end, "holder", "TransformCMP")
    raises(function() handle.x = 1 end, "holder", "TransformCMP")
    raises(function() return slots[1] end, "holder", "InventoryCMP")
    raises(function() slots[1] = 2 end, "holder", "InventoryCMP")
    e:addComponent("TransformCMP", { x = 5 })
    equal(handle.x, 5)
    world:removeEntity(e)
    world:update(0)
    raises(function() return handle.x end, "TransformCMP", "gone")
end)

test("array indices are checked", function()
    local world = scene.world()
    local inventory = world:newEntity("e"):addComponent("InventoryCMP")
    for _, index in ipairs { 0, 9, -1, 1.5, 2 ^ 40, 0 / 0, "a", true } do
        raises(function() return inventory.slots[index] end, "slots")
        raises(function() inventory.slots[index] = 1 end, "slots")
    end
    raises(function() return inventory.slots[nil] end, "slots")
end)

test("ipairs goes over the elements of an array, of a handle as of a row", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { InventoryCMP = { slots = { 5, 6 }, names = { "a", "b" } } })
    world:update(0)
    local view = world:getComponentsView(scene.require("InventoryCMP"))
    for _, inventory in ipairs { e:getComponent("InventoryCMP"), view.InventoryCMP[1] } do
        local sum, names = 0, {}
        for i, slot in ipairs(inventory.slots) do sum = sum + i * slot end
        for i, name in ipairs(inventory.names) do names[i] = name end
        equal(sum, 17)
        same(names, { "a", "b", "" })
        check(tostring(inventory.slots):find("'slots' of component 'InventoryCMP'", 1, true), tostring(inventory.slots))
    end
end)

test("an absent component is nil, a name that is not defined raises and says what is meant", function()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    local e = world:newEntity("bare")
    equal(e:getComponent("TransformCMP"), nil)
    equal(e:getComponent("BrainCMP"), nil)
    e:addComponent("TransformCMP")
    e:removeComponent("TransformCMP")
    equal(e:getComponent("TransformCMP"), nil)
    raises(function() e:removeComponent("TransformCMP") end, "bare", "TransformCMP")
    raises(function() e:getComponent("NopeCMP") end, "bare", "NopeCMP", "defineComponent")
    raises(function() e:getComponent("TransfromCMP") end, "'TransfromCMP'", "did you mean 'TransformCMP'?")
    raises(function() e:addComponent("transformCMP") end, "did you mean 'TransformCMP'?")
    raises(function() world:query():with("BrianCMP") end, "did you mean 'BrainCMP'?")
    raises(function() world:definePrefab("p", { components = { HelthCMP = {} } }) end, "did you mean 'HealthCMP'?")
    raises(function() e:getComponent(nil) end, "bare", "string")
    e:destroy()
    raises(function() e:getComponent("TransformCMP") end, "destroyed")
end)

test("pairs goes over the fields of a component, whatever hands it out", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { TargetCMP = { title = "t", serial = 4 }, HealthCMP = { points = 3 } })
    local view = world:getComponentsView { TargetCMP = revenant.ComponentRequirementDesc:new(),
        HealthCMP = revenant.ComponentRequirementDesc:new(true, true) }
    world:update(0)
    local function fields(component)
        local names, values = {}, {}
        for name, value in pairs(component) do names[#names + 1], values[name] = name, value end
        return names, values
    end
    for _, health in ipairs { e:getComponent("HealthCMP"), view.HealthCMP[1], view:display("HealthCMP")[1] } do
        local names, values = fields(health)
        same(names, { "isImmortal", "points" })
        equal(values.points, 3)
        equal(values.isImmortal, false)
    end
    for _, target in ipairs { e:getComponent("TargetCMP"), view.TargetCMP[1] } do
        target.who = e
        local _, values = fields(target)
        equal(values.title, "t")
        equal(values.serial, 4)
        equal(values.who, e)
    end
    same(fields(revenant.ComponentsView.EMPTY), {})
end)

test("a disabled component is absent to views", function()
    local world = scene.world()
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    e:setComponentEnabled("TransformCMP", false)
    check(not e:isComponentEnabled("TransformCMP"))
    equal(view.count, 1)
    world:update(0)
    equal(view.count, 0)
    check(e:hasComponent("TransformCMP"))
    e:setComponentEnabled("TransformCMP", true)
    world:update(0)
    equal(view.count, 1)
end)

test("the schema can be read", function()
    local world = scene.world()
    local fields = world:getSchema("HealthCMP")
    equal(fields[1].name, "isImmortal")
    equal(fields[1].type, "bool")
    equal(fields[2].name, "points")
    equal(fields[2].type, "i32")
    equal(world:getSchema("InventoryCMP")[1].count, 3)
    raises(function() world:getSchema("NopeCMP") end, "NopeCMP")
end)

test("arrays take elements, and no other keys", function()
    local world = scene.world()
    local e = world:newEntity("e")
    raises(function() e:addComponent("InventoryCMP", { slots = { a = 1 } }) end, "InventoryCMP", "slots", "'a'")
    raises(function() e:addComponent("InventoryCMP", { slots = { 1, 2, n = 3 } }) end, "slots", "'n'")
    raises(function() e:addComponent("InventoryCMP", { slots = { 1, [2.5] = 3 } }) end, "slots", "2.5")
    check(not e:hasComponent("InventoryCMP"))
    e:addComponent("InventoryCMP", { slots = { 1, 2 } })
end)

test("a handle is the same each time, and notices when its component has moved or gone", function()
    local world = scene.world()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local e = scene.spawn(world, "e", { TransformCMP = { x = 1 } })
    local other = scene.spawn(world, "other", { TransformCMP = { x = 2 } })
    world:update(0.1)
    local handle = e:getComponent("TransformCMP")
    check(rawequal(handle, e:getComponent("TransformCMP")))
    check(not rawequal(handle, other:getComponent("TransformCMP")))
    equal(handle.x, 1)
    handle.x = 3
    world:update(0.1)
    handle.x = 4
    equal(e:getComponent("TransformCMP").x, 4)
    e:removeComponent("TransformCMP")
    equal(e:getComponent("TransformCMP"), nil)
    raises(function() return handle.x end, "no component 'TransformCMP'")
    raises(function() handle.x = 1 end, "no component 'TransformCMP'")
    e:addComponent("TransformCMP", { x = 5 })
    equal(handle.x, 5)
    world:removeEntity(e)
    world:update(0.1)
    equal(handle.x, 5, "a zombie's components can be read")
    local late = scene.spawn(world, "late", { TransformCMP = { x = 7 } })
    local ofLate = late:getComponent("TransformCMP")
    world:update(0.1)
    equal(ofLate.x, 7)
    rewind:seek(2)
    equal(handle.x, 3)
    raises(function() return ofLate.x end, "TransformCMP", "gone")
    rewind:seek(rewind:getNewestFrame())
    equal(ofLate.x, 7)
    handle.x = 8  -- of a zombie: its components come back to the pools
    equal(handle.x, 8)
    rewind:stop()
    rewind:clear()
    world:update(0.1)
    world:update(0.1)
    raises(function() return handle.x end, "gone")
    raises(function() handle.x = 1 end, "gone")
    for i = 1, 20 do  -- the slot is another's now
        local next = scene.spawn(world, "next", { TransformCMP = { x = i } })
        equal(next:getComponent("TransformCMP").x, i)
    end
    raises(function() return handle.x end, "gone")
    local kept = other:getComponent("TransformCMP")
    world:reset()
    raises(function() return kept.x end, "gone")
end)

test("a default may be a 64-bit integer", function()
    local world = scene.world()
    local t = revenant.types
    world:defineComponent("CountCMP", { signed = t.i64(5LL), plain = t.i64(6), large = t.i64(9007199254740993LL) })
    local count = scene.spawn(world, "e", { CountCMP = {} }):getComponent("CountCMP")
    check(count.signed == 5 and count.plain == 6 and count.large == 9007199254740993LL)
end)
