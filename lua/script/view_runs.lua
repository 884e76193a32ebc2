-- The runs of a view: rows that lie side by side in memory, as plain, unchecked FFI arrays. To begin a run takes as long as to go
-- through some sixty rows by their pointers: where runs would be shorter, all rows are one run, of pointers (core.makeScattered).
--
-- The runs of some columns are found once between two reconciles, and the arrays of a single run are kept from tick to tick while
-- they begin at the same address, so that to begin a loop costs no more than to fetch columns. Where runs become scattered, or cease
-- to be, the caller is compiled anew: code for the other kind would take three times as long per row.

local core = ...
local ffi = require "ffi"
local C, raise = core.C, core.raise
local emptyAddress = C.emptyAddress()
local getInfo, flush, pcall = debug.getinfo, jit.flush, pcall

-- As those of a column (ColumnCells), but not const: compiled code that opens them goes on to read them.
local Cells = ffi.typeof("struct { const void *__at; int32_t __count, __released; }")
local Runs = ffi.typeof("revenant_Run[?]")
local out = ffi.new("double[3]")

local function pointerAt(found, i, first)
    local rows = found[i].__rows
    local at = rows[first]
    if ffi.cast("const void *", at) == emptyAddress then return nil end
    if found.isScattered then return found.types[i](rows + first) end
    return at
end

-- Makes the state of a loop, once, and what all loops over these columns share. Errors count as those of the caller's caller,
-- which is left by a tail call.
local function makeLoop(data, call, ...)
    local count = select("#", ...)
    if count == 0 then error("view:" .. call .. ": name the columns whose runs you want", 3) end
    local found = { link = data.link.number, number = data.number, count = count, bits = 0, mayScatter = call == "runs" and 1 or 0,
        isScattered = false, types = {}, cells = Cells(), runs = Runs(1), room = 1, total = 0, rows = 0, tick = 0, changes = -1, turned = 0, stale = 0,
        kept = {}, isKept = false }
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
        found[i], found.types[i] = column, core.makeScattered(data.infos[name], data.readOnly[name])
        local place = data.places[name]
        if found.bits % 2 ^ (place + 1) < 2 ^ place then found.bits = found.bits + 2 ^ place end
        if not node[name] then node[name] = {} end
        node = node[name]
    end
    local loop = { found = node[1] and node[1].found or found, call = call, position = 0, tick = 0, isActive = false }
    node[1] = loop
    return loop
end

local function openRuns(found)
    local total = C.openRuns(found.cells, found.link, found.number, found.bits, found.mayScatter, found.runs, found.room, out)
    if total < 0 then raise(2) end
    if found.isScattered ~= (out[0] ~= 0) then found.turned, found.stale = found.tick + 1, 16 end
    found.isScattered, found.rows = out[0] ~= 0, out[2]
    if found.changes ~= out[1] then found.changes, found.isKept = out[1], false end
    return total
end

-- In memory of our own. Making room may run a finalizer of the script, after which the runs may be others.
local function openMore(found, total)
    while total > found.room do
        local runs = Runs(total)
        found.runs, found.room = runs, total
        total = openRuns(found)
    end
    return total
end

local function keep(found)
    for i = 1, found.count do found.kept[i] = pointerAt(found, i, 0) end
    found.isKept = true
end

local function nextRun(loop)
    local position, found = loop.position, loop.found
    if position >= found.total then
        loop.isActive = false
        return nil
    end
    if found.cells.__count == 0 or found.tick ~= loop.tick then
        error("view:" .. loop.call .. ": the world was reconciled or the view released inside the loop, so its runs are gone", 2)
    end
    loop.position = position + 1
    local count = found.count
    if found.total == 1 then
        if not found.isKept then keep(found) end
        local kept = found.kept
        if count <= 2 then return found.rows, kept[1], kept[2] end
        if count <= 5 then return found.rows, kept[1], kept[2], kept[3], kept[4], kept[5] end
        return found.rows, unpack(kept, 1, count)
    end
    local run = found.runs[position]
    local first = run.first
    if count <= 2 then
        if count == 1 then return run.count, pointerAt(found, 1, first) end
        return run.count, pointerAt(found, 1, first), pointerAt(found, 2, first)
    elseif count == 3 then
        return run.count, pointerAt(found, 1, first), pointerAt(found, 2, first), pointerAt(found, 3, first)
    elseif count == 4 then
        return run.count, pointerAt(found, 1, first), pointerAt(found, 2, first), pointerAt(found, 3, first),
            pointerAt(found, 4, first)
    elseif count == 5 then
        return run.count, pointerAt(found, 1, first), pointerAt(found, 2, first), pointerAt(found, 3, first),
            pointerAt(found, 4, first), pointerAt(found, 5, first)
    end
    local pointers = {}
    for i = 1, count do pointers[i] = pointerAt(found, i, first) end
    return run.count, unpack(pointers, 1, count)
end

local function findLoop(node, ...)
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
    local loop
    if count <= 5 then
        local a, b, c, d, e = ...
        local node = data[call]
        if count > 0 then node = a ~= nil and node[a] end
        if count > 1 then node = b ~= nil and node and node[b] end
        if count > 2 then node = c ~= nil and node and node[c] end
        if count > 3 then node = d ~= nil and node and node[d] end
        if count > 4 then node = e ~= nil and node and node[e] end
        loop = node and node[1]
    else
        loop = findLoop(data[call], ...)
    end
    if not loop or loop.isActive then loop = makeLoop(data, call, ...) end  -- none yet, or a loop over it is under way
    local found = loop.found
    if found.cells.__count == 0 then
        local total = openRuns(found)
        if total > found.room then total = openMore(found, total) end
        found.total, found.tick = total, found.tick + 1
    end
    loop.position, loop.isActive, loop.tick = 0, true, found.tick
    if found.turned == found.tick and found.stale > 0 then
        found.stale = found.stale - 1
        pcall(flush, getInfo(2, "f").func)
    end
    return nextRun, loop
end
