-- Component data as FFI structs, generated from the schema. Plain numbers and booleans are fields of
-- the struct; entities, strings, 64-bit integers and arrays are reached through accessors, so that they
-- read and write as the Lua value one expects.
--
-- Per component type (`info`, see core.typeInfo):
--   struct, constStruct   the struct, and the same for read-only columns
--   fill(overrides)       defaults merged with overrides, in info.scratch; raises before anything is bound
--   handle(entity)        what e:getComponent returns: checks at each access that it still exists

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links = core.C, core.links
local istype, cast = ffi.istype, ffi.cast
local numberOut, textOut = core.numberOut, core.textOut
local describe = core.describe
local floor = math.floor

local cTypes = {
    f32 = "float", f64 = "double", i32 = "int32_t", u32 = "uint32_t", i64 = "int64_t", u8 = "uint8_t",
    bool = "bool", entity = "revenant_Id", string = "uint32_t",
}
local sizes = { f32 = 4, f64 = 8, i32 = 4, u32 = 4, i64 = 8, u8 = 1, bool = 1, entity = 8, string = 4 }
local ranges = {
    i32 = { -2147483648, 2147483647 }, u32 = { 0, 4294967295 }, u8 = { 0, 255 },
}
local keywords = {}
for word in ([[auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while bool complex _Bool _Complex __const __inline __attribute__ __asm asm
    __declspec __alignof__ __extension__ int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t
    intptr_t uintptr_t ptrdiff_t size_t wchar_t ssize_t and break do else elseif end false for function
    goto if in local nil not or repeat return then true until while]]):gmatch("%S+") do
    keywords[word] = true
end

local function isIdentifier(name)
    return name:find("^[%a_][%w_]*$") ~= nil and not keywords[name] and #name < 200
        and not pcall(ffi.sizeof, name)
end

-- ---- converters: how one element is read and written ---------------------------------------

local function readText(number, id)
    local strings = links[number].strings
    local text = strings[id]
    if not text then
        if C.getText(number, id, textOut) ~= 0 then core.raise(2) end
        text = ffi.string(textOut.text, textOut.length)
        strings[id] = text
    end
    return text
end

-- read(element) and write(value) -> element, raising bad(value, what it takes).
local function converter(number, kind)
    if kind == "entity" then
        return function(id)
            local index, generation = id.index, id.generation
            if generation == 0 or C.isValid(number, index, generation) == 0 then return nil end
            return core.valueOf(number, index, generation)
        end
    elseif kind == "string" then
        return function(id) return readText(number, id) end
    elseif kind == "i64" then
        return function(value)
            if value <= 9007199254740992LL and value >= -9007199254740992LL then return tonumber(value) end
            return ffi.new("int64_t", value)
        end
    end
    return function(value) return value end
end

local int64 = ffi.typeof("int64_t")
local uint64 = ffi.typeof("uint64_t")

-- check(value): the value as the struct takes it, or nil and what it takes.
local function checker(number, kind)
    if kind == "entity" then
        return function(value)
            if value == nil then return ffi.new("revenant_Id") end
            if not istype(core.EntityType, value) then return nil, "an entity or nil" end
            if value.__link ~= number then return nil, "an entity of the same world" end
            if C.isValid(number, value.__index, value.__generation) == 0 then
                return nil, "a valid entity (this one was destroyed)"
            end
            return ffi.new("revenant_Id", value.__index, value.__generation)
        end
    elseif kind == "string" then
        return function(value)
            if type(value) ~= "string" then return nil, "a string" end
            if C.intern(number, value, #value, numberOut) ~= 0 then core.raise(3) end
            return numberOut[0]
        end
    elseif kind == "i64" then
        return function(value)
            if type(value) == "number" then
                if value % 1 ~= 0 or value < -2 ^ 63 or value >= 2 ^ 63 then return nil, "a whole number" end
                return int64(value)
            elseif istype(int64, value) or istype(uint64, value) then
                return int64(value)
            end
            return nil, "a whole number"
        end
    elseif kind == "bool" then
        return function(value)
            if type(value) ~= "boolean" then return nil, "a boolean" end
            return value
        end
    elseif ranges[kind] then
        local lowest, highest = ranges[kind][1], ranges[kind][2]
        return function(value)
            if type(value) ~= "number" or value % 1 ~= 0 or value < lowest or value > highest then
                return nil, "a whole number between " .. lowest .. " and " .. highest
            end
            return value
        end
    end
    return function(value)
        if type(value) ~= "number" then return nil, "a number" end
        return value
    end
end

local function badValue(info, field, takes, value, level)
    error("component '" .. info.name .. "', field '" .. field.name .. "' (" .. field.type .. ") takes "
        .. takes .. ", not " .. describe(value), level + 1)
end

-- ---- arrays ------------------------------------------------------------------------------------

local function indexInto(info, field, i, level)
    if type(i) ~= "number" or i < 1 or i > field.count or floor(i) ~= i then
        error("component '" .. info.name .. "', field '" .. field.name .. "' has elements 1 to "
            .. field.count .. ", not " .. describe(i), level + 1)
    end
    return i - 1
end

local function arrayType(number, info, field, isConst)
    local count, read, check = field.count, converter(number, field.type), checker(number, field.type)
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
    ffi.metatype(made, {
        __index = function(self, i)
            if type(i) == "number" and i >= 1 and i <= count and floor(i) == i then
                return read(self.__data[i - 1])
            end
            indexInto(info, field, i, 2)
        end,
        __newindex = function(self, i, value) write(self, i, value) end,
        __len = function() return count end,
    })
    return made
end

-- Copies a table, or another array, over the elements of an array.
local function copyArray(info, field, check, into, values, level)
    if type(values) ~= "table" and not (type(values) == "cdata" and pcall(function() return #values end)) then
        badValue(info, field, "an array", values, level + 1)
    end
    local count = #values
    if count > field.count then
        error("component '" .. info.name .. "', field '" .. field.name .. "' takes at most " .. field.count
            .. " elements, not " .. count, level + 1)
    end
    local elements = {}
    for i = 1, count do
        local element, takes = check(values[i])
        if takes then badValue(info, field, takes, values[i], level + 1) end
        elements[i] = element
    end
    for i = 1, count do into.__data[i - 1] = elements[i] end
end

-- ---- the struct ----------------------------------------------------------------------------------

local function fieldNames(info)
    local names = {}
    for i, field in ipairs(info.fields) do names[i] = field.name end
    return #names > 0 and table.concat(names, ", ") or "none"
end

local function noField(info, key, level)
    error("component '" .. info.name .. "' has no field '" .. tostring(key) .. "'; its fields are: "
        .. fieldNames(info), level + 1)
end

local function declare(number, info, isConst)
    local parts, parameters = {}, {}
    local at = 0
    local getters, setters = {}, {}
    for i, field in ipairs(info.fields) do
        if field.offset > at then
            parts[#parts + 1] = ("uint8_t __pad%d[%d];"):format(i, field.offset - at)
        end
        local raw = field.raw
        local const = isConst and "const " or ""
        if field.isArray then
            parameters[#parameters + 1] = arrayType(number, info, field, isConst)
            parts[#parts + 1] = "$ " .. raw .. ";"
            local check = checker(number, field.type)
            getters[field.name] = function(self) return self[raw] end
            setters[field.name] = function(self, value, level)
                copyArray(info, field, check, self[raw], value, level + 1)
            end
        else
            parts[#parts + 1] = const .. cTypes[field.type] .. " " .. raw .. ";"
            if raw ~= field.name then
                local read, check = converter(number, field.type), checker(number, field.type)
                getters[field.name] = function(self) return read(self[raw]) end
                setters[field.name] = function(self, value, level)
                    local element, takes = check(value)
                    if takes then badValue(info, field, takes, value, level + 1) end
                    self[raw] = element
                end
            end
        end
        at = field.offset + sizes[field.type] * field.count
    end
    if info.size > at then parts[#parts + 1] = ("uint8_t __end[%d];"):format(info.size - at) end
    local struct = ffi.typeof("struct __attribute__((packed)) { " .. table.concat(parts, " ") .. " }",
        unpack(parameters))
    assert(ffi.sizeof(struct) == info.size)
    ffi.metatype(struct, {
        __index = function(self, key)
            local get = getters[key]
            if get then return get(self) end
            noField(info, key, 2)
        end,
        __newindex = function(self, key, value)
            local set = setters[key]
            if not set then noField(info, key, 2) end
            if isConst then
                error("component '" .. info.name .. "' is read-only here; ask for read-write to write to its field '"
                    .. tostring(key) .. "'", 2)
            end
            set(self, value, 2)
        end,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return struct
end

-- ---- overrides ---------------------------------------------------------------------------------

-- A function for this very schema: it must compile, as every spawn goes through it.
local function makeFill(number, info)
    local code, env = {}, { C = C, type = type, next = next, scratch = info.scratch }
    local function add(...) code[#code + 1] = table.concat({ ... }) end
    local setters = {}
    add "local C, type, next, scratch, setters, bad, unknown = ..."
    for i, field in ipairs(info.fields) do
        if field.isArray or field.raw ~= field.name then
            local check = checker(number, field.type)
            setters[i] = function(value)
                if field.isArray then
                    copyArray(info, field, check, info.scratch[field.raw], value, 4)
                else
                    local element, takes = check(value)
                    if takes then badValue(info, field, takes, value, 4) end
                    info.scratch[field.raw] = element
                end
            end
        end
    end
    add "return function(o)\nlocal n, v = 0"
    for i, field in ipairs(info.fields) do
        local name = ("%q"):format(field.name)
        add("v = o[", name, "]\nif v ~= nil then n = n + 1")
        if setters[i] then
            add("setters[", i, "](v)")
        else
            local range = ranges[field.type]
            if field.type == "bool" then
                add("if type(v) ~= 'boolean' then bad(", i, ", v) end")
            elseif range then
                add("if type(v) ~= 'number' or v % 1 ~= 0 or v < ", range[1], " or v > ", range[2],
                    " then bad(", i, ", v) end")
            else
                add("if type(v) ~= 'number' then bad(", i, ", v) end")
            end
            add("scratch.", field.raw, " = v")
        end
        add "end"
    end
    -- Every key must be known: as many keys as there were known ones. Unrolled, for the compiler.
    add "local k = next(o)"
    local unrolled = #info.fields <= 8 and #info.fields or 0
    for depth = 1, unrolled do
        add("if k ~= nil then if n < ", depth, " then unknown(o) end k = next(o, k)")
    end
    if unrolled == 0 then
        add "while k ~= nil do n = n - 1 if n < 0 then unknown(o) end k = next(o, k) end"
    else
        add "if k ~= nil then unknown(o) end"
        add(("end "):rep(unrolled))
    end
    add "end"
    local chunk = assert(loadstring(table.concat(code, "\n"), "=revenant/" .. info.name))
    local function bad(i, value)
        local field = info.fields[i]
        local _, takes = checker(number, field.type)(value)
        badValue(info, field, takes, value, 4)
    end
    local function unknown(overrides)
        for key in pairs(overrides) do
            local isKnown = false
            for _, field in ipairs(info.fields) do isKnown = isKnown or field.name == key end
            if not isKnown then noField(info, key, 4) end
        end
    end
    return chunk(C, type, next, info.scratch, setters, bad, unknown)
end

-- ---- handles -------------------------------------------------------------------------------------

local handleDeclaration = "struct { const uint32_t __index, __generation, __link; }"

local function gone(self, info, level)
    local entity = core.valueOf(self.__link, self.__index, self.__generation)
    if C.isValid(self.__link, self.__index, self.__generation) == 0 then
        error("component '" .. info.name .. "' of " .. tostring(entity) .. " is gone, as its entity is", level + 1)
    end
    error(tostring(entity) .. " has no component '" .. info.name .. "' any more", level + 1)
end

local function makeHandle(info)
    local id = info.id
    local readPointer = ffi.typeof("$ *", info.constStruct)
    local writePointer = ffi.typeof("$ *", info.struct)
    local arrays = {}
    local Handle = ffi.typeof(handleDeclaration)

    for _, field in ipairs(info.fields) do
        if field.isArray then
            local raw = field.raw
            local Elements = ffi.typeof(handleDeclaration)
            ffi.metatype(Elements, {
                __index = function(self, i)
                    local at = C.findComponent(self.__link, self.__index, self.__generation, id)
                    if at == nil then gone(self, info, 2) end
                    indexInto(info, field, i, 2)
                    return cast(readPointer, at)[0][raw][i]
                end,
                __newindex = function(self, i, value)
                    local at = C.writeComponent(self.__link, self.__index, self.__generation, id)
                    if at == nil then gone(self, info, 2) end
                    local elements = cast(writePointer, at)[0][raw]
                    indexInto(info, field, i, 2)
                    elements[i] = value
                end,
                __len = function() return field.count end,
            })
            arrays[field.name] = Elements
        end
    end

    ffi.metatype(Handle, {
        __index = function(self, key)
            local at = C.findComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            local Elements = arrays[key]
            if Elements then return Elements(self.__index, self.__generation, self.__link) end
            if not info.byName[key] then noField(info, key, 2) end
            return cast(readPointer, at)[0][key]
        end,
        __newindex = function(self, key, value)
            local field = info.byName[key]
            if not field then noField(info, key, 2) end
            local at = C.writeComponent(self.__link, self.__index, self.__generation, id)
            if at == nil then gone(self, info, 2) end
            if not field.isArray then
                local _, takes = info.checks[key](value)
                if takes then badValue(info, field, takes, value, 2) end
            end
            cast(writePointer, at)[0][key] = value
        end,
        __tostring = function() return "component '" .. info.name .. "'" end,
    })
    return Handle
end

-- ---- the info of a type ----------------------------------------------------------------------

local function complete(link, info)
    local number = link.number
    table.sort(info.fields, function(a, b) return a.offset < b.offset end)
    info.byName, info.checks = {}, {}
    for i, field in ipairs(info.fields) do
        local isDirect = not field.isArray and field.type ~= "entity" and field.type ~= "string"
            and field.type ~= "i64" and isIdentifier(field.name)
        field.raw = isDirect and field.name or "__field" .. i
        info.byName[field.name] = field
        info.checks[field.name] = checker(number, field.type)
    end
    info.struct = declare(number, info, false)
    info.constStruct = declare(number, info, true)
    info.scratch = info.struct()
    info.initial = info.struct()
    ffi.copy(info.initial, info.defaults, info.size)
    info.fill = makeFill(number, info)
    info.Handle = makeHandle(info)
end

-- What is known of a component type, by name; nil where there is none.
function core.typeInfo(link, name)
    if type(name) ~= "string" then return nil end
    local id = C.findType(link.number, name, #name)
    if id < 0 then return nil end
    local info = core.native.schemaOf(link.number, id)
    info.id = id
    info.columns = {}
    if info.isScript then
        info.scratch = ffi.new("revenant_ScriptReference")
    else
        complete(link, info)
    end
    link.types[name] = info
    return info
end
