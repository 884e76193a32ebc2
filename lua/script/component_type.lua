-- The record of a component type of a world (`info`):
--   id, initial           its number in that world, and its defaults there
--   handles               those that e:getComponent has made, by the index of the entity
-- and, shared by all worlds that define it alike:
--   struct, constStruct   the struct, and the same for read-only columns
--   fill(o, e, initial)   what is initially there merged with overrides, in info.scratch; raises before it writes
--   Handle, refresh       what e:getComponent returns; looks for its component again
--   columns               the types of its columns, made when first asked for
--   pairs                 goes through the fields, in the order in which they are laid out

local core = ...
local ffi = require "ffi"
local C = core.C

-- Layouts by what they are made of. Those with entities or strings belong to a slot instead, as the bytes of
-- a struct do not say which world it belongs to.
local layouts = {}

-- A number per class of methods.
local methodNumbers, lastNumber = setmetatable({}, { __mode = "k" }), 0

local function numberOf(methods)
    if methods and not methodNumbers[methods] then
        lastNumber = lastNumber + 1
        methodNumbers[methods] = lastNumber
    end
    return methods and methodNumbers[methods] or 0
end

-- Raises where a method of a native component has the name of a field.
function core.expectMethods(name, fields, methods, level)
    local what = "defineComponent: the methods of component '" .. name .. "'"
    if type(methods) ~= "table" then error(what .. " must be a table, not " .. core.describe(methods), level) end
    for field in pairs(fields) do
        if type(field) == "string" and methods[field] ~= nil then
            error(what .. ": '" .. field .. "' is a field already", level)
        end
    end
    for _, method in ipairs { "onAdded", "onRemoved", "onRestored", "onDestroyed", "getRewindState", "restoreRewindState" } do
        if methods[method] ~= nil then
            error(what .. ": a native component has no " .. method .. ", as its data are plain; define a script component for it",
                level)
        end
    end
end

local function keyOf(info)
    local parts = { #info.name .. ":" .. info.name, info.size, numberOf(info.methods) }
    local needsWorld = false
    for _, field in ipairs(info.fields) do
        parts[#parts + 1] = ("%d:%s,%s,%d,%d,%s"):format(#field.name, field.name, field.type, field.offset, field.count,
            tostring(field.isArray))
        needsWorld = needsWorld or core.needsWorld[field.type]
    end
    return table.concat(parts, ";"), needsWorld
end

local function fieldPairs(fields)
    local places = {}
    for i, field in ipairs(fields) do places[field.name] = i end
    local function nextField(component, name)
        local field = fields[name == nil and 1 or places[name] + 1]
        if field then return field.name, component[field.name] end
    end
    return function(component) return nextField, component, nil end
end

local function makeLayout(slot, info)
    local layout = { name = info.name, methods = info.methods, size = info.size, fields = info.fields, byName = {}, checks = {}, columns = {},
        scattered = {}, handles = {} }
    table.sort(layout.fields, function(a, b) return a.offset < b.offset end)
    for i, field in ipairs(layout.fields) do
        field.isDirect = not field.isArray and field.type ~= "entity" and field.type ~= "string" and field.type ~= "i64"
        field.raw = "__field" .. i
        layout.byName[field.name] = field
        layout.checks[field.name] = core.elementChecker(slot, field.type)
    end
    layout.pairs = fieldPairs(layout.fields)
    layout.struct = core.declareStruct(slot, layout, false)
    layout.constStruct = core.declareStruct(slot, layout, true)
    layout.scratch = layout.struct()
    layout.fill = core.makeFill(slot, layout)
    return layout
end

local shared = { "fields", "byName", "checks", "columns", "scattered", "pairs", "struct", "constStruct", "scratch", "fill" }

local function complete(link, info)
    local key, needsWorld = keyOf(info)
    local known = needsWorld and link.slot.types or layouts
    local layout = known[key]
    if not layout then
        layout = makeLayout(link.slot, info)
        known[key] = layout
    end
    for _, what in ipairs(shared) do info[what] = layout[what] end
    info.initial = info.struct()
    ffi.copy(info.initial, info.defaults, info.size)
    local known = layout.handles[info.id]
    if not known then
        known = {}
        known.Handle, known.refresh = core.makeHandle(layout, info.id)
        layout.handles[info.id] = known
    end
    info.Handle, info.refresh = known.Handle, known.refresh
end

-- The record of a component type, by name; nil where there is none.
function core.typeInfo(link, name)
    if type(name) ~= "string" then return nil end
    local id = C.findType(link.number, name, #name)
    if id < 0 then return nil end
    local info = core.native.schemaOf(link.number, id)
    info.id = id
    info.methods = link.methods[name]
    info.handles = {}
    link.handlesOf[name] = not info.isScript and info.handles or nil
    if info.isScript then
        info.scratch = ffi.new("revenant_ScriptReference")
    else
        complete(link, info)
    end
    link.types[name] = info
    return info
end
