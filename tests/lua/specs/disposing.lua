-- Worlds of a script's own end: by dispose, or when the collector finds that nothing is left of them.
local revenant = require "revenant"
local t = revenant.types

local log
local Body = {}
Body.__index = Body
function Body:onAdded(e) log[#log + 1] = "added " .. e:getName() end
function Body:onRemoved(e) log[#log + 1] = "removed " .. e:getName() end
function Body:onDestroyed() log[#log + 1] = "destroyed " .. self.name end

-- A world with one of everything.
local function fullWorld()
    log = {}
    local all = {}
    local world = revenant.World:new()
    all.world = world
    world:defineComponent("PlaceCMP", { x = 1, text = "here", other = t.entity() })
    world:defineScriptComponent("BodyCMP", Body)
    local Sys = revenant.BaseSystem:extend("Sys")
    function Sys:init() self:addComponentRequirement("PlaceCMP") end
    all.system = world:registerSystem(Sys:new(world))
    all.plain = world:registerSystem { name = "plain", tick = function() world:getTick() end }
    all.rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    all.levels = revenant.LevelManager:new(world)
    all.prefab = world:definePrefab("thing", { components = { PlaceCMP = {} } })
    all.entity = world:newEntity("e")
    all.handle = all.entity:addComponent("PlaceCMP")
    all.entity:addComponent("BodyCMP", { name = "e" })
    world:addEntity(all.entity)
    all.detached = world:newEntity("detached")
    all.detached:addComponent("BodyCMP", { name = "detached" })
    world:on("entityAdded", function() world:getTick() end)
    world:setResource("self", { world })
    for _ = 1, 3 do world:update(0.1) end
    all.view = all.system:getComponentsView()
    all.column, all.entities = all.view.PlaceCMP, all.view.entities
    all.row, all.query = all.column[1], world:query()
    return all
end

test("dispose tells every component once, in order", function()
    local all = fullWorld()
    all.world:dispose()
    same(log, { "added e", "removed e", "destroyed detached", "destroyed e" })
end)

test("after dispose every use raises a sentence", function()
    local all = fullWorld()
    all.world:dispose()
    local uses = {
        function() all.world:update(0.1) end, function() all.world:newEntity("x") end, function() all.world:dispose() end,
        function() all.world:addEntity(all.entity) end, function() all.world:on("entityAdded", print) end,
        function() all.world:registerSystem(all.plain) end, function() all.world:reset() end,
        function() local _ = all.entity:getName() end, function() all.entity:addComponent("PlaceCMP") end,
        function() local _ = all.entity:getChildren() end, function() local _ = all.entity:getWorld() end,
        function() local _ = all.entity:getComponent("BodyCMP") end, function() all.entity:destroy() end,
        function() local _ = all.handle.x end, function() all.handle.x = 1 end,
        function() local _ = all.view.count end, function() local _ = all.column[1] end, function() local _ = #all.entities end,
        function() all.view:release() end, function() local _ = all.view:rowOf(all.entity) end,
        function() all.system:tick(0.1) end, function() local _ = all.system:getWorld() end,
        function() all.system:setEnabled(false) end, function() all.system:listen("entityAdded", print) end,
        function() all.rewind:stop() end, function() local _ = all.rewind:getFrame() end, function() all.rewind:seek(1) end,
        function() all.levels:load("x") end, function() all.prefab:spawn() end, function() all.query:with("PlaceCMP") end,
        function() revenant.TimeRewindSys:new(all.world) end,
    }
    for i, use in ipairs(uses) do
        local ok, message = pcall(use)
        check(not ok, "use " .. i .. " raises nothing")
        check(type(message) == "string" and not message:find("attempt to"), "use " .. i .. ": " .. tostring(message))
    end
    equal(all.entity:isValid(), false)
    equal(all.entity:getState(), "destroyed")
    check(tostring(all.world) and tostring(all.entity) and tostring(all.view) and tostring(all.handle))
end)

test("a row that was kept can be read and written without harm", function()
    local rows = {}
    for i = 1, 20 do
        local all = fullWorld()
        rows[i] = all.row
        all.world:dispose()
    end
    fullWorld()
    for _, row in ipairs(rows) do
        pcall(function() row.x = row.x + 1 end)
        pcall(function() return row.text, row.other end)
    end
end)

test("dispose is refused inside a tick, a listener and a hook, and for worlds that are not the script's own", function()
    local world = revenant.World:new()
    local messages = {}
    local function try() messages[#messages + 1] = select(2, pcall(world.dispose, world)) end
    world:on("entityAdded", try)
    world:registerSystem { name = "disposing", tick = try }
    world:defineScriptComponent("HookedCMP", { getRewindState = function() try() return 1 end, restoreRewindState = function() end })
    world:registerSystem(revenant.TimeRewindSys:new(world))
    local e = world:newEntity("e")
    e:addComponent("HookedCMP")
    world:addEntity(e)
    world:update(0.1)
    equal(#messages, 3)
    for _, message in ipairs(messages) do
        check(message:find("between ticks", 1, true) or message:find("only read and write", 1, true), message)
    end
    world:dispose()
    raises(function() revenant.World.getInstance():dispose() end, "World:new()", "reset()")
end)

test("dispose inside a listener of a custom event lets the emitter finish", function()
    local world = revenant.World:new()
    world:defineEvent("boom")
    local heard = 0
    world:on("boom", function()
        heard = heard + 1
        world:dispose()
    end)
    world:on("boom", function() heard = heard + 1 end)
    pcall(world.emit, world, "boom")
    check(heard >= 1)
    raises(function() world:update(0.1) end, "has ended")
end)

test("what components raise while the world ends is raised by dispose, which finishes nevertheless", function()
    local world = revenant.World:new()
    world:defineScriptComponent("BadCMP", { onDestroyed = function() error("not now") end })
    local e = world:newEntity("e")
    e:addComponent("BadCMP")
    raises(function() world:dispose() end, "not now")
    raises(function() world:update(0.1) end, "has ended")
end)

test("components may do anything in onDestroyed while the world ends", function()
    local world = revenant.World:new()
    local function meddle()
        pcall(world.dispose, world)
        pcall(world.update, world, 0.1)
        pcall(world.reset, world)
        pcall(function() world:newEntity("late"):addComponent("LateCMP") end)
        collectgarbage()
        revenant.World:new():update(0.1)
    end
    local destroyed = 0
    world:defineScriptComponent("LateCMP", { onRemoved = meddle, onDestroyed = function() destroyed = destroyed + 1 meddle() end })
    for i = 1, 3 do
        local e = world:newEntity("e" .. i)
        e:addComponent("LateCMP")
        world:addEntity(e)
    end
    world:update(0.1)
    world:dispose()
    check(destroyed >= 3)
    raises(function() world:update(0.1) end, "has ended")
end)

test("a finalizer may dispose of a world, in the middle of anything", function()
    for i = 1, 30 do
        local all = fullWorld()
        local proxy, world = newproxy(true), all.world
        getmetatable(proxy).__gc = function() pcall(world.dispose, world) end
        proxy = nil
        world:recordCollisionEvent { first = all.entity }
        for _ = 1, 40 do
            local ok = pcall(function()
                world:getCollisionEvents()
                world:setResource("x", { { 1 }, { 2 } }, { rewind = true })
                world:getResource("x")
                world:getAllManagedEntities()
            end)
            collectgarbage("step", i)
            if not ok then break end
        end
        pcall(world.dispose, world)
    end
end)

test("the collector frees worlds that nothing refers to, cycles included", function()
    local function memory()
        local file = io.open("/proc/self/status")
        if not file then return 0 end
        local text = file:read("*a")
        file:close()
        return tonumber(text:match("VmRSS:%s+(%d+)")) / 1024
    end
    local function round(count)
        local destroyed = 0
        for i = 1, count do
            fullWorld()
            for _, line in ipairs(log) do destroyed = destroyed + (line:find("^destroyed") and 1 or 0) end
            if i % 10 == 0 then collectgarbage() end
        end
        collectgarbage()
        collectgarbage()
    end
    round(60)
    -- The address sanitizer keeps what is freed for a while. An emulator grows by what it translates, but not in each round.
    local most, grown = revenant.isValidating and 300 or 20, nil
    for _ = 1, 4 do
        local before = memory()
        round(150)
        grown = memory() - before
        if grown < most then return end
    end
    check(false, "worlds stay: " .. grown .. " MB in each round")
end)

test("a world lives while the script has a system, a view or a history of it", function()
    for _, what in ipairs { "system", "view", "rewind", "levels", "prefab", "query", "plain" } do
        local kept = fullWorld()[what]
        for _ = 1, 4 do
            collectgarbage()
            revenant.World:new():update(0)
        end
        if what == "system" then equal(kept:getWorld():getStats().managed, 1) end
        if what == "view" then equal(kept.count, 1) end
        if what == "rewind" then equal(kept:getFrame(), 3) end
        if what == "prefab" then equal(kept:getName(), "thing") check(kept:spawn():isValid()) end
        if what == "levels" then equal(kept:getWorld():getStats().managed, 1) end
    end
end)
