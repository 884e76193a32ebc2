-- The runs of a view: rows that lie side by side in memory, as plain, unchecked FFI arrays.

local core = ...
local ffi = require "ffi"
local C, raise = core.C, core.raise
local openColumn = C.openColumn
local emptyAddress = C.emptyAddress()

local function pointerAt(state, i, first)
    local at = state[i].__rows[first]
    if ffi.cast("const void *", at) == emptyAddress then return nil end
    return at
end

local Runs = ffi.typeof("revenant_Run[?]")

local function findRuns(data, state)
    local total = C.findRuns(data.link.number, data.number, state.bits, state.runs, state.room)
    if total < 0 then raise(2) end
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
        error("view:runs: the world was reconciled or the view released inside the loop, so its runs are gone", 2)
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

-- The iterator of view:runs(...). Its state is kept with the view, so that a loop allocates nothing.
-- A tail call of ComponentsView:runs, which errors therefore do not count as a level.
function core.runsOf(data, ...)
    local count = select("#", ...)
    local node = data.runs
    for i = 1, count do
        local name = select(i, ...)
        local column = name ~= nil and data.columns[name]
        if not column or name == "entities" then
            error("view:runs: the view has no column '" .. tostring(name) .. "'", 2)
        end
        if data.infos[name].isScript then
            error("view:runs: '" .. name .. "' is a script component; it has no runs", 2)
        end
        local next = node[name]
        if not next then
            next = {}
            node[name] = next
        end
        node = next
    end
    if count == 0 then error("view:runs: name the columns whose runs you want", 2) end
    local state = node[1]
    if not state or state.isActive then  -- none yet, or a loop over it is under way
        state = { view = data, link = data.link.number, bits = 0, runs = Runs(1), room = 1 }
        for i = 1, count do
            local column = data.columns[(select(i, ...))]
            state[i] = column
            if state.bits % 2 ^ (column.__column + 1) < 2 ^ column.__column then
                state.bits = state.bits + 2 ^ column.__column
            end
        end
        node[1] = state
    end
    for i = 1, count do
        if openColumn(state[i]) ~= 0 then raise() end
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
