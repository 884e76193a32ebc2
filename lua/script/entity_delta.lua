-- What differs between two states of an entity tree, as serialize gives them; and applying it.
--   enabled, rewindable, persistent, disabled   as in a template, where they differ
--   components          fields that differ, by component; ["$removed"]: names of fields that are none now; true or
--                       ["$whole"]: the component as a whole
--   removedComponents   names
--   children            deltas by position; keptChildren: how many of them stay; newChildren: templates of those that follow

local core = ...
local ffi = require "ffi"
local links, describe = core.links, core.describe
local istype, EntityType = ffi.istype, core.EntityType
local Entity = core.Entity

local function sameNumber(a, b)
    return (a == b and (a ~= 0 or 1 / a == 1 / b)) or (a ~= a and b ~= b)
end

-- Whether two pieces of plain data are equal, cycles included.
local function same(a, b, seen)
    if type(a) == "number" and type(b) == "number" then return sameNumber(a, b) end
    if type(a) ~= "table" or type(b) ~= "table" then return a == b end
    if seen[a] then return seen[a] == b end
    seen[a] = b
    for key, value in next, a do
        if not same(value, rawget(b, key), seen) then return false end
    end
    for key in next, b do
        if rawget(a, key) == nil then return false end
    end
    return true
end

-- Whether no table is in it twice: only then can a part of it be told by itself.
local function isTree(value, seen)
    if type(value) ~= "table" then return true end
    if seen[value] then return false end
    seen[value] = true
    for _, each in next, value do
        if not isTree(each, seen) then return false end
    end
    return true
end

local function diffComponent(now, base)
    if now == true or base == true then
        if now ~= base then return now end
        return nil
    end
    if same(now, base, {}) then return nil end
    if not isTree(now, {}) or not isTree(base, {}) or now["$make"] ~= base["$make"] or now["$state"] ~= nil then
        return { ["$whole"] = now }
    end
    local delta, removed = {}, {}
    for key, value in next, now do
        if not same(value, rawget(base, key), {}) then delta[key] = value end
    end
    for key in next, base do
        if rawget(now, key) == nil then removed[#removed + 1] = key end
    end
    if #removed > 0 then
        table.sort(removed, function(x, y) return tostring(x) < tostring(y) end)
        delta["$removed"] = removed
    end
    return delta
end

local flags = { "enabled", "rewindable", "persistent" }
local diff

local function diffChildren(delta, now, base)
    local mine, theirs = now.children or {}, base.children or {}
    local kept = 0
    while mine[kept + 1] and theirs[kept + 1] and mine[kept + 1].name == theirs[kept + 1].name do
        kept = kept + 1
        local child = diff(mine[kept], theirs[kept])
        if child then
            delta.children = delta.children or {}
            delta.children[kept] = child
        end
    end
    if kept < #theirs or kept < #mine then delta.keptChildren = kept end
    for i = kept + 1, #mine do
        delta.newChildren = delta.newChildren or {}
        table.insert(delta.newChildren, mine[i])
    end
end

function diff(now, base)
    local delta = {}
    for _, flag in ipairs(flags) do
        if (now[flag] == false) ~= (base[flag] == false) then delta[flag] = now[flag] ~= false end
    end
    if not same(now.disabled or {}, base.disabled or {}, {}) then delta.disabled = now.disabled or {} end
    for name, fields in next, now.components or {} do
        local before = base.components and base.components[name]
        local change = fields
        if before ~= nil then change = diffComponent(fields, before) end
        if before == nil and type(fields) == "table" then change = { ["$whole"] = fields } end
        if change ~= nil then
            delta.components = delta.components or {}
            delta.components[name] = change
        end
    end
    for name in next, base.components or {} do
        if not (now.components and now.components[name] ~= nil) then
            delta.removedComponents = delta.removedComponents or {}
            table.insert(delta.removedComponents, name)
        end
    end
    if delta.removedComponents then table.sort(delta.removedComponents) end
    diffChildren(delta, now, base)
    if next(delta) == nil then return nil end
    return delta
end

-- What differs from an earlier serialize(); nil where nothing does.
function Entity:serializeDelta(base)
    if not istype(EntityType, self) then core.badSelf(self, "serializeDelta") end
    if type(base) ~= "table" then error("serializeDelta: takes what serialize gave, a table, not " .. describe(base), 2) end
    return diff(self:serialize(), base)
end

-- ---- applying -----------------------------------------------------------------------------------

local kinds = { enabled = "boolean", rewindable = "boolean", persistent = "boolean", disabled = "table", components = "table",
    removedComponents = "table", children = "table", keptChildren = "number", newChildren = "table" }

-- Raises before anything is changed, as far as that can be known.
local function check(link, entity, delta, depth)
    if type(delta) ~= "table" then error("takes what serializeDelta gives, a table, not " .. describe(delta), 0) end
    if depth > core.deepestTemplate then error("children are nested too deeply", 0) end
    for key, value in next, delta do
        if type(value) ~= kinds[key] then
            error("'" .. tostring(key) .. "' is not a part of a delta, or no " .. tostring(kinds[key]), 0)
        end
    end
    for name, fields in next, delta.components or {} do
        local info = link.types[name] or core.typeInfo(link, name)
        if not info then error(core.noComponent(link, name), 0) end
        if fields ~= true and type(fields) ~= "table" then
            error("component '" .. name .. "' must be a table of fields, not " .. describe(fields), 0)
        end
        if not info.isScript and type(fields) == "table" then
            for field in next, fields["$whole"] or fields do
                if field ~= "$removed" and not info.byName[field] then core.noField(info, field, 0) end
            end
        end
    end
    local children = entity:getChildren()
    if delta.keptChildren and delta.keptChildren > #children then
        error(tostring(entity) .. " has " .. #children .. " children, not " .. delta.keptChildren, 0)
    end
    for i, child in next, delta.children or {} do
        if not children[i] then error(tostring(entity) .. " has no child " .. describe(i), 0) end
        check(link, children[i], child, depth + 1)
    end
end

local function dropChild(parent, child)
    local state = child:getState()
    if state == "managed" or state == "pendingAdd" then
        child:getWorld():removeEntity(child)
        if state == "managed" then return end
    end
    parent:removeChild(child)
    if child:getState() == "detached" then child:destroy() end
end

-- The tree first: components may refer to any of it.
local function applyTree(link, entity, delta, work)
    work[#work + 1] = { entity, delta }
    local children = entity:getChildren()
    for i, child in next, delta.children or {} do applyTree(link, children[i], child, work) end
    if delta.keptChildren then
        for i = delta.keptChildren + 1, #children do dropChild(entity, children[i]) end
    end
    for _, data in ipairs(delta.newChildren or {}) do
        local made = {}
        entity:addChild(core.makeTree(link, data, 1, made))
        for i = 1, #made, 2 do work[#work + 1] = { made[i], nil, made[i + 1] } end
    end
end

local function applyFields(link, info, entity, fields, root)
    local component = entity:getComponent(info.name)
    for _, key in ipairs(rawget(fields, "$removed") or {}) do component[key] = nil end
    if info.isScript then
        for key, value in next, fields do
            if key ~= "$removed" then component[key] = core.valueFromPlain(link, info, root, value) end
        end
        return
    end
    local rest, references = core.splitReferences(info, fields)
    for key, value in next, rest do
        if key ~= "$removed" then component[key] = value end
    end
    core.applyReferences(entity, references, root)
end

local function applyComponents(link, entity, delta, root)
    for _, name in ipairs(delta.removedComponents or {}) do
        if entity:hasComponent(name) then entity:removeComponent(name) end
    end
    for name, fields in next, delta.components or {} do
        local info = link.types[name]
        local whole = fields == true and true or rawget(fields, "$whole")
        if whole == nil and entity:hasComponent(name) then
            applyFields(link, info, entity, fields, root)
        else
            if entity:hasComponent(name) then entity:removeComponent(name) end
            core.addComponents(link, entity, { components = { [name] = whole or fields } }, root)
        end
    end
    if delta.disabled then
        local isOff = {}
        for _, name in ipairs(delta.disabled) do isOff[name] = true end
        for _, name in ipairs(entity:getComponentNames()) do entity:setComponentEnabled(name, not isOff[name]) end
    end
    if delta.enabled ~= nil then entity:setEnabled(delta.enabled) end
    if delta.rewindable ~= nil then entity:setRewindable(delta.rewindable) end
    if delta.persistent ~= nil then entity:setPersistent(delta.persistent) end
end

-- Brings an entity that is as the delta's base was to where the delta was taken.
function Entity:applyDelta(delta)
    if not istype(EntityType, self) then core.badSelf(self, "applyDelta") end
    local link = links[self.__link]
    local ok, message = pcall(check, link, self, delta, 1)
    if not ok then error("applyDelta: " .. tostring(message):gsub("^revenant/[^:]+:%d+: ", ""), 2) end
    local work = {}
    applyTree(link, self, delta, work)
    for _, each in ipairs(work) do
        if each[2] then
            applyComponents(link, each[1], each[2], self)
        else
            core.addComponents(link, each[1], each[3], self)
        end
    end
end
