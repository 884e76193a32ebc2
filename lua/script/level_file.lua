-- A level file: Lua source that returns a table, run in a state of its own (level_sandbox.hpp).

local core = ...
local ffi = require "ffi"
local native, describe = core.native, core.describe
local isGC64 = ffi.abi("gc64")

function core.readFile(path)
    local file, message = io.open(path, "rb")
    if not file then return nil, message end
    local text = file:read("*a")
    file:close()
    return text
end

local function makeWide(low, high, isUnsigned)
    local wide = (0ULL + high) * 2ULL ^ 32 + low
    return isUnsigned and wide or ffi.cast("int64_t", wide)
end

local function runSandboxed(source, path)
    if source:sub(1, 1) == "\27" then error(path .. ":1: a level is Lua source, not bytecode", 0) end
    local result, message = native.runLevel(source, path, makeWide, isGC64)
    if message then error(message, 0) end
    return result
end

local fields = { name = "string", prefabs = "table", entities = "table" }

-- The table that a level's file returns, its path, and bad(keys, text), which raises with file, line and field.
function core.readLevel(data, name)
    local path = data.folder .. name .. ".lua"
    local source, message = data.read(path)
    if type(source) ~= "string" then
        error("LevelManager: level '" .. name .. "' cannot be read: " .. tostring(message or path), 0)
    end
    local level = runSandboxed(source, path)
    local function bad(keys, text)
        local shown = {}
        for _, key in ipairs(keys) do
            shown[#shown + 1] = type(key) == "number" and "[" .. key .. "]" or (#shown > 0 and "." or "") .. tostring(key)
        end
        error(path .. ":" .. core.lineOf(source, keys) .. ": " .. table.concat(shown) .. (#shown > 0 and ": " or "") .. text, 0)
    end
    if type(level) ~= "table" then
        error(path .. ":1: a level returns a table { entities = { ... } }, not " .. describe(level), 0)
    end
    for key, value in pairs(level) do
        local kind = fields[key]
        if not kind then bad({ key }, "is not a field of a level; those are name, prefabs, entities") end
        if type(value) ~= kind then bad({ key }, "must be a " .. kind .. ", not " .. describe(value)) end
    end
    return level, path, bad
end

-- Calls visit(name, keys) for each prefab that a template names. Anything else is reported when it is made.
local function eachNamed(template, keys, visit, seen)
    if type(template) ~= "table" or seen[template] or #keys > 2 * core.deepestTemplate then return end
    seen[template] = true
    if template.prefab ~= nil then visit(template.prefab, core.below(keys, "prefab")) end
    if type(template.children) ~= "table" then return end
    for i, child in ipairs(template.children) do eachNamed(child, core.below(keys, "children", i), visit, seen) end
end

-- The names of a level's prefabs, each behind those that it builds on.
function core.orderOfPrefabs(prefabs, bad)
    local names, order, state, way = {}, {}, {}, {}
    for name in pairs(prefabs) do
        if type(name) ~= "string" then bad({ "prefabs" }, "is keyed by name, not by " .. describe(name)) end
        names[#names + 1] = name
    end
    table.sort(names)
    local function visit(name, keys)
        if prefabs[name] == nil or state[name] == "done" then return end
        way[#way + 1] = name
        if state[name] == "begun" then
            bad(keys, "prefabs build on each other in a circle: " .. table.concat(way, ", "))
        end
        state[name] = "begun"
        eachNamed(prefabs[name], { "prefabs", name }, visit, {})
        state[name] = "done"
        way[#way] = nil
        order[#order + 1] = name
    end
    for _, name in ipairs(names) do visit(name) end
    return order
end
