-- Field types, as `defineComponent` takes them: t.f32(0), t.array(t.i32(0), 16), t.lerp(t.f32(0)).

local core = ...

local codes = { f32 = 0, f64 = 1, i32 = 2, u32 = 3, i64 = 4, u8 = 5, bool = 6, entity = 7, string = 8 }
local blends = { lerp = 1, angle = 2 }

local FieldType = { __metatable = "FieldType" }
FieldType.__index = FieldType
local isFieldType = setmetatable({}, { __mode = "k" })

local function make(name, initial, count, blend)
    local made = setmetatable({}, FieldType)
    isFieldType[made] = { name = name, initial = initial, count = count, blend = blend }
    return made
end

function FieldType:__tostring()
    local is = isFieldType[self]
    return "types." .. is.name .. (is.count and "[" .. is.count .. "]" or "")
end

-- The default of an i64: a number where that is exact, else its digits, which the native side reads.
local function wideDefault(initial)
    if type(initial) ~= "cdata" then return initial end
    local wide, takes = core.checkWide(initial)
    if takes then error("types.i64: the default must be " .. takes .. ", not " .. tostring(initial), 3) end
    if wide <= 9007199254740992LL and wide >= -9007199254740992LL then return tonumber(wide) end
    return { digits = (tostring(wide):gsub("LL$", "")) }
end

local types = {}
local bare = {}  -- t.f32 without a call is a type, too
for name in pairs(codes) do
    local constructor = function(initial)
        if name == "entity" and initial ~= nil then
            error("types.entity: a field of type entity begins as none; it takes no default", 2)
        end
        if name == "i64" and initial ~= nil then initial = wideDefault(initial) end
        return make(name, initial)
    end
    types[name] = constructor
    bare[constructor] = name
end

-- A value in a definition as a type: it is one of the above, or a plain Lua value.
local function typeOf(value, call, level)
    if isFieldType[value] then
        return isFieldType[value]
    elseif bare[value] then
        return { name = bare[value] }
    elseif type(value) == "number" then
        return { name = "f64", initial = value }
    elseif type(value) == "boolean" then
        return { name = "bool", initial = value }
    elseif type(value) == "string" then
        return { name = "string", initial = value }
    end
    error(call .. ": a field must be a number, a boolean, a string or one of revenant.types, not "
        .. core.describe(value), level + 1)
end

local mostElements = 65536  -- as many bytes as a component may have

function types.array(element, count)
    local is = typeOf(element, "types.array", 2)
    if is.count then error("types.array: a field is an array of one dimension at most", 2) end
    core.expectWhole(count, "types.array", "the number of elements")
    if count < 1 or count > mostElements then
        error("types.array: an array has 1 to " .. mostElements .. " elements, not " .. count, 2)
    end
    return make(is.name, is.initial, count, is.blend)
end

for name, blend in pairs(blends) do
    types[name] = function(field)
        local is = typeOf(field, "types." .. name, 2)
        if is.name ~= "f32" and is.name ~= "f64" then
            error("types." .. name .. ": only f32 and f64 fields can be blended, not " .. is.name, 2)
        end
        return make(is.name, is.initial, is.count, blend)
    end
end

core.types = types

-- A table of fields as the native side takes it, in name order.
function core.fieldSpecs(fields, component)
    local specs = {}
    for name, value in pairs(fields) do
        if type(name) ~= "string" then
            error("defineComponent: component '" .. component .. "': field names are strings, not "
                .. core.describe(name), 3)
        end
        if name:sub(1, 2) == "__" then
            error("defineComponent: component '" .. component .. "', field '" .. name
                .. "': names that begin with two underscores are the engine's own", 3)
        elseif name == "" or name:find("%z") then
            error("defineComponent: component '" .. component .. "': the name of a field is neither empty nor has zero bytes", 3)
        end
        local is = typeOf(value, "defineComponent: component '" .. component .. "', field '" .. name .. "'", 3)
        local digits = type(is.initial) == "table" and is.initial.digits or nil
        local initial = is.initial
        if digits then initial = nil end
        specs[#specs + 1] = {
            name = name,
            type = codes[is.name],
            initial = initial,
            digits = digits,
            count = is.count or 1,
            isArray = is.count ~= nil,
            blend = is.blend or 0,
        }
    end
    table.sort(specs, function(a, b) return a.name < b.name end)
    return specs
end
