-- Saves: the content of a world in a file or a string. C++ does the work (save/).

local core = ...
local ffi = require "ffi"
local native, describe, own = core.native, core.describe, core.ownLink
local World = core.World

local saveOptions, loadOptions = { "format" }, { "drop" }

local function isJson(options, call)
    local format = core.expectOptions(options, saveOptions, call, 3).format
    if format ~= nil and format ~= "json" and format ~= "binary" then
        error(call .. ": format must be 'binary' or 'json', not " .. describe(format), 3)
    end
    return format == "json"
end

-- The names of components that are left out.
local function dropped(options, call)
    local drop = core.expectOptions(options, loadOptions, call, 3).drop
    if drop == nil then return {} end
    if type(drop) ~= "table" then
        error(call .. ": drop must be a list of names of components, not " .. describe(drop), 3)
    end
    local names = {}
    for i, name in ipairs(drop) do
        if type(name) ~= "string" then
            error(call .. ": drop must be a list of names of components, not of " .. describe(name), 3)
        end
        names[i] = name
    end
    return names
end

local function expectPath(path, call)
    if type(path) ~= "string" or path == "" or path:find("%z") then
        error(call .. ": the path must be a non-empty string without zero bytes, not " .. describe(path), 3)
    end
end

-- ---- versions of components -----------------------------------------------------------------------

-- Raises unless the options version and migrate of a definition make sense; returns them.
function core.expectVersion(options, call, level)
    local version, migrate = options.version, options.migrate
    if version ~= nil and (type(version) ~= "number" or version % 1 ~= 0 or version < 1 or version > 2 ^ 31) then
        error(call .. ": version must be a whole number, 1 or more, not " .. describe(version), level + 1)
    end
    if migrate ~= nil and type(migrate) ~= "function" then
        error(call .. ": migrate must be a function, not " .. describe(migrate), level + 1)
    end
    return version or 1, migrate
end

function core.setVersion(link, name, version, migrate)
    link.migrations[name] = migrate
    native.setVersion(link.number, name, version, migrate ~= nil)
end

-- A whole number of 64 bits, by its halves.
function core.wideNumber(high, low)
    return ffi.cast("int64_t", high) * 4294967296LL + ffi.cast("int64_t", low)
end

-- Calls migrate; what it raises begins with the component.
local function callMigrate(link, name, old, version)
    local ok, new = pcall(link.migrations[name], old, version)
    if ok then return new end
    if new == nil then new = "an error without a message" end
    if type(new) == "string" then new = "component '" .. name .. "', saved in version " .. version .. ": migrate: " .. new end
    error(new, 0)
end

-- What migrate makes of a component's old fields: the bytes of a whole component; or nil, and why they cannot be had.
function core.migrateFields(number, name, old, version)
    local link = core.links[number]
    local info = link.types[name] or core.typeInfo(link, name)
    local new = callMigrate(link, name, old, version)
    if type(new) ~= "table" then
        return nil, "component '" .. name .. "': migrate must return a table of fields, not " .. describe(new)
    end
    local ok, message = pcall(info.fill, new, nil, info.initial)
    if not ok then
        if type(message) ~= "string" then error(message, 0) end
        return nil, "what migrate returned: " .. message:gsub("^[^:]+:%d+: ", "")
    end
    return ffi.string(info.scratch, info.size)
end

-- A table for the data of a component that is about to be migrated; nil where its class has hooks.
function core.emptyScript(number, name)
    local class = core.links[number].classes[name]
    if not class or class.getRewindState ~= nil then return nil end
    return core.emptyInstance(class, core.metaOf(class))
end

-- What migrate makes of the data of a component; or nil, and why that cannot be it.
function core.migrateScript(number, name, old, version)
    local link = core.links[number]
    local new, class = callMigrate(link, name, old, version), link.classes[name]
    if type(new) ~= "table" and (class == nil or class.getRewindState == nil) then
        return nil, "component '" .. name .. "': migrate must return a table, the data of the component, not " .. describe(new)
    end
    if class and type(new) == "table" and debug.getmetatable(new) == nil then setmetatable(new, core.metaOf(class)) end
    return new
end

-- ---- saves ---------------------------------------------------------------------------------------

-- options: {format = "json"}, for people and tools.
function World:save(path, options)
    local link = own(self, "save")
    expectPath(path, "save")
    native.save(link.number, path, isJson(options, "save"))
end

function World:saveToString(options)
    local link = own(self, "saveToString")
    return (native.saveToString(link.number, isJson(options, "saveToString")))
end

-- options: {drop = {"OldCMP"}}, components that the game no longer has.
function World:load(path, options)
    local link = own(self, "load")
    expectPath(path, "load")
    native.load(link.number, path, dropped(options, "load"))
end

function World:loadFromString(text, options)
    local link = own(self, "loadFromString")
    core.expect(text, "string", "loadFromString", "the save")
    native.loadFromString(link.number, text, dropped(options, "loadFromString"))
end
