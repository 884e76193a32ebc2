-- Defaults merged with overrides: what addComponent and prefabs write.

local core = ...
local badValue, noField, copyArray = core.badValue, core.noField, core.copyArray
local elementChecker, ranges = core.elementChecker, core.ranges

-- A function for this very schema: it must compile, as every spawn goes through it.
function core.makeFill(number, info)
    local code = {}
    local function add(...) code[#code + 1] = table.concat({ ... }) end
    local setters = {}
    add "local type, next, scratch, setters, bad, unknown = ..."
    for i, field in ipairs(info.fields) do
        if not field.isDirect then
            local check = elementChecker(number, field.type)
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
        local _, takes = elementChecker(number, field.type)(value)
        badValue(info, field, takes, value, 4)
    end
    local function unknown(overrides)
        for key in pairs(overrides) do
            local isKnown = false
            for _, field in ipairs(info.fields) do isKnown = isKnown or field.name == key end
            if not isKnown then noField(info, key, 4) end
        end
    end
    return chunk(type, next, info.scratch, setters, bad, unknown)
end
