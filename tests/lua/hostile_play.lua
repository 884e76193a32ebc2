-- Random play in which every callback does at random what a script can do: raise, yield, reset, seek, spawn,
-- unregister, recurse. Nothing may crash or hang, and the world stays valid.
--
--     local play = require "hostile_play"
--     play(seed)        -- raises what does not hold
--
-- The seed decides which action happens where; `trace` is called with each, to find a crash.

local revenant = require "revenant"
local Desc, types = revenant.ComponentRequirementDesc, revenant.types

local function generator(seed)
    local state = seed * 2654435761 % 2 ^ 32
    return function(n)
        state = (state * 1664525 + 1013904223) % 2 ^ 32
        return math.floor(state / 2 ^ 16) % n + 1
    end
end

local strange = { 0 / 0, 1 / 0, -1 / 0, 2 ^ 53, -1, 0.5, 1e308, "", "no such thing", false, {}, print }
local file = os.tmpname()

return function(seed, trace)
    local draw = generator(seed)
    local s = { entities = {}, tokens = {}, systems = {}, views = {} }
    local depth, deedsLeft, deeds = 0, 0, {}

    local function pick(list) return list[draw(math.max(#list, 1))] end
    local function entity() return pick(s.entities) or s.world:newEntity("none") end
    local function any() return draw(12) == 1 and pick(strange) or entity() end

    -- What every callback does.
    local function act(where)
        if depth > 4 or deedsLeft <= 0 or draw(3) > 1 then return end
        deedsLeft, depth = deedsLeft - 1, depth + 1
        local name = deeds[draw(#deeds)]
        if trace then trace(where, name) end
        local ok, message = pcall(deeds[name], where)
        depth = depth - 1
        if not ok and draw(3) == 1 then error(message, 0) end
    end
    local function callback(where, ...)
        local results = { ... }
        return function() act(where) return unpack(results) end
    end

    local function class(hooks)
        local made = { onAdded = callback "onAdded", onRemoved = callback "onRemoved", onRestored = callback "onRestored",
            onDestroyed = callback "onDestroyed" }
        made.__index = made
        function made:new()
            act("new")
            return setmetatable({ 1, own = {} }, made)
        end
        if hooks then
            function made:getRewindState() act("getRewindState") return { self[1], draw(2) } end
            function made:restoreRewindState(state) act("restoreRewindState") self[1] = state[1] end
            function made:lerpRewindState(now) act("lerpRewindState") return now end
        end
        return made
    end

    local function plainSystem(name)
        return { name = name, requirements = { "A" }, tick = callback(name .. ".tick"), fixedTick = callback "fixedTick",
            fixedStepSeconds = 0.05, onEntityAdded = callback "onEntityAdded", onEntityRemoved = callback "onEntityRemoved",
            getRewindState = function() act("system.get") return { 1 } end, tickWhileRewinding = draw(2) == 1,
            restoreRewindState = callback "system.restore", lerpRewindState = callback("system.lerp", {}) }
    end

    local function define()
        local world = s.world
        if world:isComponentDefined("A") then return end
        world:defineComponent("A", { x = types.lerp(types.f64(0)), n = types.i64(0) })
        world:defineComponent("B", { e = types.entity(), s = "q", a = types.array(types.entity(), 3) })
        world:defineScriptComponent("S")
        world:defineScriptComponent("L", class(false))
        world:defineScriptComponent("H", class(true))
        world:defineScriptComponent("D", class(false), { base = "L" })
        world:defineScriptComponent("I", setmetatable({}, { __index = function(_, key) act("__index " .. tostring(key)) end }))
        world:definePrefab("p", { components = { A = {}, L = {} }, children = { { name = "c", components = { B = {}, H = {} } } } })
        world:defineEvent("own")
    end
    local function setUp()
        define()
        local world = s.world
        s.rewind = world:getSystem("TimeRewindSys") or world:registerSystem(revenant.TimeRewindSys:new(world,
            { seconds = 1, inThePast = draw(2) == 1 and "defer" or "raise" }))
        for _, event in ipairs { "entityAdded", "entityRemoved", "entityDestroyed", "componentAdded", "componentRemoved",
            "entityEnabled", "entityDisabled", "rewindStarted", "rewindEnded", "own" } do
            if draw(3) == 1 then s.tokens[#s.tokens + 1] = world:on(event, callback(event)) end
        end
    end

    deeds = {
        raise = function() error("raised") end,
        raiseTable = function() error({}) end,
        raiseNil = function() error(nil) end,
        raiseObject = function() error(setmetatable({}, { __tostring = function() error("again") end })) end,
        yield = function() coroutine.yield(1) end,
        wrapped = function(where) coroutine.wrap(function() act(where) coroutine.yield() end)() end,
        garbage = function() collectgarbage() end,
        finalizer = function(where) getmetatable(newproxy(true)).__gc = function() pcall(act, where .. ".gc") end end,
        recurse = function() local function f() return 1 + f() end f() end,
        recurseInside = function(where) for _ = 1, 3 do act(where) end end,
        reset = function() if draw(8) == 1 then s.world:reset() s.entities = {} end end,
        setUp = setUp,
        update = function() s.world:update(draw(3) / 20) end,
        reconcile = function() s.world:reconcile() end,
        seek = function() s.rewind:seek(s.rewind:getOldestFrame() + draw(12) - 1) end,
        step = function() s.rewind:step(draw(7) - 4) end,
        start = function() s.rewind:start() end,
        stop = function() s.rewind:stop() end,
        clear = function() s.rewind:clear() end,
        speed = function() s.rewind:setSpeed((draw(9) - 5) / 2) s.rewind:setApplyBlend(draw(2) == 1) end,
        budget = function() s.rewind:setBudget { seconds = draw(10) / 10 } end,
        rewindTick = function() s.rewind:tick(0.05) end,
        syncTest = function() s.rewind:setSyncTest(draw(4) - 1) end,
        save = function() s.rewind:saveHistory(file) end,
        load = function() s.rewind:loadHistory(file) end,
        unregisterRewind = function() s.world:unregisterSystem(s.rewind) end,
        checkpoint = function() s.rewind:setCheckpoint("c" .. draw(3)) s.rewind:seekCheckpoint("c" .. draw(3)) end,
        divergence = function() s.rewind:findDivergence(s.rewind) end,
        newEntity = function()
            local e = s.world:newEntity("e" .. draw(9))
            s.entities[#s.entities % 30 + 1] = e
            for _, name in ipairs { "A", "B", "S", "L", "H", "I" } do if draw(3) == 1 then pcall(e.addComponent, e, name) end end
            if draw(3) > 1 then s.world:addEntity(e) end
        end,
        spawn = function() s.entities[draw(30)] = s.world:spawn("p", draw(2) == 1 and { A = { x = draw(9) } } or nil) end,
        spawnMany = function() s.world:spawnMany("p", draw(4), function() act("overrides") return { S = {} } end) end,
        add = function() s.world:addEntity(any()) end,
        remove = function() s.world:removeEntity(any()) end,
        destroy = function() entity():destroy() end,
        retain = function() entity():retain() end,
        release = function() entity():release() end,
        enable = function() entity():setEnabled(draw(2) == 1) end,
        rewindable = function() entity():setRewindable(draw(2) == 1) end,
        attach = function() entity():addChild(any()) end,
        detach = function() local e = entity() e:getParent():removeChild(e) end,
        bind = function() entity():addComponent(pick { "A", "B", "S", "L", "H", "D", "I" }) end,
        bindCycle = function() local t = {} t.self = t entity():addComponent("S", t) end,
        bindDeep = function() local t = {} for _ = 1, 300 do t = { t } end entity():addComponent("S", t) end,
        bindStrange = function() entity():addComponent("S", { function() end, 0 / 0, [{}] = 1, [entity()] = entity() }) end,
        unbind = function() entity():removeComponent(pick { "A", "B", "S", "L", "H", "D", "I" }) end,
        componentEnabled = function() entity():setComponentEnabled(pick { "A", "L" }, draw(2) == 1) end,
        write = function() local c = entity():getComponent("A") c.x, c.n = pick(strange), draw(99) end,
        writeReference = function() local c = entity():getComponent("B") c.e, c.a[draw(4)], c.s = any(), any(), "s" .. draw(99) end,
        writeScript = function() local c = entity():getComponent("S") c[entity()], c.x = draw(9), entity() end,
        character = function() s.world:setMainCharacter(any()) end,
        resource = function() s.world:setResource("r", { entity(), draw(9) }, { rewind = draw(2) == 1 }) end,
        collision = function() s.world:recordCollisionEvent { first = entity(), second = any() } end,
        emit = function() s.world:emit("own", any(), { 1 }) end,
        queue = function() s.world:queue("own", any(), { draw(9) }) end,
        on = function() s.tokens[#s.tokens % 20 + 1] = s.world:on(pick { "own", "entityAdded", "entityDestroyed" }, callback "late listener") end,
        off = function() s.world:off(pick(s.tokens)) end,
        register = function() s.systems[#s.systems + 1] = s.world:registerSystem(plainSystem("plain" .. draw(5))) end,
        unregister = function() s.world:unregisterSystem(pick(s.systems)) end,
        disable = function() pick(s.systems).enabled = draw(2) == 1 end,
        tickByHand = function() pick(s.systems):tick(0.1) end,
        view = function() s.views[#s.views % 10 + 1] = s.world:getComponentsView { [pick { "A", "B", "L", "H" }] = Desc:new(draw(2) == 1) } end,
        releaseView = function() pick(s.views):release() end,
        rows = function(where)
            local view = pick(s.views)
            for i = 1, view.count do
                act(where)
                local row = view.entities[i] and (view.A or view.L)[i]
                if view.A then row.x = i end
            end
        end,
        runs = function(where) for _ in pick(s.views):runs("A") do act(where) end end,
        displayed = function(where) local column = pick(s.views):display("A") for i = 1, #column do act(where) local _ = column[i].x end end,
        query = function() s.world:query():with("A"):where(function() act("where") return true end)
            :orderBy(function() act("orderBy") return 1 end):entities() end,
        children = function(where) for _, child in ipairs(entity():getChildren()) do act(where) child:getName() end end,
        strangeUpdate = function() s.world:update(pick(strange)) end,
        strangeSeek = function() s.rewind:seek(pick(strange)) end,
        strangeSpawn = function() s.world:spawnMany("p", pick(strange)) end,
        another = function() local world = revenant.World:new() world:update(0) world:addEntity(entity()) end,
        hash = function() s.world:stateHash() s.world:validate() s.world:getStats() end,
        define = function() s.world:defineComponent("A" .. draw(50), { x = 0, e = types.entity() }) end,
        dispose = function() if s.world.dispose and draw(40) == 1 then s.world:dispose() end end,
    }
    local names = {}
    for name in pairs(deeds) do names[#names + 1] = name end
    table.sort(names)  -- `pairs` has no order
    for i, name in ipairs(names) do deeds[i] = name end

    local function valid(when)
        if not pcall(s.world.getTick, s.world) then return end  -- it was disposed of
        for _, problems in ipairs { s.world:validate(), s.rewind:validate() } do
            if #problems > 0 then error(when .. ": " .. problems[1], 0) end
        end
    end

    s.world = revenant.World:new()
    setUp()
    for turn = 1, 25 do
        deedsLeft = 60
        for _ = 1, 6 do pcall(act, "main") end
        if draw(2) == 1 then pcall(deeds.newEntity) end
        local thread = coroutine.create(function() s.world:update(0.05) end)
        if trace then trace("turn", turn) end
        coroutine.resume(thread)
        deedsLeft = 0
        valid("turn " .. turn)
    end
    pcall(s.rewind.stop, s.rewind)
    pcall(s.world.update, s.world, 0.1)
    valid("at the end")
    local ok, oldest = pcall(s.rewind.getOldestFrame, s.rewind)
    for frame = ok and oldest or 1, ok and oldest and s.rewind:getNewestFrame() or 0 do
        local isSought = pcall(s.rewind.seek, s.rewind, frame)
        if trace then trace("seek", frame) end
        valid("frame " .. frame .. (isSought and "" or ", which raised"))
    end
    os.remove(file)
end
