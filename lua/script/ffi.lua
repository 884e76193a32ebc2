-- What the other files need: C declarations, C functions, errors, EMPTY.

local core = ...
local ffi = require "ffi"

pairsOf, nextOf = pairs, next  -- see embed.cmake

ffi.cdef(core.structs)  -- derived from the C++ types, as the functions are: lua/bind/ffi_structs.cpp

local C = {}
for name, each in pairs(core.functions) do
    C[name] = ffi.cast(each.declaration, each.address)
end
core.C = C

-- One record per world that this state knows: see world_link.lua.
core.links = {}

core.idOut = ffi.new("revenant_Id")
core.textOut = ffi.new("revenant_Text")
core.numberOut = ffi.new("double[1]")

-- Allocating may run a finalizer of the script's own, which may call anything here. So the results of a C function
-- are read before anything is allocated; reading a pointer out of a struct allocates, too.
local textOut = core.textOut

-- What a C function put into textOut: names and strings, which stay where they are.
function core.takeText()
    local length = textOut.length
    return ffi.string(textOut.text, length)
end

core.outOfMemory = "not enough memory"  -- what an error says then
local fetchError, errorBytes = C.fetchError, 4096
local errorText = ffi.new("char[?]", errorBytes)

function core.lastError()
    return ffi.string(errorText, fetchError(errorText, errorBytes))
end

-- Raises the error of the last C function, at the line that called the caller.
function core.raise(level)
    error(core.lastError(), (level or 1) + 2)
end

-- A value in words, for sentences.
function core.describe(value)
    local kind = type(value)
    if kind == "nil" then
        return "nil"
    elseif kind == "number" then
        return "the number " .. tostring(value)
    elseif kind == "string" then
        return "the string '" .. (#value > 40 and value:sub(1, 40) .. "..." or value) .. "'"
    elseif kind == "boolean" then
        return tostring(value)
    elseif core.Entity and ffi.istype(core.EntityType, value) then
        return tostring(value)
    elseif ffi.istype("int64_t", value) or ffi.istype("uint64_t", value) then
        return "the number " .. tostring(value)
    end
    return "a " .. kind
end

-- Argument checks: they raise at the line that called the caller.
function core.expect(value, kind, call, what)
    if type(value) ~= kind then
        error(call .. ": " .. what .. " must be a " .. kind .. ", not " .. core.describe(value), 3)
    end
end

function core.expectNumber(value, call, what)
    if type(value) ~= "number" or value ~= value or value == math.huge or value == -math.huge then
        error(call .. ": " .. what .. " must be a finite number, not " .. core.describe(value), 3)
    end
end

function core.expectWhole(value, call, what)
    if type(value) ~= "number" or value % 1 ~= 0 or value > 2 ^ 53 or value < -2 ^ 53 then
        error(call .. ": " .. what .. " must be a whole number, not " .. core.describe(value), 3)
    end
end

-- Options are a table that has no key but these; none are an empty one. A misspelt one would do nothing.
local noOptions = {}
function core.expectOptions(options, names, call, level)
    if options == nil then return noOptions end
    if type(options) ~= "table" then
        error(call .. ": the options must be a table {" .. table.concat(names, " = , ") .. " = }, not "
            .. core.describe(options), level + 1)
    end
    for key in pairs(options) do
        local isKnown = false
        for _, name in ipairs(names) do isKnown = isKnown or name == key end
        if not isKnown then
            local name = type(key) == "string" and "'" .. key .. "'" or core.describe(key)
            error(call .. ": there is no option " .. name .. "; the options are: " .. table.concat(names, ", "), level + 1)
        end
    end
    return options
end

-- The one value of an optional component that an entity lacks.
local emptyMeta = { __metatable = "EMPTY", __tostring = function() return "EMPTY" end }
function emptyMeta.__newindex(_, key)
    error("EMPTY is read-only: the entity has no such component to write '" .. tostring(key) .. "' to", 2)
end
core.EMPTY = setmetatable({}, emptyMeta)
