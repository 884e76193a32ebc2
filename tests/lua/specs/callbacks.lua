-- Every function of a script's that the world calls: it may raise anything, run finalizers that call the world, and ask
-- for anything, and the world stays whole, others have their turn, and the next tick works.
-- Over 300 lines: a list of independent claims about one scene.
local revenant = require "revenant"
local scene = require "scene"

-- One case per callback: set(world, call) has `call` called by what `run` does. `raises`: where the error arrives, if not in
-- the call that ran.
local function component(method, run)
    return function(call)
        local world = scene.world()
        local Class = {}
        Class.__index = Class
        Class[method] = call
        world:defineScriptComponent("ThingCMP", Class)
        local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
        local e = scene.spawn(world, "thing", { ThingCMP = {} })
        return world, function() run(world, rewind, e) end
    end
end

local function quietly(world, count) for _ = 1, count do pcall(world.update, world, 0.1) end end

local function hooked(method, run)
    return function(call)
        local world = scene.world()
        local Class = { getRewindState = function(self) return { self.x } end,
            restoreRewindState = function(self, state) self.x = state[1] end,
            lerpRewindState = function(_, a) return a end }
        Class.__index = Class
        local plain = Class[method]
        Class[method] = function(self, ...)
            call(self, ...)
            return plain(self, ...)
        end
        world:defineScriptComponent("ThingCMP", Class)
        local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
        local thing = { x = 1 }
        scene.spawn(world, "thing", { ThingCMP = thing })
        world:registerSystem { name = "ChangingSys", tick = function() thing.x = thing.x + 1 end }
        return world, function() run(world, rewind) end
    end
end

local function hookedSystem(method, run)
    return function(call)
        local world = scene.world()
        local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
        local system = { name = "HookedSys", x = 1, tick = function(self) self.x = self.x + 1 end,
            getRewindState = function(self) return { self.x } end,
            restoreRewindState = function(self, state) self.x = state[1] end,
            lerpRewindState = function(_, a) return a end }
        local plain = system[method]
        system[method] = function(self, ...)
            call(self, ...)
            return plain(self, ...)
        end
        world:registerSystem(system)
        return world, function() run(world, rewind) end
    end
end

local function backAndOn(world, rewind)
    quietly(world, 3)
    rewind:seek(1)
    rewind:seek(2)
end

local function between(world, rewind)
    quietly(world, 4)
    rewind:setApplyBlend(true)
    rewind:start()
    rewind:setSpeed(0.5)
    world:update(0.1)
end

local function event(on, run)
    return function(call)
        local world = scene.world()
        world:registerSystem(revenant.TimeRewindSys:new(world))
        world:defineEvent("heard")
        world:update(0.1)
        on(world, call)
        return world, function() run(world) end
    end
end

local function emitted(world)
    world:emit("heard", 1)
    world:update(0.1)
end

local function listening(world, call)
    local Sys = revenant.BaseSystem:extend("ListeningSys")
    function Sys:init() self:listen("heard", call) end
    world:registerSystem(Sys:new(world))
end

local function matching(method, run)
    return function(call)
        local world = scene.world()
        world:registerSystem(revenant.TimeRewindSys:new(world))
        local e = scene.spawn(world, "thing", { HealthCMP = {} })
        world:update(0.1)
        local system = { name = "MatchingSys", requirements = { "HealthCMP" }, tick = function() end }
        system[method] = call
        return world, function() run(world, system, e) end
    end
end

local cases = {
    onAdded = component("onAdded", function(world) world:update(0.1) end),
    onRemoved = component("onRemoved", function(world, _, e)
        world:update(0.1)
        world:removeEntity(e)
        world:update(0.1)
    end),
    onRestored = component("onRestored", function(world, rewind, e)
        world:update(0.1)
        world:removeEntity(e)
        world:update(0.1)
        rewind:seek(1)
    end),
    onDestroyed = component("onDestroyed", function(world, rewind, e)
        world:update(0.1)
        world:removeEntity(e)
        world:update(0.1)
        rewind:clear()
        world:update(0.1)
    end),
    ["onDestroyed by reset"] = component("onDestroyed", function(world)
        world:update(0.1)
        world:reset()
        world:update(0.1)  -- which raises what was raised in the reset
    end),
    getRewindState = hooked("getRewindState", function(world) world:update(0.1) end),
    restoreRewindState = hooked("restoreRewindState", backAndOn),
    lerpRewindState = hooked("lerpRewindState", between),
    ["a system's getRewindState"] = hookedSystem("getRewindState", function(world) world:update(0.1) end),
    ["a system's restoreRewindState"] = hookedSystem("restoreRewindState", backAndOn),
    ["a system's lerpRewindState"] = hookedSystem("lerpRewindState", between),
    ["a system's tick"] = hookedSystem("tick", function(world) world:update(0.1) end),
    on = event(function(world, call) world:on("heard", call) end, emitted),
    ["a confirmed listener"] = event(function(world, call) world:on("heard", call, { confirmed = true }) end, emitted),
    ["a listener of a queued event"] = event(function(world, call) world:on("heard", call) end, function(world)
        world:queue("heard", 1)
        world:update(0.1)
    end),
    ["a listener of the world's own event"] = event(function(world, call) world:on("entityAdded", call) end, function(world)
        scene.spawn(world, "new")
        world:update(0.1)
    end),
    listen = event(listening, emitted),
    ["listen, queued"] = event(listening, function(world)
        world:queue("heard", 1)
        world:update(0.1)
    end),
    ["onEntityAdded at registration"] = matching("onEntityAdded", function(world, system) world:registerSystem(system) end),
    onEntityAdded = matching("onEntityAdded", function(world, system, e)
        world:removeEntity(e)
        quietly(world, 1)
        world:registerSystem(system)
        world:addEntity(e)
        world:update(0.1)
    end),
    onEntityRemoved = matching("onEntityRemoved", function(world, system, e)
        world:registerSystem(system)
        world:removeEntity(e)
        world:update(0.1)
    end),
    where = event(function(world, call) world:setResource("call", call) end, function(world)
        scene.spawn(world, "new", { TransformCMP = {} })
        world:update(0.1)
        world:query():with("TransformCMP"):where(world:getResource("call")):entities()
    end),
    ["overrides of spawnMany"] = event(function(world, call) world:setResource("call", call) end, function(world)
        world:definePrefab("thing", { components = { HealthCMP = {} } })
        world:spawnMany("thing", 3, world:getResource("call"))
    end),
}
if hasSaves() then
    cases.migrate = function(call)
        local older = scene.world()
        older:defineComponent("AgedCMP", { x = 1 })
        scene.spawn(older, "old", { AgedCMP = {} })
        local save = older:saveToString()
        local world = scene.world()
        world:defineComponent("AgedCMP", { x = 1 }, { version = 2, migrate = function(old, version)
            call(old, version)
            return old
        end })
        return world, function() world:loadFromString(save) end
    end
end

local names = {}
for name in pairs(cases) do names[#names + 1] = name end
table.sort(names)

-- The world still works: one more entity comes, is seen, and goes.
local function works(world, name, rewind)
    quietly(world, 1)
    if rewind and rewind:isRewinding() then pcall(rewind.stop, rewind) end
    local e = scene.spawn(world, "after", { TransformCMP = { x = 7 } })
    quietly(world, 1)
    equal(e:getState(), "managed", name)
    equal(#world:validate(), 0, name)
    world:removeEntity(e)
    quietly(world, 1)
    check(e:getState() ~= "managed", name)
end

local raised = { ["a string"] = "on purpose", ["a table"] = { code = 42 }, ["nothing"] = false }
for what, object in pairs(raised) do
    test("every callback may raise " .. what .. ": it arrives, and the world works on", function()
        for _, name in ipairs(names) do
            local isCalled, isOff = false, false
            local world, run = cases[name](function()
                if isOff then return end
                isCalled = true
                if object == false then error() end
                error(object, 0)
            end)
            local rewind = world:getSystem("TimeRewindSys")
            local ok, message = pcall(run)
            check(isCalled, name .. " was not called")
            check(not ok, name .. ": the error got lost")
            if type(object) == "table" and type(message) == "table" then equal(message.code, 42, name) end
            if object == "on purpose" then check(tostring(message):find("on purpose", 1, true), name .. ": " .. tostring(message)) end
            isOff = true
            works(world, name, rewind)
        end
    end)
end

-- An object whose finalizer calls the world, some of them at every step.
local function litter(world)
    for _ = 1, 20 do
        local proxy = newproxy(true)
        getmetatable(proxy).__gc = function()
            pcall(function()
                local e = world:newEntity("by a finalizer")
                e:addComponent("TransformCMP", { x = 1 })
                world:addEntity(e)
                world:emit("heard", 2)
                world:query():with("TransformCMP"):first()
            end)
        end
    end
end

test("finalizers that call the world may run in every callback", function()
    for _, name in ipairs(names) do
        local isCalled, world = false, nil
        local run
        world, run = cases[name](function()
            if isCalled then return end
            isCalled = true
            if world then litter(world) end
            collectgarbage()
            collectgarbage()
        end)
        litter(world)
        local rewind = world:getSystem("TimeRewindSys")
        pcall(run)  -- a listener of "heard" may be called by the finalizers of another
        check(isCalled, name .. " was not called")
        works(world, name, rewind)
        collectgarbage()
        works(world, name, rewind)
    end
end)

-- Calls from a callback are carried out, deferred or refused with a sentence, never half done.
local asks = {
    reset = function(world) world:reset() end,
    dispose = function(world) world:dispose() end,
    update = function(world) world:update(0.1) end,
    reconcile = function(world) world:reconcile() end,
    seek = function(world) world:getSystem("TimeRewindSys"):seek(1) end,
    stop = function(world) world:getSystem("TimeRewindSys"):stop() end,
    clear = function(world) world:getSystem("TimeRewindSys"):clear() end,
    ["unregister the history"] = function(world) world:unregisterSystem(world:getSystem("TimeRewindSys")) end,
    spawn = function(world) scene.spawn(world, "asked", { TransformCMP = {}, HealthCMP = {} }) end,
    ["remove all"] = function(world)
        for _, e in ipairs(world:getAllManagedEntities()) do world:removeEntity(e) end
    end,
    ["unregister all"] = function(world)
        for _, name in ipairs(world:getSystemNames()) do world:unregisterSystem(world:getSystem(name)) end
    end,
    ["save and load"] = function(world) world:loadFromString(world:saveToString()) end,
    ["destroy all"] = function(world)
        for _, e in ipairs(world:getAllManagedEntities()) do e:destroy() end
    end,
}

for what, ask in pairs(asks) do
    test("every callback may ask for this: " .. what, function()
        for _, name in ipairs(names) do
            local isCalled, refusal, world = false, nil, nil
            local run
            world, run = cases[name](function()
                if isCalled then return end
                isCalled = true
                local ok, message = pcall(ask, world)
                if not ok then refusal = message end
            end)
            local rewind = world:getSystem("TimeRewindSys")
            pcall(run)
            check(isCalled, name .. " was not called")
            if refusal ~= nil then
                check(type(refusal) == "string" and #refusal > 20, name .. ": " .. tostring(refusal))
            end
            -- Disposed by a callback of no world's, or in between: every later use says so.
            if pcall(world.getStats, world) then works(world, name .. ", " .. what, rewind) end
        end
    end)
end
