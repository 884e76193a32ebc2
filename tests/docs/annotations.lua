-- Reads lua/api as strictly as the Lua language server does, for machines that lack it (see language_server/ for those that have
-- it): every type can be parsed and every name in it is defined; every parameter of a function has its @param, in order.
--
--     luajit tests/docs/annotations.lua        -- in the project's root

local folder = "lua/api/"
local builtin = {}
for name in ("any nil boolean number integer string table function self lightuserdata userdata thread true false"):gmatch("%S+") do
    builtin[name] = true
end

local problems = {}
local function problem(at, ...) problems[#problems + 1] = at .. ": " .. table.concat { ... } end

-- ---- types ---------------------------------------------------------------------------------------

-- A recursive descent over one type. Returns what follows it; calls use(name) for every type name.
local parseType

local function expect(text, pattern, what)
    local rest = text:match("^" .. pattern .. "(.*)")
    if not rest then error(what .. " expected at '" .. text .. "'", 0) end
    return rest
end

-- name: type, name?: type, [type]: type, ...: type or a bare name; up to the closing bracket
local function parseMembers(text, close, use)
    if text:match("^%s*" .. close) then return expect(text, "%s*" .. close, close) end
    while true do
        local name, rest = text:match("^%s*([%w_]+)%??%s*(.*)")
        if not name then name, rest = text:match("^%s*%[(%w+)%]%s*(:.*)") end
        if not name then name, rest = text:match("^%s*(%.%.%.)%s*(.*)") end
        if not name then error("a name expected at '" .. text .. "'", 0) end
        if rest:sub(1, 1) == ":" then rest = parseType(rest:sub(2), use) end
        if rest:match("^%s*,") then
            text = rest:match("^%s*,(.*)")
        else
            return expect(rest, "%s*" .. close, close)
        end
    end
end

local function parseSingle(text, use)
    text = text:match("^%s*(.*)")
    local rest
    if text:match("^fun%(") then
        rest = parseMembers(text:sub(5), "%)", use)
        if rest:match("^:") then
            rest = rest:sub(2)
            repeat
                if rest:match("^%s*%.%.%.") then
                    rest = rest:match("^%s*%.%.%.(.*)")
                else
                    rest = parseType(rest, use)
                end
                local more = rest:match("^,(.*)")
                rest = more or rest
            until not more
        end
    elseif text:match("^{") then
        rest = parseMembers(text:sub(2), "}", use)
    elseif text:match("^%(") then
        rest = expect(parseType(text:sub(2), use), "%s*%)", ")")
    elseif text:match('^"') then
        rest = expect(text, '"[^"]*"', "a string")
    elseif text:match("^`") then
        local name
        name, rest = text:match("^`(%w+)`(.*)")
        if not name then error("a type in backticks expected at '" .. text .. "'", 0) end
        use(name)
    else
        local name
        name, rest = text:match("^([%a_][%w_.]*)(.*)")
        if not name then error("a type expected at '" .. text .. "'", 0) end
        use(name)
        if rest:match("^<") then
            rest = rest:sub(2)
            repeat
                rest = parseType(rest, use)
                local more = rest:match("^%s*,(.*)")
                rest = more or rest
            until not more
            rest = expect(rest, "%s*>", ">")
        end
    end
    while rest:match("^%[%]") or rest:match("^%?") do rest = rest:match("^%[%](.*)") or rest:sub(2) end
    return rest
end

function parseType(text, use)
    local rest = parseSingle(text, use)
    while rest:match("^|") do rest = parseSingle(rest:sub(2), use) end
    return rest
end

-- What follows a type is text, after a space: `<` there is read as a bracket by the language server.
local function checkType(at, text, use)
    local ok, rest = pcall(parseType, text, use)
    if not ok then
        problem(at, rest)
    elseif rest ~= "" and not rest:match("^%s+[^<|>%[%]?]") then
        problem(at, "after the type a space and words are expected, not '", rest, "'")
    end
end

-- ---- files ---------------------------------------------------------------------------------------

local files, isListed = {}, {}
for line in io.lines(folder .. "revenant.lua") do
    local file = line:match("^%-%- +([%w_]+%.lua)$")
    if file then files[#files + 1], isListed[file] = file, true end
end
for file in io.popen("ls " .. folder):lines() do
    if not isListed[file] then problem(folder .. file, "is not in the list of revenant.lua") end
end

local defined, uses = {}, {}  -- name -> where; { at, name }

local function define(at, name)
    if defined[name] then problem(at, name, " is defined twice, first in ", defined[name]) end
    defined[name] = at
end

local function checkFile(file)
    local number, generics, params, owners = 0, {}, {}, {}
    local class, fields
    local hasReturn = false
    local function use(name)
        if not generics[name] then uses[#uses + 1] = { folder .. file .. ":" .. number, name } end
    end
    local function forget() generics, params, hasReturn = {}, {}, false end
    for line in io.lines(folder .. file) do
        number = number + 1
        local at = folder .. file .. ":" .. number
        local tag, rest = line:match("^%-%-%-@(%w+)%s*(.*)")
        if number == 1 and not line:match("^%-%-%-@meta ") then problem(at, "the first line is ---@meta") end
        if tag == "class" then
            local name, base = rest:match("^([%w_.]+)%s*:?%s*([%w_.]*)$")
            if not name then problem(at, "not a class: ", rest) else define(at, name) end
            if base and base ~= "" then use(base) end
            class, fields = name, {}
        elseif tag == "alias" then
            local name, kind = rest:match("^(%S+)%s+(.*)")
            define(at, name)
            checkType(at, kind, use)
        elseif tag == "field" then
            local name, kind = rest:match("^%[(%w+)%]%s+(.*)")
            if name then
                use(name)
            else
                name, kind = rest:match("^([%a_][%w_]*)%??%s+(.*)")
            end
            if not name then
                problem(at, "not a field: ", rest)
            else
                if not class or fields[name] then problem(at, "field ", name, " is there twice, or is in no class") end
                if fields then fields[name] = true end
                checkType(at, kind, use)
            end
        elseif tag == "generic" then
            for each in (rest .. ","):gmatch("%s*([^,]+),") do
                local name, base = each:match("^(%w+)%s*:?%s*(.*)$")
                generics[name] = true
                if base ~= "" then checkType(at, base, use) end
            end
        elseif tag == "param" then
            local name, kind = rest:match("^([%a_][%w_]*)%??%s+(.*)")
            if not name then name, kind = rest:match("^(%.%.%.)%s+(.*)") end
            if not name then problem(at, "not a parameter: ", rest) else
                if hasReturn then problem(at, "@param after @return") end
                params[#params + 1] = name
                checkType(at, kind, use)
            end
        elseif tag == "return" then
            hasReturn = true
            checkType(at, rest, use)
        elseif tag and tag ~= "meta" then
            problem(at, "unknown tag @", tag)
        elseif line:match("^function ") then
            local owner, separator, arguments = line:match("^function ([%w_]+)([.:])[%w_]+%((.-)%) end$")
            if not owner then
                problem(at, "a function is `function Class:name(parameters) end`")
            else
                if not owners[owner] then problem(at, owner, " is no local of this file with a @class") end
                local wanted = arguments:gsub("%s", "")
                if separator == ":" and params[1] == "self" then table.remove(params, 1) end
                if table.concat(params, ",") ~= wanted then
                    problem(at, "its parameters are (", arguments, "), its @params (", table.concat(params, ", "), ")")
                end
            end
            forget()
        elseif line:match("^local ") then
            local name = line:match("^local ([%w_]+) = {}$")
            if not name or not class or class:match("[%w_]+$") ~= name then
                problem(at, "after @class X.Name comes `local Name = {}`")
            else
                owners[name] = true
            end
            forget()
        elseif not line:match("^%-%-") then
            if #params > 0 or hasReturn then problem(at, "@param or @return without a function") end
            forget()
        end
    end
end

for _, file in ipairs(files) do checkFile(file) end
local isUsed = {}
for _, each in ipairs(uses) do
    isUsed[each[2]] = true
    if not builtin[each[2]] and not defined[each[2]] then problem(each[1], "no type is called ", each[2]) end
end

-- Shapes are there for games to name; every other type is one that something gives or takes.
for name, at in pairs(defined) do
    local isShape = at:find("shapes.lua", 1, true) or name == "revenant"
    if not isShape and not isUsed[name] then problem(at, name, " is used nowhere") end
end

table.sort(problems)
for _, each in ipairs(problems) do io.stderr:write(each, "\n") end
if #files < 10 then io.stderr:write("too few files were read\n") end
os.exit(#problems == 0 and #files >= 10 and 0 or 1)
