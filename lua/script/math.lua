-- revenant.math: elementary functions that give the same bits on every platform. Those of Lua's `math` come from the
-- C library, which differs from system to system.

local core = ...
local C = core.C

local function needNumber(value, position, name)
    if type(value) ~= "number" then
        error("revenant.math." .. name .. ": argument " .. position .. " must be a number, not " .. core.describe(value), 3)
    end
end

local exact = {}
core.math = exact

for _, name in ipairs { "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt" } do
    local call = C["math" .. name:sub(1, 1):upper() .. name:sub(2)]
    exact[name] = function(x)
        if type(x) ~= "number" then needNumber(x, 1, name) end
        return call(x)
    end
end

for _, name in ipairs { "atan2", "pow", "mod" } do
    local call = C["math" .. name:sub(1, 1):upper() .. name:sub(2)]
    exact[name] = function(x, y)
        if type(x) ~= "number" or type(y) ~= "number" then
            needNumber(x, 1, name)
            needNumber(y, 2, name)
        end
        return call(x, y)
    end
end
