-- Applies a delta of serializeDelta (entity_delta.lua), as a whole or not at all: each step first records how to undo it.
-- Destroying children, which cannot be undone, comes last.
-- Over 300 lines: one call, which first checks all of a delta and then applies it.

local core = ...
local ffi = require "ffi"
local C, links, describe = core.C, core.links, core.describe
local istype, EntityType = ffi.istype, core.EntityType
local Entity = core.Entity

-- ---- checking ------------------------------------------------------------------------------------

local kinds = { enabled = "boolean", rewindable = "boolean", persistent = "boolean", disabled = "table", components = "table",
    removedComponents = "table", children = "table", keptChildren = "number", newChildren = "table" }

local function checkComponent(link, name, fields)
    local info = link.types[name] or core.typeInfo(link, name)
    if not info then error(core.noComponent(link, name), 0) end
    if fields == true then return end
    if type(fields) ~= "table" then
        error("component '" .. name .. "' must be a table of fields, not " .. describe(fields), 0)
    end
    for _, part in ipairs { "$whole", "$removed" } do
        local value = rawget(fields, part)
        if value ~= nil and type(value) ~= "table" then
            error("component '" .. name .. "': '" .. part .. "' must be a table, not " .. describe(value), 0)
        end
    end
    if info.isScript then
        for _, mark in ipairs { "$state", "$make", "$pairs" } do
            if rawget(fields, mark) ~= nil then
                error("component '" .. name .. "': '" .. mark .. "' is part of a whole component only, under '$whole'", 0)
            end
        end
        return
    end
    for field in next, rawget(fields, "$whole") or fields do
        if field ~= "$removed" and not info.byName[field] then core.noField(info, field, 0) end
    end
end

local function checkNames(link, names, what)
    for i, name in next, names or {} do
        if type(i) ~= "number" or type(name) ~= "string" then
            error("'" .. what .. "' must be a list of names of components", 0)
        end
        if not (link.types[name] or core.typeInfo(link, name)) then error(core.noComponent(link, name), 0) end
    end
end

-- For an error that says what is wrong with the delta, rather than what failed while it was applied.
local function check(link, entity, delta, depth)
    if type(delta) ~= "table" then error("takes what serializeDelta gives, a table, not " .. describe(delta), 0) end
    if depth > core.deepestTemplate then error("children are nested too deeply", 0) end
    for key, value in next, delta do
        if type(value) ~= kinds[key] then
            error("'" .. tostring(key) .. "' is not a part of a delta, or no " .. tostring(kinds[key]), 0)
        end
    end
    for name, fields in next, delta.components or {} do checkComponent(link, name, fields) end
    checkNames(link, delta.removedComponents, "removedComponents")
    checkNames(link, delta.disabled, "disabled")
    local children, kept = entity:getChildren(), delta.keptChildren
    if kept and (kept > #children or kept < 0 or kept % 1 ~= 0) then
        error(tostring(entity) .. " has " .. #children .. " children, not " .. kept, 0)
    end
    for i, child in next, delta.children or {} do
        if not children[i] then error(tostring(entity) .. " has no child " .. describe(i), 0) end
        check(link, children[i], child, depth + 1)
    end
end

-- ---- steps ---------------------------------------------------------------------------------------

-- Whether the entity has the component itself, not as the base of another.
local function hasOwn(link, entity, name)
    if not entity:hasComponent(name) then return false end
    local info = link.types[name] or core.typeInfo(link, name)
    return not info.isScript or core.typeOfScript(entity:getComponent(name)) == info.id
end

-- The work in progress: how it is undone, and what waits for its end.
local function begin(link, root)
    return { link = link, root = root, undo = {}, doomed = {}, removals = {} }
end

local function undoBy(work, call, ...)
    local undo = work.undo
    undo[#undo + 1] = { call, ... }
end

local function dropChild(work, parent, child)
    local world = child:getWorld()
    local state = child:getState()
    if state == "managed" or state == "pendingAdd" then
        undoBy(work, world.addEntity, world, child)
        world:removeEntity(child)
    end
    undoBy(work, parent.addChild, parent, child)  -- to the end: those before it have returned
    parent:removeChild(child)  -- at once: references go by position
    if state ~= "managed" then work.doomed[#work.doomed + 1] = child end
end

local function detach(child)
    if child:getState() ~= "detached" then child:getWorld():removeEntity(child) end
    local parent = child:getParent()
    if parent then parent:removeChild(child) end
end

-- The tree first: components may refer to any of it.
local function applyTree(work, entity, delta, found)
    found[#found + 1] = { entity, delta }
    local children = entity:getChildren()
    for i, child in next, delta.children or {} do applyTree(work, children[i], child, found) end
    if delta.keptChildren then
        for i = #children, delta.keptChildren + 1, -1 do dropChild(work, entity, children[i]) end
    end
    for _, data in ipairs(delta.newChildren or {}) do
        local made = {}
        undoBy(work, core.unmakeTree, made, C.lastSerial(work.link.number))
        local child = core.makeTree(work.link, data, 1, made)
        undoBy(work, detach, child)
        entity:addChild(child)
        for i = 1, #made, 2 do found[#found + 1] = { made[i], nil, made[i + 1] } end
    end
end

-- ---- components ----------------------------------------------------------------------------------

local function putBack(instance, fields)
    for key in next, instance do
        if fields[key] == nil then rawset(instance, key, nil) end
    end
    for key, value in next, fields do rawset(instance, key, value) end
end

local function copyOf(instance)
    local copy = {}
    for key, value in next, instance do copy[key] = value end
    return copy
end

local function putBytes(entity, info, bytes)
    ffi.copy(info.scratch, bytes, info.size)
    C.setComponent(entity.__link, entity.__index, entity.__generation, info.id, info.scratch)
end

local function applyNative(work, entity, info, fields, isWhole)
    local at = C.findComponent(entity.__link, entity.__index, entity.__generation, info.id)
    local bytes = ffi.string(at, info.size)
    undoBy(work, putBytes, entity, info, bytes)
    local rest, references = core.splitReferences(info, fields)
    if isWhole then
        info.fill(rest, entity, info.initial)
        C.setComponent(entity.__link, entity.__index, entity.__generation, info.id, info.scratch)
    else
        local component = entity:getComponent(info.name)
        for _, key in ipairs(rawget(fields, "$removed") or {}) do component[key] = nil end
        for key, value in next, rest do
            if key ~= "$removed" then component[key] = value end
        end
    end
    core.applyReferences(entity, references, work.root)
end

local function applyScript(work, entity, info, fields, whole)
    local instance = entity:getComponent(info.name)
    undoBy(work, putBack, instance, copyOf(instance))
    if whole == nil then
        for _, key in ipairs(rawget(fields, "$removed") or {}) do instance[key] = nil end
        for key, value in next, fields do
            if key ~= "$removed" then core.setFromPlain(work.link, info, work.root, instance, key, value) end
        end
    elseif rawget(whole, "$state") ~= nil then
        undoBy(work, instance.restoreRewindState, instance, (instance:getRewindState()))
        instance:restoreRewindState(core.stateFromPlain(work.link, info, work.root, whole, instance))
    else
        local ignored = core.ignoredOf(instance) or {}
        local new = core.fieldsFromPlain(work.link, info, work.root, whole, instance)
        for key in next, instance do
            if new[key] == nil and not ignored[key] then rawset(instance, key, nil) end
        end
        for key, value in next, new do rawset(instance, key, value) end
    end
end

-- Whether data of a whole component can be put into the one that is there.
local function fitsInto(link, info, instance, whole)
    return (rawget(whole, "$state") ~= nil) == (instance.getRewindState ~= nil)
        and rawget(whole, "$make") == core.makeOfInstance(link, info.name, instance)
end

local function addAgain(link, entity, info, content, isEnabled)
    if not hasOwn(link, entity, info.name) then
        entity:addComponent(info.name, info.isScript and content or nil)
        if not info.isScript then putBytes(entity, info, content) end
    end
    entity:setComponentEnabled(info.name, isEnabled)
end

local function removeOne(work, entity, info)
    local content
    if info.isScript then
        content = entity:getComponent(info.name)
    else
        content = ffi.string(C.findComponent(entity.__link, entity.__index, entity.__generation, info.id), info.size)
    end
    undoBy(work, addAgain, work.link, entity, info, content, entity:isComponentEnabled(info.name))
    entity:removeComponent(info.name)
end

local function removeIfThere(link, entity, name)
    if hasOwn(link, entity, name) then entity:removeComponent(name) end
end

local function applyComponent(work, entity, name, fields)
    local link, info = work.link, work.link.types[name]
    local whole = fields
    if fields ~= true then whole = rawget(fields, "$whole") end
    if hasOwn(link, entity, name) then
        if not info.isScript then
            if fields == true then return end
            return applyNative(work, entity, info, whole or fields, whole ~= nil)
        end
        if fields ~= true and (whole == nil or fitsInto(link, info, entity:getComponent(name), whole)) then
            return applyScript(work, entity, info, fields, whole)
        end
        removeOne(work, entity, info)
    end
    undoBy(work, removeIfThere, link, entity, name)
    core.addComponents(link, entity, { components = { [name] = whole or fields } }, work.root)
end

local flags = { enabled = { "isEnabled", "setEnabled" }, rewindable = { "isRewindable", "setRewindable" },
    persistent = { "isPersistent", "setPersistent" } }

-- Whether the delta adds a component that the entity does not have: another one of its family has to be removed first.
local function hasNew(link, entity, delta)
    for name in next, delta.components or {} do
        if not hasOwn(link, entity, name) then return true end
    end
    return false
end

local function removeComponents(work, entity, delta)
    for _, name in ipairs(delta.removedComponents or {}) do
        if hasOwn(work.link, entity, name) then removeOne(work, entity, work.link.types[name]) end
    end
end

local function applyEntity(work, entity, delta)
    if hasNew(work.link, entity, delta) then
        removeComponents(work, entity, delta)
    else  -- with the last: lifecycle methods would notice one that goes and returns
        work.removals[#work.removals + 1] = { entity, delta }
    end
    for name, fields in next, delta.components or {} do applyComponent(work, entity, name, fields) end
    if delta.disabled then
        local isOff = {}
        for _, name in ipairs(delta.disabled) do isOff[name] = true end
        for _, name in ipairs(entity:getComponentNames()) do
            if hasOwn(work.link, entity, name) then
                undoBy(work, entity.setComponentEnabled, entity, name, entity:isComponentEnabled(name))
                entity:setComponentEnabled(name, not isOff[name])
            end
        end
    end
    for flag, calls in next, flags do
        if delta[flag] ~= nil then
            undoBy(work, entity[calls[2]], entity, entity[calls[1]](entity))
            entity[calls[2]](entity, delta[flag])
        end
    end
end

local function apply(work, entity, delta)
    local found = {}
    applyTree(work, entity, delta, found)
    for _, each in ipairs(found) do
        if each[2] then
            applyEntity(work, each[1], each[2])
        else
            core.addComponents(work.link, each[1], each[3], entity)
        end
    end
    for _, each in ipairs(work.removals) do removeComponents(work, each[1], each[2]) end
end

-- Brings an entity from the delta's base to the state that the delta was taken of; raises an error and leaves it as it was
-- where that fails. nil, which serializeDelta gives where nothing differs, changes nothing.
function Entity:applyDelta(delta)
    if not istype(EntityType, self) then core.badSelf(self, "applyDelta") end
    core.expectLiving(self, "applyDelta")
    if delta == nil then return end
    local link = links[self.__link]
    local work = begin(link, self)
    local ok, message = pcall(check, link, self, delta, 1)
    if ok then ok, message = pcall(core.settleReferences, apply, work, self, delta) end
    if not ok then
        for i = #work.undo, 1, -1 do pcall(unpack(work.undo[i])) end
        if type(message) == "string" then message = "applyDelta: " .. message:gsub("^revenant/[^:]+:%d+: ", "") end
        error(message, 2)
    end
    for _, child in ipairs(work.doomed) do
        if child:getState() == "detached" then child:destroy() end
    end
end
