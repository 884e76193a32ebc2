-- Listeners and custom events, delivered at once (emit) or at the start of the next tick (queue).

local core = ...
local ffi = require "ffi"
local type, xpcall, getmetatable = type, xpcall, getmetatable  -- a local is a constant to the compiler, a global is not
local native, own = core.native, core.ownLink
local istype, EntityType = ffi.istype, core.EntityType
local World = core.World

local listenerOptions = { "confirmed" }

-- fn(entity, detail), or fn(detail) for events of no entity. Returns a token for off.
-- options: {confirmed = true} for what happens outside the world, such as sounds: not while a tick is run again.
function World:on(event, fn, options)
    local link = own(self, "on")
    core.expect(event, "string", "on", "the name of an event")
    core.expect(fn, "function", "on", "the listener")
    local confirmed = core.expectOptions(options, listenerOptions, "on", 2).confirmed or false
    core.expect(confirmed, "boolean", "on", "confirmed")
    return (native.on(link.number, event, fn, confirmed))
end

function World:off(token)
    local link = own(self, "off")
    core.expectWhole(token, "off", "the token")
    if token < 0 then error("off: no listener has the token " .. token, 2) end
    native.off(link.number, token)
end

-- A custom event, for emit, queue and on.
function World:defineEvent(name)
    local link = own(self, "defineEvent")
    core.expect(name, "string", "defineEvent", "the name of an event")
    if name == "" then error("defineEvent: an event needs a name", 2) end
    native.defineEvent(link.number, name)
end

-- ---- the listeners of an event, cached by its name as {asOf =, functions =, tokens =, count =}. The functions are known only
-- if all listeners belong to this Lua state; then they are called from here, without the native side.

local function learnAudience(link, event)
    local asOf = link.listenerChanges[0]
    local functions, tokens = native.listenersOf(link.number, event)
    local audience = { asOf = asOf, functions = functions, tokens = tokens, count = #tokens }
    link.audiences[event] = audience
    return audience
end

-- Whether a listener of the event has not been removed since.
local function isStillThere(link, event, token)
    local ok, audience = pcall(learnAudience, link, event)
    if not ok then return false end  -- the world is gone
    for i = 1, audience.count do
        if audience.tokens[i] == token then return true end
    end
    return false
end

local newTable = require "table.new"
local isPlain = { ["nil"] = true, boolean = true, number = true, string = true }

-- A copy of a table of plain values and entities; nil for any other.
local function copyFlat(detail, number)
    if getmetatable(detail) ~= nil or core.identities[detail] ~= nil then return nil end
    local length = #detail
    local copy = length > 0 and newTable(length, 0) or newTable(0, 4)  -- a small one need not grow then
    for key, value in pairs(detail) do
        if not isPlain[type(key)] then return nil end
        if isPlain[type(value)] then
            copy[key] = value
        elseif istype(EntityType, value) and value.__link == number then
            copy[key] = core.valueOf(number, value.__index, value.__generation)
        else
            return nil
        end
    end
    return copy
end

local addTraceback, depth, deepest = native.addTraceback, 0, 90

-- Called before a tick: a coroutine that was abandoned inside a listener, or a stack overflow, leaves the depth raised.
function core.resetEmitDepth() depth = 0 end

-- Every listener is called, even if others raise errors; each gets its own copy of a table.
local function tellAll(link, event, audience, hasEntity, entity, detail)
    local number = link.number
    local functions, count, changes, asOf = audience.functions, audience.count, link.listenerChanges, audience.asOf
    local isTable = type(detail) == "table"
    local before = depth
    if before >= deepest then
        error("emit: calls are nested more than " .. deepest .. " deep: does a listener emit the event that it listens to?", 3)
    end
    depth = before + 1
    for i = 1, count do
        if changes[0] == asOf or isStillThere(link, event, audience.tokens[i]) then
            local given = detail
            if isTable and i < count then given = copyFlat(detail, number) end
            local ok, raised
            if hasEntity then
                if given == nil then
                    ok, raised = xpcall(functions[i], addTraceback, entity)
                else
                    ok, raised = xpcall(functions[i], addTraceback, entity, given)
                end
            elseif given == nil then
                ok, raised = xpcall(functions[i], addTraceback)
            else
                ok, raised = xpcall(functions[i], addTraceback, given)
            end
            if not ok then pcall(native.holdError, number, raised) end  -- the world may be gone
        end
    end
    depth = before
end

local function twoDetails(call, event)
    error(call .. ": event '" .. event .. "' has one entity and one detail at most; put several values into a table", 3)
end

-- emit(event, entity, detail) or emit(event, detail); the detail is plain data.
function World:emit(event, entity, detail, more)
    local link = own(self, "emit")
    if type(event) ~= "string" then core.expect(event, "string", "emit", "the name of an event") end
    local audience = link.audiences[event]
    if not audience or audience.asOf ~= link.listenerChanges[0] then audience = learnAudience(link, event) end
    local hasEntity = istype(EntityType, entity)
    if hasEntity then
        core.expectEntity(entity, link.number, "emit", "the entity")
        core.expectLiving(entity, "emit")
        if more ~= nil then twoDetails("emit", event) end
    elseif entity ~= nil then
        if detail ~= nil then twoDetails("emit", event) end
        detail = entity
    end
    if audience.functions then
        local given, isGiven = detail, isPlain[type(detail)]
        if type(detail) == "table" then
            given = copyFlat(detail, link.number)
            isGiven = given ~= nil
        end
        if isGiven then
            if audience.count > 0 then tellAll(link, event, audience, hasEntity, entity, given) end
            return
        end
    end
    if hasEntity then
        native.emit(link.number, event, entity.__index, entity.__generation, detail)
    else
        native.emit(link.number, event, 0, 0, detail)
    end
end

-- The same at the start of the next tick.
function World:queue(event, entity, detail, more)
    local link = own(self, "queue")
    core.expect(event, "string", "queue", "the name of an event")
    if istype(EntityType, entity) then
        core.expectEntity(entity, link.number, "queue", "the entity")
        core.expectLiving(entity, "queue")
        if more ~= nil then twoDetails("queue", event) end
        native.queue(link.number, event, entity.__index, entity.__generation, detail)
    else
        if entity == nil then
            entity = detail
        elseif detail ~= nil then
            twoDetails("queue", event)
        end
        native.queue(link.number, event, 0, 0, entity)
    end
end
