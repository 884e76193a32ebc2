-- What the tables of script components are in templates: plain data. References to entities of the same tree,
-- classes and states of hooks are marked by keys that begin with `$`:
--   {["$entity"] = "2.1"}              the first child of the root's second one; "" is the root; false: none, in an array
--   ["$class"] = name                  an instance of a registered class
--   {["$hooked"] = name, state = ...}  the same of a class with hooks
--   {["$theClass"] = name}             a registered class itself; true: the component's own
--   ["$pairs"] = {{key, value}, ...}   what has entities as keys
--   ["$state"], ["$make"]              of a component: what its hook gave; the name of its class, if not the component's

local core = ...
local ffi = require "ffi"
local describe, istype = core.describe, ffi.istype

local marks = { ["$entity"] = true, ["$class"] = true, ["$hooked"] = true, ["$theClass"] = true, ["$pairs"] = true,
    ["$state"] = true, ["$make"] = true, ["$removed"] = true }
local deepest = 150

-- The way from a root to an entity below it: "2.1"; nil where it is not below it.
local function pathTo(root, entity)
    local parts = {}
    while entity ~= root do
        local parent = entity:isValid() and entity:getParent()
        if not parent then return nil end
        for i, child in ipairs(parent:getChildren()) do
            if child == entity then table.insert(parts, 1, i) end
        end
        entity = parent
    end
    return table.concat(parts, ".")
end

-- The entity at the end of a way.
function core.entityAt(root, path)
    if type(path) ~= "string" then error("a reference must be a path such as '2.1', not " .. describe(path), 0) end
    local entity = root
    for step in path:gmatch("[^.]+") do
        entity = entity:getChildren()[tonumber(step)]
        if not entity then error("no entity of the tree stands at '" .. path .. "'", 0) end
    end
    return entity
end

-- nil for an entity that is not below the root: none, as in a save.
function core.referenceTo(root, entity)
    local path = pathTo(root, entity)
    return path and { ["$entity"] = path }
end

-- ---- to plain data -----------------------------------------------------------------------------------

local toPlain

local function bad(state, what)
    local path = {}
    for _, key in ipairs(state.way) do
        path[#path + 1] = type(key) == "string" and "." .. key or "[" .. tostring(key) .. "]"
    end
    error(state.what .. table.concat(path) .. " " .. what, 0)
end

local function fill(state, out, value, ignored, depth)
    if depth > deepest then bad(state, "is nested more than " .. deepest .. " deep") end
    for key, each in next, value do
        if not (ignored and ignored[key]) then
            local way = state.way
            way[#way + 1] = key
            if istype(core.EntityType, key) then
                local reference = core.referenceTo(state.root, key)
                if reference then
                    local pairs = out["$pairs"] or {}
                    out["$pairs"] = pairs
                    pairs[#pairs + 1] = { reference, toPlain(state, each, depth + 1) }
                end
            elseif type(key) == "table" or type(key) == "function" or type(key) == "userdata" or type(key) == "cdata" then
                bad(state, "has a key that is a " .. type(key) .. ", which is no plain data")
            else
                if marks[key] then bad(state, "has a name that serialize uses itself") end
                out[key] = toPlain(state, each, depth + 1)
            end
            way[#way] = nil
        end
    end
    if out["$pairs"] then  -- the order of `next` is another each time
        table.sort(out["$pairs"], function(a, b) return a[1]["$entity"] < b[1]["$entity"] end)
    end
    return out
end

-- Libraries keep the class of an instance in it.
local function isOwnClass(state, value)
    local meta = state.ownMeta
    return type(meta) == "table"
        and (value == meta or rawget(value, "__instanceDict") == meta or rawget(meta, "__index") == value)
end

local function tableToPlain(state, value, depth)
    local name = core.namesOfClasses[value]
    if name then return { ["$theClass"] = name } end
    if isOwnClass(state, value) then return { ["$theClass"] = true } end
    local known = state.seen[value]
    if known then return known end
    local out = {}
    state.seen[value] = out
    local meta = debug.getmetatable(value)
    if not meta then return fill(state, out, value, nil, depth) end
    name = core.nameOfMeta(meta)
    if not name then
        bad(state, "has a metatable that belongs to no registered class; call revenant.registerClass(name, class) for its class")
    end
    local isHooked, hooked, ignored = core.getInstanceState(value)
    if isHooked then
        out["$hooked"], out.state = name, toPlain(state, hooked, depth + 1)
        return out
    end
    out["$class"] = name
    return fill(state, out, value, ignored, depth)
end

function toPlain(state, value, depth)
    local kind = type(value)
    if kind == "table" then return tableToPlain(state, value, depth) end
    if kind == "number" or kind == "string" or kind == "boolean" or kind == "nil" then return value end
    if istype(core.EntityType, value) then
        if value.__link ~= state.root.__link then bad(state, "is an entity of another world") end
        return core.referenceTo(state.root, value)
    end
    bad(state, "is a " .. kind .. ", which is no plain data; list it in the class's rewindIgnore, or give the class "
        .. "getRewindState and restoreRewindState")
end

-- The table of a script component as plain data.
function core.scriptToPlain(link, info, instance, root)
    local state = { root = root, way = {}, seen = {}, what = "component '" .. info.name .. "': self",
        ownMeta = debug.getmetatable(instance) }
    local out = {}
    state.seen[instance] = out
    local get = instance.getRewindState
    if get ~= nil then
        core.expectHooks(instance, "its class")
        out["$state"] = toPlain(state, (get(instance)), 1)
    else
        fill(state, out, instance, core.ignoredOf(instance), 1)
    end
    out["$make"] = core.makeOfInstance(link, info.name, instance)
    return out
end

-- ---- from plain data -----------------------------------------------------------------------------------

local fromPlain

local function fillFrom(state, out, value)
    for key, each in next, value do
        if not marks[key] then out[fromPlain(state, key)] = fromPlain(state, each) end
    end
    for _, pair in ipairs(rawget(value, "$pairs") or {}) do
        local key = fromPlain(state, pair[1])
        if key ~= nil then out[key] = fromPlain(state, pair[2]) end
    end
    return out
end

function fromPlain(state, value)
    if type(value) ~= "table" then return value end
    local known = state.seen[value]
    if known ~= nil then return known end
    local reference = rawget(value, "$entity")
    if reference ~= nil then
        if not reference then return nil end
        return core.entityAt(state.root, reference)
    end
    local class = rawget(value, "$theClass")
    if class ~= nil then
        if class == true then return state.class end
        return core.classOf(class)
    end
    local hooked = rawget(value, "$hooked")
    if hooked ~= nil then
        local made = core.makeHooked(hooked)
        state.seen[value] = made
        core.restoreInstance(made, fromPlain(state, rawget(value, "state")))
        return made
    end
    local name = rawget(value, "$class")
    local out = setmetatable({}, name and core.metaNamed(name) or debug.getmetatable(value))
    state.seen[value] = out
    return fillFrom(state, out, value)
end

-- The fields that a component's data holds; what refers to the component itself refers to `instance`.
function core.fieldsFromPlain(link, info, root, data, instance)
    return fillFrom({ root = root, seen = { [data] = instance }, class = link.classes[info.name] }, {}, data)
end

-- The state of a hook that a component's data holds, likewise.
function core.stateFromPlain(link, info, root, data, instance)
    return fromPlain({ root = root, seen = { [data] = instance }, class = link.classes[info.name] }, rawget(data, "$state"))
end

-- A value of a template, as it is in the component of an entity below `root`.
function core.valueFromPlain(link, info, root, value)
    return fromPlain({ root = root, seen = {}, class = link.classes[info.name] }, value)
end

-- Gives an entity the script component that a template has; true: as the class makes it.
function core.addScriptFromPlain(entity, link, info, data, root)
    if data == nil or data == true then return entity:addComponent(info.name) end
    local class = link.classes[info.name]
    local state = { root = root, seen = {}, class = class }
    local make, hooked = rawget(data, "$make"), rawget(data, "$state")
    local meta
    if make then
        meta = core.metaNamed(make)
    elseif class then
        meta = core.metaOf(class)
    end
    if hooked ~= nil then
        local instance = setmetatable({}, meta)
        entity:addComponent(info.name, instance)
        state.seen[data] = instance
        instance:restoreRewindState(fromPlain(state, hooked))
        return instance
    end
    local instance = fromPlain(state, data)
    if make then setmetatable(instance, meta) end
    return entity:addComponent(info.name, instance)
end
