-- LevelManager: levels that come and go with the tick, and are rewound.
local revenant = require "revenant"
local scene = require "scene"
local level_scene = require "level_scene"
local LevelManager = revenant.LevelManager
local files, levelWorld = level_scene.files, level_scene.world

test("a level is loaded at the next tick, and unloaded likewise", function()
    local world, levels = levelWorld()
    local log = {}
    world:on("levelLoaded", function(name) log[#log + 1] = "loaded " .. name end)
    world:on("levelUnloaded", function(name) log[#log + 1] = "unloaded " .. name end)
    levels:load("forest")
    check(levels:isPending())
    equal(levels:getLevel(), nil)
    world:update(0)
    equal(levels:getLevel(), "forest")
    same(scene.names(world:getAllManagedEntities()), { "hero", "tree", "camp", "fire" })
    equal(world:getAllManagedEntities()[2]:getComponent("TransformCMP").x, 10)
    same(scene.names(levels:getRoots()), { "hero", "tree", "camp" })
    same(log, { "loaded forest" })
    levels:load("cave")
    world:update(0)
    same(scene.names(world:getAllManagedEntities()), { "bat" })
    same(log, { "loaded forest", "unloaded forest", "loaded cave" })
    levels:unload()
    world:update(0)
    equal(#world:getAllManagedEntities(), 0)
    equal(levels:getLevel(), nil)
end)

test("a request from inside a system is carried out at the next tick; the last one holds", function()
    local world, levels = levelWorld()
    local Door = revenant.BaseSystem:extend("Door")
    function Door:tick()
        if not levels:getLevel() then
            levels:load("forest")
            levels:load("cave")
        end
    end
    world:registerSystem(Door:new(world))
    world:update(0)
    world:update(0)
    equal(levels:getLevel(), "cave")
end)

test("a LevelManager that is registered again after a reset loads levels", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    for _ = 1, 3 do world:update(0.1) end
    rewind:start()
    world:update(0.1)
    levels:load("forest")  -- waits until play goes on, which it never does
    world:reset()
    world:registerSystem(levels)
    check(not levels:isPending())
    world:update(0.1)
    equal(levels:getLevel(), nil)
    levels:load("cave")
    world:update(0.1)
    equal(levels:getLevel(), "cave")
    check(not levels:isPending())
    world:unregisterSystem(levels)
    world:registerSystem(levels)
    local loads = 0
    world:on("levelLoaded", function() loads = loads + 1 end)
    levels:reload()
    world:update(0.1)
    equal(loads, 1)
    same(scene.names(world:getAllManagedEntities()), { "bat" })
end)

test("levels are read from files by default", function()
    local path = os.tmpname()
    local folder, name = path:match("^(.*)/([^/]*)$")
    local file = assert(io.open(path .. ".lua", "w"))
    file:write("return { entities = { { name = 'lamp' } } }")
    file:close()
    local world = scene.world()
    local levels = LevelManager:new(world, { folder = folder })
    levels:load(name)
    world:update(0)
    same(scene.names(world:getAllManagedEntities()), { "lamp" })
    os.remove(path .. ".lua")
    os.remove(path)
    levels:reload()
    raises(function() world:update(0) end, name, "cannot be read", "No such file")
    same(scene.names(world:getAllManagedEntities()), { "lamp" })
end)

test("the level is rewound with the world; the caller says whether history is kept", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    levels:load("forest")
    for _ = 1, 3 do world:update(0.1) end
    local frame = rewind:getFrame()
    levels:load("cave")
    for _ = 1, 3 do world:update(0.1) end
    rewind:seek(frame)
    equal(levels:getLevel(), "forest")
    same(scene.names(world:getAllManagedEntities()), { "hero", "tree", "camp", "fire" })
    levels:load("cave", { history = "clear" })
    world:update(0.1)
    equal(levels:getLevel(), "forest")
    rewind:stop()
    world:update(0.1)
    equal(levels:getLevel(), "cave")
    check(rewind:getNewestFrame() - rewind:getOldestFrame() < 2)
    equal(world:getStats().zombies, 0)
end)

test("a root that is not rewindable lives on through a rewind, in its level alone", function()
    files["levels/shrine.lua"] = "return { entities = { { name = 'idol', rewindable = false, components = { TransformCMP = {} } }, { name = 'monk' } } }"
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    local function names() return scene.names(world:getAllManagedEntities()) end
    local function show(frame)
        rewind:seek(frame)
        world:reconcile()
        equal(world:stateHash(), rewind:frameHash(frame))
        same(world:validate(), {})
        same(rewind:validate(), {})
    end
    levels:load("cave")
    for _ = 1, 3 do world:update(0.1) end
    levels:load("shrine")
    for _ = 1, 3 do world:update(0.1) end
    local idol = world:findEntity("idol")
    idol:getComponent("TransformCMP").x = 7
    levels:load("forest")
    for _ = 1, 3 do world:update(0.1) end
    equal(idol:getState(), "zombie")
    same(names(), { "hero", "tree", "camp", "fire" })
    for _ = 1, 2 do
        show(5)
        same(names(), { "monk", "idol" })
        equal(idol:getComponent("TransformCMP").x, 7)  -- as it was left
        show(2)
        same(names(), { "bat" })
        show(9)
        same(names(), { "hero", "tree", "camp", "fire" })
    end
    -- With the ticks, too.
    rewind:seek(5)
    world:reconcile()
    rewind:start()
    rewind:setSpeed(1)
    for _ = 1, 4 do world:update(0.1) end
    equal(levels:getLevel(), "cave")
    same(names(), { "bat" })
    -- No frame leads to the shrine any more.
    rewind:stop()
    for _ = 1, 3 do world:update(0.1) end
    equal(idol:getState(), "destroyed")
    same(names(), { "bat" })
    levels:load("shrine")
    for _ = 1, 3 do world:update(0.1) end
    same(names(), { "idol", "monk" })
    -- One that the game itself removes does not come back.
    local again, frame = world:findEntity("idol"), rewind:getFrame()
    world:removeEntity(again)
    for _ = 1, 3 do world:update(0.1) end
    equal(again:getState(), "destroyed")
    show(frame)
    same(names(), { "monk" })
    rewind:stop()
    -- Without frames nothing keeps one.
    levels:reload()
    world:update(0.1)
    idol = world:findEntity("idol")
    levels:unload { history = "clear" }
    for _ = 1, 3 do world:update(0.1) end
    equal(idol:getState(), "destroyed")
    same(names(), {})
end)

test("rewinding past a request undoes the request for the level", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    levels:load("forest")
    for _ = 1, 3 do world:update(0.1) end
    levels:load("cave")
    check(levels:isPending())
    rewind:start()
    world:update(0.1)
    check(not levels:isPending())
    rewind:stop()
    world:update(0.1)
    equal(levels:getLevel(), "forest")
end)

test("a level that is loaded is no divergence", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    rewind:setSyncTest(3)
    local Door = revenant.BaseSystem:extend("Door")
    function Door:init() self:addComponentRequirement("TransformCMP") end
    function Door:tick()
        local view = self:getComponentsView()
        for i = 1, view.count do
            view.TransformCMP[i].x = view.TransformCMP[i].x + 1
            if view.TransformCMP[i].x == 8 then levels:load("cave") end
        end
    end
    world:registerSystem(Door:new(world))
    levels:load("forest")
    local loads = 0
    world:on("levelLoaded", function() loads = loads + 1 end, { confirmed = true })
    for _ = 1, 20 do world:update(0.1) end
    equal(levels:getLevel(), "cave")
    equal(loads, 2)
    equal(rewind:getSyncReport(), nil)
end)

test("play that resumes from the frame of a new level fires its events again, as the frame's tick did", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    world:on("levelLoaded", function(name)
        local health = world:query():with("HealthCMP"):first():getComponent("HealthCMP")
        health.points = health.points + 10
    end)
    world:update(0.1)
    levels:load("forest")
    world:update(0.1)
    local loaded = rewind:getFrame()
    world:update(0.1)
    local after = world:stateHash()
    rewind:seek(loaded)
    equal(world:stateHash(), rewind:frameHash(loaded))
    rewind:stop()
    for _ = 1, 2 do world:update(0.1) end
    equal(rewind:getFrame(), loaded + 1)
    equal(world:stateHash(), after)
    rewind:seek(loaded - 1)
    rewind:stop()
    for _ = 1, 2 do world:update(0.1) end
    equal(levels:getLevel(), nil, "who goes on from before has never asked")
end)

test("what listeners make of a new level is no divergence", function()
    local world, levels = levelWorld()
    local rewind = revenant.TimeRewindSys:new(world)
    world:registerSystem(rewind)
    rewind:setSyncTest(3)
    local heard = 0
    world:on("levelLoaded", function() heard = heard + 1 end, { confirmed = true })
    world:on("levelLoaded", function()
        for _, each in ipairs(world:query():with("TransformCMP"):entities()) do each:getComponent("TransformCMP").x = 7 end
    end)
    for tick = 1, 20 do
        if tick == 10 then levels:load("forest") end
        world:update(0.1)
    end
    local report = rewind:getSyncReport()
    equal(report and report.text, nil)
    equal(heard, 1)
end)

test("misuse of a LevelManager raises at the script's own line", function()
    local world, levels = levelWorld()
    local function told(call, ...)
        check(raises(call, ...):find("^[^\n]*specs/levels%.lua:%d+: "), "it does not say where")
    end
    for _, call in ipairs { "load", "unload", "reload", "getLevel", "getRoots", "isPending" } do
        told(function() LevelManager[call](nil, "x") end, call .. ": called on nil", "levels:" .. call)
    end
    told(function() LevelManager:new() end, "LevelManager:new", "takes a world", "nil")
    told(function() LevelManager:extend("Own"):new() end, "takes a world", "nil")
    told(function() LevelManager.new(world) end, "LevelManager:new(world)")
    told(function() LevelManager:new(world) end, "already")
    told(function() levels:load() end, "name")
    told(function() levels:load("x", 5) end, "options")
end)

test("misuse of a LevelManager says what is wrong", function()
    local world, levels = levelWorld()
    raises(function() levels:load() end, "name")
    raises(function() levels:load("") end, "name")
    raises(function() levels:load("x", 5) end, "options")
    raises(function() levels:load("x", { history = "burn" }) end, "burn")
    raises(function() levels:reload() end, "no level")
    raises(function() LevelManager.load({}, "x") end, "LevelManager")
    raises(function() LevelManager:new() end, "world")
    raises(function() LevelManager:new(scene.world(), 5) end, "options")
    raises(function() LevelManager:new(scene.world(), { folder = 5 }) end, "folder must be a string", "5")
    raises(function() LevelManager:new(scene.world(), { read = 5 }) end, "read must be a function", "5")
    raises(function() LevelManager:new(world) end, "already")
    levels:load("forest")
    world:update(0)
    levels:reload()
    world:update(0)
    equal(#world:getAllManagedEntities(), 4)
end)
