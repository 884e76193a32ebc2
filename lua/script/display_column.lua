-- The columns of view:display: what to draw while time is between two frames.
--
-- Between two frames the `lerp` and `angle` fields of a native component are blended; a script component is what its
-- lerpRewindState returns. Blended rows are copies, and stay what they are.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, native = core.C, core.native
local EMPTY = core.EMPTY
local openRow, rowCount = core.openRow, core.rowCount
local floor = math.floor

-- An FFI object as columns are, so that ipairs goes through it. One type for all: the record of a column is kept by its
-- number and goes with its view.
local Display = ffi.typeof("struct { const uint32_t __number; }")
local records = setmetatable({}, { __mode = "v" })
local lastNumber = 0

local function recordOf(display)
    local record = records[display.__number]
    if not record then
        error("a column for display: its view was released or its world reset; ask for the view again", 3)
    end
    return record
end

-- Asked of the native side in one call: a finalizer of the script's may release the view, reset the world or move its rows
-- wherever something is allocated, and reading `__rows` step by step allocates.
local function indexAt(record, i)
    local index = C.entityAt(record.link, record.view, i - 1)
    if index < 0 then
        error("row " .. i .. " of the display of '" .. record.name .. "' is gone: its view was released, its world reset, or it was updated meanwhile", 3)
    end
    return index
end

local function scriptRow(record, i)
    local own = record.column[i]
    if own == EMPTY or own.lerpRewindState == nil then return own end
    local between = native.rewind.getComponentDisplay(record.link, indexAt(record, i), record.type)
    if between == nil then return own end
    return between
end

local function nativeRow(record, i)
    local number, id = record.link, record.type
    local index = indexAt(record, i)
    local shown = C.findDisplay(number, index, id, nil)
    if shown == 2 then
        local copy = record.struct()
        if C.findDisplay(number, index, id, copy) == 2 then return copy end
    end
    local at = shown ~= 0 and C.findComponent(number, index, C.generationAt(number, index), id) or nil
    if at == nil then return EMPTY end
    return ffi.cast(record.pointer, at)[0]
end

local function nextRow(display, i)
    if i < rowCount(recordOf(display).column) then return i + 1, display[i + 1] end
end

local function rows(display) return nextRow, display, 0 end

ffi.metatype(Display, {
    __index = function(self, i)
        local record = recordOf(self)
        local entities = record.entities
        if type(i) ~= "number" or not (i >= 1 and i <= entities.__count and floor(i) == i) then
            i = openRow(entities, i, 2, record.name)
        end
        return record.row(record, i)
    end,
    __len = function(self) return rowCount(recordOf(self).column) end,
    __ipairs = rows,
    __pairs = rows,
    __newindex = function(self)
        error("what is for display cannot be written to; write to column '" .. recordOf(self).name .. "'", 2)
    end,
    __tostring = function(self)
        local record = records[self.__number]
        return record and "display of column '" .. record.name .. "'" or "display of a column that is gone"
    end,
})

-- The record of a column for display; its view keeps it.
function core.displayColumn(data, name)
    local info = data.infos[name]
    lastNumber = lastNumber + 1
    local record = { name = name, link = data.link.number, view = data.number, type = info.id, entities = data.columns.entities,
        column = data.columns[name], object = Display(lastNumber) }
    if info.isScript then
        record.row = scriptRow
    else
        record.row, record.struct, record.pointer = nativeRow, info.constStruct, ffi.typeof("const $ *", info.constStruct)
    end
    records[lastNumber] = record
    return record
end
