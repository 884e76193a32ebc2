-- What differs between two states of an entity tree, as serialize gives them (applying it: apply_delta.lua).
--   enabled, rewindable, persistent, disabled   as in a template, where they differ
--   components          fields that differ, by component; ["$removed"]: names of fields that are gone; true or
--                       ["$whole"]: the component as a whole
--   removedComponents   names
--   children            deltas by position; keptChildren: how many of them stay; newChildren: templates of those that follow

local core = ...
local ffi = require "ffi"
local describe = core.describe
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

-- Whether no table is in it twice: only then can a delta hold a part of it by itself.
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
    -- States of hooks, and what has entities as keys, are no fields of their own.
    if not isTree(now, {}) or not isTree(base, {}) or now["$make"] ~= base["$make"] or now["$state"] ~= nil
        or base["$state"] ~= nil or now["$pairs"] ~= nil or base["$pairs"] ~= nil then
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

-- The delta from an earlier serialize(); nil where nothing differs.
function Entity:serializeDelta(base)
    if not istype(EntityType, self) then core.badSelf(self, "serializeDelta") end
    if type(base) ~= "table" then error("serializeDelta: takes what serialize gave, a table, not " .. describe(base), 2) end
    return diff(self:serialize(), base)
end
