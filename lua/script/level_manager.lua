-- LevelManager: loads levels from Lua data files, run in an empty sandbox.
--
--     local levels = LevelManager:new(world, { folder = "levels" })
--     levels:load("forest")                          -- levels/forest.lua, at the next tick
--     levels:load("cave", { history = "clear" })     -- default: "keep"
--     levels:unload()
--
-- A file returns { prefabs = { name = template }, entities = { template, ... } }; templates are those of
-- prefabs (prefab.lua). A broken file leaves the running level untouched; the error says file, line and
-- field. The level and its roots are rewound with the world. Events: levelLoaded, levelUnloaded (name).
-- A root that is not rewindable lives on through a rewind, but only in its level; see level_roots.lua.

local core = ...
local ffi = require "ffi"
local native, describe, readFile = core.native, core.describe, core.readFile

local LevelManager = core.BaseSystem:extend("LevelManager")
core.LevelManager = LevelManager
LevelManager.priority = 2 ^ 30  -- before all but the history
LevelManager.tickWhileRewinding = true

local managers = core.privateStore()
local levelResource, rootsResource = "LevelManager.level", core.levelRoots.resource
-- A request is part of the world, too: rewinding past it undoes it. A request made while a past frame is
-- current waits in data.request until play resumes.
local requestResource = "LevelManager.request"
-- Events of a change of level, which the tick emits: part of the frame, so that play from it emits them again.
local eventsResource = "LevelManager.events"

core.resourceRules[levelResource] = function(value)
    return type(value) ~= "string" and "the name of a level"
end
-- Roots that were removed before a save of format 1 have left holes.
core.resourceRules[rootsResource] = function(value)
    if type(value) ~= "table" then return "a list of entities" end
    for key, root in next, value do
        if type(key) ~= "number" or not ffi.istype(core.EntityType, root) then return "a list of entities" end
    end
end
core.resourceRules[requestResource] = function(value)
    local isRequest = type(value) == "table" and (value.name == nil or type(value.name) == "string")
        and (value.history == "keep" or value.history == "clear")
    return not isRequest and "{name = the name of a level, history = \"keep\" or \"clear\"}"
end
core.resourceRules[eventsResource] = function(value)
    local must = "a list of {\"levelLoaded\" or \"levelUnloaded\", the name of a level}"
    if type(value) ~= "table" then return must end
    for key, event in next, value do
        local isEvent = type(key) == "number" and type(event) == "table"
            and (event[1] == "levelLoaded" or event[1] == "levelUnloaded") and type(event[2]) == "string"
        if not isEvent then return must end
    end
end

local function dataOf(manager, call, level)
    local data = managers[manager]
    if not data then core.wrongSelf(manager, "a LevelManager", "levels", call, (level or 2) + 1) end
    return data
end

-- All entities are made, detached, before the running level is touched.
local function buildLevel(data, name)
    local level, path, bad = core.readLevel(data, name)
    local link = data.link
    local before = {}
    for key, prefab in pairs(link.prefabs) do before[key] = prefab end
    local roots = {}
    local budget = core.templateBudget("the level")
    local function make(template, keys, defaultName)
        local ok, made = pcall(core.makePrefab, link, template, keys, defaultName, budget)
        if not ok then
            if getmetatable(made) == core.BadTemplate then bad(made.keys, made.text) end
            error(path .. ": " .. tostring(made), 0)
        end
        return made
    end
    local ok, message = pcall(function()
        local prefabs, entities = level.prefabs or {}, level.entities or {}
        for _, prefabName in ipairs(core.orderOfPrefabs(prefabs, bad)) do
            link.prefabs[prefabName] = make(prefabs[prefabName], { "prefabs", prefabName }, prefabName)
        end
        core.expectList(entities, { "entities" }, "entities", bad)
        for i, template in ipairs(entities) do
            local prefab = make(template, { "entities", i })
            roots[i] = prefab:instantiate()
        end
    end)
    if not ok then
        link.prefabs = before
        for _, root in pairs(roots) do root:destroy() end
        error(message, 0)
    end
    return roots
end

-- ---- the manager ---------------------------------------------------------------------------------

local function clearHistory(data)
    local rewind = core.rewindOf(data.link)
    if rewind then rewind:clear() end
end

local function carryOut(data, request)
    local world = data.link.world
    local roots = request.name and buildLevel(data, request.name)
    local old = world:getResource(levelResource)
    core.levelRoots.remove(data)
    local events = world:getResource(eventsResource) or {}
    if old then table.insert(events, { "levelUnloaded", old }) end
    if request.name then table.insert(events, { "levelLoaded", request.name }) end
    if request.history == "clear" then clearHistory(data) end
    for _, root in ipairs(roots or {}) do world:addEntity(root) end
    world:setResource(levelResource, request.name, { rewind = true })
    world:setResource(rootsResource, roots or nil, { rewind = true })
    world:setResource(eventsResource, events, { rewind = true })
end

local function expectHistory(history, call, level)
    if history ~= "keep" and history ~= "clear" then
        error(call .. ": history is \"keep\" or \"clear\", not " .. describe(history), level + 1)
    end
    return history
end

local optionNames = { "folder", "read", "history" }

local function checkedOptions(options, level)
    options = core.expectOptions(options, optionNames, "LevelManager:new", level + 1)
    local folder, read = options.folder or "", options.read or readFile
    if type(folder) ~= "string" then
        error("LevelManager:new: folder must be a string, not " .. describe(folder), level + 1)
    elseif type(read) ~= "function" then
        error("LevelManager:new: read must be a function, not " .. describe(read), level + 1)
    end
    return folder, read, expectHistory(options.history or "keep", "LevelManager:new", level + 1)
end

-- options: folder (default: the current one), read(path) -> text or nil and why, history ("keep" or
-- "clear": what a change of level does with the history unless it says so itself).
function LevelManager:init(options)
    if not core.isSystem(self) then
        core.calledOn(describe(self), "a LevelManager", "init", "it is called by new", 2)
    end
    local folder, read, history = checkedOptions(options, 2)
    if folder ~= "" and folder:sub(-1) ~= "/" then folder = folder .. "/" end
    local data = { link = core.linkOf(self:getWorld(), "LevelManager:new", 3), folder = folder,
        read = read, history = history }
    core.attach(managers, self, data, "__level")
end

-- Registers itself with the world.
function LevelManager:new(world, options)
    core.requireSystemClass(self, "new", "write LevelManager:new(world)", 2)
    local link = core.linkOf(world, rawget(self, "name") .. ":new", 2)
    if rawequal(self, LevelManager) then checkedOptions(options, 2) end  -- raises at the caller's line
    local manager = core.BaseSystem.new(self, world, options)
    if not managers[manager] then error("LevelManager:new: a class of its own must call LevelManager.init", 2) end
    for _, event in ipairs { "levelLoaded", "levelUnloaded" } do pcall(native.defineEvent, link.number, event) end
    world:registerSystem(manager)
    return manager
end

local function carryOutRequest(manager)
    local data = managers[manager]
    local world = data.link.world
    local request = data.request or world:getResource(requestResource)
    if not request or native.isInPast(data.link.number) or not manager:isRegistered() then return end
    data.request = nil
    world:setResource(requestResource, nil, { rewind = true })
    core.forgetSyncSteps(data.link)
    carryOut(data, request)
end

-- A reset of the world drops the calls before its reconcile; a manager that is registered again starts afresh.
local registerLuaSystem = core.registerLuaSystem
function core.registerLuaSystem(link, system)
    local data = managers[system]
    local calls = data and data.link.beforeReconcile
    if data and data.calls ~= calls then
        data.calls, data.request = calls, nil
        table.insert(calls, function()
            carryOutRequest(system)
            if system:isRegistered() then core.levelRoots.settle(data, false) end
        end)
    end
    return registerLuaSystem(link, system)  -- a tail call: errors are raised at the caller's line
end

-- The entities are in the world by now.
function LevelManager:tick()
    local data = dataOf(self, "tick")
    local world = data.link.world
    core.levelRoots.settle(data, true)
    if native.isInPast(data.link.number) then return end
    local events = world:getResource(eventsResource)
    if not events then return end
    world:setResource(eventsResource, nil, { rewind = true })
    for _, event in ipairs(events) do world:emit(event[1], event[2]) end
end

local requestNames = { "history" }

local function request(self, call, name, options)
    local data = dataOf(self, call, 3)
    local history = expectHistory(core.expectOptions(options, requestNames, call, 3).history or data.history, call, 3)
    local asked = { name = name, history = history }
    if native.isInPast(data.link.number) then
        data.request = asked
    else
        data.link.world:setResource(requestResource, asked, { rewind = true })
    end
end

-- Requests; the last one before the tick holds.
function LevelManager:load(name, options)
    core.expect(name, "string", "load", "the name of a level")
    if name == "" or name:find("%z") then error("load: a level needs a name without zero bytes", 2) end
    request(self, "load", name, options)
end

function LevelManager:unload(options)
    request(self, "unload", nil, options)
end

function LevelManager:reload(options)
    local data = dataOf(self, "reload")
    local level = data.link.world:getResource(levelResource)
    if not level then error("reload: no level is loaded", 2) end
    request(self, "reload", level, options)
end

-- The name of the running level, or nil.
function LevelManager:getLevel()
    return dataOf(self, "getLevel").link.world:getResource(levelResource)
end

-- The roots of the running level, as they were loaded.
function LevelManager:getRoots()
    return core.levelRoots.of(dataOf(self, "getRoots"))
end

-- Whether a request is waiting for the next tick.
function LevelManager:isPending()
    local data = dataOf(self, "isPending")
    return data.request ~= nil or data.link.world:getResource(requestResource) ~= nil
end
