-- ComponentsView: a live table of components, one column per name, one row per matching entity.
--
-- A column is an FFI object: column[i] is the component of row i, checked. All columns close when the
-- tick is raised, which is when `__count` becomes 0: the first access fails its bounds check and opens
-- the column, which marks it for the history (world_link.hpp).

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links, native = core.C, core.links, core.native
local EMPTY, describe, raise = core.EMPTY, core.describe, core.raise
local numberOut = core.numberOut
local floor = math.floor
local openColumn = C.openColumn
local emptyAddress = C.emptyAddress()

-- ---- requirements ------------------------------------------------------------------------------

local ComponentRequirementDesc = {}
ComponentRequirementDesc.__index = ComponentRequirementDesc
core.ComponentRequirementDesc = ComponentRequirementDesc

local presences = { mustHave = 0, optional = 1, without = 2 }
local descs = core.privateStore()  -- desc -> {presence, readOnly}

local function expectFlag(value, call, what)
    if value ~= nil and type(value) ~= "boolean" then
        error(call .. ": " .. what .. " must be true or false, not " .. describe(value), 3)
    end
end

-- mustHave: default true; false: optional. readOnly: default false.
function ComponentRequirementDesc:new(mustHave, readOnly)
    if self ~= ComponentRequirementDesc then
        error("ComponentRequirementDesc:new: write it with a colon", 2)
    end
    expectFlag(mustHave, "ComponentRequirementDesc:new", "mustHave")
    expectFlag(readOnly, "ComponentRequirementDesc:new", "readOnly")
    local desc = setmetatable({}, ComponentRequirementDesc)
    descs[desc] = { presence = mustHave == false and presences.optional or presences.mustHave, readOnly = readOnly == true }
    return desc
end

function ComponentRequirementDesc:without()
    local desc = setmetatable({}, ComponentRequirementDesc)
    descs[desc] = { presence = presences.without, readOnly = true }
    return desc
end

function ComponentRequirementDesc:__tostring()
    local is = descs[self]
    if not is then return "ComponentRequirementDesc" end
    local names = { [0] = "must have", "optional", "without" }
    return names[is.presence] .. (is.readOnly and ", read-only" or ", read-write")
end

-- As the native side takes them, in name order, and a key that is equal where they are.
local function normalise(requirements, call)
    if type(requirements) ~= "table" then
        error(call .. ": takes a table of requirements keyed by component name, not " .. describe(requirements), 3)
    end
    local wanted, key = {}, {}
    for name, desc in pairs(requirements) do
        if type(name) ~= "string" then
            error(call .. ": requirements are keyed by component name, not by " .. describe(name), 3)
        end
        local is = descs[desc]
        if not is then
            error(call .. ": the requirement of '" .. name .. "' must be a ComponentRequirementDesc, not "
                .. describe(desc), 3)
        end
        wanted[#wanted + 1] = { name, is.presence, is.readOnly }
    end
    table.sort(wanted, function(a, b) return a[1] < b[1] end)
    for i, each in ipairs(wanted) do
        key[i] = #each[1] .. ":" .. each[1] .. each[2] .. (each[3] and "r" or "w")
    end
    return wanted, table.concat(key, ",")
end

-- ---- columns -------------------------------------------------------------------------------------

local cells = [[struct {
    %s __rows;
    int32_t __count, __released;
    uint32_t __link, __view;
    int32_t __column;
    uint32_t __tick;
}]]

local columnNames = core.privateStore()  -- column -> its name, for sentences

local function badRow(self, i, count, level)
    local name = columnNames[self] or "entities"
    if type(i) ~= "number" then
        error("column '" .. name .. "' is indexed by row number, not by " .. describe(i), level + 1)
    end
    error("column '" .. name .. "' has no row " .. tostring(i) .. ", only 1 to " .. count, level + 1)
end

-- What is behind an index that the fast path refused: the column is closed, or the index is no row.
-- Returns the index, if it is one.
local function openRow(self, i, level)
    if type(i) ~= "number" then badRow(self, i, 0, level + 1) end
    if self.__released ~= 0 or openColumn(self) ~= 0 then
        error("column '" .. (columnNames[self] or "entities")
            .. "': its view was released or its world reset; ask for the view again", level + 1)
    end
    if not (i >= 1 and i <= self.__count and floor(i) == i) then badRow(self, i, self.__count, level + 1) end
    return i
end

local function rowCount(self)
    local count = self.__released == 0 and C.countRows(self.__link, self.__view) or -1
    if count < 0 then
        error("column '" .. (columnNames[self] or "entities")
            .. "': its view was released or its world reset; ask for the view again", 2)
    end
    return count
end

local function refuseWrite(self, i)
    error("column '" .. (columnNames[self] or "entities") .. "': a row cannot be assigned to; write to its fields, as in column["
        .. tostring(i) .. "].field = value", 2)
end

local function meta(index)
    return { __index = index, __len = rowCount, __newindex = refuseWrite,
        __tostring = function(self) return "column '" .. (columnNames[self] or "entities") .. "'" end }
end

-- What a column gives in validating builds: good until the next reconcile, and says so after it.
local function checkedRows(info, struct, readOnly)
    local pointer = ffi.typeof("$ *", struct)
    local Row = ffi.typeof("struct { $ *__at; uint32_t __link, __tick; }", struct)
    local function at(self, level)
        if C.getTick(self.__link) ~= self.__tick then
            error("component '" .. info.name .. "' was read from a column before the last reconcile; "
                .. "fetch it from the column again", level + 1)
        end
        return self.__at[0]
    end
    ffi.metatype(Row, {
        __index = function(self, key) return at(self, 2)[key] end,
        __newindex = function(self, key, value)
            local row = at(self, 2)
            if readOnly then
                error("component '" .. info.name .. "' is read-only here; ask for read-write to write to its field '"
                    .. tostring(key) .. "'", 2)
            end
            row[key] = value
        end,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return function(address, link) return Row(ffi.cast(pointer, address), link, C.getTick(link)) end
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
            return row(address, self.__link)
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
local function scriptColumn(number)
    local Column = ffi.typeof(cells:format("const revenant_ScriptReference **"))
    local link = links[number]
    ffi.metatype(Column, meta(function(self, i)
        if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
            i = openRow(self, i, 2)
        end
        local to = self.__rows[i - 1]
        if to.link ~= number then return EMPTY end
        return link.tables[to.table] or EMPTY
    end))
    return Column
end

local function entitiesColumn(number)
    local Column = ffi.typeof(cells:format("const revenant_RowHead *"))
    local link = links[number]
    ffi.metatype(Column, meta(function(self, i)
        if type(i) ~= "number" or not (i >= 1 and i <= self.__count and floor(i) == i) then
            i = openRow(self, i, 2)
        end
        local index = self.__rows[i - 1].index
        return link.strong[index] or core.valueOf(number, index, C.generationAt(number, index))
    end))
    return Column
end

local function makeColumn(link, view, place, info, readOnly, optional)
    local Column
    if not info then
        link.entitiesColumn = link.entitiesColumn or entitiesColumn(link.number)
        Column = link.entitiesColumn
    else
        local kind = (readOnly and "r" or "w") .. (optional and "?" or "")
        Column = info.columns[kind]
        if not Column then
            Column = info.isScript and scriptColumn(link.number) or structColumn(info, readOnly, optional)
            info.columns[kind] = Column
        end
    end
    local column = Column(nil, 0, 0, link.number, view, place, 0)
    if C.bindColumn(column) ~= 0 then raise(3) end
    if info then columnNames[column] = info.name end
    return column
end

-- ---- runs ----------------------------------------------------------------------------------------

local function pointerAt(state, i, first)
    local at = state[i].__rows[first]
    if ffi.cast("const void *", at) == emptyAddress then return nil end
    return at
end

local function nextRun(state)
    local position = state.position
    if position >= state.total then
        state.isActive = false
        return nil
    end
    if C.getTick(state.link) ~= state.tick then
        error("runs: the world was reconciled inside the loop, so its runs are gone", 2)
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

-- ---- display -----------------------------------------------------------------------------------

-- A column as it should be drawn: between two frames its `lerp` and `angle` fields are blended, and of a
-- script component it is what its lerpRewindState returns. Blended rows are copies; they stay what they are.
local function displayColumn(data, name)
    local info, entities, column = data.infos[name], data.columns.entities, data.columns[name]
    local number = data.link.number
    local display = newproxy(true)
    local meta = getmetatable(display)
    local struct, pointer
    if not info.isScript then
        struct = info.constStruct
        pointer = ffi.typeof("const $ *", struct)
    end
    function meta.__index(_, i)
        if type(i) ~= "number" or not (i >= 1 and i <= entities.__count and floor(i) == i) then
            i = openRow(entities, i, 2)
        end
        if info.isScript then
            local own = column[i]
            if own == EMPTY or own.lerpRewindState == nil then return own end
            local between = native.rewind.getComponentDisplay(number, entities.__rows[i - 1].index, info.id)
            if between == nil then return own end
            return between
        end
        local at = C.findDisplay(number, entities.__rows[i - 1].index, info.id, numberOut)
        if at == nil then return EMPTY end
        local own = ffi.cast(pointer, at)
        if numberOut[0] ~= 0 then return own[0] end
        local copy = struct()
        ffi.copy(copy, own, info.size)
        return copy
    end
    function meta.__len() return rowCount(column) end
    function meta.__newindex()
        error("what is for display cannot be written to; write to column '" .. name .. "'", 2)
    end
    function meta.__tostring() return "display of column '" .. name .. "'" end
    meta.__metatable = "display"
    return display
end

-- ---- the view ------------------------------------------------------------------------------------

local ComponentsView = { EMPTY = EMPTY }
core.ComponentsView = ComponentsView
local views = core.privateStore()  -- view -> its data

local function dataOf(view, call)
    local data = views[view]
    if not data then
        error("view:" .. call .. ": called on " .. describe(view) .. ", not on a view; write view:" .. call .. "(...)", 3)
    end
    return data
end

local function liveOf(view, call)
    local data = views[view]
    if not data then
        error("view:" .. call .. ": called on " .. describe(view) .. ", not on a view; write view:" .. call .. "(...)", 3)
    end
    if data.isReleased then
        error("view:" .. call .. ": this view was released or its world reset; ask for it again", 3)
    end
    return data
end

function ComponentsView:isDirty()
    local data = liveOf(self, "isDirty")
    if C.isViewDirty(data.link.number, data.number, numberOut) ~= 0 then raise() end
    return numberOut[0] ~= 0
end

function ComponentsView:isValid()
    return not dataOf(self, "isValid").isReleased
end

-- Gives the view back; with the last of those who asked for it, it is freed.
function ComponentsView:release()
    local data = liveOf(self, "release")
    data.uses = data.uses - 1
    if data.uses > 0 then return end
    data.isReleased = true
    data.link.views[data.key] = nil
    native.releaseView(data.link.number, data.number)
end

-- The row of an entity, or nil.
function ComponentsView:rowOf(entity)
    local data = liveOf(self, "rowOf")
    core.expectEntity(entity, data.link.number, "rowOf", "the argument")
    if C.findRow(data.link.number, data.number, entity.__index, entity.__generation, numberOut) ~= 0 then raise() end
    return numberOut[0] >= 0 and numberOut[0] + 1 or nil
end

function ComponentsView:getStats()
    local data = liveOf(self, "getStats")
    return native.getViewStats(data.link.number, data.number)
end

-- The column as it should be drawn.
function ComponentsView:display(name)
    local data = liveOf(self, "display")
    local info = name ~= nil and data.infos[name]
    if not info then error("view:display: the view has no column " .. describe(name), 2) end
    local display = data.displays[name]
    if not display then
        display = displayColumn(data, name)
        data.displays[name] = display
    end
    return display
end

-- for count, a, b in view:runs("A", "B") do for i = 0, count - 1 do a[i].x = b[i].x end end
function ComponentsView:runs(...)
    local data = liveOf(self, "runs")
    local count = select("#", ...)
    local node = data.runs
    for i = 1, count do
        local name = select(i, ...)
        local column = name ~= nil and data.columns[name]
        if not column or name == "entities" then
            error("view:runs: the view has no column " .. describe(name), 2)
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
        state = { link = data.link.number, bits = 0 }
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
    state.runs = C.findRuns(data.link.number, data.number, state.bits, numberOut)
    state.total = numberOut[0]
    if state.total < 0 then raise() end
    state.position, state.isActive, state.tick = 0, true, C.getTick(data.link.number)
    return nextRun, state
end

function core.getComponentsView(link, requirements, call)
    local wanted, key = normalise(requirements, call)
    local view = link.views[key]
    if view then
        views[view].uses = views[view].uses + 1
        return view
    end
    local number, columns = native.getView(link.number, wanted)
    local data = { link = link, number = number, key = key, uses = 1, columns = {}, infos = {}, runs = {}, displays = {} }
    for i, each in ipairs(columns) do
        local info = link.types[each.name] or core.typeInfo(link, each.name)
        data.infos[each.name] = info
        data.columns[each.name] = makeColumn(link, number, i - 1, info, each.readOnly, each.optional)
    end
    local all = data.columns
    all.entities = makeColumn(link, number, -1)
    local linkNumber = link.number
    view = setmetatable({}, {
        __index = function(_, name)
            local column = all[name]
            if column then return column end
            if name == "count" then
                local count = C.countRows(linkNumber, number)
                if data.isReleased or count < 0 then
                    error("view.count: this view was released or its world reset; ask for it again", 2)
                end
                return count
            end
            local method = ComponentsView[name]
            if method ~= nil then return method end
            local known = {}
            for column in pairs(all) do
                if column ~= "entities" then known[#known + 1] = column end
            end
            table.sort(known)
            error("the view has no column " .. describe(name) .. "; its columns are: "
                .. (#known > 0 and table.concat(known, ", ") or "none"), 2)
        end,
        __newindex = function(_, name)
            error("a view cannot be assigned to ('" .. tostring(name) .. "')", 2)
        end,
        __tostring = function() return "view of " .. data.key end,
        __metatable = "ComponentsView",
    })
    views[view] = data
    link.views[key] = view
    return view
end

function core.forgetViews(link)
    for _, view in pairs(link.views) do views[view].isReleased = true end
    link.views = {}
end
