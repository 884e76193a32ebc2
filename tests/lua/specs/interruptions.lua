-- Calls that end anywhere: a hook of debug.sethook may raise at any instruction of the module's own Lua. And games that
-- make reading or writing an unknown global an error.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

local Vector = {}
Vector.__index = Vector
revenant.registerClass("interruptions.Vector", Vector)

local Thing = { rewindIgnore = { "entity", "isGone" } }
Thing.__index = Thing
for _, name in ipairs { "onAdded", "onRemoved", "onRestored" } do
    Thing[name] = function(self, e) self.entity = e end
end
function Thing:onDestroyed()
    assert(not self.isGone, "destroyed twice")
    self.isGone = true
end
local Hooked = setmetatable({}, { __index = Thing })
Hooked.__index = Hooked
function Hooked:getRewindState() return { self.x } end
function Hooked:restoreRewindState(state) self.x = state[1] end

local function stage()
    local world, list = scene.world(), {}
    world:defineScriptComponent("ThingCMP", Thing)
    world:defineScriptComponent("HookedCMP", Hooked, { base = "ThingCMP" })
    world:defineEvent("heard")
    world:on("heard", function() end)
    local rewind = world:registerSystem(revenant.TimeRewindSys:new(world))
    local system = { name = "WatchingSys", requirements = { "TransformCMP" } }
    function system:tick() for i = 1, self.view.count do self.view.TransformCMP[i].x = i end end
    function system:onEntityAdded(e) e:getName() end
    function system:onEntityRemoved(e) e:getName() end
    world:registerSystem(system)
    world:definePrefab("thing", {
        components = { TransformCMP = { x = 1 }, ThingCMP = { x = 4, at = setmetatable({}, Vector) } },
        children = { { name = "child", components = { HealthCMP = {} } } },
    })
    local view = world:getComponentsView { TransformCMP = Desc:new() }
    local function any() return list[math.random(math.max(1, #list))] end
    local function keep(e)
        list[#list + 1] = e
        return e
    end
    local function on(call) local e = any() if e then call(e) end end
    local acts = {
        function()
            local e = keep(world:newEntity("e"))
            e:addComponent("TransformCMP", { x = 3 })
            e:addComponent(math.random() < 0.5 and "ThingCMP" or "HookedCMP", { x = 3, at = setmetatable({ z = 1 }, Vector) })
            world:addEntity(e)
        end,
        function() keep(world:spawn("thing", { TransformCMP = { x = 9 } })) end,
        function() for _, e in ipairs(world:spawnMany("thing", 3)) do keep(e) end end,
        function() on(function(e) world:removeEntity(e) end) end,
        function() on(function(e) world:addEntity(e) end) end,
        function() on(function(e) e:removeComponent("ThingCMP") end) end,
        function() on(function(e) e:addComponent("ThingCMP", { x = 1 }) end) end,
        function() on(function(e) if e:getState() == "detached" then e:destroy() end end) end,
        function() on(function(a) on(function(b) a:addChild(b) end) end) end,
        function() world:update(0.1) end,
        function() world:update(0.1) end,
        function() rewind:seek(math.random(rewind:getOldestFrame(), rewind:getNewestFrame())) end,
        function() rewind:stop() end,
        function()
            world:queue("heard", { a = { 1 } })
            world:emit("heard", { 1 })
        end,
        function() on(function(e) world:deserialize(e:serialize()) end) end,
        function()
            for count, transforms in view:runs("TransformCMP") do
                for i = 0, count - 1 do transforms[i].x = transforms[i].x + 1 end
            end
        end,
        function() for _, e in ipairs(world:query():with("TransformCMP"):entities()) do e:getComponent("TransformCMP").x = 2 end end,
        function() world:setResource("list", { 1, { 2 } }, { rewind = true }) end,
        function() view:compute("TransformCMP.x = TransformCMP.x + by", { by = 1 }) end,
    }
    if hasSaves() then
        acts[#acts + 1] = function() world:loadFromString(world:saveToString()) end
    end
    return world, rewind, view, acts
end

-- Calls it, with a hook that raises after so many instructions. Answers whether the hook raised.
local function interrupt(act, instructions)
    local isOn, isRaised = false, false
    debug.sethook(function()
        if not isOn then return end
        isOn, isRaised = false, true
        debug.sethook()
        error("from a hook", 0)
    end, "", instructions)
    pcall(function()
        pcall(function()
            isOn = true
            act()
            isOn = false
        end)
        isOn = false
    end)
    while not pcall(function() isOn = false debug.sethook() end) do end
    return isRaised
end

test("an error raised by a hook at any instruction leaves the world whole", function()
    local raised = 0
    local wasOn = jit.status()
    jit.off()  -- hooks are not called by compiled code
    jit.flush()
    for round = 1, 8 do
        local world, rewind, view, acts = stage()
        for step = 1, 40 do
            local place = math.random(#acts)
            local instructions = math.random(math.random() < 0.5 and 60 or 1500)
            if interrupt(acts[place], instructions) then raised = raised + 1 end
            local what = ("round %d, step %d: call %d, %d instructions"):format(round, step, place, instructions)
            same(world:validate(), {}, what)
        end
        pcall(rewind.stop, rewind)
        pcall(world.update, world, 0.1)
        local e = scene.spawn(world, "after", { TransformCMP = { x = 7 } })
        world:update(0.1)
        equal(view.TransformCMP[view:rowOf(e)].x, view:rowOf(e))
        local frame = rewind:getFrame()
        world:update(0.1)
        rewind:seek(frame)
        equal(world:stateHash(), rewind:frameHash(frame))
        rewind:stop()
        world:removeEntity(e)
        world:update(0.1)
        check(e:getState() ~= "managed")
        world:dispose()
    end
    if wasOn then jit.on() end
    check(raised > 50, raised)
end)

test("everything works where reading or writing an unknown global is an error", function()
    local before = debug.getmetatable(_G)
    debug.setmetatable(_G, {
        __index = function(_, name) error("global '" .. tostring(name) .. "' is not known", 2) end,
        __newindex = function(_, name) error("global '" .. tostring(name) .. "' is new", 2) end,
    })
    local failed = {}
    local ok, message = pcall(function()
        local world, rewind, view, acts = stage()
        for _ = 1, 3 do world:update(0.1) end
        for _ = 1, 20 do
            for _, act in ipairs(acts) do
                local done, said = pcall(act)
                if not done and said:find("global", 1, true) then failed[#failed + 1] = said end
            end
        end
        local reload = revenant.HotReload:new { read = function() return "return require('revenant').BaseSystem:extend('S')" end }
        pcall(rewind.stop, rewind)
        world:registerSystem(reload:load("interruptions.lua"):new(world))
        reload:update()
        view:release()
        world:reset()
        world:dispose()
    end)
    debug.setmetatable(_G, before)
    check(ok, message)
    same(failed, {})
end)
