-- Detached entities that only their own components refer to. A component may hold its entity (self.entity = e). The
-- component's table is held here for the entity, and the table holds the entity's value: the collector alone cannot see
-- that nothing else refers to either.
--
-- So, now and then, a trial: the tables of detached entities are released, their references to such entities are set aside,
-- each table that had one gets a mark, and the collector runs. What it takes was referred to by components alone. All is
-- put back by the finalizer of a userdata that is made last, as those run first: no code of a script sees the trial.
-- References that components hold in closures or userdata are not set aside; such entities stay.

local core = ...
local ffi = require "ffi"
local C, links = core.C, core.links
local istype, EntityType = ffi.istype, core.EntityType

local mostTables = 1000   -- that are looked through for one component
local longestWait = 64    -- collections between two trials

local wait, waited, survivors = 1, 0, 0
local listRoom = 256
local list = ffi.new("uint32_t[?]", listRoom)

-- ---- what is looked at -----------------------------------------------------------------------------

-- Calls visit(place) for each component of an entity whose value is held weakly.
local function forWeakTables(link, visit)
    local first, count = 0, 0
    repeat
        count = C.weakTables(link.number, first, list, listRoom)
        local places = {}
        for i = 0, count - 1 do places[i + 1] = list[i] end
        for _, place in ipairs(places) do visit(place) end
        first = count > 0 and places[count] + 1 or first
    until count < listRoom
end

-- Whether a value is that of an entity which is held weakly.
local function isWeak(link, value)
    if not istype(EntityType, value) or value.__link ~= link.number then return false end
    local held = link.weak[value.__index]
    return held ~= nil and held.__generation == value.__generation
end

-- Adds to `slots` where a component's table, or a table in it, refers to such an entity.
local function findSlots(link, component, slots)
    local seen, waiting = { [component] = true }, { component }
    local looked = 0
    while #waiting > 0 and looked < mostTables do
        local holder = table.remove(waiting)
        looked = looked + 1
        for key, value in next, holder do
            local which = isWeak(link, value) and value or isWeak(link, key) and key
            if which then
                slots[#slots + 1] = { holder = holder, key = which == value and key or nil, value = which == key and value or nil,
                    index = which.__index, generation = which.__generation, isKey = which == key, component = component }
            end
            if type(value) == "table" and not seen[value] then
                seen[value] = true
                if not core.isComponentTable(value) then waiting[#waiting + 1] = value end
            end
        end
    end
end

local markKey = {}  -- where a table has its mark meanwhile

-- ---- the trial -------------------------------------------------------------------------------------

-- The value of an entity again, where the collector has taken it: nothing has the old one.
local function valueAgain(link, trial, slot)
    local value = link.weak[slot.index]
    if value and value.__generation == slot.generation then return value end
    trial.taken[slot.index] = true
    value = core.blankValue(slot.index, slot.generation, link.number)
    link.weak[slot.index] = value
    return value
end

local function putBack(link, trial)
    for place, component in next, trial.tables do link.tables[place] = component end
    for _, slot in ipairs(trial.slots) do
        local value = valueAgain(link, trial, slot)
        if slot.isKey then rawset(slot.holder, value, slot.value) else rawset(slot.holder, slot.key, value) end
    end
    for _, slot in ipairs(trial.slots) do rawset(slot.holder, markKey, nil) end
end

local onTrial  -- what is left of the one under way, once it is put back

-- Sets everything aside. When it returns, only the last userdata that it made still holds any of it.
local function begin(link)
    local trial = { tables = {}, slots = {}, marks = {}, taken = {} }
    forWeakTables(link, function(place)
        local component = link.tables[place]
        if component then
            trial.tables[place] = component
            findSlots(link, component, trial.slots)
        end
    end)
    for _, slot in ipairs(trial.slots) do
        if rawget(slot.holder, markKey) == nil then
            local mark, reached = newproxy(true), { true }
            getmetatable(mark).__gc = function() reached[1] = false end
            trial.marks[slot.holder] = reached
            rawset(slot.holder, markKey, mark)
        end
    end
    local last = newproxy(true)
    getmetatable(last).__gc = function()
        putBack(link, trial)
        onTrial = trial
    end
    for place in next, trial.tables do link.tables[place] = nil end
    for _, slot in ipairs(trial.slots) do
        if slot.isKey then rawset(slot.holder, link.weak[slot.index], nil) else rawset(slot.holder, slot.key, false) end
    end
end
jit.off(begin, true)

-- ---- what it showed ----------------------------------------------------------------------------------

-- The entities that something else refers to: those whose values the collector left, those that tables refer to which it
-- reached, and what these lead to.
local function findLive(link, trial)
    local live, ofOwner, waiting = {}, {}, {}
    local function add(index)
        if not live[index] then
            live[index] = true
            waiting[#waiting + 1] = index
        end
    end
    for _, slot in ipairs(trial.slots) do
        local owner = core.ownerIndexOf(slot.component)
        if not trial.taken[slot.index] or trial.marks[slot.holder][1] then add(slot.index) end
        if owner then
            ofOwner[owner] = ofOwner[owner] or {}
            table.insert(ofOwner[owner], slot.index)
        end
    end
    while #waiting > 0 do
        local index = table.remove(waiting)
        for _, other in ipairs(ofOwner[index] or {}) do add(other) end
        local value = link.weak[index]
        if value and value:isValid() then
            local parent = value:getParent()
            if parent then add(parent.__index) end
            for _, child in ipairs(value:getChildren()) do add(child.__index) end
        end
    end
    return live
end

local function finish(link)
    local trial = onTrial
    onTrial = nil
    if not trial then return 0, 0 end
    local live, dropped, kept = findLive(link, trial), {}, 0
    for _, slot in ipairs(trial.slots) do
        if live[slot.index] then kept = kept + 1 else dropped[slot.index] = true end
    end
    local count = 0
    for index in pairs(dropped) do
        count = count + 1
        link.weak[index] = nil
        C.dropValue(link.number, index)
    end
    return count, kept
end
jit.off(finish, true)

-- How many references there are to check.
local function countSuspects()
    local count = 0
    for _, link in pairs(links) do
        forWeakTables(link, function(place)
            local slots = {}
            if link.tables[place] then findSlots(link, link.tables[place], slots) end
            count = count + (#slots > 0 and 1 or 0)
        end)
    end
    return count
end

-- Called after a collection, between ticks.
function core.dropCycles()
    waited = waited + 1
    local suspects = countSuspects()
    if suspects == 0 or (waited < wait and suspects <= 2 * survivors + 64) then return end
    waited = 0
    local isRunning = collectgarbage("isrunning")
    collectgarbage()  -- runs finalizers that wait from before
    local dropped, kept = 0, 0
    local isDone, message = true, nil
    for _, link in pairs(links) do
        begin(link)
        local ok, raised = pcall(collectgarbage)  -- a finalizer of the script's may raise
        if not ok then isDone, message = false, raised end
        local d, k = finish(link)
        dropped, kept = dropped + d, kept + k
    end
    if not isRunning then collectgarbage("stop") end
    survivors = kept
    wait = dropped > 0 and 1 or math.min(longestWait, wait * 2)
    if not isDone then error(message, 0) end
end
jit.off(core.dropCycles, true)
