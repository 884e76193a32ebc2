-- Entity: the methods of an entity. Their components are in entity_components.lua.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links, native = core.C, core.links, core.native
local istype, EntityType, valueOf = ffi.istype, core.EntityType, core.valueOf
local idOut, textOut, numberOut = core.idOut, core.textOut, core.numberOut
local raise, describe = core.raise, core.describe

local Entity = {}
core.Entity = Entity

local states = {
    [0] = "detached", "pendingAdd", "managed", "pendingRemove", "zombie", "unborn", "destroyed",
}

-- ---- checks --------------------------------------------------------------------------------------

local function badSelf(self, call)
    core.wrongSelf(self, "an entity", "entity", call, 3)
end

local function badEntity(value, call, what)
    error(call .. ": " .. what .. " must be an entity, not " .. describe(value), 3)
end

-- Raises at the line that called the caller, unless `value` is an entity of that world.
function core.expectEntity(value, number, call, what)
    if not istype(EntityType, value) then
        error(call .. ": " .. what .. " must be an entity, not " .. describe(value), 3)
    end
    if value.__link ~= number then
        error(call .. ": " .. tostring(value) .. " belongs to another world; worlds do not share entities", 3)
    end
end

-- Raises as above for an entity that was destroyed, or is unborn at the current frame.
function core.expectLiving(entity, call)
    if not entity:isValid() then
        error(call .. ": " .. tostring(entity) .. " is not there; drop the value or check isValid first", 3)
    end
end

core.badSelf = badSelf

-- ---- methods -------------------------------------------------------------------------------------

function Entity:new(name)
    if self ~= Entity then name = self end  -- Entity.new("x") is as good
    if type(name) ~= "string" then
        error("Entity:new: the name must be a string, not " .. describe(name), 2)
    end
    return core.makeEntity(core.instance().number, name)
end

function Entity:getName()
    if not istype(EntityType, self) then badSelf(self, "getName") end
    if C.getName(self.__link, self.__index, self.__generation, textOut) ~= 0 then raise() end
    return core.takeText()
end

function Entity:getId()
    if not istype(EntityType, self) then badSelf(self, "getId") end
    return self.__index .. "." .. self.__generation
end

function Entity:isValid()
    if not istype(EntityType, self) then badSelf(self, "isValid") end
    return C.isValid(self.__link, self.__index, self.__generation) ~= 0
end

function Entity:getState()
    if not istype(EntityType, self) then badSelf(self, "getState") end
    return states[C.getState(self.__link, self.__index, self.__generation)]
end

function Entity:getWorld()
    if not istype(EntityType, self) then badSelf(self, "getWorld") end
    local world = links[self.__link].world
    if not world then error("getWorld: the world of " .. tostring(self) .. " has ended", 2) end
    return world
end

function Entity:destroy()
    if not istype(EntityType, self) then badSelf(self, "destroy") end
    native.destroyEntity(self.__link, self.__index, self.__generation)
end

-- Methods that return a boolean.
for _, call in ipairs { "isDirty", "isEnabled", "isActive", "isRewindable", "isPersistent" } do
    local ask = C[call]
    Entity[call] = function(self)
        if not istype(EntityType, self) then badSelf(self, call) end
        if ask(self.__link, self.__index, self.__generation, numberOut) ~= 0 then raise() end
        return numberOut[0] ~= 0
    end
end

for _, call in ipairs { "setEnabled", "setRewindable", "setPersistent" } do
    local set = C[call]
    Entity[call] = function(self, on)
        if not istype(EntityType, self) then badSelf(self, call) end
        if type(on) ~= "boolean" then
            error(call .. ": takes true or false, not " .. describe(on), 2)
        end
        local number, index, generation = self.__link, self.__index, self.__generation
        local code = set(number, index, generation, on and 1 or 0)
        if code ~= 0 and not core.isDeferred(code, number, set, number, index, generation, on and 1 or 0) then raise() end
    end
end

for _, call in ipairs { "retain", "release" } do
    local count = C[call]
    Entity[call] = function(self)
        if not istype(EntityType, self) then badSelf(self, call) end
        if count(self.__link, self.__index, self.__generation) ~= 0 then raise() end
    end
end

function Entity:getRefCount()
    if not istype(EntityType, self) then badSelf(self, "getRefCount") end
    if C.getRefCount(self.__link, self.__index, self.__generation, numberOut) ~= 0 then raise() end
    return numberOut[0]
end

-- ---- hierarchy

for _, call in ipairs { "addChild", "removeChild" } do
    local link = C[call]
    Entity[call] = function(self, child)
        if not istype(EntityType, self) then badSelf(self, call) end
        if not istype(EntityType, child) then badEntity(child, call, "the child") end
        if child.__link ~= self.__link then
            error(call .. ": " .. tostring(child) .. " belongs to another world; worlds do not share entities", 2)
        end
        local number, index, generation = self.__link, self.__index, self.__generation
        local code = link(number, index, generation, child.__index, child.__generation)
        if code ~= 0 and not core.isDeferred(code, number, link, number, index, generation, child.__index,
            child.__generation) then
            raise()
        end
    end
end

function Entity:getParent()
    if not istype(EntityType, self) then badSelf(self, "getParent") end
    if C.getParent(self.__link, self.__index, self.__generation, idOut) ~= 0 then raise() end
    return valueOf(self.__link, idOut.index, idOut.generation)
end

function Entity:getChildren()
    if not istype(EntityType, self) then badSelf(self, "getChildren") end
    return (core.valuesOf(C.getChildren, self.__link, self.__index, self.__generation))
end

-- ---- the value

-- An entity has no fields of its own, so reading a name that is not there is a mistake.
setmetatable(Entity, {
    __index = function(_, key)
        local hint = core.suggestion(key, Entity)
        if hint == "" then hint = "; its data are in its components: entity:getComponent(name)." .. tostring(key) end
        error("an entity has no field or method '" .. tostring(key) .. "'" .. hint, 2)
    end,
})

ffi.metatype(EntityType, {
    __index = Entity,
    __newindex = function(self, key)
        error("an entity has no fields of its own: '" .. tostring(key)
            .. "' belongs into a component of " .. tostring(self), 2)
    end,
    __tostring = function(self)
        local id = "#" .. self.__index .. "." .. self.__generation
        if C.getName(self.__link, self.__index, self.__generation, textOut) ~= 0 then
            return "entity " .. id
        end
        return "entity '" .. core.takeText() .. "' (" .. id .. ")"
    end,
    -- An entity has one value while it lives; a destroyed one may have several.
    __eq = function(a, b)
        return istype(EntityType, a) and istype(EntityType, b) and a.__index == b.__index
            and a.__generation == b.__generation and a.__link == b.__link
    end,
})
