-- BaseSystem: what systems written in Lua derive from.
--
--     local MovementSys = BaseSystem:extend("MovementSys")
--     function MovementSys:init() self:addComponentRequirement("TransformCMP") end
--     function MovementSys:tick(dt) local view = self:getComponentsView() ... end
--     world:registerSystem(MovementSys:new(world))
--
-- A class may set priority, dependencies, tickWhileRewinding, fixedStepSeconds and maxFixedSteps, and
-- define fixedTick(step), getRewindState() and restoreRewindState(state).

local core = ...
local native, describe = core.native, core.describe

local BaseSystem = { name = "BaseSystem" }
BaseSystem.__index = BaseSystem
core.BaseSystem = BaseSystem

local systems = core.privateStore()                     -- system -> its data
local byNumber = setmetatable({}, { __mode = "v" })     -- number -> system
local registered = {}                                   -- number -> system, while the world has it
local lastNumber = 0
local isClass = setmetatable({ [BaseSystem] = true }, { __mode = "k" })

local function dataOf(system, call)
    local data = systems[system]
    if not data then
        if isClass[system] then
            error(call .. ": called on the class " .. tostring(rawget(system, "name")) .. ", not on a system; make one with :new(world)", 3)
        end
        error(call .. ": called on " .. describe(system) .. ", not on a system; write system:" .. call .. "(...)", 3)
    end
    return data
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
    systems[system] = data
    byNumber[data.number] = system
    system:init(...)
    data.isSealed = true
    if next(data.requirements) ~= nil then
        data.view = core.getComponentsView(link, data.requirements, system:getName())
    end
    local options = {
        priority = system.priority,
        dependencies = system.dependencies,
        tickWhileRewinding = system.tickWhileRewinding,
        enabled = system.enabled,
        fixedStepSeconds = system.fixedStepSeconds,
        maxFixedSteps = system.maxFixedSteps,
    }
    for option, kind in pairs { priority = "number", dependencies = "table", tickWhileRewinding = "boolean",
        enabled = "boolean", fixedStepSeconds = "number", maxFixedSteps = "number" } do
        if options[option] ~= nil then core.expect(options[option], kind, system:getName(), option) end
    end
    for _, hook in ipairs { "getRewindState", "restoreRewindState", "lerpRewindState" } do
        if system[hook] ~= nil then core.expect(system[hook], "function", system:getName(), hook) end
    end
    if (system.getRewindState == nil) ~= (system.restoreRewindState == nil) then
        error(system:getName() .. ": a system that is to be rewound needs both getRewindState and restoreRewindState", 2)
    end
    for _, dependency in ipairs(options.dependencies or {}) do
        core.expect(dependency, "string", system:getName(), "each of dependencies")
    end
    data.system = native.makeSystem(link.number, data.number, system:getName(), options, system.getRewindState ~= nil)
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
        error("addComponentRequirement: system '" .. self:getName() .. "': no component is named '" .. name
            .. "'; define it with defineComponent first", 2)
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

function BaseSystem:setEnabled(on)
    local data = dataOf(self, "setEnabled")
    core.expect(on, "boolean", "setEnabled", "the argument")
    if not data.system then error("setEnabled: the system is still being made; set self.enabled in init", 2) end
    native.setSystemEnabled(data.system, on)
end

function BaseSystem:isEnabled()
    local data = dataOf(self, "isEnabled")
    return data.system ~= nil and native.isSystemEnabled(data.system)
end

function BaseSystem:isRegistered()
    return registered[dataOf(self, "isRegistered").number] ~= nil
end

-- How long the last tick took.
function BaseSystem:getLastTickNanoseconds()
    local data = dataOf(self, "getLastTickNanoseconds")
    return data.system and native.getLastTickNanoseconds(data.system) or 0
end

-- ---- for the world -------------------------------------------------------------------------------

function core.isSystem(value)
    return systems[value] ~= nil
end

function core.systemOf(number)
    return registered[number] or byNumber[number]
end

function core.registerLuaSystem(link, system)
    local data = systems[system]
    if not data.system then error("registerSystem: the system is still being made", 3) end
    if data.link ~= link then
        error("registerSystem: system '" .. system:getName() .. "' was made for another world", 3)
    end
    native.registerSystem(link.number, data.system)
    registered[data.number] = system
end

function core.unregisterLuaSystem(link, system)
    local data = systems[system]
    if data.link ~= link or not data.system then
        error("unregisterSystem: system '" .. tostring(system.name) .. "' is not registered with this world", 3)
    end
    native.unregisterSystem(link.number, data.system)
    registered[data.number] = nil
end

function core.forgetSystems(link)
    for number, system in pairs(registered) do
        if systems[system].link == link then registered[number] = nil end
    end
end

-- Called by LuaSystem.
function core.tickSystem(number, dt)
    core.afterCollection()
    local system = registered[number] or byNumber[number]
    if not system then return end
    local own = rawget(system, "tick")
    local run = own ~= tick and own or systems[system].class.tick
    if run ~= nil then run(system, dt) end
end

function core.fixedTickSystem(number, step)
    local system = registered[number] or byNumber[number]
    if system and system.fixedTick then system:fixedTick(step) end
end

function core.getSystemState(number)
    local system = registered[number] or byNumber[number]
    return system and system:getRewindState()
end

function core.restoreSystemState(number, state)
    local system = registered[number] or byNumber[number]
    if system then system:restoreRewindState(state) end
end

function core.lerpSystemState(number, now, next, part)
    local system = registered[number] or byNumber[number]
    if system and system.lerpRewindState then return (system:lerpRewindState(now, next, part)) end
end

-- ---- reloading -----------------------------------------------------------------------------------

function core.isSystemClass(value)
    return isClass[value] == true and value ~= BaseSystem
end

-- Gives a class the functions, values and base of a newer one; its systems run the new code from now on.
function core.replaceClass(class, newer)
    getmetatable(class).__index = getmetatable(newer).__index
    for key in pairs(class) do
        if key ~= "__index" and key ~= "name" and rawget(newer, key) == nil then class[key] = nil end
    end
    for key, value in pairs(newer) do
        if key ~= "__index" and key ~= "name" then class[key] = value end
    end
end
