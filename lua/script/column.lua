-- Columns of a view. A column is an FFI object: column[i] is the component of row i, checked. All columns
-- close when the clock is raised, as a reconcile begins, which is when `__count` becomes 0: the first access fails its bounds check
-- and opens the column, which marks it for the history (view_links.hpp).

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links, native = core.C, core.links, core.native
local EMPTY, describe = core.EMPTY, core.describe
local floor = math.floor
local openColumn = C.openColumn
local emptyAddress = C.emptyAddress()

-- Const to scripts: only the native side writes to them (ColumnCells). Not more than 16 bytes, as far as it is: LuaJIT
-- takes an upvalue of that size for a constant, so that a column kept outside of a loop costs it nothing.
local cells = [[struct {
    %s const __rows;
    const int32_t __count, __released;
}]]
local linkedCells = [[struct {
    %s const __rows;
    const int32_t __count, __released, __link;
}]]

local columnData = setmetatable({}, { __mode = "k" })  -- column -> {name =, link =, view =, column =}, its place
core.columnData = columnData

local function badRow(self, i, count, level, name)
    name = name or columnData[self].name
    if type(i) ~= "number" then
        error("column '" .. name .. "' is indexed by row number, not by " .. describe(i), level + 1)
    end
    error("column '" .. name .. "' has no row " .. tostring(i) .. ", only 1 to " .. count, level + 1)
end

-- For an index that the fast path refused: the column is closed, or the index is no row. Returns the index, if it is a row.
local function openRow(self, i, level, name)
    if type(i) ~= "number" then badRow(self, i, 0, level + 1, name) end
    local data = columnData[self]
    if self.__released ~= 0 or openColumn(self, data.link, data.view, data.column) ~= 0 then
        local why = self.__released == 0 and core.lastError() or ""
        if why ~= core.outOfMemory then why = "its view was released or its world reset; ask for the view again" end
        error("column '" .. data.name .. "': " .. why, level + 1)
    end
    if not (i >= 1 and i <= self.__count and floor(i) == i) then badRow(self, i, self.__count, level + 1, name) end
    return i
end

local function rowCount(self)
    if self.__count > 0 then return self.__count end
    local data = columnData[self]
    local count = self.__released == 0 and C.countRows(data.link, data.view) or -1
    if count < 0 then
        error("column '" .. data.name .. "': its view was released or its world reset; ask for the view again", 2)
    end
    return count
end

core.openRow, core.rowCount = openRow, rowCount

local function refuseWrite(self, i)
    error("column '" .. columnData[self].name .. "': a row cannot be assigned to; write to its fields, as in column["
        .. tostring(i) .. "].field = value", 2)
end

local function nextRow(self, i)
    if i < rowCount(self) then return i + 1, self[i + 1] end
end

local function rows(self) return nextRow, self, 0 end

local function meta(index)
    return { __index = index, __len = rowCount, __newindex = refuseWrite, __ipairs = rows, __pairs = rows,
        __tostring = function(self) return "column '" .. columnData[self].name .. "'" end }
end

-- What a column returns in validating builds: valid until the next reconcile; afterwards it raises.
local function checkedRows(info, struct, readOnly)
    local pointer = ffi.typeof("$ *", struct)
    local Row = ffi.typeof("struct { $ *const __at; const uint32_t __link, __tick; }", struct)
    local function at(self, level)
        if C.getClock(self.__link) ~= self.__tick then
            error("component '" .. info.name .. "' was read from a column before the last reconcile; "
                .. "fetch it from the column again", level + 1)
        end
        return self.__at[0]
    end
    -- Raises an error of the struct's at the script's line, not here.
    local function passOn(ok, result)
        if not ok then error((tostring(result):gsub("^revenant/[^:]+:%d+: ", "")), 3) end
        return result
    end
    local function read(row, key) return row[key] end
    local function write(row, key, value) row[key] = value end
    ffi.metatype(Row, {
        __index = function(self, key)
            local result = passOn(pcall(read, at(self, 2), key))
            return result
        end,
        __newindex = function(self, key, value)
            local row = at(self, 2)
            if readOnly then
                error("component '" .. info.name .. "' is read-only here; ask for read-write to write to its field '"
                    .. tostring(key) .. "'", 2)
            end
            passOn(pcall(write, row, key, value))
        end,
        __pairs = info.pairs,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return function(address, link) return Row(ffi.cast(pointer, address), link, C.getClock(link)) end
end

local function structColumn(info, readOnly, optional)
    local struct = readOnly and info.constStruct or info.struct
    local Column = ffi.typeof(cells:format("$ **"), struct)
    local index
    if native.validating then
        local row = checkedRows(info, struct, readOnly)
        index = function(self, i)
            i = openRow(self, i, 2)
            local address = self.__rows[i - 1]
            if optional and ffi.cast("const void *", address) == emptyAddress then return EMPTY end
            return row(address, columnData[self].link)
        end
    elseif optional then
        local empty = ffi.cast(ffi.typeof("$ *", struct), emptyAddress)
        index = function(self, i)
            if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
                i = openRow(self, i, 2)
            end
            local at = self.__rows[i - 1]
            if at == empty then return EMPTY end
            return at[0]
        end
    else
        index = function(self, i)
            if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
                i = openRow(self, i, 2)
            end
            return self.__rows[i - 1][0]
        end
    end
    ffi.metatype(Column, meta(index))
    return Column
end

-- The column of a script component holds the tables themselves.
local ScriptColumn = ffi.typeof(linkedCells:format("const revenant_ScriptReference **"))
ffi.metatype(ScriptColumn, meta(function(self, i)
    if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
        i = openRow(self, i, 2)
    end
    local link, to = links[self.__link], self.__rows[i - 1]
    if to.link ~= link.mark then return EMPTY end
    return link.tables[to.table] or EMPTY
end))

local EntitiesColumn = ffi.typeof(linkedCells:format("const revenant_RowHead *"))
ffi.metatype(EntitiesColumn, meta(function(self, i)
    if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
        i = openRow(self, i, 2)
    end
    local number, index = self.__link, self.__rows[i - 1].index
    local value = links[number].strong[index]
    if value then return value end
    return core.valueOf(number, index, C.generationAt(number, index))
end))

-- Rows that are scattered, as view:runs hands them out: indexed like a plain array, from 0 and unchecked, by the pointers
-- of a column.
function core.makeScattered(info, readOnly)
    local kind = readOnly and "r" or "w"
    local Scattered = info.scattered[kind]
    if not Scattered then
        Scattered = ffi.typeof("struct { $ **const __rows; }", readOnly and info.constStruct or info.struct)
        ffi.metatype(Scattered, {
            __index = function(self, i) return self.__rows[i][0] end,
            __newindex = function(self, i, value) self.__rows[i][0] = value end,
        })
        info.scattered[kind] = Scattered
    end
    return Scattered
end

function core.makeColumn(link, view, place, info, readOnly, optional)
    local Column
    if not info then
        Column = EntitiesColumn
    elseif info.isScript then
        Column = ScriptColumn
    else
        local kind = (readOnly and "r" or "w") .. (optional and "?" or "")
        Column = info.columns[kind]
        if not Column then
            Column = structColumn(info, readOnly, optional)
            info.columns[kind] = Column
        end
    end
    local hasLink = not info or info.isScript
    local column = hasLink and Column(nil, 0, 0, link.number) or Column(nil, 0, 0)  -- to be bound: C.bindColumn
    columnData[column] = { name = info and info.name or "entities", link = link.number, view = view, column = place }
    return column
end
