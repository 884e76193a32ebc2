-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"
local Desc, EMPTY = revenant.ComponentRequirementDesc, revenant.ComponentsView.EMPTY

test("a view has a column per name and a row per matching entity, in world order", function()
    local world = scene.world()
    for i = 1, 5 do scene.spawn(world, "e" .. i, { TransformCMP = { x = i } }) end
    scene.spawn(world, "without", { HealthCMP = {} })
    local view = world:getComponentsView(scene.require("TransformCMP"))
    equal(view.count, 0)
    world:update(0)
    equal(view.count, 5)
    equal(#view.TransformCMP, 5)
    equal(#view["TransformCMP"], 5)
    for i = 1, view.count do
        equal(view.TransformCMP[i].x, i)
        equal(view.entities[i]:getName(), "e" .. i)
        equal(view:rowOf(view.entities[i]), i)
    end
    equal(view:rowOf(world:getAllManagedEntities()[6]), nil)
end)

test("a new view is filled at once, and equal requests give the very same view", function()
    local world = scene.world()
    scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    equal(view.count, 1)
    check(rawequal(view, world:getComponentsView(scene.require("TransformCMP"))))
    local readOnly = world:getComponentsView { TransformCMP = Desc:new(true, true) }
    check(not rawequal(view, readOnly))
    check(rawequal(view.TransformCMP, view.TransformCMP))
    view:release()
    equal(view.count, 1)
    view:release()
    raises(function() return view.count end, "released")
    equal(readOnly.count, 1)
end)

test("a column used after its view's last release raises", function()
    local world = scene.world()
    scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local column, entities = view.TransformCMP, view.entities
    equal(column[1].x, 0)
    view:release()
    raises(function() return column[1] end, "TransformCMP", "released")
    raises(function() return #column end, "TransformCMP", "released")
    raises(function() return entities[1] end, "released")
    raises(function() view:release() end, "released")
    raises(function() view:isDirty() end, "released")
    raises(function() view:runs("TransformCMP") end, "released")
    check(not view:isValid())
    local again = world:getComponentsView(scene.require("TransformCMP"))
    equal(again.TransformCMP[1].x, 0)
    raises(function() return column[1] end, "TransformCMP", "released")
end)

test("rows out of range, and what is no row at all, raise and say which column", function()
    local world = scene.world()
    scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local column = view.TransformCMP
    for _, row in ipairs { 0, 2, -1, 1.5, 1e300, -1e300, 0 / 0, 1 / 0, "x", true } do
        raises(function() return column[row] end, "TransformCMP")
        raises(function() return view.entities[row] end, "entities")
    end
    raises(function() return column[nil] end, "TransformCMP")
    raises(function() return column[{}] end, "TransformCMP")
    raises(function() column[1] = {} end, "TransformCMP", "fields")
    raises(function() return view.NopeCMP end, "NopeCMP", "TransformCMP")
    raises(function() view.TransformCMP = 3 end, "assigned")
end)

test("optional columns hold EMPTY where the component is absent, which reads nil and is frozen", function()
    local world = scene.world()
    scene.spawn(world, "with", { TransformCMP = {}, HealthCMP = { points = 3 } })
    scene.spawn(world, "without", { TransformCMP = {} })
    local view = world:getComponentsView { TransformCMP = Desc:new(), HealthCMP = Desc:new(false) }
    world:update(0)
    equal(view.count, 2)
    equal(view.HealthCMP[1].points, 3)
    check(view.HealthCMP[2] == EMPTY)
    check(view.HealthCMP[1] ~= EMPTY)
    equal(EMPTY.points, nil)
    raises(function() EMPTY.points = 3 end, "EMPTY")
    raises(function() setmetatable(EMPTY, nil) end)
end)

test("without excludes entities that have the component", function()
    local world = scene.world()
    scene.spawn(world, "alive", { TransformCMP = {} })
    scene.spawn(world, "hurt", { TransformCMP = {}, HealthCMP = {} })
    local view = world:getComponentsView { TransformCMP = Desc:new(), HealthCMP = Desc:without() }
    world:update(0)
    same(scene.names(view.entities), { "alive" })
    raises(function() return view.HealthCMP end, "HealthCMP")
end)

test("read-only columns refuse writes, also to accessors and arrays", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { TransformCMP = {}, TargetCMP = {}, InventoryCMP = {} })
    world:update(0)
    local view = world:getComponentsView { TransformCMP = Desc:new(true, true), TargetCMP = Desc:new(true, true),
        InventoryCMP = Desc:new(true, true) }
    raises(function() view.TransformCMP[1].x = 3 end)
    raises(function() view.TargetCMP[1].title = "x" end, "read-only")
    raises(function() view.TargetCMP[1].who = e end, "read-only")
    raises(function() view.InventoryCMP[1].slots = { 1 } end, "read-only")
    raises(function() view.InventoryCMP[1].slots[1] = 1 end, "read-only")
    equal(view.InventoryCMP[1].slots[1], 0)
    equal(e:getComponent("TransformCMP").x, 0)
end)

test("writes through columns reach the component", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { TransformCMP = {}, TargetCMP = {}, InventoryCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP", "TargetCMP", "InventoryCMP"))
    view.TransformCMP[1].x = 3
    view.TargetCMP[1].title = "king"
    view.TargetCMP[1].who = e
    view.InventoryCMP[1].slots[2] = 5
    equal(e:getComponent("TransformCMP").x, 3)
    equal(e:getComponent("TargetCMP").title, "king")
    equal(e:getComponent("TargetCMP").who, e)
    equal(e:getComponent("InventoryCMP").slots[2], 5)
end)

test("adding and removing inside a loop takes effect at the next reconcile", function()
    local world = scene.world()
    for i = 1, 10 do scene.spawn(world, "e" .. i, { TransformCMP = {} }) end
    local view = world:getComponentsView(scene.require("TransformCMP"))
    world:update(0)
    for i = 1, view.count do
        world:removeEntity(view.entities[i])
        scene.spawn(world, "new" .. i, { TransformCMP = {} })
    end
    equal(view.count, 10)
    check(view:isDirty())
    world:update(0)
    equal(view.count, 10)
    equal(view.entities[1]:getName(), "new1")
end)

test("what is removed and added in one frame stays readable in views until the next reconcile", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { TransformCMP = { x = 1 } })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    e:removeComponent("TransformCMP")
    check(not e:hasComponent("TransformCMP"))
    equal(view.TransformCMP[1].x, 1)
    e:addComponent("TransformCMP", { x = 2 })
    equal(e:getComponent("TransformCMP").x, 2)
    equal(view.TransformCMP[1].x, 1)
    check(view:isDirty())
    world:reconcile()
    check(not view:isDirty())
    equal(view.TransformCMP[1].x, 2)
end)

test("the entities of a view may be ones that no script has met", function()
    local world = scene.world()
    world:definePrefab("coin", { components = { TransformCMP = {} } })
    local coins = world:spawnMany("coin", 5)
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    for i = 1, 5 do
        equal(view.entities[i]:getName(), "coin")
        check(rawequal(view.entities[i], coins[i]))
    end
end)

test("a view says of what it is", function()
    local world = scene.world()
    equal(tostring(world:getComponentsView { VelocityCMP = Desc:new(false, true), TransformCMP = Desc:new(),
        HealthCMP = Desc:without() }),
        "view of HealthCMP (without), TransformCMP (must have, read-write), VelocityCMP (optional, read-only)")
    equal(tostring(world:getComponentsView {}), "view of all entities")
end)

test("a system without requirements is fine, and a view without requirements shows all", function()
    local world = scene.world()
    scene.spawn(world, "e")
    world:update(0)
    local view = world:getComponentsView {}
    equal(view.count, 1)
    equal(view.entities[1]:getName(), "e")
end)

test("requirements that make no sense are errors", function()
    local world = scene.world()
    raises(function() world:getComponentsView() end, "table")
    raises(function() world:getComponentsView { "TransformCMP" } end, "keyed")
    raises(function() world:getComponentsView { TransformCMP = true } end, "TransformCMP", "ComponentRequirementDesc")
    raises(function() world:getComponentsView { NopeCMP = Desc:new() } end, "NopeCMP")
    raises(function() Desc:new("yes") end, "mustHave")
    raises(function() Desc:new(true, 1) end, "readOnly")
end)

test("views, columns and entities of a world that was reset raise or are stale", function()
    local world = scene.world()
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local column = view.TransformCMP
    local handle = e:getComponent("TransformCMP")
    equal(column[1].x, 0)
    world:reset()
    equal(e:getState(), "destroyed")
    raises(function() return column[1] end, "TransformCMP")
    raises(function() return view.count end)
    raises(function() return view.entities[1] end)
    raises(function() return handle.x end)
    local again = scene.spawn(world, "again", { TransformCMP = { x = 4 } })
    world:update(0)
    local fresh = world:getComponentsView(scene.require("TransformCMP"))
    equal(fresh.TransformCMP[1].x, 4)
    check(fresh.entities[1] == again)
end)

test("what a column returned is caught after the next reconcile in validating builds", function()
    if not revenant.isValidating then return end
    local world = scene.world()
    scene.spawn(world, "e", { TransformCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local kept = view.TransformCMP[1]
    equal(kept.x, 0)
    world:update(0)
    raises(function() return kept.x end, "TransformCMP", "again")
    raises(function() kept.x = 1 end, "TransformCMP", "again")
end)

test("a query answers once, filtered, sorted and limited", function()
    local world = scene.world()
    for i = 1, 6 do
        scene.spawn(world, "e" .. i, { TransformCMP = { x = -i }, HealthCMP = i % 2 == 0 and {} or nil })
    end
    world:update(0)
    equal(world:query():with("TransformCMP"):count(), 6)
    same(scene.names(world:query():with("TransformCMP"):without("HealthCMP"):entities()), { "e1", "e3", "e5" })
    same(scene.names(world:query():with("TransformCMP")
        :where(function(e) return e:getComponent("TransformCMP").x < -2 end)
        :orderBy(function(e) return e:getComponent("TransformCMP").x end):limit(2):entities()), { "e6", "e5" })
    equal(world:query():with("TransformCMP"):first():getName(), "e1")
    equal(world:query():with("TargetCMP"):first(), nil)
    raises(function() world:query():with("NopeCMP") end, "NopeCMP")
    raises(function() world:query():entities() end)
    raises(function() world:query():with("TransformCMP"):where(5) end, "function")
    raises(function() world:query():with("TransformCMP"):orderBy(function() end):entities() end, "number")
end)

test("statistics of worlds and views count", function()
    local world = scene.world()
    scene.spawn(world, "e", { TransformCMP = {} })
    local view = world:getComponentsView(scene.require("TransformCMP"))
    world:update(0)
    equal(world:getStats().managed, 1)
    equal(view:getStats().rows, 1)
    equal(view:getStats().rowsAdded, 1)
    same(world:validate(), {})
end)

test("a query asks its predicates no more often than it must, and orders by keys, equal ones by world order", function()
    local world = scene.world()
    for i = 1, 500 do scene.spawn(world, "e" .. i, { TransformCMP = { x = i, y = i % 7 } }) end
    world:update(0)
    for _, hasView in ipairs { false, true } do
        local view = hasView and world:getComponentsView(scene.require("TransformCMP"))
        local function xOf(e) return e:getComponent("TransformCMP").x end
        local asked = 0
        local function isEven(e)
            asked = asked + 1
            return xOf(e) % 2 == 0
        end
        same(scene.names(world:query():with("TransformCMP"):where(isEven):limit(3):entities()), { "e2", "e4", "e6" })
        equal(asked, 6)
        asked = 0
        equal(world:query():with("TransformCMP"):where(isEven):first():getName(), "e2")
        equal(asked, 2)
        asked = 0
        equal(#world:query():with("TransformCMP"):where(isEven):limit(200):entities(), 200)
        equal(asked, 400)
        equal(#world:query():with("TransformCMP"):where(isEven):limit(400):entities(), 250)
        same(world:query():with("TransformCMP"):where(isEven):limit(0):entities(), {})
        same(scene.names(world:query():with("TransformCMP"):limit(3):entities()), { "e1", "e2", "e3" })
        equal(world:query():with("TransformCMP"):count(), 500)
        equal(world:query():with("TransformCMP"):limit(70):count(), 70)
        local function down(e) return -xOf(e) end
        same(scene.names(world:query():with("TransformCMP"):orderBy(down):limit(3):entities()), { "e500", "e499", "e498" })
        equal(world:query():with("TransformCMP"):orderBy(down):first():getName(), "e500")
        local function byY(e) return e:getComponent("TransformCMP").y end
        same(scene.names(world:query():with("TransformCMP"):orderBy(byY):limit(3):entities()), { "e7", "e14", "e21" })
        local all = world:query():with("TransformCMP"):orderBy(byY):entities()
        equal(#all, 500)
        for i = 2, 500 do
            local a, b = byY(all[i - 1]), byY(all[i])
            check(a < b or a == b and xOf(all[i - 1]) < xOf(all[i]))
        end
        raises(function() world:query():with("TransformCMP"):orderBy(function() return "x" end):entities() end, "orderBy", "e1", "views.lua")
        raises(function() world:query():limit(1):entities() end, "at least one component")
        raises(function()
            world:query():with("TransformCMP"):where(function() world:reconcile() end):limit(1):entities()
        end, "reconciled inside a predicate", "views.lua")
        if view then view:release() end
    end
end)

test("a query for the first few finds what one for all finds first", function()
    local world = scene.world()
    world:setRandomSeed(7)
    for i = 1, 400 do
        local e = scene.spawn(world, "e" .. i, { TransformCMP = { x = i }, HealthCMP = (i > 350 or world:random(8) == 1) and {} or nil })
        if i % 50 == 0 then e:setEnabled(false) end
    end
    world:update(0)
    for _, name in ipairs { "TransformCMP", "HealthCMP" } do
        local function ask() return world:query():with(name) end
        local function isEven(e) return e:getComponent("TransformCMP").x % 2 == 0 end
        local all, even = ask():entities(), ask():where(isEven):entities()
        equal(ask():first(), all[1])
        equal(ask():where(isEven):first(), even[1])
        for _, most in ipairs { 0, 1, 3, 17, 60, 1000 } do
            local some, evens = ask():limit(most):entities(), ask():where(isEven):limit(most):entities()
            equal(#some, math.min(most, #all))
            equal(#evens, math.min(most, #even))
            for i = 1, #some do equal(some[i], all[i]) end
            for i = 1, #evens do equal(evens[i], even[i]) end
        end
    end
end)
