-- The components of an entity.

local core = ...
local ffi = require "ffi"
local type = type  -- a local is a constant to the compiler, a global is not
local C, links, native = core.C, core.links, core.native
local istype, EntityType = ffi.istype, core.EntityType
local numberOut, raise, describe, badSelf = core.numberOut, core.raise, core.describe, core.badSelf
local Entity = core.Entity

-- The sentence for a name that no component has.
function core.noComponent(link, name)
    local hint = core.suggestion(name, native.getComponentTypes(link.number))
    return "no component is named '" .. tostring(name) .. "'" .. (hint ~= "" and hint or "; define it with defineComponent first")
end

local function unknownComponent(self, call, name)
    if type(name) ~= "string" then
        error(call .. ": " .. tostring(self) .. ": the name of a component must be a string, not " .. describe(name), 3)
    end
    error(call .. ": " .. tostring(self) .. ": " .. core.noComponent(links[self.__link], name), 3)
end

-- Raises for an entity that was destroyed; `call` begins the sentence.
local function expectAlive(self, info, call)
    if C.hasComponent(self.__link, self.__index, self.__generation, info.id, numberOut) ~= 0 then
        error((core.lastError():gsub("^hasComponent", call)), 3)
    end
end

local addComponent, removeComponent, findForHandle = C.addComponent, C.removeComponent, C.findForHandle
local copy = ffi.copy

function Entity:addComponent(name, overrides)
    if not istype(EntityType, self) then badSelf(self, "addComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "addComponent", name) end
    if info.isScript then
        return (core.addScript(self, link, info, overrides))
    end
    local scratch = info.scratch
    if overrides == nil then
        copy(scratch, info.initial, info.size)
    else
        if type(overrides) ~= "table" then
            error("addComponent: " .. tostring(self) .. ": the overrides of component '" .. info.name
                .. "' must be a table, not " .. describe(overrides), 2)
        end
        info.fill(overrides, self, info.initial)
    end
    local code = addComponent(self.__link, self.__index, self.__generation, info.id, scratch)
    if code ~= 0 then
        if not core.isDeferred(code, self.__link, Entity.addComponent, self, name, core.copyPlain(overrides)) then raise() end
        return nil
    end
    return info.Handle(self.__index, self.__generation, self.__link, 0, info.id, 0, link.moves)
end

function Entity:removeComponent(name)
    if not istype(EntityType, self) then badSelf(self, "removeComponent") end
    local link = links[self.__link]
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "removeComponent", name) end
    local number, index, generation = self.__link, self.__index, self.__generation
    local code = removeComponent(number, index, generation, info.id)
    if code ~= 0 and not core.isDeferred(code, number, removeComponent, number, index, generation, info.id) then raise() end
end

local reference = ffi.typeof("const revenant_ScriptReference *")

local function findComponent(self, link, info)
    local index, generation = self.__index, self.__generation
    if info.isScript then
        local at = C.findComponent(self.__link, index, generation, info.id)
        if at == nil then return nil end
        local to = ffi.cast(reference, at)
        if to.link ~= link.mark then return core.EMPTY end
        return link.tables[to.table]
    end
    local handle = info.handles[index]
    if not handle or handle.__generation ~= generation then
        handle = info.Handle(index, generation, self.__link, 0, info.id, 0, link.moves)
        if not info.refresh(handle) then return nil end
        info.handles[index] = handle
        return handle
    end
    return info.refresh(handle) and handle or nil
end

-- nil where the entity has none. A name that is not defined raises.
function Entity:getComponent(name)
    if not istype(EntityType, self) then badSelf(self, "getComponent") end
    local link = links[self.__link]
    local handles = link.handlesOf[name]
    if handles then
        local handle = handles[self.__index]
        if handle and handle.__generation == self.__generation
            and (handle.__moves == handle.__now[0] or findForHandle(handle) == 0) then
            return handle
        end
    end
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then unknownComponent(self, "getComponent", name) end
    local found = findComponent(self, link, info)
    if found == nil then expectAlive(self, info, "getComponent") end
    return found
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
    local number, index, generation = self.__link, self.__index, self.__generation
    local code = C.setComponentEnabled(number, index, generation, info.id, on and 1 or 0)
    if code ~= 0 and not core.isDeferred(code, number, C.setComponentEnabled, number, index, generation, info.id,
        on and 1 or 0) then
        raise()
    end
end

function Entity:getComponentNames()
    if not istype(EntityType, self) then badSelf(self, "getComponentNames") end
    return native.getComponentNames(self.__link, self.__index, self.__generation)
end
