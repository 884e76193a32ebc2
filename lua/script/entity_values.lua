-- The Lua values of entities: one per entity, so that it can be compared and used as a key. Held strongly
-- while the entity is managed or a zombie, weakly while it is detached (entity_values.hpp).

local core = ...
local ffi = require "ffi"
local C, links = core.C, core.links
local istype = ffi.istype
local raise = core.raise

-- Signed where tables are indexed by it: compiled code need not convert it.
ffi.cdef "typedef struct revenant_Entity { const int32_t __index; const uint32_t __generation; const int32_t __link; } revenant_Entity;"
local EntityType = ffi.typeof("revenant_Entity")
core.EntityType = EntityType

local noteValue = C.noteValue

-- Values are made many at a time, so that they lie side by side. Measured with 100 000 entities and tables of overrides
-- in between: made one at a time they end up each in a cache line of its own, and a collection takes five times as long. Of
-- 10 000 spawned by hand, each takes 8 % less time with 1024 than with 256, as the collector gets through them faster.
local blankCount, blanks, blanksLeft = 1024, { [0] = false }, 0
local Blank = ffi.typeof("struct { uint32_t index, generation, link; } *")

-- A finalizer of the script's own may run wherever something is allocated, and spawn: values that were taken stay taken.
local function makeBlanks()
    for _ = 2, blankCount do
        local blank = EntityType()
        blanksLeft = blanksLeft + 1
        blanks[blanksLeft] = blank
    end
    return EntityType()
end
-- Once at the start, which compiles its loop: a trace that comes to a loop that is compiled links to it, while one that came to
-- the loop first would give up, and with it those that spawn.
makeBlanks()

-- A value without an entity yet, and where to write its entity. It is taken first: nothing may be allocated
-- between asking for an entity and keeping its value. Compiled loops keep blanksLeft in a register over steps of the collector,
-- and so over finalizers that take blanks as well: what counts is whether there is one.
local function takeBlank()
    local left = blanksLeft
    local value = blanks[left]
    if value then
        blanks[left] = false
        blanksLeft = left - 1
    else
        value = makeBlanks()
    end
    return value, ffi.cast(Blank, value)
end

-- Makes a value; the caller reports it to the native side.
function core.blankValue(index, generation, number)
    local value, blank = takeBlank()
    blank.index, blank.generation, blank.link = index, generation, number
    return value
end

-- The value of an entity, made when first asked for; nil for none.
local function valueOf(number, index, generation)
    if generation == 0 then return nil end
    local link = links[number]
    local value = link.strong[index] or link.weak[index]
    if value and value.__generation == generation then return value end
    local fresh, blank = takeBlank()
    value = link.strong[index] or link.weak[index]  -- again: a finalizer may have asked for it
    if value and value.__generation == generation then return value end
    blank.index, blank.generation, blank.link = index, generation, number
    -- Kept before it is noted: see moveValues.
    local before = link.strong[index]
    link.strong[index] = fresh
    local held = noteValue(number, index, generation)
    if held < 0 then link.strong[index] = before end
    if held == -2 then
        error(core.lastError(), 0)
    elseif held == -1 then
        local stale = link.stale[index .. "." .. generation]
        if stale then return stale end
    end
    if held == 1 then
        -- Not otherwise: a nil makes room for itself, too, and the collector goes through it.
        if link.weak[index] ~= nil then link.weak[index] = nil end
    elseif held == 0 then
        link.weak[index], link.strong[index] = fresh, nil
    else
        link.stale[index .. "." .. generation] = fresh
    end
    return fresh
end
core.valueOf = valueOf

-- The value of an entity that was destroyed: from now on valueOf gives this one.
function core.keepStale(value)
    links[value.__link].stale[value.__index .. "." .. value.__generation] = value
end

-- The entity of a value, for the native side.
function core.partsOf(value)
    if not istype(EntityType, value) then return nil end
    return value.__link, value.__index, value.__generation
end

local indices = ffi.typeof("const uint32_t *")

-- Called by the native side. Steps that may raise an error (in a finalizer of the script's own) come before anything is
-- moved, so that it can be called again.
function core.moveValues(number, promoted, promotedCount, demoted, demotedCount, dropped, droppedCount)
    local link = links[number]
    if not link then return end
    local strong, weak = link.strong, link.weak
    promoted, demoted, dropped = ffi.cast(indices, promoted), ffi.cast(indices, demoted), ffi.cast(indices, dropped)
    for i = 0, promotedCount - 1 do
        local index = promoted[i]
        strong[index], weak[index] = weak[index] or strong[index], nil
    end
    for i = 0, demotedCount - 1 do
        local index = demoted[i]
        if strong[index] == nil then
            -- It was made, but is not kept yet. The compiler puts a step of the collector, and with it finalizers, at the
            -- beginning of a trace, and that may be right behind the call that made it.
            C.keepFresh(number, index)
        else
            strong[index], weak[index] = nil, strong[index]
        end
    end
    for i = 0, droppedCount - 1 do
        strong[dropped[i]] = nil
    end
end

-- After a collection: values of detached entities that are no longer referenced release their entities.
local collected = false
local sentinelMeta
local function arm()
    local sentinel = newproxy(true)
    sentinelMeta = getmetatable(sentinel)
    sentinelMeta.__gc = function()
        collected = true
        arm()
    end
end
arm()

local listRoom = 256
local list = ffi.new("uint32_t[?]", listRoom)

local function sweep()
    for number, link in pairs(links) do
        local strong, weak, tables = link.strong, link.weak, link.tables
        local first, count = 0, 0
        repeat
            count = C.weakValues(number, first, list, listRoom)
            for i = 0, count - 1 do
                if weak[list[i]] == nil and strong[list[i]] == nil then C.dropValue(number, list[i]) end
            end
            first = first + count
        until count < listRoom
        C.sweepTables(number)
        repeat
            count = C.takeFreedTables(number, list, listRoom)
            for i = 0, count - 1 do
                core.keepStaleComponent(tables[list[i]])
                tables[list[i]] = nil
            end
        until count < listRoom
    end
end

local mayHaveCycles = false

-- `isBetween`: no tick is under way.
function core.afterCollection(isBetween)
    if collected then
        collected, mayHaveCycles = false, true
        core.disposeLost()
        sweep()
    end
    if isBetween and mayHaveCycles then
        core.dropCycles()
        collected, mayHaveCycles = false, false
    end
end

-- A fresh array of the values of the ids that a native function returns. The ids go to memory of our own, which is
-- allocated first: allocating may run a finalizer of the script's, and that may ask for other entities.
local Ids = ffi.typeof("revenant_Id[?]")
core.Ids = Ids

function core.valuesOf(ask, number, first, second)
    local ids, count, room = nil, 32, 0
    while count > room do
        room = count
        ids = Ids(room)
        count = ask(number, first, second, ids, room)
    end
    if count < 0 then raise(2) end
    local result = {}
    for i = 0, count - 1 do
        local id = ids[i]
        result[i + 1] = valueOf(number, id.index, id.generation)
    end
    return result
end

-- ---- new entities ----------------------------------------------------------------------------------

local newEntity, idOut = C.newEntity, core.idOut

function core.makeEntity(number, name)
    local value, blank = takeBlank()
    if newEntity(number, name, #name, idOut) ~= 0 then raise(2) end
    local index = idOut.index
    blank.index, blank.generation, blank.link = index, idOut.generation, number
    links[number].strong[index] = value
    return value
end

-- The root of an instance that is in the world; nil where it could not be made.
local spawnOne = C.spawnOne
function core.makeInstance(number, prefab)
    local value, blank = takeBlank()
    if spawnOne(number, prefab, idOut) ~= 0 then return nil end
    local index = idOut.index
    blank.index, blank.generation, blank.link = index, idOut.generation, number
    links[number].strong[index] = value
    return value
end
