-- Defaults merged with overrides: what addComponent and prefabs write.

local core = ...
local badValue, noField, copyArray, elementsOf = core.badValue, core.noField, core.copyArray, core.elementsOf
local elementChecker, ranges = core.elementChecker, core.ranges

-- A function for this very schema: it must compile, as every spawn goes through it. Overrides are read without their
-- metamethods: they are data, and the scratch is there once.
function core.makeFill(number, info)
    local code = {}
    local function add(...) code[#code + 1] = table.concat({ ... }) end
    local setters = {}
    add "local type, next, rawget, scratch, setters, bad, unknown = ..."
    for i, field in ipairs(info.fields) do
        if not field.isDirect then
            local check = elementChecker(number, field.type)
            setters[i] = function(value, entity)
                if field.isArray then
                    copyArray(info.scratch[field.raw], elementsOf(info, field, check, value, 4, entity))
                else
                    local element, takes = check(value)
                    if takes then badValue(info, field, takes, value, 4, entity) end
                    info.scratch[field.raw] = element
                end
            end
        end
    end
    add "return function(o, e)\nlocal n, v = 0"
    for i, field in ipairs(info.fields) do
        local name = ("%q"):format(field.name)
        add("v = rawget(o, ", name, ")\nif v ~= nil then n = n + 1")
        if setters[i] then
            add("setters[", i, "](v, e)")
        else
            local range = ranges[field.type]
            if field.type == "bool" then
                add("if type(v) ~= 'boolean' then bad(", i, ", v, e) end")
            elseif range then
                add("if type(v) ~= 'number' or v % 1 ~= 0 or v < ", range[1], " or v > ", range[2],
                    " then bad(", i, ", v, e) end")
            else
                add("if type(v) ~= 'number' then bad(", i, ", v, e) end")
            end
            add("scratch.", field.raw, " = v")
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
    add "end"
    local chunk = assert(loadstring(table.concat(code, "\n"), "=revenant/" .. info.name))
    local function bad(i, value, entity)
        local field = info.fields[i]
        local _, takes = elementChecker(number, field.type)(value)
        badValue(info, field, takes, value, 4, entity)
    end
    local function unknown(overrides, entity)
        for key in pairs(overrides) do
            local isKnown = false
            for _, field in ipairs(info.fields) do isKnown = isKnown or field.name == key end
            if not isKnown then noField(info, key, 4, entity) end
        end
    end
    return chunk(type, next, rawget, info.scratch, setters, bad, unknown)
end
