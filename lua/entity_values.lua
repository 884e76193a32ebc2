-- The Lua values of entities: one per entity, so that it can be compared and used as a key. Held strongly
-- while the entity is managed or a zombie, weakly while it is detached (entity_values.hpp).

local core = ...
local ffi = require "ffi"
local C, links = core.C, core.links
local istype = ffi.istype
local numberOut, raise = core.numberOut, core.raise

ffi.cdef "typedef struct revenant_Entity { const uint32_t __index, __generation, __link; } revenant_Entity;"
local EntityType = ffi.typeof("revenant_Entity")
core.EntityType = EntityType

local noteValue = C.noteValue

-- Values are made many at a time, so that they lie side by side. Measured with 100 000 entities and tables of overrides
-- in between: made one at a time they end up each in a cache line of its own, and a collection takes five times as long.
local blankCount, blanks, blanksLeft = 256, {}, 0
local Blank = ffi.typeof("struct { uint32_t index, generation, link; } *")

local function makeBlanks()
    for i = 1, blankCount do blanks[i] = EntityType() end
    blanksLeft = blankCount
end
jit.off(makeBlanks)  -- its loop would keep those that spawn from being compiled

local function newValue(index, generation, number)
    if blanksLeft == 0 then makeBlanks() end
    local value = blanks[blanksLeft]
    blanks[blanksLeft] = false
    blanksLeft = blanksLeft - 1
    local blank = ffi.cast(Blank, value)
    blank.index, blank.generation, blank.link = index, generation, number
    return value
end

-- The value of an entity, made when first asked for; nil for none.
local function valueOf(number, index, generation)
    if generation == 0 then return nil end
    local link = links[number]
    local value = link.strong[index] or link.weak[index]
    if value and value.__generation == generation then return value end
    value = newValue(index, generation, number)
    local held = noteValue(number, index, generation)
    if held == 1 then
        link.strong[index] = value
        -- Not otherwise: a nil makes room for itself, too, and the collector goes through it.
        if link.weak[index] ~= nil then link.weak[index] = nil end
    elseif held == 0 then
        link.weak[index] = value
        if link.strong[index] ~= nil then link.strong[index] = nil end
    end
    return value
end
core.valueOf = valueOf

-- Which entity a value is, for the native side.
function core.partsOf(value)
    if not istype(EntityType, value) then return nil end
    return value.__link, value.__index, value.__generation
end

local indices = ffi.typeof("const uint32_t *")

-- Called by the native side. What may raise (a finalizer of the script's own) comes before anything is
-- moved, so that it can be called again.
function core.moveValues(number, promoted, promotedCount, demoted, demotedCount, dropped, droppedCount)
    local link = links[number]
    if not link then return end
    local strong, weak = link.strong, link.weak
    promoted, demoted, dropped = ffi.cast(indices, promoted), ffi.cast(indices, demoted), ffi.cast(indices, dropped)
    for i = 0, promotedCount - 1 do
        local index = promoted[i]
        strong[index], weak[index] = weak[index], nil
    end
    for i = 0, demotedCount - 1 do
        local index = demoted[i]
        strong[index], weak[index] = nil, strong[index]
    end
    for i = 0, droppedCount - 1 do
        strong[dropped[i]] = nil
    end
end

-- After a collection: values of detached entities that nobody has any more let go of their entities.
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

function core.afterCollection()
    if not collected then return end
    collected = false
    for number, link in pairs(links) do
        local weak, tables = link.weak, link.tables
        local list = C.weakValues(number, numberOut)
        for i = numberOut[0] - 1, 0, -1 do
            local index = list[i]
            if weak[index] == nil then C.dropValue(number, index) end
        end
        local freed = C.sweepTables(number, numberOut)
        for i = 0, numberOut[0] - 1 do tables[freed[i]] = nil end
    end
end

-- A fresh array of the values of the ids that a function of the native side tells. They go to memory of our own,
-- which is there before it is called: to allocate may run a finalizer of the script's, and that may ask for others.
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
    if blanksLeft == 0 then makeBlanks() end  -- now: what a finalizer raises here leaves no entity behind
    if newEntity(number, name, #name, idOut) ~= 0 then raise(2) end
    local index = idOut.index
    local value = newValue(index, idOut.generation, number)
    links[number].strong[index] = value
    return value
end
