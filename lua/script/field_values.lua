-- How an element of a field is read and written in Lua, by the field's type.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C = core.C
local istype = ffi.istype
local numberOut, textOut, describe = core.numberOut, core.textOut, core.describe

local ranges = {
    i32 = { -2147483648, 2147483647 }, u32 = { 0, 4294967295 }, u8 = { 0, 255 },
}
core.ranges = ranges

-- What a field of plain numbers or booleans takes, in words.
function core.takenBy(kind)
    if kind == "bool" then return "true or false" end
    local range = ranges[kind]
    return range and ("a number from %d to %d"):format(range[1], range[2]) or "a number"
end

-- Texts are kept by id, until ids may mean other strings.
local function readText(slot, id)
    local reuses = C.getStringReuses(slot.number)
    if reuses ~= slot.stringReuses then slot.strings, slot.stringReuses = {}, reuses end
    local strings = slot.strings
    local text = strings[id]
    if not text then
        if C.getText(slot.number, id, textOut) ~= 0 then core.raise(2) end
        text = core.takeText()
        strings[id] = text
    end
    return text
end

-- Only entities and strings mean something in one world alone; other types need no slot (world_link.lua).
core.needsWorld = { entity = true, string = true }

-- read(element): the element as Lua has it.
function core.elementReader(slot, kind)
    if kind == "entity" then
        return function(id)
            local number, index, generation = slot.number, id.index, id.generation
            if generation == 0 or C.isValid(number, index, generation) == 0 then return nil end
            return core.valueOf(number, index, generation)
        end
    elseif kind == "string" then
        return function(id) return readText(slot, id) end
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

-- A whole number, or a 64-bit integer of LuaJIT's, as an int64_t; or nil and what the field takes.
function core.checkWide(value)
    if type(value) == "number" then
        if value % 1 ~= 0 or value < -2 ^ 63 or value >= 2 ^ 63 then return nil, "a whole number from -2^63 to 2^63 - 1" end
        return int64(value)
    elseif istype(int64, value) then
        return int64(value)
    elseif istype(uint64, value) then
        if value > 0x7fffffffffffffffULL then return nil, "a whole number from -2^63 to 2^63 - 1" end
        return int64(value)
    end
    return nil, "a whole number"
end

-- check(value): the value as the struct takes it, or nil and what it takes.
function core.elementChecker(slot, kind)
    if kind == "entity" then
        return function(value)
            local number = slot.number
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
            if C.intern(slot.number, value, #value, numberOut) ~= 0 then core.raise(3) end
            return numberOut[0]
        end
    elseif kind == "i64" then
        return core.checkWide
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

-- ---- sentences

-- `entity`: to which the component is being added, if it is.
local function adding(entity)
    return entity and "addComponent: " .. tostring(entity) .. ": " or ""
end

function core.badValue(info, field, takes, value, level, entity)
    error(adding(entity) .. "component '" .. info.name .. "', field '" .. field.name .. "' (" .. field.type .. ") takes "
        .. takes .. ", not " .. describe(value), level + 1)
end

local function fieldNames(info)
    local names = {}
    for i, field in ipairs(info.fields) do names[i] = field.name end
    return #names > 0 and table.concat(names, ", ") or "none"
end

function core.noField(info, key, level, entity)
    error(adding(entity) .. "component '" .. info.name .. "' has no field '" .. tostring(key) .. "'; its fields are: "
        .. fieldNames(info), level + 1)
end
