-- Mathematics that gives the same bits everywhere.

local revenant = require "revenant"
local exact = revenant.math

test("exact functions agree with the C library to the last digits", function()
    for i = -200, 200 do
        local x = i / 10
        for _, name in ipairs { "sin", "cos", "tan", "atan", "exp" } do
            local a, b = exact[name](x), math[name](x)
            check(math.abs(a - b) <= 4e-16 * math.max(1, math.abs(b)), name .. "(" .. x .. ") is " .. a .. ", not " .. b)
        end
        check(math.abs(exact.atan2(x, 3) - math.atan2(x, 3)) < 1e-15)
        if i > 0 then
            check(math.abs(exact.log(x) - math.log(x)) <= 1e-15)
            check(math.abs(exact.pow(x, 1.5) / x ^ 1.5 - 1) <= 4e-16)
            equal(exact.sqrt(x), math.sqrt(x))
        end
    end
    equal(exact.asin(1), math.pi / 2)
    equal(exact.acos(-1), math.pi)
end)

test("mod has the sign of the divisor", function()
    equal(exact.mod(-1, 3), 2)
    equal(exact.mod(5, -3), -1)
    equal(exact.mod(5.5, 2), 1.5)
    check(exact.mod(1, 0) ~= exact.mod(1, 0))
end)

test("wrong arguments are named", function()
    raises(function() exact.sin() end, "revenant.math.sin", "argument 1", "a number", "nil")
    raises(function() exact.atan2(1, "2") end, "revenant.math.atan2", "argument 2", "the string '2'")
end)
