-- Systems as the world has them, those of C++ included.

local core = ...
local native, describe, own = core.native, core.describe, core.ownLink
local World = core.World

-- A system of C++, by its name.
local System = {}
System.__index = System
core.System = System
local named = core.privateStore()  -- system -> {link, name}

local namedOf = core.dataReader(named, "a system", "system")

function System:getName() return namedOf(self, "getName").name end
function System:tick(dt)
    local data = namedOf(self, "tick")
    core.expectNumber(dt, "tick", "dt")
    native.tickNamed(data.link.number, data.name, dt)
end
function System:setEnabled(on)
    local data = namedOf(self, "setEnabled")
    core.expect(on, "boolean", "setEnabled", "the argument")
    native.setNamedEnabled(data.link.number, data.name, on)
end
function System:isEnabled()
    local data = namedOf(self, "isEnabled")
    return (native.isNamedEnabled(data.link.number, data.name))
end

function World:registerSystem(system)
    local link = own(self, "registerSystem")
    if core.isSystem(system) then
        core.registerLuaSystem(link, system)
    elseif core.isRewind(system) then
        core.registerRewind(link, system)
    elseif core.isSystemClass(system) then
        error("registerSystem: takes a system, not the class " .. system.name .. "; write " .. system.name .. ":new(world)", 2)
    else
        local adopted, why
        if type(system) == "table" and not named[system] then adopted, why = core.adoptSystem(link, system) end
        if not adopted then
            error("registerSystem: takes a system (MovementSys:new(world)), or a table with a name and a tick or fixedTick, not "
                .. describe(system) .. (why and "; " .. why or ""), 2)
        end
        local ok, message = pcall(core.registerLuaSystem, link, system)
        if not ok then
            core.dropAdopted(system)
            error(message, 0)
        end
    end
    return system
end

function World:unregisterSystem(system)
    local link = own(self, "unregisterSystem")
    if core.isSystem(system) then
        core.unregisterLuaSystem(link, system)
    elseif core.isRewind(system) then
        core.unregisterRewind(link, system)
    elseif named[system] and named[system].link == link then
        native.unregisterNamed(link.number, named[system].name)
    else
        local name = type(system) == "table" and rawget(system, "name")
        if type(name) == "string" then error("unregisterSystem: system '" .. name .. "' is not registered with this world", 2) end
        error("unregisterSystem: takes a system, not " .. describe(system), 2)
    end
end

-- nil where none of that name is registered.
function World:getSystem(name)
    local link = own(self, "getSystem")
    core.expect(name, "string", "getSystem", "the name of a system")
    local kind, number = native.findSystem(link.number, name)
    if kind == "lua" then
        return core.systemOf(number)
    elseif kind == "rewind" then
        return core.rewindOf(link)
    elseif kind == "other" then
        local system = setmetatable({}, System)
        core.attach(named, system, { link = link, name = name })
        return system
    end
    return nil
end

-- The names of all systems, in ticking order.
function World:getSystemNames()
    local link = own(self, "getSystemNames")
    return (native.getSystemNames(link.number))
end
