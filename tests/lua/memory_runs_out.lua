-- Every operation that a script can ask for, with memory running out at every allocation of the module:
-- it is done, or it raises and the world is valid, as it was, and goes on.
--
--     LD_PRELOAD=librevenant_failing_malloc.so luajit memory_runs_out.lua FOLDER IN_ROW [OPERATION...]
--
-- FOLDER has the module. IN_ROW: so many allocations fail, one after the other.

local folder, inRow = arg[1], tonumber(arg[2])
package.cpath = folder .. "/?.so;" .. package.cpath
local ffi = require "ffi"
ffi.cdef "void failingMallocArm(long n, long inRow); long failingMallocDisarm(void);"
local revenant = require "revenant"
local Desc, types = revenant.ComponentRequirementDesc, revenant.types
local base, again = os.tmpname(), os.tmpname()

local function build()
    local s = { world = revenant.World:new(), entities = {} }
    local world, entities = s.world, s.entities
    world:defineComponent("A", { x = 0 })
    world:defineComponent("B", { e = types.entity(), s = "q" })
    world:defineScriptComponent("S")
    world:definePrefab("p", { components = { A = {} }, children = { { components = { B = {} } } } })
    s.rewind = revenant.TimeRewindSys:new(world, { seconds = 60 })
    world:registerSystem(s.rewind)
    for i = 1, 12 do
        local e = world:newEntity("n" .. i)
        e:addComponent("A", { x = i })
        if i % 3 == 0 then e:addComponent("B", { e = entities[1] }) end
        if i % 4 == 0 then e:addComponent("S", { i, { i } }) end
        entities[i] = e
        if i % 4 == 2 then entities[i - 1]:addChild(e) end
    end
    for i = 1, 12 do
        if not entities[i]:getParent() then world:addEntity(entities[i]) end
    end
    s.view = world:getComponentsView { A = Desc:new(true), B = Desc:new(false) }
    world:update(0.1)
    for f = 2, 8 do
        entities[f]:getComponent("A").x = f * 100
        if f == 4 then world:removeEntity(entities[5]) end
        if f == 6 then entities[9]:addChild(entities[1]) end
        local late = world:newEntity("late" .. f)
        late:addComponent("A")
        world:addEntity(late)
        world:setResource("r", { f, entities[1] }, { rewind = true })
        world:update(0.1)
    end
    return s
end

local function ask(s)
    local world, entities = s.world, s.entities
    for i = 1, 5 do
        local e = world:newEntity("add" .. i)
        e:addComponent("A")
        world:addEntity(e)
    end
    world:removeEntity(entities[3])
    entities[2]:setEnabled(false)
    entities[7]:removeComponent("A")
    entities[8]:addChild(entities[10])
end

local nothing = function() end
local operations = {
    update = { nothing, function(s) s.world:update(0.1) end, moves = true },
    updateThatAdds = { ask, function(s) s.world:update(0.1) end, moves = true },
    reconcile = { nothing, function(s) s.world:reconcile() end },
    seekBack = { nothing, function(s) s.rewind:seek(2) end },
    seekFew = { nothing, function(s) s.rewind:seek(6) end },
    seekForth = { function(s) s.rewind:seek(2) end, function(s) s.rewind:seek(8) end },
    step = { function(s) s.rewind:seek(5) end, function(s) s.rewind:step(-1) end },
    stop = { function(s) s.rewind:seek(4) end, function(s) s.rewind:stop() end },
    save = { nothing, function(s) s.rewind:saveHistory(again) end },
    clear = { nothing, function(s) s.rewind:clear() end },
    budget = { nothing, function(s) s.rewind:setBudget { seconds = 0.2 } end },
    view = { nothing, function(s) s.world:getComponentsView({ S = Desc:new(true), A = Desc:new(false) }):release() end },
    query = { nothing, function(s) return #s.world:query():with("A"):entities() end },
    load = {
        function(s)
            s.second = revenant.World:new()
            s.secondRewind = revenant.TimeRewindSys:new(s.second, {})
            s.second:registerSystem(s.secondRewind)
        end,
        function(s) s.secondRewind:loadHistory(base) end,
    },
    addChild = { nothing, function(s) s.entities[12]:addChild(s.entities[4]) end },
    addEntity = { nothing, function(s) s.world:addEntity(s.entities[5]) end },
    removeEntity = { nothing, function(s) s.world:removeEntity(s.entities[1]) end },
    addComponent = { nothing, function(s) s.entities[2]:addComponent("B", { s = "a string that is new" }) end },
    addScript = { nothing, function(s) s.entities[2]:addComponent("S", { "a script", { 1 } }) end },
    removeComponent = { nothing, function(s) s.entities[2]:removeComponent("A") end },
    newEntity = { nothing, function(s) s.world:newEntity("a name that is new and long enough to be allocated") end },
    retain = { nothing, function(s) s.entities[2]:retain() end },
    spawn = { nothing, function(s) s.world:spawn("p", { A = { x = 3 } }) end },
    spawnMany = { nothing, function(s) s.world:spawnMany("p", 20) end },
    destroy = { function(s) s.made = s.world:newEntity("made") end, function(s) s.made:destroy() end },
    resource = { nothing, function(s) s.world:setResource("other", { 1, "two", s.entities[1] }, { rewind = true }) end },
    listeners = {
        nothing,
        function(s)
            local token = s.world:on("entityAdded", function() end)
            s.world:emit("levelLoaded")
            s.world:off(token)
        end,
    },
    define = { nothing, function(s) s.world:defineComponent("C", { x = 0, s = "a default that is long" }) end },
    checkpoint = { nothing, function(s) s.rewind:setCheckpoint("a long name for a checkpoint that is allocated") end },
    reset = { nothing, function(s) s.world:reset() end },
    divergence = {
        function(s) s.other = build() end,
        function(s) return s.rewind:findDivergence(s.other.rewind) end,
    },
}

-- What each thread has once, such as the contexts of zstd, is made before anything fails: where the system has no memory
-- for that, it ends the process itself.
for _, operation in pairs(operations) do
    local s = build()
    s.rewind:saveHistory(base)
    operation[1](s)
    pcall(operation[2], s)
end

local function requireValid(world, when)
    local problems = world:validate()
    if #problems > 0 then error(when .. ": " .. problems[1], 0) end
end

local function checkFrames(world, rewind)
    local oldest, newest = rewind:getOldestFrame(), rewind:getNewestFrame()
    if not oldest then return end
    for frame = oldest, newest do
        rewind:seek(frame)
        if world:stateHash() ~= rewind:frameHash(frame) then error("frame " .. frame .. " is not exact", 0) end
        requireValid(world, "frame " .. frame)
    end
    rewind:stop()
end

local function checkAfter(s, operation, ok, frame, hash)
    requireValid(s.world, "at once")
    if not ok then
        if s.rewind:getFrame() ~= frame and not operation.moves then error("another frame is on show", 0) end
        if s.rewind:getFrame() == frame and s.world:stateHash() ~= hash then error("the world is another", 0) end
        if s.second and #s.second:getAllManagedEntities() > 0 then error("a history is loaded in part", 0) end
    end
    if s.second then requireValid(s.second, "the second world") end
    if s.rewind:isRewinding() then s.rewind:stop() end
    s.world:update(0.1)
    s.world:update(0.1)
    checkFrames(s.world, s.rewind)
end

local function run(name)
    local operation = operations[name]
    local n, raised = 0, 0
    while true do
        n = n + 1
        local s = build()
        operation[1](s)
        local frame, hash = s.rewind:getFrame(), s.world:stateHash()
        ffi.C.failingMallocArm(n, inRow)
        local ok, message = pcall(operation[2], s)
        local failures = ffi.C.failingMallocDisarm()
        local isRight, why = pcall(checkAfter, s, operation, ok, frame, hash)
        if not isRight then
            error(("%s, allocation %d: %s (it said: %s)"):format(name, n, why, tostring(message)), 0)
        end
        if not ok then raised = raised + 1 end
        pcall(s.world.dispose or nothing, s.world)
        if failures == 0 then
            if not ok then error(name .. " fails without a reason: " .. tostring(message), 0) end
            break
        end
        if n % 20 == 0 then collectgarbage() end
    end
    print(("%-16s %5d allocations, raised at %d"):format(name, n - 1, raised))
end

build().rewind:saveHistory(base)
local names = {}
for i = 3, #arg do names[#names + 1] = arg[i] end
if #names == 0 then
    for name in pairs(operations) do names[#names + 1] = name end
    table.sort(names)
end
local broken = 0
for _, name in ipairs(names) do
    local ok, message = pcall(run, name)
    if not ok then
        broken = broken + 1
        print("BROKEN " .. message)
    end
end
os.remove(base)
os.remove(again)
os.exit(broken == 0 and 0 or 1)
