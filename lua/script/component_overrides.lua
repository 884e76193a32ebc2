-- Defaults merged with overrides: what addComponent and prefabs write.

local core = ...
local ffi = require "ffi"
local badValue, noField, elementsOf = core.badValue, core.noField, core.elementsOf
local elementChecker, ranges = core.elementChecker, core.ranges

local copy = ffi.copy
local mostLocals = 60

-- A function for this very schema, fill(overrides, entity, initial): it must compile, as every spawn goes through it.
-- Overrides are read without their metamethods: they are data. The scratch is there once, and a finalizer of the script's
-- own may use it wherever something is allocated: so it is written last, by steps none of which allocates.
function core.makeFill(slot, info)
    local code = {}
    local function add(...) code[#code + 1] = table.concat({ ... }) end
    -- The expression that reads a field from the overrides, and the one that is written.
    local function given(i) return #info.fields <= mostLocals and "g" .. i or "g[" .. i .. "]" end
    local function value(i)
        if #info.fields > mostLocals then return "v[" .. i .. "]" end
        return info.fields[i].isDirect and given(i) or "v" .. i
    end
    -- Of fields that do not take a Lua number or boolean as it is: what makes elements of a value, and puts them in.
    local makers, putters = {}, {}
    for i, field in ipairs(info.fields) do
        if not field.isDirect then
            local check = elementChecker(slot, field.type)
            if field.isArray then
                local into = info.scratch[field.raw].__data
                makers[i] = function(given, entity)
                    local elements, count = elementsOf(info, field, check, given, 4, entity)
                    elements.count = count
                    return elements
                end
                putters[i] = function(elements)
                    for k = 1, elements.count do into[k - 1] = elements[k] end
                end
            else
                makers[i] = function(given, entity)
                    local element, takes = check(given)
                    if takes then badValue(info, field, takes, given, 4, entity) end
                    return element
                end
                putters[i] = function(element) info.scratch[field.raw] = element end
            end
        end
    end
    add "local type, next, rawget, rawset, copy, scratch, size, makers, putters, bad, unknown = ..."
    add "return function(o, e, initial)"
    local isLocal = #info.fields <= mostLocals
    if not isLocal then add "local g, v = {}, {}" end
    for i, field in ipairs(info.fields) do
        local v = value(i)
        add(isLocal and "local " or "", given(i), " = rawget(o, ", ("%q"):format(field.name), ")")
        if v ~= given(i) then add(isLocal and "local " or "", v, " = ", given(i)) end
        add("if ", v, " ~= nil then")
        if makers[i] then
            add(v, " = makers[", i, "](", v, ", e)")
        else
            local range = ranges[field.type]
            if field.type == "bool" then
                add("if type(", v, ") ~= 'boolean' then bad(", i, ", ", v, ", e) end")
            elseif range then
                add("if type(", v, ") ~= 'number' or ", v, " % 1 ~= 0 or ", v, " < ", range[1], " or ", v, " > ", range[2],
                    " then bad(", i, ", ", v, ", e) end")
            else
                add("if type(", v, ") ~= 'number' then bad(", i, ", ", v, ", e) end")
            end
        end
        add "end"
    end
    -- Every key must be known. Known keys are taken out for a moment, so that one look tells whether any is left. Measured:
    -- going through the keys instead takes five calls for a table of two, a fifth of the time of a spawn.
    for i, field in ipairs(info.fields) do
        add("if ", given(i), " ~= nil then rawset(o, ", ("%q"):format(field.name), ", nil) end")
    end
    add "local other = next(o)"
    for i, field in ipairs(info.fields) do
        add("if ", given(i), " ~= nil then rawset(o, ", ("%q"):format(field.name), ", ", given(i), ") end")
    end
    add "if other ~= nil then unknown(other, e) end"
    add "copy(scratch, initial, size)"
    for i, field in ipairs(info.fields) do
        if makers[i] then
            add("if ", value(i), " ~= nil then putters[", i, "](", value(i), ") end")
        else
            add("if ", value(i), " ~= nil then scratch.", field.raw, " = ", value(i), " end")
        end
    end
    add "end"
    local chunk = assert(loadstring(table.concat(code, "\n"), "=revenant/" .. info.name))
    local function bad(i, value, entity)
        local field = info.fields[i]
        local _, takes = elementChecker(slot, field.type)(value)
        badValue(info, field, takes, value, 4, entity)
    end
    local function unknown(key, entity) noField(info, key, 4, entity) end
    return chunk(type, next, rawget, rawset, copy, info.scratch, info.size, makers, putters, bad, unknown)
end
