-- Formulas for view:compute: text such as "BodyCMP.x = BodyCMP.x + BodyCMP.speed * dt" becomes steps of the machine in
-- lua/bind/formula_functions.cpp, three numbers each. A view keeps the formulas that it was asked for.

local core = ...
local ffi = require "ffi"

local codes = {}
for i, name in ipairs {
    "number", "f32", "f64", "i32", "u32", "u8", "store f32", "store f64", "+", "-", "*", "/", "negate", "abs", "floor", "ceil",
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "atan2", "pow", "mod", "min", "max",
} do
    codes[name] = i - 1
end
codes.bool = codes.u8
local mostOperands, mostKept = 16, 64

local arity = { atan2 = 2, pow = 2, mod = 2, min = 2, max = 2 }
for _, name in ipairs { "abs", "floor", "ceil", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log" } do arity[name] = 1 end

local patterns = { "^%s*()(%d+%.?%d*[eE][+-]?%d+)", "^%s*()(%d*%.?%d+)", "^%s*()([%a_][%w_]*)", "^%s*()([-+*/().,=;])" }

-- What is being parsed: { text =, at =, steps =, depth =, names =, targets =, data = }.

-- The next token and where it ends, or nil at the end of the text.
local function look(parser)
    for _, pattern in ipairs(patterns) do
        local _, last, _, token = parser.text:find(pattern, parser.at)
        if last then return token, last + 1 end
    end
    local rest = parser.text:match("^%s*(.*)", parser.at)
    if rest ~= "" then error({ "'" .. rest:match("^%S+") .. "' is not understood" }, 0) end
end

local function take(parser, expected)
    local token, after = look(parser)
    if expected and token ~= expected then
        error({ "expected '" .. expected .. "' " .. (token and "before '" .. token .. "'" or "at the end") }, 0)
    end
    if after then parser.at = after end
    return token
end

local function emit(parser, code, first, second, change)
    local steps = parser.steps
    steps[#steps + 1], steps[#steps + 2], steps[#steps + 3] = code, first or 0, second or 0
    parser.depth = parser.depth + change
    if parser.depth > mostOperands then error({ "it is nested too deeply; write it as several statements" }, 0) end
end

-- A component's field, whose name follows the dot.
local function fieldOf(parser, component)
    take(parser, ".")
    local name, data = take(parser) or "", parser.data
    local info = data.infos[component]
    if not info then error({ "the view has no column '" .. component .. "'" }, 0) end
    local field = not info.isScript and info.byName[name]
    if not field then error({ "component '" .. component .. "' has no field '" .. name .. "'" }, 0) end
    if not field.isDirect then error({ "'" .. component .. "." .. name .. "' is not a plain number or boolean" }, 0) end
    return data.places[component], field
end

local expression

local function operand(parser)
    local token = take(parser)
    if token == nil then error({ "a value is missing at the end" }, 0) end
    if token == "(" then
        expression(parser)
        take(parser, ")")
    elseif token == "-" then
        operand(parser)
        emit(parser, codes.negate, 0, 0, 0)
    elseif tonumber(token) then
        emit(parser, codes.number, tonumber(token), 0, 1)
    elseif not token:find("^[%a_]") then
        error({ "a value is missing before '" .. token .. "'" }, 0)
    elseif look(parser) == "." then
        local place, field = fieldOf(parser, token)
        emit(parser, codes[field.type], place, field.offset, 1)
    elseif look(parser) == "(" then
        local count = arity[token]
        if not count then error({ "there is no function '" .. token .. "'" }, 0) end
        take(parser, "(")
        for i = 1, count do
            if i > 1 then take(parser, ",") end
            expression(parser)
        end
        take(parser, ")")
        emit(parser, codes[token], 0, 0, 1 - count)
    else
        parser.names[#parser.names + 1] = { name = token, step = #parser.steps / 3 }
        emit(parser, codes.number, 0, 0, 1)
    end
end

-- Operands joined by one of two operators, from the left.
local function chain(parser, operandOf, one, other)
    operandOf(parser)
    while true do
        local token = look(parser)
        if token ~= one and token ~= other then return end
        take(parser)
        operandOf(parser)
        emit(parser, codes[token], 0, 0, -1)
    end
end

local function product(parser) chain(parser, operand, "*", "/") end
function expression(parser) chain(parser, product, "+", "-") end

local function statement(parser)
    local component = take(parser)
    if not component:find("^[%a_]") or look(parser) ~= "." then
        error({ "a statement begins with the field that it sets, as in 'BodyCMP.x = 1', not with '" .. component .. "'" }, 0)
    end
    local place, field = fieldOf(parser, component)
    local name = "'" .. component .. "." .. field.name .. "'"
    if parser.data.readOnly[component] then error({ "component '" .. component .. "' is read-only here; ask for read-write" }, 0) end
    local code = codes["store " .. field.type]
    if not code then error({ name .. " is " .. field.type .. "; only f32 and f64 can be set by a formula" }, 0) end
    take(parser, "=")
    expression(parser)
    emit(parser, code, place, field.offset, -1)
    parser.targets[component] = parser.data.columns[component]
end

local function parse(parser)
    while look(parser) do
        if look(parser) == ";" then take(parser) else statement(parser) end
    end
end

-- The formula of a view: { steps =, count =, names =, targets = }. Raises at the line that called view:compute.
function core.formulaOf(data, text)
    local formula = data.formulas[text]
    if formula then return formula end
    local parser = { text = text, at = 1, steps = {}, depth = 0, names = {}, targets = {}, data = data }
    local ok, why = pcall(parse, parser)
    if not ok then error("view:compute: " .. (type(why) == "table" and why[1] or why) .. " (in '" .. text .. "')", 3) end
    local targets = {}
    for _, column in pairs(parser.targets) do targets[#targets + 1] = column end
    formula = { steps = ffi.new("double[?]", #parser.steps, parser.steps), count = #parser.steps / 3, names = parser.names,
        targets = targets }
    -- Formulas with changing numbers in their text, instead of values, would pile up.
    if data.formulaCount == mostKept then data.formulas, data.formulaCount = {}, 0 end
    data.formulas[text], data.formulaCount = formula, (data.formulaCount or 0) + 1
    return formula
end
