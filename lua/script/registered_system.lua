-- Systems as the world and the native side see them: plain tables that become systems, registration, and the calls of
-- ticks, states and matching entities.

local core = ...
local native, describe = core.native, core.describe
local parts = core.systemParts
local systems, byNumber, syncEnabled = parts.systems, parts.byNumber, parts.syncEnabled

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
    if table.requirements ~= nil and type(table.requirements) ~= "table" then
        return nil, "its requirements are " .. describe(table.requirements) .. ", not a table of component names"
    end
    local data = { link = link, number = parts.nextNumber(), requirements = {}, isPlain = true, isSealed = true }
    for key, value in pairs(table.requirements or {}) do
        if type(key) == "number" then key, value = value, core.ComponentRequirementDesc:new() end
        data.requirements[key] = value
    end
    if next(data.requirements) ~= nil then
        local ok, view = pcall(core.getComponentsView, link, data.requirements, name)
        if not ok then
            local sentence, isOurs = tostring(view):gsub("^revenant/[^:]+:%d+: ", "")
            error(isOurs > 0 and sentence or view, isOurs > 0 and 3 or 0)
        end
        data.view, table.view = view, view
    end
    local ok, message = pcall(parts.makeNative, link, table, data, name, 5)
    if not ok then
        if data.view then data.view:release() end
        error(message, 0)
    end
    link.adopted = data  -- holds them until the system is registered
    systems[table] = data
    byNumber[data.number] = table
    return table
end

-- A plain table is no system any more.
local function disown(system, data)
    if data.isPlain then systems[system] = nil end
end

-- A plain table that could not be registered stays what it was.
function core.dropAdopted(system)
    local data = systems[system]
    if not data or parts.isRegistered(data) then return end
    disown(system, data)
    if data.view then
        data.view:release()
        system.view = nil
    end
end

-- Has the native side report entities that start and stop matching; returns those that match already.
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

-- All of them are called; then the first error is raised.
local function tellMatching(system, matching)
    if system.onEntityAdded == nil then return end
    local isFailed, first = false, nil
    for _, entity in ipairs(matching) do
        local ok, raised = pcall(system.onEntityAdded, system, entity)
        if not ok and not isFailed then isFailed, first = true, raised end
    end
    if isFailed then error(first, 0) end
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
    disown(system, data)
end

function core.forgetSystems(link)
    for _, each in pairs(link.systems) do
        local system, data = each[1], each[2]
        data.listens = nil
        disown(system, data)
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
        run = own ~= parts.tick and own or data.class.tick
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
    return parts.isClass[value] == true and value ~= core.BaseSystem
end

-- Reports entities to systems of the class that did not ask for it when they were made.
function core.watchMatchesNow(class)
    for _, system in pairs(byNumber) do
        local data = systems[system]
        if data and not data.isPlain and data.system and not data.link.isEnded and rawequal(data.class, class) then
            local watches = system.onEntityAdded ~= nil or system.onEntityRemoved ~= nil
            if watches and not data.watches and next(data.requirements) ~= nil then
                data.watches = true
                if parts.isRegistered(data) then tellMatching(system, watchMatches(data.link, data)) end
            end
        end
    end
end
