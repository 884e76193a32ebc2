-- What a script can ask for, by name: {prepare, act}. `moves`: a failure may leave it half way through time, where each
-- half is whole: the world has ticked, or has begun to rewind. `makes`: so may a part of it be done. `once`: it cannot be asked
-- for again after the world has gone on.

local revenant = require "revenant"
local Desc, types = revenant.ComponentRequirementDesc, revenant.types
local scene = require "memory.scene"

local nothing = function() end

-- Asks for a little of everything.
local function ask(s)
    local world, entities = s.world, s.entities
    for i = 1, 5 do
        local e = world:newEntity("add" .. i)
        e:addComponent("A")
        if i % 2 == 0 then e:addComponent("L") end
        world:addEntity(e)
    end
    world:removeEntity(entities[3])
    world:removeEntity(entities[4])
    entities[2]:setEnabled(false)
    entities[7]:removeComponent("A")
    entities[8]:addChild(entities[10])
    entities[6]:removeComponent("L")
    world:queue("heard", { 1, entities[1] })
end

local function update(s) s.world:update(0.1) end
local function system(name)
    local Sys = revenant.BaseSystem:extend(name)
    function Sys:init() self:addComponentRequirement("A") end
    function Sys:onEntityAdded() self.added = (self.added or 0) + 1 end
    function Sys:onEntityRemoved() end
    function Sys:tick() end
    return Sys
end

local operations = {
    update = { nothing, update, moves = true },
    updateThatAdds = { ask, update, moves = true },
    updateManyTimes = { ask, function(s) for _ = 1, 8 do update(s) end end, moves = true },
    updateWhileRewinding = { function(s) s.rewind:seek(5) s.rewind:start() end, update, moves = true },
    reconcile = { nothing, function(s) s.world:reconcile() end },
    reconcileThatAdds = { ask, function(s) s.world:reconcile() end, moves = true },
    seekBack = { nothing, function(s) s.rewind:seek(2) end },
    seekFew = { nothing, function(s) s.rewind:seek(6) end },
    seekForth = { function(s) s.rewind:seek(2) end, function(s) s.rewind:seek(8) end, once = true },
    step = { function(s) s.rewind:seek(5) end, function(s) s.rewind:step(-1) end },
    start = { nothing, function(s) s.rewind:start() end, moves = true },
    stop = { function(s) s.rewind:seek(4) end, function(s) s.rewind:stop() end, moves = true },
    save = { nothing, function(s) s.rewind:saveHistory(scene.again) end },
    clear = { nothing, function(s) s.rewind:clear() end },
    budget = { nothing, function(s) s.rewind:setBudget { seconds = 0.2 } end },
    view = { nothing, function(s) s.world:getComponentsView({ S = Desc:new(true), A = Desc:new(false) }):release() end },
    display = { nothing, function(s) return s.view:display("A")[1].x end },
    runs = { nothing, function(s) for _ in s.view:runs("A", "B") do end end },
    query = { nothing, function(s) return #s.world:query():with("A"):entities() end },
    load = {
        function(s)
            s.second = revenant.World:new()
            s.secondRewind = revenant.TimeRewindSys:new(s.second, {})
            s.second:registerSystem(s.secondRewind)
        end,
        function(s) s.secondRewind:loadHistory(scene.base) end, once = true,
    },
    addChild = { nothing, function(s) s.entities[12]:addChild(s.entities[4]) end },
    removeChild = { nothing, function(s) s.entities[1]:removeChild(s.entities[2]) end },
    getChildren = { nothing, function(s) return s.entities[1]:getChildren() end },
    getEntities = { nothing, function(s) return s.world:getAllManagedEntities() end },
    addEntity = { nothing, function(s) s.world:addEntity(s.entities[5]) end },
    removeEntity = { nothing, function(s) s.world:removeEntity(s.entities[1]) end },
    addComponent = { nothing, function(s) s.entities[2]:addComponent("B", { s = "a string that is new" }) end },
    setString = { nothing, function(s) s.entities[3]:getComponent("B").s = "another string, which is new and long" end },
    addScript = { nothing, function(s) s.entities[2]:addComponent("S", { "a script", { 1 } }) end },
    addWatched = { nothing, function(s) s.entities[2]:addComponent("L") end },
    removeComponent = { nothing, function(s) s.entities[2]:removeComponent("A") end },
    removeWatched = { nothing, function(s) s.entities[6]:removeComponent("L") end },
    setComponentEnabled = { nothing, function(s) s.entities[2]:setComponentEnabled("A", false) end },
    setRewindable = { nothing, function(s) s.entities[2]:setRewindable(false) end },
    setMainCharacter = { nothing, function(s) s.world:setMainCharacter(s.entities[2]) end },
    newEntity = { nothing, function(s) s.world:newEntity("a name that is new and long enough to be allocated") end },
    newEntities = { nothing, function(s) for i = 1, 300 do s.world:newEntity("n" .. i % 7) end end, makes = true },
    retain = { nothing, function(s) s.entities[2]:retain() end },
    release = { function(s) s.entities[2]:retain() end, function(s) s.entities[2]:release() end },
    spawn = { nothing, function(s) s.world:spawn("p") end },
    spawnOverrides = { nothing, function(s) s.world:spawn("p", { A = { x = 3 }, S = { 1 } }) end },
    spawnScripts = { nothing, function(s) s.world:spawn("q", { children = { gun = { B = { s = "new, and long enough" } } } }) end },
    spawnMany = { nothing, function(s) s.world:spawnMany("p", 20) end },
    spawnManyScripts = { nothing, function(s) s.world:spawnMany("q", 5, function(i) return { A = { x = i } } end) end },
    definePrefab = { nothing, function(s) s.world:definePrefab("r", { components = { A = {}, B = { s = "a new default of r" } } }) end },
    destroy = { function(s) s.made = s.world:newEntity("made") end, function(s) s.made:destroy() end, once = true },
    destroyTree = {
        function(s)
            s.made = s.world:getPrefab("q"):instantiate()
            s.made:addComponent("B", { s = "x" })
        end,
        function(s) s.made:destroy() end, once = true,
    },
    resource = { nothing, function(s) s.world:setResource("other", { 1, "two", s.entities[1] }, { rewind = true }) end },
    collision = { nothing, function(s) s.world:recordCollisionEvent { first = s.entities[1], second = s.entities[2], depth = 1 } end,
        makes = true },
    listeners = {
        nothing,
        function(s)
            local token = s.world:on("entityAdded", nothing)
            s.world:emit("levelLoaded")
            s.world:off(token)
        end,
    },
    emit = { nothing, function(s) s.world:emit("heard", s.entities[1], { "a detail", { 1, 2 } }) end, makes = true },
    queue = { nothing, function(s) s.world:queue("heard", s.entities[1], { "a detail", { 1, 2 } }) end },
    defineEvent = { nothing, function(s) s.world:defineEvent("an event of a name that is long and new") end },
    define = { nothing, function(s) s.world:defineComponent("C", { x = 0, s = "a default that is long" }) end },
    defineScript = { nothing, function(s) s.world:defineScriptComponent("C", { onAdded = nothing }, { base = "L" }) end },
    registerSystem = { nothing, function(s) s.world:registerSystem(system("WatchSys"):new(s.world)) end },
    registerPlain = { nothing, function(s)
        s.world:registerSystem { name = "plain", requirements = { "A", "B" }, tick = nothing, onEntityAdded = nothing }
    end },
    unregisterSystem = {
        function(s) s.system = s.world:registerSystem(system("WatchSys"):new(s.world)) end,
        function(s) s.world:unregisterSystem(s.system) end,
    },
    listen = {
        function(s) s.system = s.world:registerSystem(system("WatchSys"):new(s.world)) end,
        function(s) s.system:listen("heard", nothing) end,
    },
    newWorld = { nothing, function(s)
        s.second = revenant.World:new()
        s.second:defineComponent("A", { x = types.f32(0), e = types.entity() })
    end },
    newHistory = { function(s) s.second = revenant.World:new() end, function(s)
        s.second:registerSystem(revenant.TimeRewindSys:new(s.second, { seconds = 2 }))
    end },
    deferred = {
        function(s)
            s.rewind:seek(4)
            s.world:addEntity(s.world:newEntity("deferred, with a name that is long"))
            s.world:removeEntity(s.entities[7])
        end,
        function(s) s.rewind:stop() end, options = { inThePast = "defer" }, moves = true,
    },
    syncTest = { function(s) s.rewind:setSyncTest(3) end, update, moves = true },
    applyBlend = { function(s) s.rewind:setApplyBlend(true) s.rewind:seek(5) s.rewind:setSpeed(0.5) end, update, moves = true },
    level = {
        function(s)
            s.levels = revenant.LevelManager:new(s.world, { folder = scene.folder })
        end,
        function(s) s.levels:load("level_that_needs_memory") update(s) end, moves = true,
    },
    checkpoint = { nothing, function(s) s.rewind:setCheckpoint("a long name for a checkpoint that is allocated") end },
    reset = { nothing, function(s) s.world:reset() end },
    divergence = {
        function(s) s.other = scene.build() end,
        function(s) return s.rewind:findDivergence(s.other.rewind) end,
    },
}

if pcall(revenant.World.saveToString, revenant.World:new()) then  -- builds without saves refuse it
    local function keepSave(s)
        s.data = s.entities[9]:serialize()
        s.entities[9]:getComponent("A").x = 77
        s.delta = s.entities[9]:serializeDelta(s.data)
    end
    operations.saveWorld = { nothing, function(s) s.world:saveToString() end }
    operations.saveWorldAsJson = { nothing, function(s) s.world:saveToString { format = "json" } end }
    operations.saveWorldToFile = { nothing, function(s) s.world:save(scene.again) end }
    operations.loadWorld = { function(s) s.save = s.world:saveToString() end, function(s) s.world:loadFromString(s.save) end }
    operations.loadWorldOfJson = {
        function(s) s.save = s.world:saveToString { format = "json" } end,
        function(s) s.world:loadFromString(s.save) end,
    }
    operations.serialize = { nothing, function(s) return s.entities[9]:serialize() end }
    operations.deserialize = { keepSave, function(s) return s.world:deserialize(s.data) end }
    operations.serializeDelta = { keepSave, function(s) return s.entities[9]:serializeDelta(s.data) end }
    operations.applyDelta = { keepSave, function(s) s.entities[9]:applyDelta(s.delta) end }
end

return operations
