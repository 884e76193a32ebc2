-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"
local t = revenant.types

local function armed()
    local world = scene.world()
    world:defineScriptComponent("BrainCMP")
    world:definePrefab("enemy", {
        components = { TransformCMP = { x = 3 }, HealthCMP = { points = 5 } },
        children = {
            { name = "gun", components = { TransformCMP = { y = 1 } }, enabled = false },
            { name = "hat", components = { TransformCMP = true }, children = { { name = "feather" } } },
        },
    })
    return world
end

test("an instance is the tree of its template", function()
    local world = armed()
    local enemy = world:spawn("enemy")
    equal(enemy:getName(), "enemy")
    equal(enemy:getState(), "pendingAdd")
    world:update(0)
    equal(enemy:getComponent("TransformCMP").x, 3)
    equal(enemy:getComponent("HealthCMP").points, 5)
    same(scene.names(enemy:getChildren()), { "gun", "hat" })
    check(not enemy:getChildren()[1]:isEnabled())
    equal(enemy:getChildren()[2]:getChildren()[1]:getName(), "feather")
    same(scene.names(world:getAllManagedEntities()), { "enemy", "gun", "hat", "feather" })
end)

test("overrides change components of the root and of children, and instances are independent", function()
    local world = armed()
    local a = world:spawn("enemy", { TransformCMP = { x = 7 }, TargetCMP = { title = "boss" },
        children = { gun = { TransformCMP = { x = 9 } } } })
    local b = world:spawn("enemy")
    equal(a:getComponent("TransformCMP").x, 7)
    equal(a:getComponent("TargetCMP").title, "boss")
    equal(a:getChildren()[1]:getComponent("TransformCMP").x, 9)
    equal(a:getChildren()[1]:getComponent("TransformCMP").y, 1)
    equal(b:getComponent("TransformCMP").x, 3)
    a:getComponent("HealthCMP").points = 1
    equal(b:getComponent("HealthCMP").points, 5)
end)

test("an override leaves the prefab's other fields alone, and may bring components along", function()
    local world = armed()
    world:defineComponent("PathCMP", { points = t.array(t.i32(2), 3), label = "up", speed = 4 })
    local walker = world:definePrefab("walker", { components = { PathCMP = { speed = 6 }, TransformCMP = { x = 1 } } })
    for i = 1, 100 do
        local path = walker:spawn({ PathCMP = { label = "n" .. i, points = { i } } }):getComponent("PathCMP")
        same({ path.label, path.speed, path.points[1], path.points[2] }, { "n" .. i, 6, i, 2 })
    end
    local mixed = walker:spawn({ PathCMP = { speed = 7 }, HealthCMP = { points = 2 } })
    equal(mixed:getComponent("PathCMP").speed, 7)
    equal(mixed:getComponent("HealthCMP").points, 2)
    equal(walker:spawn({}):getComponent("PathCMP").label, "up")
    raises(function() walker:spawn({ PathCMP = { sped = 1 } }) end, "spawn: component 'PathCMP' has no field 'sped'")
    raises(function() walker:spawn({ PathCMP = { speed = 1 }, TransformCMP = { x = true } }) end, "TransformCMP", "x")
end)

test("many are made in one call", function()
    local world = armed()
    local horde = world:spawnMany("enemy", 100)
    equal(#horde, 100)
    world:update(0)
    equal(world:getStats().managed, 400)
    equal(horde[100]:getComponent("HealthCMP").points, 5)
    check(rawequal(horde[5], horde[5]))
    check(rawequal(horde[1], world:getAllManagedEntities()[1]))
    raises(function() return horde[101] end, "100")
    raises(function() return horde[0] end, "100")
    raises(function() horde[1] = 5 end, "read-only")
    local placed = world:spawnMany("enemy", 3, function(i) return { TransformCMP = { x = i } } end)
    equal(placed[3]:getComponent("TransformCMP").x, 3)
    equal(#world:spawnMany("enemy", 0), 0)
    for _, count in ipairs { -1, 1.5, 0 / 0, 1e300, "x" } do
        raises(function() world:spawnMany("enemy", count) end, "instances")
    end
end)

test("script components in prefabs are copied", function()
    local world = armed()
    world:definePrefab("thinker", { components = { BrainCMP = { plan = { "walk" } } } })
    local a, b = world:spawn("thinker"), world:spawn("thinker", { BrainCMP = { mood = "bad" } })
    a:getComponent("BrainCMP").plan[1] = "run"
    equal(b:getComponent("BrainCMP").plan[1], "walk")
    equal(b:getComponent("BrainCMP").mood, "bad")
    local many = world:spawnMany("thinker", 3)
    check(many[1]:getComponent("BrainCMP") ~= many[2]:getComponent("BrainCMP"))
end)

test("a prefab may be laid over another, and be a child", function()
    local world = armed()
    local boss = world:definePrefab("boss", { prefab = "enemy", components = { HealthCMP = { points = 50 } },
        children = { { prefab = "enemy", name = "minion" } } })
    equal(boss:getName(), "boss")
    local e = boss:spawn()
    equal(e:getName(), "boss")
    equal(e:getComponent("HealthCMP").points, 50)
    equal(e:getComponent("TransformCMP").x, 3)
    same(scene.names(e:getChildren()), { "gun", "hat", "minion" })
    equal(world:getPrefab("boss"), boss)
    equal(world:getPrefab("nobody"), nil)
    local detached = boss:instantiate()
    equal(detached:getState(), "detached")
end)

test("errors name prefab, component and field, and leave nothing behind", function()
    local world = armed()
    raises(function() world:definePrefab("enemy", {}) end, "enemy", "already")
    raises(function() world:definePrefab("bad", { components = { NopeCMP = {} } }) end, "bad", "NopeCMP")
    raises(function() world:definePrefab("bad", { components = { HealthCMP = { points = "x" } } }) end, "bad",
        "components.HealthCMP", "points")
    raises(function() world:definePrefab("bad", { components = { HealthCMP = { pts = 1 } } }) end, "pts")
    raises(function() world:definePrefab("bad", { colour = "red" }) end, "colour")
    raises(function() world:definePrefab("bad", { children = { { name = 5 } } }) end, "children[1].name")
    raises(function() world:definePrefab("bad", { prefab = "nobody" }) end, "nobody")
    raises(function() world:definePrefab("bad") end, "table")
    local circle = {}
    circle.children = { circle }
    raises(function() world:definePrefab("bad", circle) end, "circle")
    local before = world:getStats().detached
    raises(function() world:spawn("enemy", { HealthCMP = { points = "x" } }) end, "points")
    raises(function() world:spawn("enemy", { NopeCMP = {} }) end, "NopeCMP")
    raises(function() world:spawn("enemy", { children = { sword = {} } }) end, "sword")
    raises(function() world:spawn("enemy", { children = 5 }) end, "children must be a table", "5")
    raises(function() world:spawn("enemy", { HealthCMP = 5 }) end, "HealthCMP", "must be a table", "5")
    raises(function() world:spawn("enemy", 5) end, "table")
    raises(function() world:spawnMany("enemy", 3, "big") end, "overrides must be a table, or a function", "big")
    raises(function() world:spawn("nobody") end, "nobody")
    raises(function() world:spawn(nil) end, "prefab")
    equal(world:getStats().detached, before)
    raises(function() scene.world():spawn(world:getPrefab("enemy")) end, "another world")
end)

test("an instance has its components as if they had been added one by one, up to as many as fit", function()
    local world = scene.world()
    local components = {}
    for i = 1, 65 do
        world:defineComponent("Part" .. i .. "CMP", { value = i, twice = 0 })
        components["Part" .. i .. "CMP"] = { twice = 2 * i }
    end
    raises(function() world:definePrefab("heap", { components = components }) end, "heap", "components", "65", "64")
    components.Part65CMP = nil
    local prefab = world:definePrefab("heap", { components = components })
    for _ = 1, 3 do
        local e = prefab:spawn()
        for i = 1, 64 do
            local part = e:getComponent("Part" .. i .. "CMP")
            equal(part.value, i)
            equal(part.twice, 2 * i)
        end
        raises(function() e:addComponent("Part65CMP") end, "64")
        e:removeComponent("Part7CMP")
        e:addComponent("Part65CMP", { value = 1 })
        equal(e:getComponent("Part7CMP"), nil)
        equal(e:getComponent("Part8CMP").value + e:getComponent("Part65CMP").value, 9)
    end
    world:update(0)
    equal(world:query():with("Part8CMP"):count(), 3)
    equal(world:query():with("Part7CMP"):count(), 0)
end)

test("a prefab spawned while the past is shown is refused, and leaves nothing behind", function()
    local world = armed()
    world:definePrefab("bare", {})
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    for _ = 1, 3 do world:update(0.1) end
    rewind:seek(1)
    for _, name in ipairs { "enemy", "bare" } do
        raises(function() world:spawn(name) end, "past", "'" .. name .. "'", "rewindable = false")
        raises(function() world:spawnMany(name, 3) end, "past", "'" .. name .. "'")
        raises(function() world:getPrefab(name):instantiate() end, "past", "'" .. name .. "'")
        equal(world:getStats().detached, 0)
        equal(#world:getAllManagedEntities(), 0)
    end
    rewind:stop()
    world:spawn("enemy")
    world:update(0.1)
    equal(#world:getAllManagedEntities(), 4)
end)

test("a prefab that is not rewindable can be spawned while the past is shown, and lives on", function()
    local world = scene.world()
    world:definePrefab("spark", { rewindable = false, components = { TransformCMP = { x = 7 } },
        children = { { name = "glow", rewindable = false, enabled = false, components = { HealthCMP = {} } } } })
    world:definePrefab("half", { rewindable = false, children = { { name = "solid" } } })
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    for _ = 1, 3 do world:update(0.1) end
    rewind:seek(1)
    local spark = world:spawn("spark")
    local half = world:spawn("half")  -- what is below it is not rewindable either
    check(not half:getChildren()[1]:isRewindable())
    world:removeEntity(half)
    half:destroy()
    world:update(0)
    rewind:seek(3)
    rewind:stop()
    world:update(0.1)
    same(scene.names(world:getAllManagedEntities()), { "spark", "glow" })
    equal(spark:getComponent("TransformCMP").x, 7)
    check(not spark:getChildren()[1]:isEnabled())
    equal(world:getStats().detached, 0)
end)

test("a class whose new destroys the instance it is made for is refused with a sentence", function()
    local world = scene.world()
    local victim
    world:defineScriptComponent("MineCMP", { new = function()
        for _, e in ipairs(victim and { victim } or {}) do e:destroy() end
        return {}
    end })
    victim = world:newEntity("victim")
    raises(function() victim:addComponent("MineCMP") end, "destroyed")
    equal(world:getStats().detached, 0)
end)

test("prefabs survive a reset, as component definitions do", function()
    local world = armed()
    world:spawn("enemy")
    world:reset()
    world:spawn("enemy")
    world:update(0)
    equal(world:getStats().managed, 4)
end)

test("overrides are data: their metamethods are not asked, and cannot spoil anything", function()
    local world = scene.world()
    local walker = world:definePrefab("walker", { components = { TransformCMP = { x = 3 } } })
    local hostile = setmetatable({}, { __index = function()
        world:reset()
        return { x = 5 }
    end })
    equal(walker:spawn(hostile):getComponent("TransformCMP").x, 3)
    equal(walker:spawn({ TransformCMP = hostile }):getComponent("TransformCMP").x, 3)
    raises(function() walker:spawn(setmetatable({ Bogus = {} }, { __index = { TransformCMP = { x = 7 } } })) end, "Bogus")
    local e = world:newEntity("e")
    raises(function() e:addComponent("TransformCMP", setmetatable({ bogus = 1 }, { __index = { x = 8 } })) end, "bogus")
end)

test("instances share no script tables, wherever those came from", function()
    local world = armed()
    world:definePrefab("thinker", { components = { BrainCMP = { list = { 1 } } } })
    local given = { BrainCMP = { list = { 1 } } }
    local a, b = world:spawn("thinker", given), world:spawn("thinker", given)
    a:getComponent("BrainCMP").list[1] = 42
    equal(b:getComponent("BrainCMP").list[1], 1)
    equal(given.BrainCMP.list[1], 1)
    equal(#world:spawnMany("enemy", 3, { BrainCMP = { v = 4 } }), 3)
end)

test("what spawnMany makes can be gone through, and is all or nothing", function()
    local world = armed()
    local count = 0
    for i, e in ipairs(world:spawnMany("enemy", 3)) do
        count = count + i
        equal(e:getName(), "enemy")
    end
    equal(count, 6)
    world:update(0)
    local before = world:getStats()
    raises(function()
        world:spawnMany("enemy", 5, function(i) return { HealthCMP = { points = i == 3 and "x" or i } } end)
    end, "spawnMany", "points")
    raises(function() world:spawnMany("enemy", 2, function() error("made up") end) end, "made up")
    raises(function() world:spawnMany("enemy", 2, function() return 5 end) end, "for 1 it made the number 5")
    world:update(0)
    equal(world:getStats().managed, before.managed)
    equal(world:getStats().detached, before.detached)
end)

test("finalizers that ask for other entities do not change what a call returns", function()
    local world = armed()
    local crowd = world:newEntity("crowd")
    for i = 1, 90 do crowd:addChild(world:newEntity("x" .. i)) end
    local armedNow = true
    local function arm()
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
            crowd:getChildren()
            if armedNow then arm() end
        end
    end
    for _ = 1, 20 do arm() end
    local pause, step = collectgarbage("setpause", 10), collectgarbage("setstepmul", 1000)
    for _ = 1, 300 do
        local enemy = world:spawn("enemy")
        equal(enemy:getName(), "enemy")
        same(scene.names(enemy:getChildren()), { "gun", "hat" })
    end
    armedNow = false
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", step)
    collectgarbage()
end)

test("mistakes in fields name the entity; a child's overrides must be a table", function()
    local world = armed()
    local e = world:newEntity("door")
    raises(function() e:addComponent("HealthCMP", { points = {} }) end, "addComponent: entity 'door'", "HealthCMP", "points")
    raises(function() e:addComponent("HealthCMP", { pts = 1 }) end, "addComponent: entity 'door'", "pts")
    raises(function() world:spawn("enemy", { children = { gun = 5 } }) end, "spawn", "'gun'", "must be a table")
    e:destroy()
    raises(function() e:addComponent("BrainCMP") end, "addComponent:", "destroyed")
end)
