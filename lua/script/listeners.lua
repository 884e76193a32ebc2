-- Listeners, and events of one's own: delivered at once (emit) or at the start of the next tick (queue).

local core = ...
local ffi = require "ffi"
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

-- An event of one's own, for emit, queue and on.
function World:defineEvent(name)
    local link = own(self, "defineEvent")
    core.expect(name, "string", "defineEvent", "the name of an event")
    if name == "" then error("defineEvent: an event needs a name", 2) end
    native.defineEvent(link.number, name)
end

-- emit(event, entity, detail) or emit(event, detail); the detail is plain data. The same for queue.
for _, call in ipairs { "emit", "queue" } do
    local deliver = native[call]
    World[call] = function(self, event, entity, detail)
        local link = own(self, call)
        core.expect(event, "string", call, "the name of an event")
        if istype(EntityType, entity) then
            core.expectEntity(entity, link.number, call, "the entity")
            core.expectLiving(entity, call)
            deliver(link.number, event, entity.__index, entity.__generation, detail)
        else
            if entity == nil then entity = detail end
            deliver(link.number, event, 0, 0, entity)
        end
    end
end
