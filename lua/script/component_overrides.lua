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
    local function value(i) return #info.fields <= mostLocals and "v" .. i or "v[" .. i .. "]" end
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
    add "local type, next, rawget, copy, scratch, size, makers, putters, bad, unknown = ..."
    add "return function(o, e, initial)\nlocal n = 0"
    if #info.fields > mostLocals then add "local v = {}" end
    for i, field in ipairs(info.fields) do
        local v = value(i)
        add(v == "v" .. i and "local " or "", v, " = rawget(o, ", ("%q"):format(field.name), ")\nif ", v, " ~= nil then n = n + 1")
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
    -- Every key must be known: as many keys as there were known ones. Unrolled, for the compiler.
    add "local k = next(o)"
    local unrolled = #info.fields <= 8 and #info.fields or 0
    for depth = 1, unrolled do
        add("if k ~= nil then if n < ", depth, " then unknown(o, e) end k = next(o, k)")
    end
    if unrolled == 0 then
        add "while k ~= nil do n = n - 1 if n < 0 then unknown(o, e) end k = next(o, k) end"
    else
        add "if k ~= nil then unknown(o, e) end"
        add(("end "):rep(unrolled))
    end
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
    local function unknown(overrides, entity)
        for key in pairs(overrides) do
            local isKnown = false
            for _, field in ipairs(info.fields) do isKnown = isKnown or field.name == key end
            if not isKnown then noField(info, key, 4, entity) end
        end
    end
    return chunk(type, next, rawget, copy, info.scratch, info.size, makers, putters, bad, unknown)
end
