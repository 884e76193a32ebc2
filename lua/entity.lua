-- Entity: the Lua value of an entity. One value per entity: it can be compared and used as a key.
-- Held strongly while the entity is managed or a zombie, weakly while it is detached (world_link.hpp).

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links, native = core.C, core.links, core.native
local istype = ffi.istype
local idOut, textOut, numberOut = core.idOut, core.textOut, core.numberOut
local raise, describe = core.raise, core.describe

ffi.cdef "typedef struct revenant_Entity { const uint32_t __index, __generation, __link; } revenant_Entity;"
local EntityType = ffi.typeof("revenant_Entity")
core.EntityType = EntityType

local Entity = {}
core.Entity = Entity

local states = {
    [0] = "detached", "pendingAdd", "managed", "pendingRemove", "zombie", "unborn", "destroyed",
}

-- ---- values --------------------------------------------------------------------------------------

local noteValue = C.noteValue

-- The value of an entity, made when first asked for; nil for none.
local function valueOf(number, index, generation)
    if generation == 0 then return nil end
    local link = links[number]
    local value = link.strong[index] or link.weak[index]
    if value and value.__generation == generation then return value end
    value = EntityType(index, generation, number)
    local held = noteValue(number, index, generation)
    if held == 1 then
        link.strong[index], link.weak[index] = value, nil
    elseif held == 0 then
        link.strong[index], link.weak[index] = nil, value
    end
    return value
end
core.valueOf = valueOf

-- Which entity a value is, for the native side.
function core.partsOf(value)
    if not istype(EntityType, value) then return nil end
    return value.__link, value.__index, value.__generation
end

local indices = ffi.typeof("const uint32_t *")

function core.moveValues(number, promoted, promotedCount, demoted, demotedCount, dropped, droppedCount)
    local link = links[number]
    if not link then return end
    local strong, weak = link.strong, link.weak
    local list = ffi.cast(indices, promoted)
    for i = 0, promotedCount - 1 do
        local index = list[i]
        strong[index], weak[index] = weak[index], nil
    end
    list = ffi.cast(indices, demoted)
    for i = 0, demotedCount - 1 do
        local index = list[i]
        strong[index], weak[index] = nil, strong[index]
    end
    list = ffi.cast(indices, dropped)
    for i = 0, droppedCount - 1 do
        strong[list[i]] = nil
    end
end

-- After a collection: values of detached entities that nobody has any more let go of their entities.
local collected = false
local sentinelMeta
local function arm()
    local sentinel = newproxy(true)
    sentinelMeta = getmetatable(sentinel)
    sentinelMeta.__gc = function()
        collected = true
        arm()
    end
end
arm()

function core.afterCollection()
    if not collected then return end
    collected = false
    for number, link in pairs(links) do
        local weak, tables = link.weak, link.tables
        local list = C.weakValues(number, numberOut)
        for i = numberOut[0] - 1, 0, -1 do
            local index = list[i]
            if weak[index] == nil then C.dropValue(number, index) end
        end
        local freed = C.sweepTables(number, numberOut)
        for i = 0, numberOut[0] - 1 do tables[freed[i]] = nil end
    end
end

-- A fresh array of the values of `count` ids.
function core.valuesOf(number, ids, count)
    local result = {}
    -- The list is overwritten by the next call, which making a value is not.
    for i = 0, count - 1 do
        local id = ids[i]
        result[i + 1] = valueOf(number, id.index, id.generation)
    end
    return result
end

-- ---- checks --------------------------------------------------------------------------------------

local function badSelf(self, call)
    error(call .. ": called on " .. describe(self) .. ", not on an entity; write entity:" .. call .. "(...)", 3)
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

local function unknownComponent(self, call, name)
    if type(name) ~= "string" then
        error(call .. ": " .. tostring(self) .. ": the name of a component must be a string, not " .. describe(name), 3)
    end
    error(call .. ": " .. tostring(self) .. ": no component is named '" .. name
        .. "'; define it with defineComponent first", 3)
end

-- ---- methods -------------------------------------------------------------------------------------

local newEntity = C.newEntity
local newOut = ffi.new("revenant_New")

function core.makeEntity(number, name)
    if newEntity(number, name, #name, newOut) ~= 0 then raise(2) end
    local index = newOut.index
    local value = EntityType(index, newOut.generation, number)
    local link = links[number]
    if newOut.wasHeld ~= 0 then link.strong[index] = nil end
    link.weak[index] = value
    return value
end

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
    return ffi.string(textOut.text, textOut.length)
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
    return links[self.__link].world
end

function Entity:destroy()
    if not istype(EntityType, self) then badSelf(self, "destroy") end
    native.destroyEntity(self.__link, self.__index, self.__generation)
end

-- Answers of yes and no.
for _, call in ipairs { "isDirty", "isEnabled", "isActive", "isRewindable" } do
    local ask = C[call]
    Entity[call] = function(self)
        if not istype(EntityType, self) then badSelf(self, call) end
        if ask(self.__link, self.__index, self.__generation, numberOut) ~= 0 then raise() end
        return numberOut[0] ~= 0
    end
end

for _, call in ipairs { "setEnabled", "setRewindable" } do
    local set = C[call]
    Entity[call] = function(self, on)
        if not istype(EntityType, self) then badSelf(self, call) end
        if type(on) ~= "boolean" then
            error(call .. ": takes true or false, not " .. describe(on), 2)
        end
        if set(self.__link, self.__index, self.__generation, on and 1 or 0) ~= 0 then raise() end
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
        if link(self.__link, self.__index, self.__generation, child.__index, child.__generation) ~= 0 then raise() end
    end
end

function Entity:getParent()
    if not istype(EntityType, self) then badSelf(self, "getParent") end
    if C.getParent(self.__link, self.__index, self.__generation, idOut) ~= 0 then raise() end
    return valueOf(self.__link, idOut.index, idOut.generation)
end

function Entity:getChildren()
    if not istype(EntityType, self) then badSelf(self, "getChildren") end
    local ids = C.getChildren(self.__link, self.__index, self.__generation, numberOut)
    if numberOut[0] < 0 then raise() end
    return core.valuesOf(self.__link, ids, numberOut[0])
end

-- ---- components

local addComponent, removeComponent = C.addComponent, C.removeComponent
local copy = ffi.copy

function Entity:addComponent(name, overrides)
    if not istype(EntityType, self) then badSelf(self, "addComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "addComponent", name) end
    if info.isScript then
        return core.addScript(self, link, info, overrides)
    end
    local scratch = info.scratch
    copy(scratch, info.initial, info.size)
    if overrides ~= nil then
        if type(overrides) ~= "table" then
            error("addComponent: " .. tostring(self) .. ": the overrides of component '" .. info.name
                .. "' must be a table, not " .. describe(overrides), 2)
        end
        info.fill(overrides)
    end
    if addComponent(self.__link, self.__index, self.__generation, info.id, scratch) ~= 0 then raise() end
    return info.Handle(self.__index, self.__generation, self.__link)
end

function Entity:removeComponent(name)
    if not istype(EntityType, self) then badSelf(self, "removeComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "removeComponent", name) end
    if removeComponent(self.__link, self.__index, self.__generation, info.id) ~= 0 then raise() end
end

local reference = ffi.typeof("const revenant_ScriptReference *")

local function findComponent(self, link, info)
    local at = C.findComponent(self.__link, self.__index, self.__generation, info.id)
    if at == nil then return nil end
    if info.isScript then
        local to = ffi.cast(reference, at)
        if to.link ~= link.number then return core.EMPTY end
        return link.tables[to.table]
    end
    return info.Handle(self.__index, self.__generation, self.__link)
end

function Entity:getComponent(name)
    if not istype(EntityType, self) then badSelf(self, "getComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "getComponent", name) end
    local found = findComponent(self, link, info)
    if found == nil then
        if C.hasComponent(self.__link, self.__index, self.__generation, info.id, numberOut) ~= 0 then raise() end
        error(tostring(self) .. " has no component '" .. info.name
            .. "'; ask hasComponent first, or use findComponent", 2)
    end
    return found
end

-- As getComponent, but nil where there is none.
function Entity:findComponent(name)
    if not istype(EntityType, self) then badSelf(self, "findComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "findComponent", name) end
    if C.hasComponent(self.__link, self.__index, self.__generation, info.id, numberOut) ~= 0 then raise() end
    return findComponent(self, link, info)
end

for _, call in ipairs { "hasComponent", "isComponentEnabled" } do
    local ask = C[call]
    Entity[call] = function(self, name)
        if not istype(EntityType, self) then badSelf(self, call) end
        local link = links[self.__link]
        local info = link.types[name] or core.typeInfo(link, name)
        if not info then unknownComponent(self, call, name) end
        if ask(self.__link, self.__index, self.__generation, info.id, numberOut) ~= 0 then raise() end
        return numberOut[0] ~= 0
    end
end

function Entity:setComponentEnabled(name, on)
    if not istype(EntityType, self) then badSelf(self, "setComponentEnabled") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "setComponentEnabled", name) end
    if type(on) ~= "boolean" then
        error("setComponentEnabled: takes true or false, not " .. describe(on), 2)
    end
    if C.setComponentEnabled(self.__link, self.__index, self.__generation, info.id, on and 1 or 0) ~= 0 then
        raise()
    end
end

function Entity:getComponentNames()
    if not istype(EntityType, self) then badSelf(self, "getComponentNames") end
    return native.getComponentNames(self.__link, self.__index, self.__generation)
end

-- A method that is not there is an error that says so, also for scripts that add their own.
setmetatable(Entity, {
    __index = function(_, key)
        error("Entity has no method '" .. tostring(key) .. "'", 2)
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
        return "entity '" .. ffi.string(textOut.text, textOut.length) .. "' (" .. id .. ")"
    end,
})
