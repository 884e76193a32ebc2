-- The columns of view:display: what to draw while time stands between two frames.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, native = core.C, core.native
local EMPTY = core.EMPTY
local openRow, rowCount = core.openRow, core.rowCount
local floor = math.floor

-- A column as it should be drawn: between two frames its `lerp` and `angle` fields are blended, and of a
-- script component it is what its lerpRewindState returns. Blended rows are copies; they stay what they are.
function core.displayColumn(data, name)
    local info, entities, column = data.infos[name], data.columns.entities, data.columns[name]
    local number = data.link.number
    local meta = {}
    local struct, pointer
    if not info.isScript then
        struct = info.constStruct
        pointer = ffi.typeof("const $ *", struct)
    end
    function meta.__index(_, i)
        if type(i) ~= "number" or not (i >= 1 and i <= entities.__count and floor(i) == i) then
            i = openRow(entities, i, 2, name)
        end
        if info.isScript then
            local own = column[i]
            if own == EMPTY or own.lerpRewindState == nil then return own end
            local between = native.rewind.getComponentDisplay(number, entities.__rows[i - 1].index, info.id)
            if between == nil then return own end
            return between
        end
        local index = entities.__rows[i - 1].index
        local shown = C.findDisplay(number, index, info.id, nil)
        if shown == 2 then
            local copy = struct()
            if C.findDisplay(number, index, info.id, copy) == 2 then return copy end
        end
        local at = shown ~= 0 and C.findComponent(number, index, C.generationAt(number, index), info.id) or nil
        if at == nil then return EMPTY end
        return ffi.cast(pointer, at)[0]
    end
    function meta.__len() return rowCount(column) end
    local function nextRow(display, i)
        if i < rowCount(column) then return i + 1, display[i + 1] end
    end
    function meta.__ipairs(display) return nextRow, display, 0 end
    meta.__pairs = meta.__ipairs
    function meta.__newindex()
        error("what is for display cannot be written to; write to column '" .. name .. "'", 2)
    end
    function meta.__tostring() return "display of column '" .. name .. "'" end
    -- An FFI object as columns are, so that ipairs goes through it; there is nothing in it.
    return ffi.metatype(ffi.typeof("struct { const uint8_t __unused; }"), meta)()
end
