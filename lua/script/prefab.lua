-- Prefab: a named template of an entity tree.
--
--     world:definePrefab("enemy", {
--         components = { TransformCMP = { x = 3 }, HealthCMP = {} },
--         children = { { name = "gun", components = { TransformCMP = {} } } },
--     })
--     local enemy = world:spawn("enemy", { TransformCMP = { x = 7 }, children = { gun = { TransformCMP = { x = 1 } } } })
--     local horde = world:spawnMany("enemy", 1000)
--
-- Instances share nothing. Templates: see entity_template.lua; overrides: see prefab_overrides.lua.

local core = ...
local ffi = require "ffi"
local C, native, describe, raise = core.C, core.native, core.describe, core.raise
local idOut, copyPlain = core.idOut, core.copyPlain
local addScripts, applyOverrides = core.addPrefabScripts, core.applyOverrides

local Prefab = {}
Prefab.__index = Prefab
core.Prefab = Prefab
local prefabs = core.privateStore()

function core.templateOf(prefab)
    return prefabs[prefab].template
end

-- A prefab of a template that has been checked; `keys` is where it stands, for errors.
-- What it takes is taken from `budget`.
function core.makePrefab(link, template, keys, defaultName, budget)
    local nodes = {}
    core.flattenTemplate(link, template, nodes, -1, keys, 1, defaultName, budget or core.templateBudget("the prefab"))
    local data = { link = link, nodes = nodes, template = copyPlain(template), size = #nodes }
    -- What C++ does not do.
    for _, node in ipairs(nodes) do
        data.hasScripts = data.hasScripts or #node.scripts > 0 or #node.references > 0 or node.persistent == false
            or node.disabled ~= nil
    end
    local world, number = link.number, native.definePrefab(link.number, nodes)
    data.number, data.ending = number, newproxy(true)
    -- Goes with the prefab: levels make many.
    getmetatable(data.ending).__gc = function() C.removePrefab(world, number) end
    data.patch = not data.hasScripts and core.makePatch(link, nodes[1]) or nil
    local prefab = setmetatable({}, Prefab)
    core.attach(prefabs, prefab, data)
    return prefab
end

function core.definePrefab(link, name, template)
    local ok, prefab = pcall(core.makePrefab, link, template, {}, name)
    if not ok then
        if getmetatable(prefab) == core.BadTemplate then
            local path = prefab.path ~= "" and prefab.path .. ": " or ""
            prefab = "definePrefab '" .. name .. "': " .. path .. prefab.text
        end
        error(prefab, 3)
    end
    local data, known = prefabs[prefab], link.prefabs[name]
    data.name = name
    if known then  -- a reloaded file: prefabs that are held make instances of the new template
        local old = prefabs[known]
        for key in pairs(old) do old[key] = data[key] end
        for key, value in pairs(data) do old[key] = value end
        return known
    end
    link.prefabs[name] = prefab
    return prefab
end

-- ---- instances -----------------------------------------------------------------------------------

local dataOf = core.dataReader(prefabs, "a prefab", "prefab")

local function finish(data, ids, root, overrides, call)
    addScripts(data, ids)
    if overrides then applyOverrides(root, overrides, call) end
end

-- As pcall of the function that completes an instance. Measured: the compiler gives up on a trace that comes to an
-- inner loop, and in the end on all traces that spawn, which are then two to five times as slow. It does not
-- compile into native functions, so code with loops is called by way of one.
local function complete(data, ids, root, overrides, call)
    if overrides == nil and not data.hasScripts then return true end
    if overrides ~= nil and data.patch then
        local ok, isAll = pcall(data.patch, root, overrides, call)
        if not ok or isAll then return ok, isAll end
    end
    return native.callAside(finish, data, ids, root, overrides, call)
end

-- A script's `new` may have changed it in any way, which is then left as it is.
local function undo(data, root, lastSerial)
    pcall(native.undoSpawn, root.__link, root.__index, root.__generation, data.size, lastSerial)
end

-- A detached instance, with overrides; or nil and what is wrong, and nothing of it remains.
local function try(data, overrides, call)
    local number = data.link.number
    local ids = data.hasScripts and core.Ids(data.size) or nil  -- of all its members
    local lastSerial = C.lastSerial(number)
    if C.spawnPrefab(number, data.number, 1, 0, ids or idOut, ids and data.size or 1) < 0 then return nil, core.lastError() end
    local root
    if ids then
        root = core.valueOf(number, ids[0].index, ids[0].generation)
    else
        root = core.valueOf(number, idOut.index, idOut.generation)
    end
    local ok, message = complete(data, ids, root, overrides, call)
    if ok then return root, nil, lastSerial end
    undo(data, root, lastSerial)
    -- The position inside of this module is of no use to the script; the position of its call is.
    if type(message) == "string" then
        message = message:gsub("^revenant/[^:]+:%d+: ", "")
        if message:sub(1, #call + 1) ~= call .. ":" then message = call .. ": " .. message end
    end
    return nil, message
end

local function badOverrides(overrides, call, level)
    error(call .. ": overrides must be a table keyed by component name, not " .. describe(overrides), level + 1)
end

function Prefab:instantiate(overrides)
    local data = dataOf(self, "instantiate")
    if overrides ~= nil and type(overrides) ~= "table" then badOverrides(overrides, "instantiate", 2) end
    local root, message = try(data, overrides, "instantiate")
    if not root then error(message, 2) end
    return root
end

-- Adds an instance to the world; or returns what is wrong, and nothing of it remains.
local function add(data, root, lastSerial)
    local number, index, generation = root.__link, root.__index, root.__generation
    local code = C.addEntity(number, index, generation)
    if code == 0 or core.isDeferred(code, number, C.addEntity, number, index, generation) then return nil end
    local message = core.lastError()
    undo(data, root, lastSerial)
    return message
end

function core.spawn(prefab, overrides, call, level)
    local data = prefabs[prefab]
    if overrides ~= nil and type(overrides) ~= "table" then badOverrides(overrides, call, level + 1) end
    if overrides == nil and not data.hasScripts and not data.link.deferred then
        local made = core.makeInstance(data.link.number, data.number)
        if not made then raise(level) end
        return made
    end
    local root, message, lastSerial = try(data, overrides, call)
    if root then message = add(data, root, lastSerial) end
    if message then error(message, level + 1) end
    return root
end

function Prefab:spawn(overrides)
    dataOf(self, "spawn")
    return (core.spawn(self, overrides, "spawn", 2))
end

-- What spawnMany returns: the roots, whose values are made when asked for.
local Spawned = ffi.typeof("struct { const uint32_t __link; const int32_t __count; revenant_Id __ids[?]; }")

local function nextInstance(self, i)
    if i < self.__count then return i + 1, self[i + 1] end
end

local function instances(self)
    return nextInstance, self, 0
end

ffi.metatype(Spawned, {
    __len = function(self) return self.__count end,
    __index = function(self, i)
        if type(i) ~= "number" or not (i >= 1 and i <= self.__count and i % 1 == 0) then
            error("there are instances 1 to " .. self.__count .. ", not " .. describe(i), 2)
        end
        local id = self.__ids[i - 1]
        return core.valueOf(self.__link, id.index, id.generation)
    end,
    __newindex = function() error("the list of instances is read-only", 2) end,
    __ipairs = instances,
    __pairs = instances,
})

function core.spawnMany(prefab, count, overrides, call, level)
    local data = prefabs[prefab]
    if type(count) ~= "number" or count % 1 ~= 0 or count < 0 or count > 2 ^ 24 then
        error(call .. ": the number of instances must be a whole number from 0 to 16777216, not " .. describe(count), level + 1)
    end
    if overrides ~= nil and type(overrides) ~= "table" and type(overrides) ~= "function" then
        error(call .. ": overrides must be a table, or a function that makes one per instance, not " .. describe(overrides), level + 1)
    end
    local number, size = data.link.number, data.size
    local list = Spawned(count, number, count)
    if overrides == nil and not data.hasScripts and not data.link.deferred then
        local ids = size == 1 and list.__ids or core.Ids(count * size)
        if C.spawnPrefab(number, data.number, count, 1, ids, count * size) < 0 then raise(level) end
        if size > 1 then
            for i = 0, count - 1 do list.__ids[i] = ids[i * size] end
        end
        return list
    end
    -- All of them, or none.
    local roots, serials, message = {}, {}, nil
    for i = 1, count do
        local own = overrides
        if type(overrides) == "function" then
            local ok
            ok, own = pcall(overrides, i)
            if not ok then
                message = own or call .. ": overrides raised an error without a message"
                break
            end
            if own ~= nil and type(own) ~= "table" then
                message = call .. ": overrides must be a table, or a function that makes one per instance; for " .. i
                    .. " it made " .. describe(own)
                break
            end
        end
        roots[i], message, serials[i] = try(data, own, call)
        if message then break end
    end
    for i = 1, message and 0 or count do
        message = message or add(data, roots[i], serials[i])
        list.__ids[i - 1].index, list.__ids[i - 1].generation = roots[i].__index, roots[i].__generation
    end
    if not message then return list end
    for i = #serials, 1, -1 do
        local root = roots[i]
        if root:isValid() then pcall(data.link.world.removeEntity, data.link.world, root) end
        undo(data, root, serials[i])
    end
    error(message, level + 1)
end

-- overrides: a table for all instances, or a function(i) that makes one for each.
function Prefab:spawnMany(count, overrides)
    dataOf(self, "spawnMany")
    return (core.spawnMany(self, count, overrides, "spawnMany", 2))
end

function Prefab:getName()
    return dataOf(self, "getName").name
end

function core.prefabOf(link, which, call, level)
    local prefab = type(which) == "string" and link.prefabs[which] or which
    local data = prefabs[prefab]
    if not data then
        if type(which) == "string" then error(call .. ": no prefab is named '" .. which .. "'" .. core.suggestion(which, link.prefabs), level + 1) end
        error(call .. ": takes a prefab or its name, not " .. describe(which), level + 1)
    end
    if data.link ~= link then error(call .. ": the prefab belongs to another world", level + 1) end
    return prefab
end
