-- Writes docs/lua_reference.md from lua/api, the annotations that the Lua language server reads.
--
--     luajit docs/make_lua_reference.lua             -- in the project's root: writes the page
--     luajit docs/make_lua_reference.lua --check     -- fails when the page is stale

local target = "docs/lua_reference.md"

local function escape(text) return (text:gsub("|", "\\|"):gsub("revenant%.", "")) end

-- "name? type the rest" -> name, optional, type, rest; a type may have spaces inside of brackets.
local function splitType(text)
    local depth, at = 0, 1
    while at <= #text do
        local c = text:sub(at, at)
        if c:find("[%({<%[]") then depth = depth + 1 end
        if c:find("[%)}>%]]") then depth = depth - 1 end
        if c == " " and depth == 0 and not text:sub(1, at - 1):find("[:,|]$") then break end
        at = at + 1
    end
    return text:sub(1, at - 1), text:sub(at + 1)
end

local classes, class = {}, nil
local aliases = {}
local notes, parameters, returns = {}, {}, {}
local bound  -- what a generic T stands for in the reference

local function forget() notes, parameters, returns, bound = {}, {}, {}, nil end

-- A type for people: of a name that stands for a type, that it is a string; of T, what T is at least.
local function plainType(kind)
    if kind:find("^`") then return "string" end
    -- `T|any` and `T|table` are for the language server: games need not declare their types.
    kind = kind:gsub("^T|any|nil$", "T?"):gsub("T|any", "T"):gsub("^T|table$", "T"):gsub("^%((T)%)", "%1")
    return bound and kind:gsub("%f[%w]T%f[%W]", bound) or kind
end

-- All lines of lua/api. The first file lists all files.
local function sourceLines()
    return coroutine.wrap(function()
        for entry in io.lines("lua/api/revenant.lua") do
            local file = entry:match("^%-%- +([%w_]+%.lua)$")
            if file then
                for line in io.lines("lua/api/" .. file) do coroutine.yield(line) end
                coroutine.yield("")
            end
        end
    end)
end

for line in sourceLines() do
    local note = line:match("^%-%-%-([^@].*)")
    local tag, rest = line:match("^%-%-%-@(%w+)%s*(.*)")
    local owner, separator, name, arguments = line:match("^function (%w+)([.:])(%w+)%((.-)%)")
    local constant = line:match("^(%w+%.%u+) = ")
    if note then
        notes[#notes + 1] = note
    elseif tag == "class" then
        class = { name = rest:match("^[%w_.]+"):gsub("^revenant%.", ""), base = rest:match(": revenant%.(%w+)"),
            notes = notes, fields = {}, functions = {} }
        classes[#classes + 1] = class
        forget()
    elseif tag == "field" then
        local field, after = rest:match("^(%[.-%])%s+(.*)")
        if not field then field, after = rest:match("^(%S+)%s+(.*)") end
        local kind, text = splitType(after)
        class.fields[#class.fields + 1] = { name = field, kind = kind, text = text }
    elseif tag == "alias" then
        local alias, kind = rest:match("^(%S+)%s+(.*)")
        aliases[#aliases + 1] = { name = alias:gsub("^revenant%.", ""), kind = kind }
    elseif tag == "param" then
        local parameter, after = rest:match("^(%S+)%s+(.*)")
        local kind, text = splitType(after)
        if parameter ~= "self" then parameters[#parameters + 1] = { name = parameter, kind = plainType(kind), text = text } end
    elseif tag == "generic" then
        bound = rest:match(":%s*(%S+)") or "table"
    elseif tag == "return" then
        local kind, text = splitType(rest)
        returns[#returns + 1] = { kind = plainType(kind), text = (text:gsub("^# *", "")) }
    elseif owner then
        class.functions[#class.functions + 1] = { name = owner .. separator .. name, arguments = arguments,
            notes = notes, parameters = parameters, returns = returns }
        forget()
    elseif constant then
        class.fields[#class.fields + 1] = { name = constant, kind = "table", text = table.concat(notes, " ") }
        forget()
    elseif line == "" then
        forget()
    end
end

local out = {}
local function write(...) out[#out + 1] = table.concat { ... } end

write("# Lua reference")
write("")
write("Made from [`lua/api`](../lua/api) by `luajit docs/make_lua_reference.lua`; a test fails when it is stale. A")
write("name with a colon is called on a value of its type; `?` marks what may be left out or be `nil`. Every call checks its")
write("arguments and raises an error that says what is wrong.")
write("")
for _, each in ipairs(classes) do
    write("- [", each.name, "](#", each.name:lower(), ")")
end
for _, each in ipairs(classes) do
    write("")
    write("## ", each.name)
    if #each.notes > 0 then
        write("")
        write(escape(table.concat(each.notes, " ")))
    end
    if each.base then
        write("")
        write("Has all that a [", each.base, "](#", each.base:lower(), ") has.")
    end
    if #each.fields > 0 then
        write("")
        write("| field | type | |")
        write("|---|---|---|")
        for _, field in ipairs(each.fields) do
            write("| `", escape(field.name), "` | `", escape(field.kind), "` | ", escape(field.text), " |")
        end
    end
    for _, entry in ipairs(each.functions) do
        write("")
        local gives = {}
        for _, result in ipairs(entry.returns) do gives[#gives + 1] = (result.kind:gsub("revenant%.", "")) end
        write("### `", entry.name, "(", entry.arguments, ")`", #gives > 0 and " → `" .. table.concat(gives, ", ") .. "`" or "")
        if #entry.notes > 0 then
            write("")
            write(escape(table.concat(entry.notes, " ")))
        end
        if #entry.parameters > 0 then write("") end
        for _, parameter in ipairs(entry.parameters) do
            write("- `", parameter.name, "`: `", (parameter.kind:gsub("revenant%.", "")), "`",
                parameter.text ~= "" and ", " .. parameter.text or "")
        end
        for _, result in ipairs(entry.returns) do
            if result.text ~= "" then
                if #entry.parameters == 0 then write("") end
                write("- returns: ", result.text)
            end
        end
    end
end
write("")
write("## Other names")
write("")
for _, alias in ipairs(aliases) do
    write("- `", alias.name, "`: `", (alias.kind:gsub("revenant%.", "")), "`")
end
write("")
write("## Limitations")
write("")
write("- LuaJIT only: component data are FFI structs.")
write("- What `ComponentsView:runs` hands out is not checked: an index beyond its count reads or writes other memory.")
write("- Entities and components alone do not keep a world made by `World:new()`: hold the world, or a system, view or history of it.")
local page = table.concat(out, "\n") .. "\n"

if arg[1] == "--check" then
    local file = io.open(target)
    local kept = file and file:read("*a")
    if file then file:close() end
    if kept ~= page then
        io.stderr:write(target, " is stale; write it anew with `luajit docs/make_lua_reference.lua`\n")
        os.exit(1)
    end
else
    local file = assert(io.open(target, "w"))
    file:write(page)
    file:close()
end
