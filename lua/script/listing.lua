-- World: entities found by name and id, component types listed and counted, all entities removed; an entity as text.

local core = ...
local ffi = require "ffi"
local C, native, describe = core.C, core.native, core.describe
local own, raise, numberOut = core.ownLink, core.raise, core.numberOut
local World, Entity = core.World, core.Entity

local function ask(number, name, first, ids, room)
    native.findEntities(number, name, first)
    return C.takeList(number, ids, room)
end

-- The managed entities of a name, in world order.
function World:findEntities(name)
    local number = own(self, "findEntities").number
    core.expect(name, "string", "findEntities", "the name of an entity")
    return (core.valuesOf(ask, number, name, false))
end

-- The first of them, or nil.
function World:findEntity(name)
    local number = own(self, "findEntity").number
    core.expect(name, "string", "findEntity", "the name of an entity")
    return core.valuesOf(ask, number, name, true)[1]
end

-- The entity whose getId() gave this id; nil for one that was destroyed.
function World:getEntity(id)
    local number = own(self, "getEntity").number
    local index, generation
    if type(id) == "string" then index, generation = id:match("^(%d+)%.(%d+)$") end
    index, generation = tonumber(index), tonumber(generation)
    if not index or index > 0xFFFFFFFF or generation > 0xFFFFFFFF then
        error("getEntity: takes an id that entity:getId() gave, such as '3.1', not " .. describe(id), 2)
    end
    if C.isValid(number, index, generation) == 0 then return nil end
    return core.valueOf(number, index, generation)
end

-- Asks for the removal of every entity, or of every one that has the component, at the next reconcile.
function World:destroyAll(component)
    local link = own(self, "destroyAll")
    if component ~= nil then
        core.expect(component, "string", "destroyAll", "the name of a component")
        if C.findType(link.number, component, #component) < 0 then
            error("destroyAll: " .. core.noComponent(link, component), 2)
        end
    end
    local number, name, length = link.number, component or "", component and #component or 0
    local code = C.destroyAll(number, name, length, numberOut)
    if code == 0 then return numberOut[0] end
    if not core.isDeferred(code, number, C.destroyAll, number, name, length, numberOut) then raise() end
    return 0
end

-- All component types, in the order of their definition: an array of {name, count, size, bytes, fields}.
function World:getComponentTypes()
    local number = own(self, "getComponentTypes").number
    return (native.listComponentTypes(number))
end

-- How many entities have the component now, in the world or out of it.
function World:countComponents(component)
    local link = own(self, "countComponents")
    core.expect(component, "string", "countComponents", "the name of a component")
    if C.findType(link.number, component, #component) < 0 then
        error("countComponents: " .. core.noComponent(link, component), 2)
    end
    return (native.countComponents(link.number, component))
end

-- All that is known about an entity, as lines of text; also of a destroyed one.
function Entity:dump()
    if not ffi.istype(core.EntityType, self) then core.badSelf(self, "dump") end
    return (native.dump(self.__link, self.__index, self.__generation))
end
