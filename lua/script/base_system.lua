-- BaseSystem: what systems written in Lua derive from.
--
--     local MovementSys = BaseSystem:extend("MovementSys")
--     function MovementSys:init() self:addComponentRequirement("TransformCMP") end
--     function MovementSys:tick(dt) local view = self:getComponentsView() ... end
--     world:registerSystem(MovementSys:new(world))
--
-- A class may set priority, dependencies, tickWhileRewinding, fixedStepSeconds and maxFixedSteps, and
-- define fixedTick(step), getRewindState() and restoreRewindState(state), onEntityAdded(entity) and
-- onEntityRemoved(entity). Any table with a name and a tick or fixedTick is a system, too (core.adoptSystem).

local core = ...
local native, describe = core.native, core.describe

local BaseSystem = { name = "BaseSystem" }
BaseSystem.__index = BaseSystem
core.BaseSystem = BaseSystem

local systems = core.privateStore()                     -- system -> its data
local byNumber = setmetatable({}, { __mode = "v" })     -- number -> system; held by link.systems while registered
local lastNumber = 0
local isClass = setmetatable({ [BaseSystem] = true }, { __mode = "k" })

local function dataOf(system, call)
    local data = systems[system]
    if not data then
        if isClass[system] then
            error(call .. ": called on the class " .. tostring(rawget(system, "name")) .. ", not on a system; make one with :new(world)", 3)
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

function BaseSystem:extend(name)
    if not isClass[self] then
        error("extend: called on " .. describe(self) .. ", not on a class of systems; write BaseSystem:extend(name)", 2)
    end
    core.expect(name, "string", "extend", "the name of the class")
    if name == "" then error("extend: a class of systems needs a name", 2) end
    local class = setmetatable({ name = name }, { __index = self })
    class.__index = class
    isClass[class] = true
    return class
end

-- Every system has this in place of its class's tick: a tick by hand does what one by the world does.
local function tick(self, dt)
    local data = dataOf(self, "tick")
    core.expectNumber(dt, "tick", "dt")
    native.tickSystem(data.system, dt)
end

local optionKinds = { priority = "number", dependencies = "table", tickWhileRewinding = "boolean", enabled = "boolean",
    fixedStepSeconds = "number", maxFixedSteps = "number" }
local callbacks = { "getRewindState", "restoreRewindState", "lerpRewindState", "onEntityAdded", "onEntityRemoved" }

-- Makes the native side of a system, from what the system says of itself.
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
    elseif not isClass[self] then
        error("new: called on " .. describe(self) .. ", not on a class of systems; write MovementSys:new(world)", 2)
    end
    core.expect(rawget(self, "name"), "string", "new", "the name of the class")
    local link = core.linkOf(world, rawget(self, "name") .. ":new", 2)
    lastNumber = lastNumber + 1
    local system = setmetatable({}, self)
    local data = { link = link, number = lastNumber, requirements = {}, class = self }
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

-- Has the native side know what was assigned to system.enabled.
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

-- A listener that lives with its system: silent while that is disabled or not registered, gone when it is unregistered.
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

-- Systems have fields of their own: only what is named as the methods are can be a misspelt one.
core.nameMistakes(BaseSystem, "a system", function(key)
    return key:find("^[gs]et%a") or key:find("^is%a") or key:find("^add%a") or key:find("^unregister%a")
end)

-- ---- for the world -------------------------------------------------------------------------------

function core.isSystem(value)
    return systems[value] ~= nil
end

function core.systemOf(number)
    return byNumber[number]
end

-- A plain table with a name and a tick or fixedTick becomes a system; nil and why for anything else.
function core.adoptSystem(link, table)
    local name = table.name
    if type(name) ~= "string" or name == "" then return nil, "it has no name" end
    if table.tick == nil and table.fixedTick == nil then return nil, "it has neither tick nor fixedTick" end
    for _, method in ipairs { "tick", "fixedTick" } do
        if table[method] ~= nil and type(table[method]) ~= "function" then
            return nil, "its " .. method .. " is " .. describe(table[method]) .. ", not a function"
        end
    end
    lastNumber = lastNumber + 1
    local data = { link = link, number = lastNumber, requirements = {}, isPlain = true, isSealed = true }
    for key, value in pairs(type(table.requirements) == "table" and table.requirements or {}) do
        if type(key) == "number" then key, value = value, core.ComponentRequirementDesc:new() end
        data.requirements[key] = value
    end
    if next(data.requirements) ~= nil then
        data.view = core.getComponentsView(link, data.requirements, name)
        table.view = data.view
    end
    local ok, message = pcall(makeNative, link, table, data, name, 5)
    if not ok then
        if data.view then data.view:release() end
        error(message, 0)
    end
    link.adopted = data  -- holds them until the system is registered
    systems[table] = data
    byNumber[data.number] = table
    return table
end

-- Has the native side tell of entities that start and stop matching; returns those that match already.
local function watchMatches(link, data)
    local with, without = {}, {}
    for _, each in ipairs((core.normaliseRequirements(data.requirements, data.name))) do
        local name, presence = each[1], each[2]
        if presence == core.presences.without then without[#without + 1] = name end
        if presence == core.presences.mustHave then with[#with + 1] = name end
    end
    local function ask(number, _, _, ids, room)
        native.watchMatches(number, data.number, with, without)
        return core.C.takeList(number, ids, room)
    end
    return core.valuesOf(ask, link.number, 0, 0)
end

local function tellMatching(system, matching)
    if system.onEntityAdded == nil then return end
    for _, entity in ipairs(matching) do system:onEntityAdded(entity) end
end

function core.registerLuaSystem(link, system)
    local data = systems[system]
    if not data.system then error("registerSystem: the system is still being made", 3) end
    if data.link ~= link then
        error("registerSystem: system '" .. data.name .. "' was made for another world", 3)
    end
    syncEnabled(system, data)
    native.registerSystem(link.number, data.system)
    link.systems[data.number] = { system, data }
    if not data.watches then return end
    local ok, message = pcall(watchMatches, link, data)
    if not ok then
        core.unregisterLuaSystem(link, system)
        error(message, 0)
    end
    tellMatching(system, message)
end

function core.unregisterLuaSystem(link, system)
    local data = systems[system]
    if data.link ~= link or not data.system then
        error("unregisterSystem: system '" .. tostring(system.name) .. "' is not registered with this world", 3)
    end
    native.unregisterSystem(link.number, data.system)
    link.systems[data.number] = nil
    if data.watches then native.unwatchMatches(link.number, data.number) end
    for _, token in ipairs(data.listens or {}) do pcall(native.off, link.number, token) end
    data.listens = nil
    if data.isPlain then systems[system] = nil end
end

function core.forgetSystems(link)
    for _, each in pairs(link.systems) do
        local system, data = each[1], each[2]
        data.listens = nil
        if data.isPlain then systems[system] = nil end
    end
    link.systems = {}
end

-- Before a tick: `system.enabled` may have been assigned to.
function core.syncSystems(link)
    for _, each in pairs(link.systems) do
        local system, data = each[1], each[2]
        if system.enabled ~= data.enabled then syncEnabled(system, data) end
    end
end

-- Called by the native side, where listeners are called.
function core.tellSystem(number, systemNumber, method, index, generation)
    local each = core.links[number].systems[systemNumber]
    local system = each and each[1]
    local call = system and system[method]
    if call then call(system, core.valueOf(number, index, generation)) end
end

-- Called by LuaSystem.
function core.tickSystem(number, dt)
    core.afterCollection()
    local system = byNumber[number]
    if not system then return end
    local data = systems[system]
    syncEnabled(system, data)
    if system.enabled == false then return end
    local own = rawget(system, "tick")
    local run
    if data.isPlain then
        run = system.tick
    else
        run = own ~= tick and own or data.class.tick
    end
    if run ~= nil then run(system, dt) end
end

function core.fixedTickSystem(number, step)
    local system = byNumber[number]
    if system and system.fixedTick and system.enabled ~= false then system:fixedTick(step) end
end

function core.getSystemState(number)
    local system = byNumber[number]
    return system and system:getRewindState()
end

function core.restoreSystemState(number, state)
    local system = byNumber[number]
    if system then system:restoreRewindState(state) end
end

function core.lerpSystemState(number, now, next, part)
    local system = byNumber[number]
    if system and system.lerpRewindState then return (system:lerpRewindState(now, next, part)) end
end

-- ---- for reloading (class_reload.lua) --------------------------------------------------------------

function core.isSystemClass(value)
    return isClass[value] == true and value ~= BaseSystem
end

-- Has systems of the class hear of entities, where it did not ask for that when they were made.
function core.watchMatchesNow(class)
    for _, system in pairs(byNumber) do
        local data = systems[system]
        if data and not data.isPlain and data.system and not data.link.isEnded and rawequal(data.class, class) then
            local watches = system.onEntityAdded ~= nil or system.onEntityRemoved ~= nil
            if watches and not data.watches and next(data.requirements) ~= nil then
                data.watches = true
                if isRegistered(data) then tellMatching(system, watchMatches(data.link, data)) end
            end
        end
    end
end
