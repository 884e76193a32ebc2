-- Scripts that mean harm: whatever they do, they get an error or a correct result, and the process lives.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

test("what columns, entities and lists are made of cannot be written to", function()
    local world = scene.world()
    scene.spawn(world, "a", { TransformCMP = { x = 5 } })
    world:definePrefab("p", { components = { TransformCMP = {} } })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP"))
    local column, entities, many = view.TransformCMP, view.entities, world:spawnMany("p", 3)
    equal(column[1].x, 5)
    for _, object in ipairs { column, entities } do
        for _, key in ipairs { "__rows", "__count", "__released", "__link", "__view", "__column" } do
            raises(function() object[key] = 1000000 end)
            raises(function() object[key] = nil end)
        end
    end
    for _, key in ipairs { "__link", "__count" } do raises(function() many[key] = 1000000 end) end
    for _, key in ipairs { "__link", "__index", "__generation" } do raises(function() entities[1][key] = 7 end) end
    raises(function() return column[2] end, "no row 2")
    raises(function() return many[4] end, "1 to 3")
    equal(column[1].x, 5)
end)

test("checks hold whatever a script makes of the globals and the libraries", function()
    local world = scene.world()
    local e = scene.spawn(world, "a", { TransformCMP = {}, InventoryCMP = {} })
    world:update(0)
    local view = world:getComponentsView(scene.require("TransformCMP", "InventoryCMP"))
    local libraries = { _G, math, string, table, debug, coroutine }
    local kept, pcall, pairs = {}, pcall, pairs
    for i, library in ipairs(libraries) do
        kept[i] = {}
        for key, value in pairs(library) do kept[i][key] = value end
    end
    local _G, next, type = _G, next, type
    local raised, calls = 0, 0
    local function try(call)
        calls = calls + 1
        if not pcall(call) then raised = raised + 1 end
    end
    for i = 1, #libraries do
        for key, value in next, kept[i] do
            if type(value) == "function" then libraries[i][key] = function() return "number" end end
        end
    end
    try(function() return view.TransformCMP[1e9] end)
    try(function() return view.TransformCMP[1.5] end)
    try(function() return view.TransformCMP.x end)
    try(function() return view.entities[100000] end)
    try(function() return e:getComponent("InventoryCMP").slots[1e8] end)
    try(function() e:getComponent("InventoryCMP").slots[1e8] = 5 end)
    try(function() view.InventoryCMP[1].slots[1e8] = 5 end)
    try(function() view.InventoryCMP[1].slots = { 1, 2, 3, 4, 5, 6, 7, 8, 9 } end)
    try(function() view.InventoryCMP[1].slots = "text" end)
    try(function() world:addEntity(5) end)
    try(function() world:addEntity(nil) end)
    try(function() world.update(5, 5) end)
    try(function() world:update("x") end)
    try(function() e:addChild(world) end)
    try(function() e:addComponent("TransformCMP", { nope = 1 }) end)
    try(function() world:spawnMany("p", 1e9) end)
    try(function() world:getComponentsView { X = 5 } end)
    try(function() world:registerSystem {} end)
    try(function() world:on("entityAdded", 5) end)
    try(function() revenant.TimeRewindSys:new(nil) end)
    try(function() revenant.Entity:new {} end)
    for i = 1, #libraries do
        for key, value in next, kept[i] do libraries[i][key] = value end
    end
    equal(raised, calls)
    same(world:validate(), {})
    equal(view.TransformCMP[1].x, 0)
end)

test("a loop over runs ends when its view is released or its world reset", function()
    local world = scene.world()
    local function fill()
        local last
        for i = 1, 40 do
            local e = scene.spawn(world, "e", { TransformCMP = {} })
            if i % 4 == 0 then last:removeComponent("TransformCMP") end
            last = e
        end
        world:update(0)
        return world:getComponentsView(scene.require("TransformCMP"))
    end
    local view = fill()
    local loops = 0
    raises(function()
        for _ in view:contiguousRuns("TransformCMP") do
            loops = loops + 1
            view:release()
            collectgarbage()
        end
    end, "released")
    equal(loops, 1)
    view = fill()
    raises(function()
        for _ in view:contiguousRuns("TransformCMP") do
            world:reset()
            collectgarbage()
        end
    end, "released")
    view = fill()
    raises(function()
        for _ in view:contiguousRuns("TransformCMP") do world:update(0) end
    end, "reconciled")
    -- These are one, and it was the last.
    view, loops = fill(), 0
    for _ in view:runs("TransformCMP") do
        loops = loops + 1
        world:reset()
        collectgarbage()
    end
    equal(loops, 1)
    local following, state = fill():runs("TransformCMP")
    world:update(0)
    raises(function() following(state) end, "reconciled")
end)

-- LuaJIT raises an error of a finalizer in the code that was allocating, which may be the engine. (With its compiler
-- on, it does not survive that itself, engine or not.)
test("finalizers that raise at any moment do no harm", function()
    local function bomb()
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function() error("from a finalizer") end
    end
    local world = scene.world()
    local Brain = { n = 0 }
    Brain.__index = Brain
    world:defineScriptComponent("BrainCMP", Brain)
    local S = revenant.BaseSystem:extend("S")
    function S:tick() for _ = 1, 3 do bomb() end end
    function S:getRewindState()
        bomb()
        if world:getTick() % 20 == 0 then collectgarbage() end
        return { 1, { 2 } }
    end
    function S:restoreRewindState() bomb() end
    local function step(i)
        for _ = 1, 3 do bomb() end
        scene.spawn(world, "e" .. i, { TransformCMP = {}, BrainCMP = { plan = { 1, { i } }, text = "text" .. i } })
        world:newEntity("detached" .. i)
        world:update(0.01)
        local all = world:getAllManagedEntities()
        if #all > 10 then world:removeEntity(all[1]) end
        world:setResource("r", { 1, { i } }, { rewind = true })
        local rewind = world:getSystem("TimeRewindSys")
        if i % 20 == 0 then
            rewind:step(-3)
            rewind:step(2)
            rewind:stop()
        end
        if i % 200 == 0 then world:reset() end
        if not world:getSystem("S") then
            world:registerSystem(revenant.TimeRewindSys:new(world))
            world:registerSystem(S:new(world))
            world:on("entityAdded", bomb)
            world:on("entityDestroyed", bomb)
        end
    end
    -- Not a closure per step: this loop allocates nothing that could end it.
    local count, raised, i = 600, 0, 0
    jit.off()
    jit.flush()
    local pause, multiplier = collectgarbage("setpause", 20), collectgarbage("setstepmul", 100000)
    while i < count do
        i = i + 1
        if not pcall(step, i) then raised = raised + 1 end
    end
    collectgarbage("setpause", pause)
    collectgarbage("setstepmul", multiplier)
    for _ = 1, 100000 do
        if pcall(collectgarbage) then break end
    end
    jit.on()
    check(raised > 0, "no finalizer raised")
    same(world:validate(), {})
    for _, e in ipairs(world:getAllManagedEntities()) do check(e:isValid()) end
end)

test("names may be keywords, have blanks, quotes and line breaks, as of components so of fields", function()
    local world = revenant.World:new()
    local t = revenant.types
    for i, name in ipairs { "end", "nil", "a b", "a\nb", "%s", "]]", "struct", "$", "é", "x;int y", "'", '"', "\\", "1", "int", ("n"):rep(5000) } do
        world:defineComponent(name, { [name] = 1, text = t.string("s"), list = t.array(t.i32(0), 3) })
        local e = world:newEntity(name)
        e:addComponent(name, { [name] = 3, text = "q\0r" })
        world:addEntity(e)
        world:update(0)
        local view = world:getComponentsView { [name] = Desc:new() }
        local column = view[name]
        equal(column[1][name], 3)
        column[1][name] = 4
        e:getComponent(name)[name] = e:getComponent(name)[name] + i
        equal(column[1][name], 4 + i)
        equal(column[1].text, "q\0r")
        equal(view:display(name)[1][name], 4 + i)
        local readOnly = world:getComponentsView { [name] = Desc:new(true, true) }
        raises(function() readOnly[name][1][name] = 9 end)
        equal(readOnly[name][1][name], 4 + i)
    end
    for _, name in ipairs { "", "a\0b", "count", "entities", "release", "runs" } do
        raises(function() world:defineComponent(name, { x = 0 }) end, "name")
    end
    for _, name in ipairs { "", "a\0b", "__rows" } do
        raises(function() world:defineComponent("Odd", { [name] = 0 }) end, "Odd", "name")
    end
end)

test("arrays longer than a component can be are refused by a sentence", function()
    local t = revenant.types
    for _, count in ipairs { 0, -1, 65537, 1e9, 2 ^ 31, 2 ^ 32, 2 ^ 53, -2 ^ 53 } do
        raises(function() t.array(t.u8(0), count) end, "hostile_scripts.lua", "1 to 65536 elements")
    end
    raises(function() revenant.World:new():defineComponent("BigCMP", { a = t.array(t.f64(0), 8193) }) end, "BigCMP", "65536 bytes")
end)

test("errors of any kind, raised anywhere, arrive: objects as they are, others as sentences", function()
    local world = scene.world()
    local objects = { 5, true, {}, print, io.stdout, "a\0b", coroutine.create(print), world,
        setmetatable({}, { __tostring = function() error("inner") end }),
        setmetatable({}, { __tostring = function() return {} end }), setmetatable({}, { __tostring = 5 }) }
    local T = revenant.BaseSystem:extend("T")
    world:registerSystem(T:new(world))
    for i = 0, #objects do  -- 0: nil
        T.tick = function() error(objects[i]) end
        local isText = objects[i] == nil or type(objects[i]) == "number" or type(objects[i]) == "string"
        local function arrives(message)
            if isText then return type(message) == "string" end
            return rawequal(message, objects[i])
        end
        local ok, message = pcall(world.update, world, 0)
        check(not ok and arrives(message), "object " .. i)
        T.tick = nil
        local token = world:on("entityAdded", function() error(objects[i]) end)
        scene.spawn(world, "e")
        ok, message = pcall(world.update, world, 0)
        check(not ok and arrives(message), "object " .. i .. " in a listener")
        world:off(token)
    end
    same(world:validate(), {})
end)

test("listeners that call each other through coroutines, pcall or a nearly full stack end in an error", function()
    local world = scene.world()
    local depth = 0
    world:defineEvent("around")
    local token = world:on("around", function()
        depth = depth + 1
        coroutine.wrap(function() world:emit("around") end)()
    end)
    world:emit("around")
    raises(function() world:update(0) end, "does a listener emit the event that it listens to")
    world:off(token)
    token = world:on("around", function()
        depth = depth + 1
        if depth < 100000 then pcall(world.emit, world, "around") end
    end)
    depth = 0
    world:emit("around")
    check(depth <= 100)
    local function down(n)
        if n == 0 then return world:emit("around") end
        return (down(n - 1))
    end
    for n = 1, 70000, 6999 do
        depth = 0
        pcall(down, n)
    end
    same(world:validate(), {})
end)

test("abandoned coroutines with everything as upvalues are collected without harm", function()
    local world = scene.world()
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    world:on("entityAdded", function(e)
        coroutine.resume(coroutine.create(function()
            local view = world:getComponentsView(scene.require("TransformCMP"))
            for _ in view:runs("TransformCMP") do coroutine.yield(e, view) end
        end))
    end)
    for _ = 1, 20 do
        scene.spawn(world, "e", { TransformCMP = {} })
        world:update(0.1)
        collectgarbage()
    end
    rewind:seek(3)
    collectgarbage()
    rewind:stop()
    world:update(0.1)
    same(world:validate(), {})
end)
