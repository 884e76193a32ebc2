-- ComponentsView: a live table of components, one column per name, one row per matching entity.

local core = ...
local C, native = core.C, core.native
local EMPTY, raise = core.EMPTY, core.raise
local numberOut = core.numberOut

local ComponentsView = { EMPTY = EMPTY }
core.ComponentsView = ComponentsView
local views = core.privateStore()  -- view -> its data

local dataOf = core.dataReader(views, "a view", "view")

local function liveOf(view, call)
    local data = views[view]
    if not data then core.wrongSelf(view, "a view", "view", call, 3) end
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

-- Releases the view. Its last release frees it.
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
    core.expectLiving(entity, "rowOf")
    if C.findRow(data.link.number, data.number, entity.__index, entity.__generation, numberOut) ~= 0 then raise() end
    return numberOut[0] >= 0 and numberOut[0] + 1 or nil
end

function ComponentsView:getStats()
    local data = liveOf(self, "getStats")
    return native.getViewStats(data.link.number, data.number)
end

-- The column, once the component and its field are known to be plain numbers or booleans.
local function plainColumn(view, data, call, name, field)
    local info = name ~= nil and data.infos[name]
    if not info then error("view:" .. call .. ": the view has no column '" .. tostring(name) .. "'", 3) end
    local known = not info.isScript and field ~= nil and info.byName[field]
    if not known then error("view:" .. call .. ": component '" .. name .. "' has no field '" .. tostring(field) .. "'", 3) end
    if not known.isDirect then
        error("view:" .. call .. ": '" .. name .. "." .. field .. "' is not a plain number or boolean; read it row by row", 3)
    end
    return data.columns[name]
end

-- Fills an array with a field of all rows; false where the entity lacks an optional component.
function ComponentsView:readField(name, field, into)
    local data = liveOf(self, "readField")
    plainColumn(self, data, "readField", name, field)
    if into == nil then into = {} end
    if type(into) ~= "table" then
        error("view:readField: the array to fill must be a table, not " .. core.describe(into), 2)
    end
    return into, native.readField(data.link.number, data.number, name, field, into)
end

-- Writes a field of all rows from an array: all of them, or none where a value does not fit.
function ComponentsView:writeField(name, field, values)
    local data = liveOf(self, "writeField")
    local column = plainColumn(self, data, "writeField", name, field)
    if type(values) ~= "table" then
        error("view:writeField: the values must be a table, not " .. core.describe(values), 2)
    end
    if data.readOnly[name] then
        error("view:writeField: component '" .. name .. "' is read-only here; ask for read-write", 2)
    end
    if #column == 0 then return end
    core.openRow(column, 1, 2)
    local misfit = native.writeField(data.link.number, data.number, name, field, values)
    if misfit > 0 then
        error("view:writeField: value " .. misfit .. " of '" .. name .. "." .. field .. "' must be "
            .. core.takenBy(data.infos[name].byName[field].type) .. ", not " .. core.describe(rawget(values, misfit)), 2)
    end
end

-- Sets fields of all rows by a formula.
function ComponentsView:compute(text, values)
    local data = liveOf(self, "compute")
    if type(text) ~= "string" then error("view:compute: the formula must be a string, not " .. core.describe(text), 2) end
    if values ~= nil and type(values) ~= "table" then
        error("view:compute: the values must be a table, not " .. core.describe(values), 2)
    end
    local formula = core.formulaOf(data, text)
    for _, each in ipairs(formula.names) do
        local value = values and rawget(values, each.name)
        if type(value) ~= "number" then
            error("view:compute: the value '" .. each.name .. "' must be a number, not " .. core.describe(value), 2)
        end
        formula.steps[each.step * 3 + 1] = value
    end
    local count = C.countRows(data.link.number, data.number)
    for i = 1, count > 0 and #formula.targets or 0 do core.openRow(formula.targets[i], 1, 2) end
    if C.compute(data.link.number, data.number, formula.steps, formula.count) ~= 0 then raise() end
end

-- The column as it should be drawn.
function ComponentsView:display(name)
    local data = liveOf(self, "display")
    local info = name ~= nil and data.infos[name]
    if not info then error("view:display: the view has no column '" .. tostring(name) .. "'", 2) end
    local display = data.displays[name]
    if not display then
        display = core.displayColumn(data, name)
        data.displays[name] = display
    end
    return display.object
end

-- for count, a, b in view:runs("A", "B") do for i = 0, count - 1 do a[i].x = b[i].x end end
-- Where rows are scattered, what it gives is no pointer but indexed alike, and all of them are one run.
function ComponentsView:runs(...)
    return core.runsOf(liveOf(self, "runs"), "runs", ...)
end

-- The same, always as plain pointers, as C functions take them.
function ComponentsView:contiguousRuns(...)
    return core.runsOf(liveOf(self, "contiguousRuns"), "contiguousRuns", ...)
end

function core.getComponentsView(link, requirements, call)
    local wanted, key = core.normaliseRequirements(requirements, call)
    local view = link.views[key]
    if view then
        views[view].uses = views[view].uses + 1
        return view
    end
    local number, columns = native.getView(link.number, wanted)
    local data = { link = link, number = number, key = key, uses = 1, columns = {}, infos = {}, readOnly = {}, runs = {}, contiguousRuns = {}, displays = {}, places = {}, formulas = {} }
    for i, each in ipairs(columns) do
        local info = link.types[each.name] or core.typeInfo(link, each.name)
        data.infos[each.name] = info
        data.readOnly[each.name] = each.readOnly
        data.places[each.name] = i - 1
        data.columns[each.name] = core.makeColumn(link, number, i - 1, info, each.readOnly, each.optional)
    end
    local all = data.columns
    all.entities = core.makeColumn(link, number, -1)
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
            local meant = core.nearest(name, all) or core.nearest(name, ComponentsView)
            error("the view has no column or method '" .. tostring(name) .. "'; "
                .. (meant and "did you mean '" .. meant .. "'? Its" or "its") .. " columns are: "
                .. (#known > 0 and table.concat(known, ", ") or "none"), 2)
        end,
        __newindex = function(_, name)
            error("a view cannot be assigned to ('" .. tostring(name) .. "')", 2)
        end,
        __tostring = function() return "view of " .. core.requirementsText(wanted) end,
        __metatable = "ComponentsView",
    })
    -- Nothing is allocated from here on. Until here, a finalizer of the script may have asked for the same view, or released
    -- it.
    local other = link.views[key]
    if other then
        C.dropView(link.number, number)
        views[other].uses = views[other].uses + 1
        return other
    end
    for _, column in pairs(all) do
        local place = core.columnData[column]
        if C.bindColumn(column, place.link, place.view, place.column) ~= 0 then raise(2) end
    end
    views[view] = data
    core.noteOwnObject(view)
    link.views[key] = view
    return view
end

function core.forgetViews(link)
    for _, view in pairs(link.views) do views[view].isReleased = true end
    link.views = {}
end
