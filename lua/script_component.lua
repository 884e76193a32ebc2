-- Script components: Lua tables, class instances mostly. The component's bytes say which table; the
-- tables are kept here while an entity or the history could bring them back (WorldLink::sweepTables).

local core = ...
local ffi = require "ffi"
local C, links = core.C, core.links
local numberOut, describe, raise = core.numberOut, core.describe, core.raise
local reference = ffi.typeof("const revenant_ScriptReference *")

-- Which component a table is, so that it is not that of two: table -> {link, number, entity, type}.
local bindings = setmetatable({}, { __mode = "k" })
local metas = setmetatable({}, { __mode = "k" })  -- class -> the metatable of its plain instances

local function metaOf(class)
    if rawget(class, "__index") ~= nil then return class end
    local meta = metas[class]
    if not meta then
        meta = { __index = class }
        metas[class] = meta
    end
    return meta
end

local function isBound(table)
    local binding = bindings[table]
    if not binding then return false end
    local at = C.findComponent(binding.link, binding.index, binding.generation, binding.type)
    return at ~= nil and ffi.cast(reference, at).table == binding.number
        and ffi.cast(reference, at).link == binding.link
end

local function instanceOf(info, class, given)
    if given == nil then
        if class and type(class.new) == "function" then
            local made = class:new()
            if type(made) ~= "table" then
                error("addComponent: component '" .. info.name .. "': its class's new must return a table, not "
                    .. describe(made), 4)
            end
            return made
        end
        given = {}
    elseif type(given) ~= "table" then
        error("addComponent: component '" .. info.name .. "' is a script component: it takes a table, not "
            .. describe(given), 4)
    end
    if class and debug.getmetatable(given) == nil then setmetatable(given, metaOf(class)) end
    return given
end

function core.addScript(entity, link, info, given)
    if given == core.EMPTY then
        error("addComponent: EMPTY cannot be a component", 3)
    end
    local instance = instanceOf(info, link.classes[info.name], given)
    if isBound(instance) then
        error("addComponent: this table is already the component of an entity; each needs its own", 3)
    end
    local number, index, generation = entity.__link, entity.__index, entity.__generation
    if C.hasComponent(number, index, generation, info.id, numberOut) ~= 0 then
        error((core.lastError():gsub("^hasComponent", "addComponent")), 3)
    end
    if C.addTable(number, index, generation, info.id, numberOut) ~= 0 then raise(2) end
    local place = numberOut[0]
    info.scratch.table, info.scratch.link = place, number
    if C.addComponent(number, index, generation, info.id, info.scratch) ~= 0 then raise(2) end
    link.tables[place] = instance
    bindings[instance] = { link = number, number = place, index = index, generation = generation, type = info.id }
    return instance
end

-- ---- for the history ---------------------------------------------------------------------------

local ignoredSets = setmetatable({}, { __mode = "k" })

local function ignoredOf(instance)
    local list = instance.rewindIgnore
    if type(list) ~= "table" then return nil end
    local set = ignoredSets[list]
    if not set then
        set = { rewindIgnore = true }
        for key, value in pairs(list) do
            if type(key) == "number" then
                set[value] = true
            elseif value then
                set[key] = true
            end
        end
        ignoredSets[list] = set
    end
    return set
end

-- The state to be written down, and the keys to leave out.
function core.getScriptState(number, place)
    local instance = links[number].tables[place]
    if instance == nil then return nil end
    local get = instance.getRewindState
    if get ~= nil then return get(instance), nil end
    return instance, ignoredOf(instance)
end

-- What lies between two states, for display; nil where the class does not say.
function core.lerpScript(number, place, now, next, part)
    local instance = links[number].tables[place]
    local lerp = instance and instance.lerpRewindState
    if lerp == nil then return nil end
    return (lerp(instance, now, next, part))
end

-- The table, the keys to leave alone, and its own hook.
function core.findScript(number, place)
    local instance = links[number].tables[place]
    if instance == nil then return nil end
    if instance.getRewindState ~= nil then
        local restore = instance.restoreRewindState
        if restore == nil then
            error("a class with getRewindState needs restoreRewindState, too", 0)
        end
        return instance, nil, restore
    end
    return instance, ignoredOf(instance), nil
end
