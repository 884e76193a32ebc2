-- Over 300 lines: both directions of one format, kept side by side so that they stay alike.
-- Tables of script components as plain data, in templates. References to entities of the same tree,
-- classes and states of hooks are marked by keys that begin with `$`:
--   {["$entity"] = "2.1"}              the first child of the root's second one; "" is the root; false: none, in an array
--   ["$class"] = name                  an instance of a registered class
--   {["$hooked"] = name, state = ...}  the same of a class with hooks
--   {["$theClass"] = name}             a registered class itself; true: the component's own
--   {["$method"] = name}               a function of the component's class
--   {["$component"] = name, of = "2.1"}  a script component of such an entity
--   ["$pairs"] = {{key, value}, ...}   what has entities or components as keys
--   ["$state"], ["$make"]              of a component: what its hook gave; the name of its class, if not the component's

local core = ...
local ffi = require "ffi"
local describe, istype = core.describe, ffi.istype

local marks = { ["$entity"] = true, ["$class"] = true, ["$hooked"] = true, ["$theClass"] = true, ["$pairs"] = true,
    ["$component"] = true, ["$method"] = true, ["$state"] = true, ["$make"] = true, ["$removed"] = true }
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

-- Whether a table is a component, and the reference to it, which is nil for one outside of the tree. A table that was a
-- component once is written as data where that is possible.
local function componentToPlain(state, value, isKey)
    local owner, name = core.componentOfTable(state.link, value)
    if not owner then return false end
    if not core.isComponentTable(value) then
        local meta = debug.getmetatable(value)
        return isKey or (meta ~= nil and not core.nameOfMeta(meta))
    end
    local path = pathTo(state.root, owner)
    return true, path and { ["$component"] = name, of = path }
end

local function orderOf(reference) return reference["$entity"] or reference.of .. " " .. reference["$component"] end

local function fill(state, out, value, ignored, depth)
    if depth > deepest then bad(state, "is nested more than " .. deepest .. " deep") end
    for key, each in next, value do
        if not (ignored and ignored[key]) then
            local way = state.way
            way[#way + 1] = key
            local isComponent, component = false, nil
            if type(key) == "table" then isComponent, component = componentToPlain(state, key, true) end
            if isComponent or istype(core.EntityType, key) then
                local reference = component or (not isComponent and core.referenceTo(state.root, key))
                if reference then
                    local pairs = out["$pairs"] or {}
                    out["$pairs"] = pairs
                    pairs[#pairs + 1] = { reference, toPlain(state, each, depth + 1) }
                end
            elseif type(key) == "table" or type(key) == "function" or type(key) == "userdata" or type(key) == "cdata" then
                bad(state, "has a key that is a " .. type(key) .. ", which is not plain data")
            else
                if marks[key] then bad(state, "has a name that serialize uses itself") end
                out[key] = toPlain(state, each, depth + 1)
            end
            way[#way] = nil
        end
    end
    if out["$pairs"] then  -- the order of `next` differs from run to run
        table.sort(out["$pairs"], function(a, b) return orderOf(a[1]) < orderOf(b[1]) end)
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
    local name = core.identities[value]
    if type(name) == "string" then return { ["$theClass"] = name } end
    if isOwnClass(state, value) then return { ["$theClass"] = true } end
    local known = state.seen[value]
    if known then return known end
    local isComponent, component = componentToPlain(state, value)
    if isComponent then return component end
    local out = {}
    state.seen[value] = out
    local meta = debug.getmetatable(value)
    if not meta then return fill(state, out, value, nil, depth) end
    name = core.nameOfMeta(meta)
    if not name then
        state.seen[value] = nil
        local member = type(state.ownMeta) == "table" and core.memberName(state.ownMeta, value)
        if member then return { ["$method"] = member } end
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
    local shared = core.identities[value]
    if type(shared) == "string" then return { ["$theClass"] = shared } end
    local method = kind == "function" and type(state.ownMeta) == "table" and core.memberName(state.ownMeta, value)
    if method then return { ["$method"] = method } end
    if istype(core.EntityType, value) then
        if value.__link ~= state.root.__link then bad(state, "is an entity of another world") end
        return core.referenceTo(state.root, value)
    end
    bad(state, "is a " .. kind .. ", which is not plain data; list it in the class's rewindIgnore, or give the class "
        .. "getRewindState and restoreRewindState")
end

-- The table of a script component as plain data.
function core.scriptToPlain(link, info, instance, root)
    local state = { link = link, root = root, way = {}, seen = {}, what = "component '" .. info.name .. "': self",
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

-- What a template refers to by {["$component"] = name, of = path}: while a tree is being made, its components are not all
-- there yet; those that are not are set when they are (core.settleReferences).
local later

local function isComponentReference(value) return type(value) == "table" and rawget(value, "$component") ~= nil end

local function componentAt(state, value)
    local entity = core.entityAt(state.root, rawget(value, "of"))
    return entity:getComponent(rawget(value, "$component"))
end

local function setLater(state, out, key, value)
    if out == state.fresh then out = state.instance end
    later[#later + 1] = function()
        if isComponentReference(key) then key = componentAt(state, key) end
        if isComponentReference(value) then value = componentAt(state, value) end
        if key ~= nil then rawset(out, key, value) end
    end
end

local function isMissing(state, value)
    return later and isComponentReference(value) and componentAt(state, value) == nil
end

local function set(state, out, key, value)
    local isLater = isMissing(state, key) or isMissing(state, value)
    if not isMissing(state, key) then key = fromPlain(state, key) end
    if not isMissing(state, value) then value = fromPlain(state, value) end
    if isLater then
        setLater(state, out, key, value)
    elseif key ~= nil then
        out[key] = value
    end
end

local function fillFrom(state, out, value)
    for key, each in next, value do
        if not marks[key] then set(state, out, key, each) end
    end
    for _, pair in ipairs(rawget(value, "$pairs") or {}) do set(state, out, pair[1], pair[2]) end
    return out
end

-- Whether a template's data refers to a component.
function core.refersToComponents(data, seen)
    seen = seen or {}
    if type(data) ~= "table" or seen[data] then return false end
    seen[data] = true
    if isComponentReference(data) then return true end
    for key, value in next, data do
        if core.refersToComponents(key, seen) or core.refersToComponents(value, seen) then return true end
    end
    return false
end

-- Calls make(...), which makes the entities of a tree and their components, then sets what refers to these components.
function core.settleReferences(make, ...)
    local before = later
    later = {}
    local ok, result = pcall(make, ...)
    local settled = later
    later = before
    if not ok then error(result, 0) end
    for _, settle in ipairs(settled) do settle() end
    return result
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
    if isComponentReference(value) then return componentAt(state, value) end
    local class = rawget(value, "$theClass")
    if class ~= nil then
        if class == true then return state.class end
        return core.classOf(class)
    end
    local method = rawget(value, "$method")
    if method ~= nil then return state.class and core.memberOf(core.metaOf(state.class), method) end
    local hooked = rawget(value, "$hooked")
    if hooked ~= nil then
        local made = core.makeEmpty(hooked)
        state.seen[value] = made
        core.restoreInstance(made, fromPlain(state, rawget(value, "state")))
        return made
    end
    local name = rawget(value, "$class")
    local out = name and core.makeEmpty(name) or setmetatable({}, debug.getmetatable(value))
    state.seen[value] = out
    return fillFrom(state, out, value)
end

-- The fields that a component's data holds; what refers to the component itself refers to `instance`.
function core.fieldsFromPlain(link, info, root, data, instance)
    local fresh = {}
    return fillFrom({ root = root, seen = { [data] = instance }, class = link.classes[info.name], fresh = fresh, instance = instance },
        fresh, data)
end

-- The state of a hook that a component's data holds, likewise.
function core.stateFromPlain(link, info, root, data, instance)
    return fromPlain({ root = root, seen = { [data] = instance }, class = link.classes[info.name] }, rawget(data, "$state"))
end

-- Sets a field of a component of an entity below `root` to a value of a template.
function core.setFromPlain(link, info, root, instance, key, value)
    set({ root = root, seen = {}, class = link.classes[info.name] }, instance, key, value)
end

-- Gives an entity the script component that a template has; true: as the class makes it.
function core.addScriptFromPlain(entity, link, info, data, root)
    if data == nil or data == true then return entity:addComponent(info.name) end
    local class = link.classes[info.name]
    local make, hooked = rawget(data, "$make"), rawget(data, "$state")
    local state = { root = root, seen = {}, class = make and core.classOf(make) or class }
    local meta
    if make then
        meta = core.metaNamed(make)
    elseif class then
        meta = core.metaOf(class)
    end
    if hooked ~= nil then
        local instance = meta and core.emptyInstance(state.class, meta) or {}
        entity:addComponent(info.name, instance)
        state.seen[data] = instance
        instance:restoreRewindState(fromPlain(state, hooked))
        return instance
    end
    local instance
    if meta and debug.getmetatable(data) == nil then
        instance = core.emptyInstance(state.class, meta)
        state.seen[data] = instance
        fillFrom(state, instance, data)
    else
        instance = fromPlain(state, data)
    end
    return entity:addComponent(info.name, instance)
end
