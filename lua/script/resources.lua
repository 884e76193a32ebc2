-- What a world keeps besides entities: this frame's collisions, the render environment, resources, random numbers.

local core = ...
local native, describe, own = core.native, core.describe, core.ownLink
local World = core.World

-- Any table; `first` and `second`, where given, are entities. Does nothing while a past frame is shown.
function World:recordCollisionEvent(event)
    local link = own(self, "recordCollisionEvent")
    if type(event) ~= "table" then
        error("recordCollisionEvent: takes a table, not " .. describe(event), 2)
    end
    local first, second = event.first, event.second
    if first ~= nil then core.expectEntity(first, link.number, "recordCollisionEvent", "event.first") end
    if second ~= nil then core.expectEntity(second, link.number, "recordCollisionEvent", "event.second") end
    native.recordCollisionEvent(link.number, event, first and first.__index or 0, first and first.__generation or 0,
        second and second.__index or 0, second and second.__generation or 0)
end

function World:getCollisionEvents()
    local link = own(self, "getCollisionEvents")
    return (native.getCollisionEvents(link.number))
end

function World:getRenderEnv()
    local link = own(self, "getRenderEnv")
    return (native.getRenderEnv(link.number))
end

function World:setRenderEnv(env)
    native.setRenderEnv(own(self, "setRenderEnv").number, env)
end

function World:getResource(name)
    local link = own(self, "getResource")
    core.expect(name, "string", "getResource", "the name of a resource")
    return (native.getResource(link.number, name))
end

local resourceOptions = { "rewind" }

-- options: {rewind = true} for one that is rewound with the world: plain data then. It stays one when it is set again. nil
-- removes it.
function World:setResource(name, value, options)
    local link = own(self, "setResource")
    core.expect(name, "string", "setResource", "the name of a resource")
    local rewind = core.expectOptions(options, resourceOptions, "setResource", 2).rewind
    if rewind ~= nil then core.expect(rewind, "boolean", "setResource", "rewind") end
    native.setResource(link.number, name, value, rewind)
end

-- Checks of the module's own resources, by name, for values that come from a save: they return what it must be, if it is not.
-- checkResource returns the sentence.
core.resourceRules = {}

function core.checkResource(name, value)
    local rule = core.resourceRules[name]
    local must = rule and rule(value)
    return must and "must be " .. must .. ", not " .. describe(value) or nil
end

-- As math.random, but rewound with the world.
function World:random(first, last)
    local link = own(self, "random")
    if first == nil and last == nil then return (native.random(link.number)) end
    core.expectWhole(first, "random", "the first argument")
    if last == nil then first, last = 1, first end
    core.expectWhole(last, "random", "the second argument")
    return (native.randomBetween(link.number, first, last))
end

function World:setRandomSeed(seed)
    local link = own(self, "setRandomSeed")
    core.expectWhole(seed, "setRandomSeed", "the seed")
    native.setRandomSeed(link.number, seed)
end
