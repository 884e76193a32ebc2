-- A random script over the whole API, seeded: whatever it does, the process lives, the world is valid,
-- and views agree with what the entities say. REVENANT_FUZZ_SECONDS makes it long, REVENANT_FUZZ_SEED
-- another one.
local revenant = require "revenant"
local scene = require "scene"
local Desc = revenant.ComponentRequirementDesc

local seconds = tonumber(os.getenv("REVENANT_FUZZ_SECONDS"))
local firstSeed = tonumber(os.getenv("REVENANT_FUZZ_SEED")) or 1

-- Claims that must hold whatever happens; other errors are the script's own fault.
local function demand(holds, what)
    if not holds then error("DEMAND: " .. what) end
end

local function run(seed, steps)
    local state = seed * 7919 + 17
    local function random(n)
        state = (state * 1103515245 + 12345) % 2147483648
        return math.floor(state / 65536) % n + 1
    end
    local world = scene.world()
    local Brain = {}
    Brain.__index = Brain
    world:defineScriptComponent("BrainCMP", Brain)
    world:definePrefab("family", { components = { TransformCMP = { x = 1 }, BrainCMP = { n = 0 } },
        children = { { name = "child", components = { HealthCMP = {} } } } })
    local rewind
    local entities, views, tokens, systems = {}, {}, {}, {}
    local names = { "TransformCMP", "VelocityCMP", "HealthCMP", "TargetCMP", "InventoryCMP", "BrainCMP" }
    local nested = 0
    -- A third of the seeds is calm; in another, callbacks raise; in the last they also ask for things and
    -- write, after which the hash of a frame is unknown.
    local isWild, raises = seed % 3 == 0, seed % 3 ~= 1
    local act

    local function any() return entities[random(math.max(#entities, 1))] end
    local function keep(e)
        if #entities < 60 then entities[#entities + 1] = e else entities[random(60)] = e end
    end
    -- Something else, from inside a callback.
    local meddled = 0
    local function meddle()
        meddled = meddled + 1
        if not isWild or nested > 2 or meddled > 1000 then return end
        nested = nested + 1
        for _ = 1, random(3) do pcall(act) end
        nested = nested - 1
    end

    -- After a restore the frame is shown, even if something raised in the middle of it.
    local function move(how, argument)
        local before = rewind:getFrame()
        local ok, message = pcall(how, rewind, argument)
        local isRestored = (ok or message:find("of the fuzzer", 1, true)) and before ~= rewind:getFrame()
        if isRestored and not isWild and not world:isTicking() and rewind:isRewinding() then
            demand(rewind:frameHash(rewind:getFrame()) == world:stateHash(), "the hash of the restored frame is not the world's")
        end
        if not ok then error(message, 0) end
    end

    local actions = {
        function() keep(world:newEntity("e" .. random(100))) end,
        function() world:addEntity(any()) end,
        function() world:addEntity(any()) end,
        function() world:removeEntity(any()) end,
        function() any():addChild(any()) end,
        function() any():removeChild(any()) end,
        function() any():addComponent(names[random(#names)]) end,
        function() any():addComponent(names[random(#names)]) end,
        function() any():removeComponent(names[random(#names)]) end,
        function() any():setComponentEnabled(names[random(#names)], random(2) == 1) end,
        function() any():setEnabled(random(2) == 1) end,
        function() any():setRewindable(random(3) > 1) end,
        function() any():retain() end,
        function() any():release() end,
        function() any():destroy() end,
        function() any():getComponent("TransformCMP").x = random(1000) end,
        function() any():getComponent("TargetCMP").who = any() end,
        function() any():getComponent("TargetCMP").title = "t" .. random(50) end,
        function() any():getComponent("InventoryCMP").slots[random(9)] = random(100) end,
        function()
            local brain = any():getComponent("BrainCMP")
            brain.n = random(100)
            brain.friend = any()
            brain.list = { random(5), { any() } }
        end,
        function() keep(world:spawn("family")) end,
        function() keep(world:spawnMany("family", random(5))[1]) end,
        function() world:update(0.1) end,
        function() world:update(0.1) end,
        function() world:update(0.1) end,
        function() world:reconcile() end,
        function()
            local requirements = {}
            for _ = 1, random(3) do
                local kind = random(4)
                requirements[names[random(#names)]] = kind == 1 and Desc:new(false) or kind == 2 and Desc:without() or Desc:new(true, kind == 3)
            end
            views[random(4)] = { world:getComponentsView(requirements), requirements }
        end,
        function()
            local i = random(4)
            views[i][1]:release()
            views[i] = nil
        end,
        function()
            local view = views[random(4)][1]
            for i = 1, view.count do
                local e = view.entities[i]
                demand(e:isActive() or not e:isValid(), "a row is of an entity that is not active")
                demand(view:rowOf(e) == i, "rowOf and the row differ")
            end
        end,
        function()
            local view = views[random(4)][1]
            local column = view.TransformCMP
            for i = 1, view.count do column[i].y = column[i].y + 1 end
            if random(3) == 1 then meddle() end
        end,
        function()
            for count, transforms in views[random(4)][1]:runs("TransformCMP") do
                for i = 0, count - 1 do transforms[i].x = transforms[i].x + 1 end
            end
        end,
        function()
            local events = { "entityAdded", "entityRemoved", "entityDestroyed", "entityResurrected", "componentAdded",
                "componentRemoved", "entityEnabled", "entityDisabled" }
            tokens[#tokens + 1] = world:on(events[random(#events)], function(e)
                demand(type(e:getState()) == "string", "a state is no string")
                if random(4) == 1 then meddle() end
                if raises and random(20) == 1 then error("a listener of the fuzzer") end
            end)
        end,
        function() world:off(table.remove(tokens, random(#tokens))) end,
        function()
            local S = revenant.BaseSystem:extend("S" .. random(5))
            S.tickWhileRewinding = random(2) == 1
            S.priority = random(3)
            function S:init() self:addComponentRequirement(names[random(#names)], random(2) == 1) end
            function S:tick()
                if random(4) == 1 then meddle() end
                if raises and random(30) == 1 then error("a system of the fuzzer") end
            end
            systems[#systems + 1] = world:registerSystem(S:new(world))
        end,
        function() world:unregisterSystem(table.remove(systems, random(#systems))) end,
        function()
            if world:getSystem("TimeRewindSys") then return end
            rewind = revenant.TimeRewindSys:new(world, { seconds = random(4) })
            world:registerSystem(rewind)
        end,
        function() rewind:start() end,
        function() rewind:stop() end,
        function() rewind:stop() end,
        function() move(rewind.step, random(21) - 11) end,
        function() move(rewind.seek, rewind:getOldestFrame() + random(20) - 1) end,
        function() move(rewind.seek, rewind:getNewestFrame() - random(20) + 1) end,
        function() rewind:setSpeed(random(7) - 4) end,
        function() if random(5) == 1 then rewind:clear() end end,
        function()
            -- A frame is the world after a reconcile, before any further request.
            if isWild or not rewind or rewind:isRewinding() or world:isTicking() then return end
            pcall(world.reconcile, world)
            if world:getStats().pending > 0 then return end
            rewind:tick(0)
            if not rewind:isRewinding() and rewind:getFrame() then
                demand(rewind:frameHash(rewind:getFrame()) == world:stateHash(), "the hash of the frame is not the world's")
            end
        end,
        function() world:setMainCharacter(any()) end,
        function() demand(world:getMainCharacter() == nil or world:getMainCharacter():isValid(), "the main character is stale") end,
        function() world:recordCollisionEvent { first = any(), second = any() } end,
        function() world:setResource("r", { random(5), any() }, { rewind = true }) end,
        function() world:getResource("r") end,
        function() collectgarbage() end,
        function() collectgarbage("step", 50) end,
        function()
            local seen = {}
            for _, e in ipairs(world:getAllManagedEntities()) do
                demand(not seen[e], "an entity is listed twice, or has two values")
                seen[e] = true
            end
        end,
        function() world:query():with("TransformCMP"):where(function(e) return e:isValid() end):count() end,
        function() if random(60) == 1 and not world:isTicking() then world:reset() end end,
        function() for i = 1, 10 do entities[random(60)] = nil end end,
        function() coroutine.wrap(act)() end,
    }
    local lastError
    function act()
        local ok, message = pcall(actions[random(#actions)])
        message = tostring(message)
        if not ok and (message:find("DEMAND", 1, true) or message:find("revenant/[%w_]+%.lua:%d+: attempt to")) then
            lastError = message
        end
    end
    for step = 1, steps do
        -- Holes in the list of entities are filled again.
        if not entities[1] then entities = { world:newEntity("first") } end
        act()
        if lastError then error("seed " .. seed .. ", step " .. step .. ": " .. tostring(lastError)) end
        if step % 50 == 0 then
            local problems = world:validate()
            if #problems > 0 then error("seed " .. seed .. ", step " .. step .. ": " .. problems[1]) end
        end
    end
    world:reset()
end

test("random scripts do no harm", function()
    if seconds then
        local finish = os.time() + seconds
        local seed = firstSeed
        while os.time() < finish do
            run(seed, 2000)
            seed = seed + 1
        end
        print("random scripts: seeds " .. firstSeed .. " to " .. seed - 1)
        return
    end
    for seed = firstSeed, firstSeed + 5 do run(seed, 1500) end
end)
