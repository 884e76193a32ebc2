-- World: what scripts call. Systems, resources and listeners have files of their own.

local core = ...
local ffi = require "ffi"
local C, native = core.C, core.native
local istype, EntityType = ffi.istype, core.EntityType
local describe, raise, own = core.describe, core.raise, core.ownLink
local idOut, numberOut = core.idOut, core.numberOut
local World = core.World

-- ---- worlds

-- The process-wide world.
function World.getInstance()
    return core.instance().world
end

-- Another world, for tests and tools. It lives until it is disposed of, or until nothing but its entities is referenced.
function World:new()
    return (core.makeWorld())
end

-- Frees a world made by World:new(), now. Every later use of it, its entities, views and systems raises an error.
function World:dispose()
    local ok, message = core.disposeLink(own(self, "dispose"))
    if not ok then error(message, 0) end
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
        local number, index, generation = entity.__link, entity.__index, entity.__generation
        local code = ask(number, index, generation)
        if code ~= 0 and not core.isDeferred(code, number, ask, number, index, generation) then raise() end
    end
end

for which, call in pairs { [0] = "getAllManagedEntities", "getActiveEntities", "getZombies" } do
    World[call] = function(self)
        local number = own(self, call).number
        return (core.valuesOf(C.getEntities, number, which, 0))
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

-- Requests for the next tick (levels) come first; an error in them does not stop the tick.
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
    core.syncSystems(link)
    core.resetEmitDepth()
    native.update(link.number, dt)
    core.afterCollection(not native.isTicking(link.number))
    if firstError then error(firstError, 0) end
end

function World:reconcile()
    local link = own(self, "reconcile")
    local firstError = #link.beforeReconcile > 0 and not native.isTicking(link.number) and beforeReconcile(link)
    core.syncSystems(link)
    core.resetEmitDepth()
    native.reconcile(link.number)
    core.afterCollection(not native.isTicking(link.number))
    if firstError then error(firstError, 0) end
end

function World:reset()
    native.reset(own(self, "reset").number)
end

for _, call in ipairs { "getTick", "getTime", "isInPast", "isTicking", "isResimulating", "getStats", "stateHash", "validate" } do
    local ask = native[call]
    World[call] = function(self)
        local link = own(self, call)
        return (ask(link.number))
    end
end

-- ---- components and views

local componentOptions, scriptOptions = { "methods", "version", "migrate" }, { "base", "rewind", "version", "migrate" }

-- options: {methods = Class}, whose methods the component has: component:move(dt); {version = 2, migrate = function(old, version)
-- return new end}, which brings saved fields of earlier versions into this one.
function World:defineComponent(name, fields, options)
    local link = own(self, "defineComponent")
    core.expect(name, "string", "defineComponent", "the name of a component")
    if fields == nil then fields = {} end
    if type(fields) ~= "table" then
        error("defineComponent: the fields of component '" .. name .. "' must be a table, not " .. describe(fields), 2)
    end
    if name:find("%z") then error("defineComponent: the name of a component has no zero bytes", 2) end
    options = core.expectOptions(options, componentOptions, "defineComponent", 2)
    local methods = options.methods
    local version, migrate = core.expectVersion(options, "defineComponent", 2)
    if methods ~= nil then core.expectMethods(name, fields, methods, 3) end
    if not (core.isReloading and native.isDefinedAlike(link.number, name, core.fieldSpecs(fields, name))) then
        native.defineComponent(link.number, name, core.fieldSpecs(fields, name))
    end
    link.types[name], link.handlesOf[name] = nil, nil
    link.methods[name] = methods
    core.setVersion(link, name, version, migrate)
end

-- class: its methods are those of the component's tables; nil for plain tables.
-- options: {base = "DrawableCMP"}: asking for the base finds this component; {rewind = false}: histories leave it alone.
function World:defineScriptComponent(name, class, options)
    local link = own(self, "defineScriptComponent")
    core.expect(name, "string", "defineScriptComponent", "the name of a component")
    local what = "defineScriptComponent: the class of component '" .. name .. "'"
    if class ~= nil and type(class) ~= "table" then error(what .. " must be a table, not " .. describe(class), 2) end
    options = core.expectOptions(options, scriptOptions, "defineScriptComponent", 2)
    local version, migrate = core.expectVersion(options, "defineScriptComponent", 2)
    core.expect(options.base or "", "string", "defineScriptComponent", "base")
    if options.rewind ~= nil then core.expect(options.rewind, "boolean", "defineScriptComponent", "rewind") end
    if class then
        core.expectHooks(class, what)
        core.hasLifecycle(class, what)
    end
    if name:find("%z") then error("defineScriptComponent: the name of a component has no zero bytes", 2) end
    native.defineScriptComponent(link.number, name, options.base or "", options.rewind ~= false, core.isReloading == true)
    link.types[name], link.handlesOf[name] = nil, nil
    if core.isReloading and class and link.classes[name] then
        core.updateClass(link.classes[name], class)  -- components that are there run the new code, too
    else
        link.classes[name] = class
    end
    core.setVersion(link, name, version, migrate)
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
    if not info then error("getSchema: " .. core.noComponent(link, name), 2) end
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
    if link.prefabs[name] and not core.isReloading then
        error("definePrefab: prefab '" .. name .. "' is already defined", 2)
    end
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
