-- World: what scripts call. A world's link (core.links) is this state's record of it:
--   number, world       its number on the native side, its Lua value
--   strong, weak        values of entities, by index
--   types, classes      component types by name; classes of script components
--   tables              tables of script components, by number
--   strings             texts of string ids
--   views, prefabs      by key, by name

local core = ...
local ffi = require "ffi"
local C, links, native = core.C, core.links, core.native
local istype, EntityType = ffi.istype, core.EntityType
local describe, raise = core.describe, core.raise
local idOut, numberOut = core.idOut, core.numberOut

local World = {}
World.__index = World
core.World = World
local worlds = core.privateStore()  -- world -> its link

local function linkAt(number)
    local link = links[number]
    if link then return link end
    link = {
        number = number,
        strong = {},
        weak = setmetatable({}, { __mode = "v" }),
        types = {},
        classes = {},
        tables = {},
        strings = {},
        views = {},
        prefabs = {},
        rewind = setmetatable({}, { __mode = "v" }),
        beforeReconcile = {},
    }
    links[number] = link
    link.world = setmetatable({}, World)
    worlds[link.world] = link
    return link
end

function core.worldOf(number)
    return linkAt(number).world
end

local instance
function core.instance()
    instance = instance or linkAt(native.getInstance())
    return instance
end

function core.linkOf(world, call, level)
    local link = worlds[world]
    if not link then error(call .. ": takes a world, not " .. describe(world), level + 1) end
    return link
end

local function own(world, call)
    local link = worlds[world]
    if not link then
        error("World:" .. call .. ": called on " .. describe(world) .. ", not on a world; write world:" .. call .. "(...)", 3)
    end
    return link
end

-- Called by the native side when the world was reset.
function core.forgetAll(number)
    local link = links[number]
    if not link then return end
    link.strong = {}
    link.weak = setmetatable({}, { __mode = "v" })
    link.tables = {}
    core.forgetViews(link)
    core.forgetSystems(link)
    link.beforeReconcile = {}
end

-- ---- worlds --------------------------------------------------------------------------------------

-- The process-wide world.
function World.getInstance()
    return core.instance().world
end

-- Another one, for tests and tools. It lives until the Lua state is closed.
function World:new()
    return linkAt(native.makeWorld()).world
end

function World:__tostring()
    local link = worlds[self]
    return link and "World #" .. link.number or "World"
end

-- ---- entities

function World:newEntity(name)
    local link = own(self, "newEntity")
    if type(name) ~= "string" then error("newEntity: the name must be a string, not " .. describe(name), 2) end
    return (core.makeEntity(link.number, name))
end

for _, call in ipairs { "addEntity", "removeEntity" } do
    local ask = C[call]
    World[call] = function(self, entity)
        local link = own(self, call)
        if not istype(EntityType, entity) then
            error(call .. ": takes an entity, not " .. describe(entity), 2)
        end
        if entity.__link ~= link.number then
            error(call .. ": " .. tostring(entity) .. " belongs to another world; worlds do not share entities", 2)
        end
        if ask(entity.__link, entity.__index, entity.__generation) ~= 0 then raise() end
    end
end

for which, call in pairs { [0] = "getAllManagedEntities", "getActiveEntities", "getZombies" } do
    World[call] = function(self)
        local number = own(self, call).number
        local ids = C.getEntities(number, which, numberOut)
        if numberOut[0] < 0 then raise() end
        return core.valuesOf(number, ids, numberOut[0])
    end
end

for which, special in pairs { [0] = "MainCharacter", "MainCamera" } do
    World["get" .. special] = function(self)
        local number = own(self, "get" .. special).number
        if C.getSpecial(number, which, idOut) ~= 0 then raise() end
        return core.valueOf(number, idOut.index, idOut.generation)
    end
    World["set" .. special] = function(self, entity)
        local number = own(self, "set" .. special).number
        if entity == nil then
            if C.setSpecial(number, which, 0, 0) ~= 0 then raise() end
            return
        end
        core.expectEntity(entity, number, "set" .. special, "the argument")
        if C.setSpecial(number, which, entity.__index, entity.__generation) ~= 0 then raise() end
    end
end

-- ---- the tick

-- What waits for the next tick (levels) comes first; an error of it does not keep the world still.
local function beforeReconcile(link)
    local firstError
    for _, call in ipairs(link.beforeReconcile) do
        local ok, message = pcall(call)
        if not ok and not firstError then firstError = message end
    end
    return firstError
end

function World:update(dt)
    local link = own(self, "update")
    if type(dt) ~= "number" then error("update: dt must be a number of seconds, not " .. describe(dt), 2) end
    local firstError = #link.beforeReconcile > 0 and not native.isTicking(link.number) and beforeReconcile(link)
    native.update(link.number, dt)
    core.afterCollection()
    if firstError then error(firstError, 0) end
end

function World:reconcile()
    local link = own(self, "reconcile")
    local firstError = #link.beforeReconcile > 0 and not native.isTicking(link.number) and beforeReconcile(link)
    native.reconcile(link.number)
    core.afterCollection()
    if firstError then error(firstError, 0) end
end

function World:reset()
    native.reset(own(self, "reset").number)
end

function World:getTick()
    return C.getTick(own(self, "getTick").number)
end

for _, call in ipairs { "getTime", "isPastOnShow", "isTicking", "getStats", "stateHash", "validate" } do
    local ask = native[call]
    World[call] = function(self)
        local link = own(self, call)
        return (ask(link.number))
    end
end

-- ---- systems

-- A system of C++, by its name.
local System = {}
System.__index = System
core.System = System
local named = core.privateStore()  -- system -> {link, name}

local function namedOf(system, call)
    local data = named[system]
    if not data then error(call .. ": called on " .. describe(system) .. ", not on a system", 3) end
    return data
end

function System:getName() return namedOf(self, "getName").name end
function System:tick(dt)
    local data = namedOf(self, "tick")
    core.expectNumber(dt, "tick", "dt")
    native.tickNamed(data.link.number, data.name, dt)
end
function System:setEnabled(on)
    local data = namedOf(self, "setEnabled")
    core.expect(on, "boolean", "setEnabled", "the argument")
    native.setNamedEnabled(data.link.number, data.name, on)
end
function System:isEnabled()
    local data = namedOf(self, "isEnabled")
    return (native.isNamedEnabled(data.link.number, data.name))
end

function World:registerSystem(system)
    local link = own(self, "registerSystem")
    if core.isSystem(system) then
        core.registerLuaSystem(link, system)
    elseif core.isRewind(system) then
        core.registerRewind(link, system)
    else
        error("registerSystem: takes a system (MovementSys:new(world)), not " .. describe(system), 2)
    end
    return system
end

function World:unregisterSystem(system)
    local link = own(self, "unregisterSystem")
    if core.isSystem(system) then
        core.unregisterLuaSystem(link, system)
    elseif core.isRewind(system) then
        core.unregisterRewind(link, system)
    elseif named[system] and named[system].link == link then
        native.unregisterNamed(link.number, named[system].name)
    else
        error("unregisterSystem: takes a system, not " .. describe(system), 2)
    end
end

-- nil where none of that name is registered.
function World:getSystem(name)
    local link = own(self, "getSystem")
    core.expect(name, "string", "getSystem", "the name of a system")
    local kind, number = native.findSystem(link.number, name)
    if kind == "lua" then
        return core.systemOf(number)
    elseif kind == "rewind" then
        return core.rewindOf(link)
    elseif kind == "other" then
        local system = setmetatable({}, System)
        named[system] = { link = link, name = name }
        return system
    end
    return nil
end

-- The names of all systems, in ticking order.
function World:getSystemNames()
    local link = own(self, "getSystemNames")
    return (native.getSystemNames(link.number))
end

-- ---- components and views

function World:defineComponent(name, fields)
    local link = own(self, "defineComponent")
    core.expect(name, "string", "defineComponent", "the name of a component")
    if fields == nil then fields = {} end
    if type(fields) ~= "table" then
        error("defineComponent: the fields of component '" .. name .. "' must be a table, not " .. describe(fields), 2)
    end
    if name:find("%z") then error("defineComponent: the name of a component has no zero bytes", 2) end
    native.defineComponent(link.number, name, core.fieldSpecs(fields, name))
end

-- class: whose methods the component's tables get; nil for plain tables.
function World:defineScriptComponent(name, class)
    local link = own(self, "defineScriptComponent")
    core.expect(name, "string", "defineScriptComponent", "the name of a component")
    if class ~= nil and type(class) ~= "table" then
        error("defineScriptComponent: the class of component '" .. name .. "' must be a table, not " .. describe(class), 2)
    end
    native.defineScriptComponent(link.number, name)
    link.types[name] = nil
    link.classes[name] = class
end

function World:isComponentDefined(name)
    local link = own(self, "isComponentDefined")
    core.expect(name, "string", "isComponentDefined", "the name of a component")
    return C.findType(link.number, name, #name) >= 0
end

-- The fields of a component: an array of {name, type, count}; nil for a script component.
function World:getSchema(name)
    local link = own(self, "getSchema")
    core.expect(name, "string", "getSchema", "the name of a component")
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then error("getSchema: no component is named '" .. name .. "'", 2) end
    if info.isScript then return nil end
    local fields = {}
    for i, field in ipairs(info.fields) do
        fields[i] = { name = field.name, type = field.type, count = field.isArray and field.count or nil }
    end
    return fields
end

function World:getComponentsView(requirements)
    local link = own(self, "getComponentsView")
    return (core.getComponentsView(link, requirements, "getComponentsView"))
end

function World:query()
    local link = own(self, "query")
    return (core.newQuery(link))
end

-- ---- prefabs

function World:definePrefab(name, template)
    local link = own(self, "definePrefab")
    core.expect(name, "string", "definePrefab", "the name of a prefab")
    if link.prefabs[name] then error("definePrefab: prefab '" .. name .. "' is already defined", 2) end
    if type(template) ~= "table" then
        error("definePrefab: the template of prefab '" .. name .. "' must be a table, not " .. describe(template), 2)
    end
    return (core.definePrefab(link, name, template))
end

function World:getPrefab(name)
    local link = own(self, "getPrefab")
    core.expect(name, "string", "getPrefab", "the name of a prefab")
    return link.prefabs[name]
end

function World:spawn(prefab, overrides)
    local link = own(self, "spawn")
    return (core.spawn(core.prefabOf(link, prefab, "spawn", 2), overrides, "spawn", 2))
end

function World:spawnMany(prefab, count, overrides)
    local link = own(self, "spawnMany")
    return (core.spawnMany(core.prefabOf(link, prefab, "spawnMany", 2), count, overrides, "spawnMany", 2))
end

-- ---- this frame, and globals

function World:recordCollisionEvent(event)
    local link = own(self, "recordCollisionEvent")
    if type(event) ~= "table" then
        error("recordCollisionEvent: takes a table {first = entity, second = entity or nil, ...}, not " .. describe(event), 2)
    end
    local first, second = event.first, event.second
    core.expectEntity(first, link.number, "recordCollisionEvent", "event.first")
    if second ~= nil then core.expectEntity(second, link.number, "recordCollisionEvent", "event.second") end
    for _, field in ipairs { "normalX", "normalY", "pointX", "pointY" } do
        if event[field] ~= nil and type(event[field]) ~= "number" then
            error("recordCollisionEvent: event." .. field .. " must be a number, not " .. describe(event[field]), 2)
        end
    end
    native.recordCollisionEvent(link.number, event, first.__index, first.__generation,
        second and second.__index or 0, second and second.__generation or 0)
end

function World:getCollisionEvents()
    local link = own(self, "getCollisionEvents")
    return (native.getCollisionEvents(link.number))
end

function World:getRenderEnv()
    local link = own(self, "getRenderEnv")
    return (native.getRenderEnv(link.number))
end

function World:setRenderEnv(env)
    native.setRenderEnv(own(self, "setRenderEnv").number, env)
end

function World:getResource(name)
    local link = own(self, "getResource")
    core.expect(name, "string", "getResource", "the name of a resource")
    return (native.getResource(link.number, name))
end

-- options: {rewind = true} for one that is rewound with the world: plain data then. nil removes it.
function World:setResource(name, value, options)
    local link = own(self, "setResource")
    core.expect(name, "string", "setResource", "the name of a resource")
    if options ~= nil and type(options) ~= "table" then
        error("setResource: the options must be a table {rewind = true}, not " .. describe(options), 2)
    end
    native.setResource(link.number, name, value, options ~= nil and options.rewind == true)
end

-- As math.random, but rewound with the world.
function World:random(first, last)
    local link = own(self, "random")
    if first == nil and last == nil then return (native.random(link.number)) end
    core.expectWhole(first, "random", "the first argument")
    if last == nil then first, last = 1, first end
    core.expectWhole(last, "random", "the second argument")
    return (native.randomBetween(link.number, first, last))
end

function World:setRandomSeed(seed)
    local link = own(self, "setRandomSeed")
    core.expectWhole(seed, "setRandomSeed", "the seed")
    native.setRandomSeed(link.number, seed)
end

-- ---- listeners

-- fn(entity, detail), or fn(detail) for events of no entity. Returns a token for off.
function World:on(event, fn)
    local link = own(self, "on")
    core.expect(event, "string", "on", "the name of an event")
    core.expect(fn, "function", "on", "the listener")
    return (native.on(link.number, event, fn))
end

function World:off(token)
    local link = own(self, "off")
    core.expectWhole(token, "off", "the token")
    if token < 0 then error("off: no listener has the token " .. token, 2) end
    native.off(link.number, token)
end

-- An event of one's own, for emit and on.
function World:defineEvent(name)
    local link = own(self, "defineEvent")
    core.expect(name, "string", "defineEvent", "the name of an event")
    if name == "" then error("defineEvent: an event needs a name", 2) end
    native.defineEvent(link.number, name)
end

-- emit(event, entity, detail) or emit(event, detail); the detail is plain data.
function World:emit(event, entity, detail)
    local link = own(self, "emit")
    core.expect(event, "string", "emit", "the name of an event")
    if istype(EntityType, entity) then
        core.expectEntity(entity, link.number, "emit", "the entity")
        native.emit(link.number, event, entity.__index, entity.__generation, detail)
    else
        if entity == nil then entity = detail end
        native.emit(link.number, event, 0, 0, entity)
    end
end
