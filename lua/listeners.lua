-- Listeners, and events of one's own.

local core = ...
local ffi = require "ffi"
local native, own = core.native, core.ownLink
local istype, EntityType = ffi.istype, core.EntityType
local World = core.World

-- fn(entity, detail), or fn(detail) for events of no entity. Returns a token for off.
function World:on(event, fn)
    local link = own(self, "on")
    core.expect(event, "string", "on", "the name of an event")
    core.expect(fn, "function", "on", "the listener")
    return (native.on(link.number, event, fn))
end

function World:off(token)
    local link = own(self, "off")
    core.expectWhole(token, "off", "the token")
    if token < 0 then error("off: no listener has the token " .. token, 2) end
    native.off(link.number, token)
end

-- An event of one's own, for emit and on.
function World:defineEvent(name)
    local link = own(self, "defineEvent")
    core.expect(name, "string", "defineEvent", "the name of an event")
    if name == "" then error("defineEvent: an event needs a name", 2) end
    native.defineEvent(link.number, name)
end

-- emit(event, entity, detail) or emit(event, detail); the detail is plain data.
function World:emit(event, entity, detail)
    local link = own(self, "emit")
    core.expect(event, "string", "emit", "the name of an event")
    if istype(EntityType, entity) then
        core.expectEntity(entity, link.number, "emit", "the entity")
        core.expectLiving(entity, "emit")
        native.emit(link.number, event, entity.__index, entity.__generation, detail)
    else
        if entity == nil then entity = detail end
        native.emit(link.number, event, 0, 0, entity)
    end
end
