-- Script components: Lua tables, class instances mostly. The component's bytes say which table; the
-- tables are kept here while an entity or the history could bring them back (WorldLink::sweepTables).

local core = ...
local ffi = require "ffi"
local rawget, next, type, getmetatable, loadstring, jit = rawget, next, type, getmetatable, loadstring, jit
local C, links = core.C, core.links
local numberOut, describe, raise = core.numberOut, core.describe, core.raise
local bind, bindingOf, setBinding, NUMBER = core.bind, core.bindingOf, core.setBinding, core.bindingNumber
local metaOf = core.metaOf

local lifecycle = { "onAdded", "onRemoved", "onRestored", "onDestroyed" }

local function methodsOf(instance)
    return instance.onAdded, instance.onRemoved, instance.onRestored, instance.onDestroyed
end

-- Whether an instance has any. One whose __index raises has none.
local function isWatched(instance)
    local ok, a, b, c, d = pcall(methodsOf, instance)
    return ok and (a or b or c or d) and true or false
end

-- Whether a class has lifecycle methods; raises for what cannot be called.
local function hasLifecycle(class, what)
    local has = false
    for _, method in ipairs(lifecycle) do
        local value = class[method]
        if value ~= nil and type(value) ~= "function" then
            error(what .. ": " .. method .. " must be a function, not " .. describe(value), 3)
        end
        has = has or value ~= nil
    end
    return has
end
core.hasLifecycle = hasLifecycle

-- A new instance as the class makes it, and how; nil where it does not say. middleclass, classic, hump.class and 30log all make
-- instances by Class(); in classic, new is given an instance to fill.
local function makeInstance(class)
    local meta = debug.getmetatable(class)
    if type(meta) == "table" and rawget(meta, "__call") ~= nil then return class(), "calling its class" end
    if type(class.new) == "function" then return class:new(), "its class's new" end
end

local function instanceOf(info, class, given)
    if given == nil then
        local made, how
        if class then made, how = makeInstance(class) end
        if how and (type(made) ~= "table" or rawequal(made, class)) then
            error("addComponent: component '" .. info.name .. "': " .. how .. " must return a table, not "
                .. (rawequal(made, class) and "the class itself" or describe(made)), 4)
        end
        if how then return made end
        given = {}
    elseif type(given) ~= "table" then
        error("addComponent: component '" .. info.name .. "' is a script component: it takes a table, not "
            .. describe(given), 4)
    elseif class and rawequal(given, class) then
        error("addComponent: component '" .. info.name .. "': this is its class; give an instance of it, or nothing to have the class "
            .. "make one", 4)
    end
    if class and debug.getmetatable(given) == nil then setmetatable(given, metaOf(class)) end
    return given
end

function core.addScript(entity, link, info, given)
    if given == core.EMPTY then
        error("addComponent: EMPTY cannot be a component", 3)
    end
    local instance = instanceOf(info, link.classes[info.name], given)
    if core.isComponentTable(instance) then
        error("addComponent: this table is already the component of an entity; each needs its own", 3)
    end
    local number, index, generation = entity.__link, entity.__index, entity.__generation
    if C.hasComponent(number, index, generation, info.id, numberOut) ~= 0 then
        error((core.lastError():gsub("^hasComponent", "addComponent")), 3)
    end
    -- Steps that may fail come before it is bound.
    local watched, before = isWatched(instance), bindingOf(instance)
    local binding = bind(link, instance, 0, index, generation, info)
    local place, code = 0, C.addTable(number, index, generation, info.id, numberOut)
    if code == 0 then
        place = numberOut[0]
        binding[NUMBER], link.tables[place] = place, instance
        if watched then code = C.watchTable(number, index, generation, info.id, place, 0) end
    end
    if code == 0 then
        info.scratch.table, info.scratch.link = place, link.mark
        code = C.addComponent(number, index, generation, info.id, info.scratch)
    end
    if code == 0 then return instance end
    setBinding(instance, before)
    if place ~= 0 then
        link.tables[place] = nil
        C.dropTable(number, place)
    end
    if not core.isDeferred(code, number, core.Entity.addComponent, entity, info.name, instance) then raise(2) end
    return instance
end

-- ---- for saves -----------------------------------------------------------------------------------

-- The place of a table for a component that comes from a file. With a state it is empty and will be filled;
-- without one it is what addComponent would make. `made`: the name of its class, if not the component's.
function core.makeScript(number, name, index, generation, hasState, made)
    local link = links[number]
    local info = link.types[name] or core.typeInfo(link, name)
    local class = link.classes[name]
    local instance
    if made ~= "" then
        instance = core.makeEmpty(made)
    elseif hasState then
        instance = class and core.emptyInstance(class, metaOf(class)) or {}
    else
        instance = instanceOf(info, class, nil)
    end
    if C.addTable(number, index, generation, info.id, numberOut) ~= 0 then error(core.lastError(), 0) end
    local place = numberOut[0]
    link.tables[place] = instance
    if isWatched(instance) and C.watchTable(number, index, generation, info.id, place, 0) ~= 0 then
        error(core.lastError(), 0)
    end
    bind(link, instance, place, index, generation, info)
    return place
end

-- As addComponent would make it.
function core.newScript(number, name)
    local link = links[number]
    return (instanceOf(link.types[name] or core.typeInfo(link, name), link.classes[name], nil))
end

-- The table of a component of a history that was saved elsewhere; `instance`: where it is not an empty one of its type's class.
-- Returns what findScript returns.
function core.adoptScript(number, name, index, generation, place, instance)
    local link = links[number]
    local info = link.types[name] or core.typeInfo(link, name)
    local class = link.classes[name]
    instance = instance or class and core.emptyInstance(class, metaOf(class)) or {}
    link.tables[place] = instance
    if isWatched(instance) and C.watchTable(number, index, generation, info.id, place, 1) ~= 0 then
        error(core.lastError(), 0)
    end
    bind(link, instance, place, index, generation, info)
    return core.findScript(number, place)
end

-- The name of a component's class, where that is not the one of its type; false where that has none.
local function nameOfClass(link, name, instance)
    local meta, class = debug.getmetatable(instance), link.classes[name]
    if meta == nil or (class and (meta == metaOf(class) or rawget(meta, "__index") == class)) then return nil end
    return core.nameOfMeta(meta) or false
end

-- The same; raises where it has none.
function core.makeOfInstance(link, name, instance)
    local made = nameOfClass(link, name, instance)
    if made ~= false then return made end
    error("its table has a metatable that belongs to no registered class; call revenant.registerClass(name, class) "
        .. "for its class", 0)
end

function core.classOfScript(number, name, place)
    local instance = links[number].tables[place]
    return instance ~= nil and nameOfClass(links[number], name, instance) or nil
end

function core.makeOfScript(number, name, place)
    return core.makeOfInstance(links[number], name, links[number].tables[place])
end

-- ---- for the history ---------------------------------------------------------------------------

local ignoredSets = setmetatable({}, { __mode = "k" })  -- list -> metatable of the instance -> set

local function addIgnored(set, list)
    if type(list) ~= "table" then return end
    for key, value in pairs(list) do
        if type(key) == "number" then
            set[value] = true
        elseif value then
            set[key] = true
        end
    end
end

-- The names that class libraries have for a base class, or for included classes.
local basesOf = { "super", "__super", "base", "__base", "class", "__includes" }

-- Adds the lists of an instance, of its class, and of all that this one derives from.
local function addInherited(set, value, seen)
    if type(value) ~= "table" or seen[value] then return end
    seen[value] = true
    addIgnored(set, rawget(value, "rewindIgnore"))
    addIgnored(set, type(rawget(value, "__declaredMethods")) == "table" and rawget(value.__declaredMethods, "rewindIgnore"))
    local meta = debug.getmetatable(value)
    if type(meta) == "table" then
        addInherited(set, rawget(meta, "__index"), seen)
        if rawget(meta, "__index") ~= meta then addInherited(set, meta, seen) end
    end
    for _, name in ipairs(basesOf) do
        local base = rawget(value, name)
        addInherited(set, base, seen)
        if name == "__includes" and type(base) == "table" then
            for _, each in ipairs(base) do addInherited(set, each, seen) end
        end
    end
end

-- A class ignores the keys that it lists, and those that its base classes list.
local function ignoredOf(instance)
    local list = instance.rewindIgnore
    if type(list) ~= "table" then return nil end
    local sets = ignoredSets[list]
    if not sets then
        sets = setmetatable({}, { __mode = "k" })
        ignoredSets[list] = sets
    end
    local key = debug.getmetatable(instance) or sets
    local set = sets[key]
    if not set then
        set = { rewindIgnore = true }
        addIgnored(set, list)
        local seen = { [instance] = true }
        addInherited(set, rawget(instance, "class"), seen)
        local meta = debug.getmetatable(instance)
        addInherited(set, meta, seen)
        if type(meta) == "table" then addInherited(set, rawget(meta, "__index"), seen) end
        sets[key] = set
    end
    return set
end
core.ignoredOf = ignoredOf

-- The state to be written down, the keys to leave out, and whether a hook gave it.
function core.getScriptState(number, place)
    local instance = links[number].tables[place]
    if instance == nil then return nil end
    local get = instance.getRewindState
    if get ~= nil then return (get(instance)), nil, true end
    return instance, ignoredOf(instance), false
end

-- Metatables of components that getmetatable returns as they are.
core.openMetas = setmetatable({}, { __mode = "k" })

-- The function that source makes, for FlatCapture; nil where there is no compiler, without which it would be slow.
function core.makeFlatCapture(source, places, values, cells)
    if not jit.status() then return nil end
    return assert(loadstring(source, "=revenant/capture"))(ffi, rawget, next, type, getmetatable, core.identities,
        core.openMetas, places, values, cells)
end

-- The blend of two states, for display; nil where the class defines none.
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
        core.expectHooks(instance, "its class")
        return instance, nil, instance.restoreRewindState
    end
    return instance, ignoredOf(instance), nil
end

-- ---- lifecycle -----------------------------------------------------------------------------------

-- Called by the native side, where listeners are called.
function core.tellLifecycle(number, place, method, index, generation)
    local link = links[number]
    local instance = link and link.tables[place]
    local call = instance and instance[method]
    if call ~= nil then call(instance, core.valueOf(number, index, generation)) end
end
