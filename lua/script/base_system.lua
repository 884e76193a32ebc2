-- BaseSystem: what systems written in Lua derive from.
--
--     local MovementSys = BaseSystem:extend("MovementSys")
--     function MovementSys:init() self:addComponentRequirement("TransformCMP") end
--     function MovementSys:tick(dt) local view = self:getComponentsView() ... end
--     world:registerSystem(MovementSys:new(world))
--
-- A class may set priority, dependencies, tickWhileRewinding, fixedStepSeconds and maxFixedSteps, and
-- define fixedTick(step), getRewindState() and restoreRewindState(state), onEntityAdded(entity) and
-- onEntityRemoved(entity). Any table with a name and a tick or fixedTick is a system, too (registered_system.lua).

local core = ...
local native, describe = core.native, core.describe

local BaseSystem = { name = "BaseSystem" }
BaseSystem.__index = BaseSystem
core.BaseSystem = BaseSystem

local systems = core.privateStore()                     -- system -> its data
local byNumber = setmetatable({}, { __mode = "v" })     -- number -> system; held by link.systems while registered
local lastNumber = 0

local function nextNumber()
    lastNumber = lastNumber + 1
    return lastNumber
end

local isClass = setmetatable({ [BaseSystem] = true }, { __mode = "k" })

local function dataOf(system, call)
    local data = systems[system]
    if not data then
        if isClass[system] then
            core.calledOn("the class " .. tostring(rawget(system, "name")), "a system", call, "make one with :new(world)", 3)
        end
        core.wrongSelf(system, "a system", "system", call, 3)
    end
    if data.link.isEnded then error("system:" .. call .. ": the world of this system has ended", 3) end
    return data
end

local function isRegistered(data)
    return data.link.systems[data.number] ~= nil
end

-- ---- classes -------------------------------------------------------------------------------------

function core.requireSystemClass(value, call, advice, level)
    if not isClass[value] then core.calledOn(describe(value), "a class of systems", call, advice, level + 1) end
end

function BaseSystem:extend(name)
    core.requireSystemClass(self, "extend", "write BaseSystem:extend(name)", 2)
    core.expect(name, "string", "extend", "the name of the class")
    if name == "" then error("extend: a class of systems needs a name", 2) end
    local class = setmetatable({ name = name }, { __index = self })
    class.__index = class
    isClass[class] = true
    return class
end

-- Every system has this in place of its class's tick, so that a tick by hand does what one by the world does.
local function tick(self, dt)
    local data = dataOf(self, "tick")
    core.expectNumber(dt, "tick", "dt")
    native.tickSystem(data.system, dt)
end

local optionKinds = { priority = "number", dependencies = "table", tickWhileRewinding = "boolean", enabled = "boolean",
    fixedStepSeconds = "number", maxFixedSteps = "number" }
local callbacks = { "getRewindState", "restoreRewindState", "lerpRewindState", "onEntityAdded", "onEntityRemoved" }

-- Makes the native side of a system from the system's fields.
local function makeNative(link, system, data, name, level)
    local options = {}
    for option, kind in pairs(optionKinds) do
        options[option] = system[option]
        if options[option] ~= nil and type(options[option]) ~= kind then
            error(name .. ": " .. option .. " must be a " .. kind .. ", not " .. describe(options[option]), level)
        end
    end
    for _, callback in ipairs(callbacks) do
        if system[callback] ~= nil and type(system[callback]) ~= "function" then
            error(name .. ": " .. callback .. " must be a function, not " .. describe(system[callback]), level)
        end
    end
    if (system.getRewindState == nil) ~= (system.restoreRewindState == nil) then
        error(name .. ": a system that is to be rewound needs both getRewindState and restoreRewindState", level)
    end
    data.watches = system.onEntityAdded ~= nil or system.onEntityRemoved ~= nil
    if data.watches and next(data.requirements) == nil then
        error(name .. ": onEntityAdded and onEntityRemoved are called for entities that match the system's view; it needs "
            .. "requirements for that", level)
    end
    for _, dependency in ipairs(options.dependencies or {}) do
        if type(dependency) ~= "string" then
            error(name .. ": each of dependencies must be a string, not " .. describe(dependency), level)
        end
    end
    data.name = name
    data.enabled = system.enabled
    data.system = native.makeSystem(link.number, data.number, name, options, system.getRewindState ~= nil)
end

-- Runs init, then acquires the view, once.
function BaseSystem:new(world, ...)
    if self == BaseSystem then
        error("BaseSystem:new: a system is made of a class of its own; write BaseSystem:extend(name) first", 2)
    end
    core.requireSystemClass(self, "new", "write MovementSys:new(world)", 2)
    core.expect(rawget(self, "name"), "string", "new", "the name of the class")
    local link = core.linkOf(world, rawget(self, "name") .. ":new", 2)
    local system = setmetatable({}, self)
    local data = { link = link, number = nextNumber(), requirements = {}, class = self }
    core.attach(systems, system, data)
    byNumber[data.number] = system
    system:init(...)
    data.isSealed = true
    if next(data.requirements) ~= nil then
        data.view = core.getComponentsView(link, data.requirements, system:getName())
    end
    makeNative(link, system, data, system:getName(), 3)
    rawset(system, "tick", tick)
    return system
end

function BaseSystem:init() end  -- for classes to define

function BaseSystem:getName()
    if not isClass[self] then dataOf(self, "getName") end
    return self.name
end

function BaseSystem:getWorld()
    return dataOf(self, "getWorld").link.world
end

-- mustHave: default true; false: optional. readOnly: default false. Or a ComponentRequirementDesc.
function BaseSystem:addComponentRequirement(name, mustHave, readOnly)
    local data = dataOf(self, "addComponentRequirement")
    if data.isSealed then
        error("addComponentRequirement: system '" .. self:getName()
            .. "' has its view already; requirements belong into init", 2)
    end
    core.expect(name, "string", "addComponentRequirement", "the name of a component")
    if data.requirements[name] then
        error("addComponentRequirement: system '" .. self:getName() .. "' requires '" .. name .. "' already", 2)
    end
    if not (data.link.types[name] or core.typeInfo(data.link, name)) then
        error("addComponentRequirement: system '" .. self:getName() .. "': " .. core.noComponent(data.link, name), 2)
    end
    if type(mustHave) == "table" then
        data.requirements[name] = mustHave
        return
    end
    for what, flag in pairs { mustHave = { mustHave }, readOnly = { readOnly } } do
        if flag[1] ~= nil and type(flag[1]) ~= "boolean" then
            error("addComponentRequirement: " .. what .. " must be true or false, not " .. describe(flag[1]), 2)
        end
    end
    data.requirements[name] = core.ComponentRequirementDesc:new(mustHave, readOnly)
end

-- The view acquired by new; nil for a system without requirements.
function BaseSystem:getComponentsView()
    return dataOf(self, "getComponentsView").view
end

-- `system.enabled = false` does the same, from the next tick on.
function BaseSystem:setEnabled(on)
    local data = dataOf(self, "setEnabled")
    core.expect(on, "boolean", "setEnabled", "the argument")
    if not data.system then error("setEnabled: the system is still being made; set self.enabled in init", 2) end
    native.setSystemEnabled(data.system, on)
    rawset(self, "enabled", on)
    data.enabled = on
end

-- Passes what was assigned to system.enabled to the native side.
local function syncEnabled(system, data)
    local enabled = system.enabled
    if enabled == data.enabled then return end
    if enabled ~= nil and type(enabled) ~= "boolean" then
        error(data.name .. ": enabled must be true or false, not " .. describe(enabled), 0)
    end
    data.enabled = enabled
    native.setSystemEnabled(data.system, enabled ~= false)
end

function BaseSystem:isEnabled()
    local data = dataOf(self, "isEnabled")
    if data.system then syncEnabled(self, data) end
    return data.system ~= nil and native.isSystemEnabled(data.system)
end

-- A listener that lives with its system: not called while that is disabled or not registered, removed when it is unregistered.
function BaseSystem:listen(event, fn)
    local data = dataOf(self, "listen")
    core.expect(event, "string", "listen", "the name of an event")
    core.expect(fn, "function", "listen", "the listener")
    local token = native.on(data.link.number, event, function(...)
        if not isRegistered(data) then return end
        syncEnabled(self, data)
        if native.isSystemEnabled(data.system) then fn(...) end
    end, false)
    data.listens = data.listens or {}
    table.insert(data.listens, token)
end

function BaseSystem:isRegistered()
    return isRegistered(dataOf(self, "isRegistered"))
end

-- How long the last tick took.
function BaseSystem:getLastTickNanoseconds()
    local data = dataOf(self, "getLastTickNanoseconds")
    return data.system and native.getLastTickNanoseconds(data.system) or 0
end

-- Systems have fields of their own: only a name like those of the methods can be a misspelt one.
core.nameMistakes(BaseSystem, "a system", function(key)
    return key:find("^[gs]et%a") or key:find("^is%a") or key:find("^add%a") or key:find("^unregister%a")
end)

-- What registered_system.lua needs of this file.
core.systemParts = { systems = systems, byNumber = byNumber, isClass = isClass, nextNumber = nextNumber,
    isRegistered = isRegistered, makeNative = makeNative, syncEnabled = syncEnabled, tick = tick }
