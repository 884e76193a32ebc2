-- Component data as FFI structs, generated from the schema. All fields are reached through accessors:
-- numbers and booleans (`isDirect`) for the sake of sentences, at no cost to compiled code; entities, strings,
-- 64-bit integers and arrays so that they read and write as the Lua value one expects.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local describe, badValue, noField = core.describe, core.badValue, core.noField
local elementReader, elementChecker = core.elementReader, core.elementChecker
local floor = math.floor

local cTypes = {
    f32 = "float", f64 = "double", i32 = "int32_t", u32 = "uint32_t", i64 = "int64_t", u8 = "uint8_t",
    bool = "bool", entity = "revenant_Id", string = "uint32_t",
}
local sizes = { f32 = 4, f64 = 8, i32 = 4, u32 = 4, i64 = 8, u8 = 1, bool = 1, entity = 8, string = 4 }

-- ---- arrays ------------------------------------------------------------------------------------

local function indexInto(info, field, i, level)
    if type(i) ~= "number" or i < 1 or i > field.count or floor(i) ~= i then
        error("component '" .. info.name .. "', field '" .. field.name .. "' has elements 1 to "
            .. field.count .. ", not " .. describe(i), level + 1)
    end
    return i - 1
end

-- Completes the metatable of an array, whose __index is checked.
local function asArray(info, field, meta)
    local count = field.count
    local function nextElement(self, i)
        if i < count then return i + 1, self[i + 1] end
    end
    local function elements(self) return nextElement, self, 0 end
    function meta.__len() return count end
    meta.__ipairs, meta.__pairs = elements, elements
    function meta.__tostring() return "field '" .. field.name .. "' of component '" .. info.name .. "'" end
    return meta
end

local function arrayType(slot, info, field, isConst)
    local count, read, check = field.count, elementReader(slot, field.type), elementChecker(slot, field.type)
    local made = ffi.typeof("struct __attribute__((packed)) { " .. cTypes[field.type] .. " __data[" .. count .. "]; }")
    local function write(self, i, value)
        if isConst then
            error("component '" .. info.name .. "' is read-only here; ask for read-write to write to its field '"
                .. field.name .. "'", 3)
        end
        local k = indexInto(info, field, i, 3)
        local element, takes = check(value)
        if takes then badValue(info, field, takes, value, 3) end
        self.__data[k] = element
    end
    ffi.metatype(made, asArray(info, field, {
        __index = function(self, i)
            if type(i) == "number" and i >= 1 and i <= count and floor(i) == i then
                return read(self.__data[i - 1])
            end
            indexInto(info, field, i, 2)
        end,
        __newindex = function(self, i, value) write(self, i, value) end,
    }))
    return made
end

-- The elements of a table, or of another array, checked. Tables are read without their metamethods: overrides are
-- data, and whatever they called might change the very component.
local function elementsOf(info, field, check, values, level, entity)
    local hasCount, count = true, nil
    if type(values) == "cdata" then
        hasCount, count = pcall(function() return #values end)
    elseif type(values) == "table" then
        count = #values
    end
    if not hasCount or type(count) ~= "number" then badValue(info, field, "an array", values, level + 1, entity) end
    if count > field.count then
        error("component '" .. info.name .. "', field '" .. field.name .. "' takes at most " .. field.count
            .. " elements, not " .. count, level + 1)
    end
    local elements, isTable = {}, type(values) == "table"
    for key in pairs(isTable and values or {}) do
        if type(key) ~= "number" or key % 1 ~= 0 or key < 1 or key > count then
            error("component '" .. info.name .. "', field '" .. field.name .. "' takes an array, which has no key "
                .. core.describe(key), level + 1)
        end
    end
    for i = 1, count do
        local value
        if isTable then value = rawget(values, i) else value = values[i] end
        local element, takes = check(value)
        if takes then badValue(info, field, takes, value, level + 1, entity) end
        elements[i] = element
    end
    return elements, count
end

local function copyArray(into, elements, count)
    for i = 1, count do into.__data[i - 1] = elements[i] end
end

core.asArray, core.indexInto, core.elementsOf, core.copyArray = asArray, indexInto, elementsOf, copyArray

-- ---- the struct ----------------------------------------------------------------------------------

local mostSpelledOut = 24

-- Direct fields convert as C does: 1.9 becomes 1 in an i32.
local function checkNumber(value)
    if type(value) ~= "number" then return nil, "a number" end
    return value
end
local function checkBoolean(value)
    if type(value) ~= "boolean" then return nil, "a boolean" end
    return value
end
local directCheckers = { f32 = checkNumber, f64 = checkNumber, i32 = checkNumber, u32 = checkNumber, u8 = checkNumber,
    bool = checkBoolean }

-- __index and __newindex for this very schema. Direct fields are spelled out: a chain of comparisons with
-- constants costs compiled code nothing, and a mistake gets a sentence instead of LuaJIT's bare refusal.
local noMethods = {}

local function makeAccess(info, isConst, getters, setters)
    local methods = info.methods or noMethods
    local reads, writes = {}, {}
    for i, field in ipairs(info.fields) do
        if field.isDirect and #reads < mostSpelledOut then
            local name, kind = ("%q"):format(field.name), field.type == "bool" and "boolean" or "number"
            reads[#reads + 1] = ("if key == %s then return self.%s end"):format(name, field.raw)
            writes[#writes + 1] = ("if key == %s then if type(value) ~= '%s' then bad(%d, value) end self.%s = value return end")
                :format(name, kind, i, field.raw)
        end
    end
    if isConst then writes = {} end
    local code = "local type, get, set, bad = ...\n"
        .. "return function(self, key)\n" .. table.concat(reads, "\n") .. "\nreturn get(self, key)\nend,\n"
        .. "function(self, key, value)\n" .. table.concat(writes, "\n") .. "\nreturn set(self, key, value)\nend"
    local function get(self, key)
        local read = getters[key]
        if read then return read(self) end
        local method = methods[key]
        if method == nil then noField(info, key, 2) end
        return method
    end
    local function set(self, key, value)
        local write = setters[key]
        if not write then noField(info, key, 2) end
        if isConst then
            error("component '" .. info.name .. "' is read-only here; ask for read-write to write to its field '"
                .. tostring(key) .. "'", 2)
        end
        write(self, value, 2)
    end
    local function bad(i, value)
        local field = info.fields[i]
        local _, takes = directCheckers[field.type](value)
        badValue(info, field, takes, value, 3)
    end
    return assert(loadstring(code, "=revenant/" .. info.name))(type, get, set, bad)
end

-- The struct of a component; `isConst`: that of read-only columns.
function core.declareStruct(slot, info, isConst)
    local parts, parameters = {}, {}
    local at = 0
    local getters, setters = {}, {}
    for i, field in ipairs(info.fields) do
        if field.offset > at then
            parts[#parts + 1] = ("uint8_t __pad%d[%d];"):format(i, field.offset - at)
        end
        local raw = field.raw
        if field.isArray then
            parameters[#parameters + 1] = arrayType(slot, info, field, isConst)
            parts[#parts + 1] = "$ " .. raw .. ";"
            local check = elementChecker(slot, field.type)
            getters[field.name] = function(self) return self[raw] end
            setters[field.name] = function(self, value, level)
                copyArray(self[raw], elementsOf(info, field, check, value, level + 1))
            end
        else
            parts[#parts + 1] = (isConst and "const " or "") .. cTypes[field.type] .. " " .. raw .. ";"
            local read, check = elementReader(slot, field.type), elementChecker(slot, field.type)
            getters[field.name] = function(self) return read(self[raw]) end
            if field.isDirect then check = directCheckers[field.type] end
            setters[field.name] = function(self, value, level)
                local element, takes = check(value)
                if takes then badValue(info, field, takes, value, level + 1) end
                self[raw] = element
            end
        end
        at = field.offset + sizes[field.type] * field.count
    end
    if info.size > at then parts[#parts + 1] = ("uint8_t __end[%d];"):format(info.size - at) end
    local struct = ffi.typeof("struct __attribute__((packed)) { " .. table.concat(parts, " ") .. " }",
        unpack(parameters))
    assert(ffi.sizeof(struct) == info.size)
    local read, write = makeAccess(info, isConst, getters, setters)
    ffi.metatype(struct, {
        __index = read,
        __newindex = write,
        __pairs = info.pairs,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return struct
end
