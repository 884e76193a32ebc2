-- The runs of a view: rows that lie side by side in memory, as plain, unchecked FFI arrays. To begin a run takes as long as to go
-- through some sixty rows by their pointers: where runs would be shorter, all rows are one run, of pointers (core.makeScattered).

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

-- Makes the state of a loop, once. Errors count as those of the caller's caller, which is left by a tail call.
local function makeState(data, call, ...)
    local count = select("#", ...)
    if count == 0 then error("view:" .. call .. ": name the columns whose runs you want", 3) end
    local state = { view = data, link = data.link.number, number = data.number, call = call, count = count, bits = 0,
        mayScatter = call == "runs" and 1 or 0, isScattered = false, types = {}, runs = Runs(1), room = 1, total = 0, position = 0,
        tick = 0, isActive = false }
    local node = data[call]
    for i = 1, count do
        local name = select(i, ...)
        local column = name ~= nil and data.columns[name]
        if not column or name == "entities" then
            error("view:" .. call .. ": the view has no column '" .. tostring(name) .. "'", 3)
        end
        if data.infos[name].isScript then
            error("view:" .. call .. ": '" .. name .. "' is a script component; it has no runs", 3)
        end
        state[i], state.types[i] = column, core.makeScattered(data.infos[name], data.readOnly[name])
        local place = columnData[column].column
        if state.bits % 2 ^ (place + 1) < 2 ^ place then state.bits = state.bits + 2 ^ place end
        if not node[name] then node[name] = {} end
        node = node[name]
    end
    node[1] = state
    return state
end

local function open(column)
    if column.__count > 0 then return end  -- since the last reconcile
    local place = columnData[column]
    if openColumn(column, place.link, place.view, place.column) ~= 0 then raise(3) end
end

local function findRuns(state)
    local total = C.findRuns(state.link, state.number, state.bits, state.mayScatter, state.runs, state.room, numberOut)
    if total < 0 then raise(3) end
    state.isScattered = numberOut[0] ~= 0
    return total
end

-- In memory of our own. Making room may run a finalizer of the script, after which the runs may be others.
local function findMore(state, total)
    while total > state.room do
        local runs = Runs(total)
        state.runs, state.room = runs, total
        total = findRuns(state)
    end
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
    local first, count = run.first, state.count
    if count <= 2 then
        if count == 1 then return run.count, pointerAt(state, 1, first) end
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first)
    elseif count == 3 then
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first), pointerAt(state, 3, first)
    elseif count == 4 then
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first), pointerAt(state, 3, first),
            pointerAt(state, 4, first)
    elseif count == 5 then
        return run.count, pointerAt(state, 1, first), pointerAt(state, 2, first), pointerAt(state, 3, first),
            pointerAt(state, 4, first), pointerAt(state, 5, first)
    end
    local pointers = {}
    for i = 1, count do pointers[i] = pointerAt(state, i, first) end
    return run.count, unpack(pointers, 1, count)
end

local function findState(node, ...)
    for i = 1, select("#", ...) do
        local name = select(i, ...)
        node = name ~= nil and node[name]
        if not node then return nil end
    end
    return node[1]
end

-- The iterator of view:runs(...) and view:contiguousRuns(...). Its state is kept with the view, so that a loop allocates
-- nothing; up to five columns are gone through without a loop, so that the call is compiled.
function core.runsOf(data, call, ...)
    local count = select("#", ...)
    local state
    if count <= 5 then
        local a, b, c, d, e = ...
        local node = data[call]
        if count > 0 then node = a ~= nil and node[a] end
        if count > 1 then node = b ~= nil and node and node[b] end
        if count > 2 then node = c ~= nil and node and node[c] end
        if count > 3 then node = d ~= nil and node and node[d] end
        if count > 4 then node = e ~= nil and node and node[e] end
        state = node and node[1]
    else
        state = findState(data[call], ...)
    end
    if not state or state.isActive then state = makeState(data, call, ...) end  -- none yet, or a loop over it is under way
    open(state[1])
    if count > 1 then open(state[2]) end
    if count > 2 then open(state[3]) end
    if count > 3 then open(state[4]) end
    if count > 4 then open(state[5]) end
    for i = 6, count do open(state[i]) end
    local total = findRuns(state)
    if total > state.room then total = findMore(state, total) end
    state.position, state.isActive, state.tick, state.total = 0, true, C.getClock(state.link), total
    return nextRun, state
end
