-- The world that the game was written with: lists, a spawn queue and a message centre. It cannot be rewound.

local HandWorld = {}
HandWorld.__index = HandWorld

function HandWorld.new()
    return setmetatable({ things = {}, born = {}, dead = {}, values = {}, listeners = {}, posted = {}, seed = 1 }, HandWorld)
end

function HandWorld:spawn(name, parts)
    local thing = { name = name, parts = parts }
    for _, part in pairs(parts) do part.thing = thing end
    table.insert(self.born, thing)
    return thing
end
function HandWorld:kill(thing) self.dead[thing] = true end
function HandWorld:isBusy() return #self.born > 0 or #self.posted > 0 end

local bases = { Drawable = { "Circle", "Box" } }
function HandWorld:part(thing, name)
    if thing.isGone then return nil end
    for _, derived in ipairs(bases[name] or {}) do
        if thing.parts[derived] then return thing.parts[derived] end
    end
    return thing.parts[name]
end
function HandWorld:each(name)
    local i = 0
    return function()
        repeat i = i + 1 until not self.things[i] or self:part(self.things[i], name)
        if self.things[i] then return self:part(self.things[i], name), self.things[i] end
    end
end

function HandWorld:set(name, value) self.values[name] = value end
function HandWorld:get(name) return self.values[name] end
function HandWorld:subscribe(event, fn) self.listeners[event] = fn end
function HandWorld:post(event, thing) table.insert(self.posted, { event, thing }) end
function HandWorld:random(first, last)
    self.seed = self.seed * 16807 % 2147483647
    return first + self.seed % (last - first + 1)
end

function HandWorld:begin()
    for i = #self.things, 1, -1 do
        if self.dead[self.things[i]] then
            local thing = table.remove(self.things, i)
            thing.isGone = true
            thing.parts.Body:disable()
            thing.parts.Body:destroy()
        end
    end
    self.dead = {}
    local born, posted = self.born, self.posted
    self.born, self.posted = {}, {}
    for _, thing in ipairs(born) do
        table.insert(self.things, thing)
        thing.parts.Body:enable()
    end
    for _, each in ipairs(posted) do self.listeners[each[1]](each[2]) end
    return true
end

return HandWorld
