-- The runs of a view: rows that lie side by side in memory, as plain, unchecked FFI arrays. Where most rows lie alone, a run
-- of one row each would cost more than the row itself: then all rows are one run of pointers (core.makeScattered).

local core = ...
local ffi = require "ffi"
local C, raise = core.C, core.raise
local openColumn, columnData, numberOut = C.openColumn, core.columnData, core.numberOut
local emptyAddress = C.emptyAddress()

local function pointerAt(state, i, first)
    local rows = state[i].__rows
    local at = rows[first]
    if ffi.cast("const void *", at) == emptyAddress then return nil end
    if state.isScattered then return state.types[i](rows + first) end
    return at
end

local Runs = ffi.typeof("revenant_Run[?]")

local function findRuns(data, state)
    local total = C.findRuns(data.link.number, data.number, state.bits, state.mayScatter, state.runs, state.room, numberOut)
    if total < 0 then raise(2) end
    state.isScattered = numberOut[0] ~= 0
    state.position, state.isActive, state.tick = 0, true, C.getClock(data.link.number)
    return total
end

local function nextRun(state)
    local position = state.position
    if position >= state.total then
        state.isActive = false
        return nil
    end
    if state.view.isReleased or C.getClock(state.link) ~= state.tick then
        error("view:" .. state.call .. ": the world was reconciled or the view released inside the loop, so its runs are gone", 2)
    end
    state.position = position + 1
    local run = state.runs[position]
    local first, count = run.first, #state
    if count == 1 then
        return run.count, pointerAt(state, 1, first)
    elseif count == 2 then
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first)
    elseif count == 3 then
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first), pointerAt(state, 3, first)
    end
    local pointers = {}
    for i = 1, count do pointers[i] = pointerAt(state, i, first) end
    return run.count, unpack(pointers, 1, count)
end

-- The iterator of view:runs(...) and view:contiguousRuns(...). Its state is kept with the view, so that a loop allocates
-- nothing. A tail call of those, which errors therefore do not count as a level.
function core.runsOf(data, call, ...)
    local count = select("#", ...)
    local node = data[call]
    for i = 1, count do
        local name = select(i, ...)
        local column = name ~= nil and data.columns[name]
        if not column or name == "entities" then
            error("view:" .. call .. ": the view has no column '" .. tostring(name) .. "'", 2)
        end
        if data.infos[name].isScript then
            error("view:" .. call .. ": '" .. name .. "' is a script component; it has no runs", 2)
        end
        local next = node[name]
        if not next then
            next = {}
            node[name] = next
        end
        node = next
    end
    if count == 0 then error("view:" .. call .. ": name the columns whose runs you want", 2) end
    local state = node[1]
    if not state or state.isActive then  -- none yet, or a loop over it is under way
        state = { view = data, link = data.link.number, call = call, bits = 0, mayScatter = call == "runs" and 1 or 0,
            isScattered = false, types = {}, runs = Runs(1), room = 1 }
        for i = 1, count do
            local name = select(i, ...)
            state[i] = data.columns[name]
            state.types[i] = core.makeScattered(data.infos[name], data.readOnly[name])
            local place = columnData[state[i]].column
            if state.bits % 2 ^ (place + 1) < 2 ^ place then state.bits = state.bits + 2 ^ place end
        end
        node[1] = state
    end
    for i = 1, count do
        local place = columnData[state[i]]
        if openColumn(state[i], place.link, place.view, place.column) ~= 0 then raise() end
    end
    -- In memory of our own; to make room for them may run a finalizer of the script's, after which there may be others.
    local total = findRuns(data, state)
    while total > state.room do
        local runs = Runs(total)
        state.runs, state.room = runs, total
        total = findRuns(data, state)
    end
    state.total = total
    return nextRun, state
end
