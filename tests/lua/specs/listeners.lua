local revenant = require "revenant"
local scene = require "scene"

test("listeners hear of entities and components, with the same values", function()
    local world, log = scene.world(), {}
    for _, event in ipairs { "entityAdded", "entityRemoved", "entityDestroyed", "entityResurrected", "componentAdded",
        "componentRemoved", "entityEnabled", "entityDisabled" } do
        world:on(event, function(entity, detail) log[#log + 1] = { event, entity, detail } end)
    end
    local e = scene.spawn(world, "lamp", { TransformCMP = {} })
    world:update(0)
    equal(log[1][1], "entityAdded")
    check(rawequal(log[1][2], e))
    local kinds = {}
    for _, entry in ipairs(log) do kinds[entry[1]] = entry end
    equal(kinds.componentAdded[3], "TransformCMP")
    world:removeEntity(e)
    log = {}
    world:update(0)
    kinds = {}
    for _, entry in ipairs(log) do kinds[entry[1]] = entry end
    check(kinds.entityRemoved and kinds.entityDestroyed)
    equal(kinds.entityDestroyed[3], "lamp")
    check(not kinds.entityDestroyed[2]:isValid())
end)

test("off ends it, a wrong token is an error", function()
    local world, count = scene.world(), 0
    local token = world:on("entityAdded", function() count = count + 1 end)
    scene.spawn(world, "a")
    world:update(0)
    world:off(token)
    scene.spawn(world, "b")
    world:update(0)
    equal(count, 1)
    raises(function() world:off(token) end)
    raises(function() world:off(-1) end, "-1")
    raises(function() world:off(1e15) end)
    raises(function() world:off("x") end, "token")
    raises(function() world:on("entityAded", function() end) end, "entityAded")
    raises(function() world:on("entityAdded", 5) end, "function")
    raises(function() world:on(nil, function() end) end, "event")
end)

test("an error in a listener reaches update, with its traceback, after everything is done", function()
    local world, heard = scene.world(), 0
    world:on("entityAdded", function() error("ears hurt") end)
    world:on("entityAdded", function() heard = heard + 1 end)
    scene.spawn(world, "a")
    raises(function() world:update(0) end, "ears hurt", "stack traceback")
    equal(heard, 1)
    equal(#world:getAllManagedEntities(), 1)
    world:update(0)
end)

test("what a listener asks for is for the next reconcile", function()
    local world = scene.world()
    local count = 0
    world:on("entityAdded", function(e)
        count = count + 1
        if count < 5 then scene.spawn(world, "child of " .. e:getName()) end
        if count == 3 then world:removeEntity(e) end
    end)
    scene.spawn(world, "first")
    for i = 1, 6 do world:update(0) end
    equal(count, 5)
    equal(#world:getAllManagedEntities(), 4)
end)

test("listeners may collect garbage, reset the world, add and remove listeners", function()
    local world, log = scene.world(), {}
    local token
    token = world:on("entityAdded", function()
        collectgarbage()
        world:off(token)
        world:on("entityRemoved", function() collectgarbage() log[#log + 1] = "removed" end)
    end)
    local e = scene.spawn(world, "e", { TransformCMP = {} })
    local view = world:getComponentsView(scene.require("TransformCMP"))
    world:update(0)
    world:removeEntity(e)
    world:update(0)
    same(log, { "removed" })
    world:on("entityAdded", function() world:reset() end)
    scene.spawn(world, "last", { TransformCMP = {} })
    world:update(0)
    equal(#world:getAllManagedEntities(), 0)
    raises(function() return view.count end)
end)

test("custom events are defined, emitted and received", function()
    local world, log = scene.world(), {}
    world:defineEvent("doorOpened")
    local e = world:newEntity("door")
    world:on("doorOpened", function(...) log[#log + 1] = { ... } end)
    world:emit("doorOpened", e, { key = "gold", list = { 1, 2 } })
    world:emit("doorOpened", "by hand")
    world:emit("doorOpened")
    check(rawequal(log[1][1], e))
    equal(log[1][2].key, "gold")
    equal(log[1][2].list[2], 2)
    equal(log[2][1], "by hand")
    equal(#log[3], 0)
    raises(function() world:emit("doorOpen") end, "doorOpen")
    raises(function() world:emit("doorOpened", print) end, "function")
    raises(function() world:defineEvent("") end)
end)

test("a listener that emits its own event forever ends in an error, not a crash", function()
    local world = scene.world()
    world:defineEvent("echo")
    world:on("echo", function() world:emit("echo") end)
    world:emit("echo")
    raises(function() world:update(0) end, "does a listener emit the event that it listens to")
    world:update(0)
end)

test("events of a rewind tell the net difference", function()
    local world, log = scene.world(), {}
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    for _, event in ipairs { "rewindStarted", "rewindEnded", "entityRemoved", "entityResurrected", "entityAdded" } do
        world:on(event, function() log[#log + 1] = event end)
    end
    world:update(0.1)
    scene.spawn(world, "e")
    world:update(0.1)
    log = {}
    rewind:seek(1)
    check(#log >= 2)
    local text = table.concat(log, " ")
    check(text:find("rewindStarted") and text:find("entityRemoved"), text)
    log = {}
    rewind:stop()
    same(log, { "rewindEnded" })
end)

test("listeners get as detail what was emitted, and nothing where nothing was", function()
    local world, heard = scene.world(), {}
    world:defineEvent("hit")
    world:on("hit", function(...) heard[#heard + 1] = { n = select("#", ...), ... } end)
    world:on("entityAdded", function(...) heard[#heard + 1] = { n = select("#", ...), ... } end)
    local e = scene.spawn(world, "lamp", {})
    world:update(0)
    world:emit("hit", e)
    world:emit("hit", e, 7)
    for i, count in ipairs { 1, 1, 2 } do
        equal(heard[i].n, count)
        equal(heard[i][1], e)
    end
    equal(heard[3][2], 7)
end)

test("error messages include text behind a zero byte", function()
    local world = scene.world()
    local e = scene.spawn(world, "a\0b", {})
    world:update(0)
    raises(function() e:destroy() end, "'a\\0b'", "only a detached entity can be destroyed")
    world:on("entityAdded", function() error("before\0behind") end)
    scene.spawn(world, "c", {})
    raises(function() world:update(0) end, "before\\0behind")
end)

test("a listener of a seek may reset the world: it is empty from the next reconcile on", function()
    local world = scene.world()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local last
    for i = 1, 10 do
        last = scene.spawn(world, "e" .. i, { TransformCMP = {} })
        world:update(0.1)
    end
    local resets = 0
    world:on("entityRemoved", function()
        resets = resets + 1
        world:reset()
    end)
    rewind:seek(3)
    check(resets > 0)
    world:reconcile()
    equal(#world:getAllManagedEntities(), 0)
    equal(last:getState(), "destroyed")
    equal(rewind:getFrame(), nil)
    world:update(0.1)
end)

test("listeners, and what is called with them, find a world that is valid", function()
    local world = revenant.World:new()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world, { seconds = 60 }))
    local asked = 0
    local function ask()
        asked = asked + 1
        equal(world:validate()[1], nil)
    end
    world:defineScriptComponent("AskCMP", { onAdded = ask, onRemoved = ask, onRestored = ask, onDestroyed = ask })
    for _, event in ipairs { "entityAdded", "entityRemoved", "entityDestroyed", "entityResurrected", "componentRemoved", "rewindEnded" } do
        world:on(event, ask)
    end
    local roots = {}
    for i = 1, 6 do
        roots[i] = world:newEntity("root")
        for _ = 1, i % 3 do
            local child = world:newEntity("child")
            child:addComponent("AskCMP")
            child:addChild(world:newEntity("leaf"))
            roots[i]:addChild(child)
        end
        world:addEntity(roots[i])
    end
    world:update(0.1)
    for i = 1, 5 do
        world:removeEntity(roots[i])
        roots[6]:addChild(roots[i]:getChildren()[1] or world:newEntity("more"))
        world:update(0.1)
    end
    rewind:seek(1)
    rewind:seek(rewind:getNewestFrame())
    rewind:seek(3)
    rewind:stop()
    world:update(0.1)
    rewind:clear()
    world:update(0.1)
    check(asked > 30)
end)
