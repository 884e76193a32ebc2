-- A small game in the shape that many Lua games have: a class hierarchy for what is drawn, physics bodies that live
-- elsewhere, messages, a spawn queue, levels, and a loop of its own. It knows nothing of Revenant: the world is handed
-- to it, by hand_world.lua or by glue.lua.

-- ---- classes, in the manner of classic ------------------------------------------------------------

local Object = {}
Object.__index = Object
function Object:extend()
    local class = {}
    for key, value in pairs(self) do if key:find("^__") then class[key] = value end end
    class.__index, class.super = class, self
    return setmetatable(class, self)
end
function Object:__call(...)
    local made = setmetatable({}, self)
    made:new(...)
    return made
end
function Object:new() end

-- ---- physics: bodies of a simulation that keeps them itself, as Box2D does -----------------------

local Simulation = Object:extend()
function Simulation:new() self.bodies, self.made, self.destroyed = {}, 0, 0 end
function Simulation:newBody(x, y, speedX, speedY)
    self.made = self.made + 1
    local body = { x = x, y = y, speedX = speedX, speedY = speedY, number = self.made, isActive = false }
    self.bodies[body.number] = body
    return body
end
function Simulation:destroy(body)
    assert(self.bodies[body.number] == body, "a body is destroyed twice")
    self.bodies[body.number] = nil
    self.destroyed = self.destroyed + 1
end
function Simulation:step(dt, onBounce)
    for number = 1, self.made do
        local b = self.bodies[number]
        if b and b.isActive then
            b.speedY = b.speedY + 90 * dt
            b.x, b.y = b.x + b.speedX * dt, b.y + b.speedY * dt
            if b.x < 0 or b.x > 100 then b.speedX = -b.speedX end
            if b.y > 100 then
                b.y, b.speedY = 100, -b.speedY * 0.8
                onBounce(b)
            end
        end
    end
end

-- ---- parts of things --------------------------------------------------------------------------------

local Body = Object:extend()
function Body:new(simulation, x, y, speedX, speedY)
    self.simulation, self.handle = simulation, simulation:newBody(x, y, speedX, speedY)
    self.handle.part = self
end
function Body:enable() self.handle.isActive = true end
function Body:disable() self.handle.isActive = false end
function Body:destroy() self.simulation:destroy(self.handle) end

local Colour = Object:extend()
function Colour:new(r, g, b) self.r, self.g, self.b = r, g, b end
function Colour:text() return ("%02x%02x%02x"):format(self.r, self.g, self.b) end

local Drawable = Object:extend()
function Drawable:new(layer) self.layer, self.colour, self.drawn = layer, Colour(255, 128, 0), 0 end
function Drawable:draw(canvas, body)
    self.drawn = self.drawn + 1
    canvas[#canvas + 1] = ("%d %s at %.6f %.6f %s"):format(self.layer, self:describe(), body.x, body.y, self.colour:text())
end
local Circle = Drawable:extend()
function Circle:new(radius) Circle.super.new(self, 1) self.radius = radius end
function Circle:describe() return "circle " .. self.radius end
local Box = Drawable:extend()
function Box:new(width) Box.super.new(self, 2) self.width = width end
function Box:describe() return "box " .. self.width end

local Life = Object:extend()
function Life:new(bounces, hasBall) self.bounces, self.hasBall = bounces, hasBall end

-- ---- the game ---------------------------------------------------------------------------------------

local levels = {
    { { "ball", 10, 20, 30 }, { "ball", 50, 5, -20 }, { "crate", 80, 40, 0 } },
    { { "crate", 20, 10, 5 }, { "crate", 40, 30, -5 }, { "ball", 60, 0, 45 }, { "ball", 61, 1, -45 } },
    { { "ball", 90, 10, 12 } },
}

local Game = Object:extend()

function Game:new(world, simulation)
    self.world, self.simulation = world, simulation
    world:set("score", 0)
    world:subscribe("bounced", function(thing) self:onBounced(thing) end)
    world:subscribe("levelDone", function() self:startLevel(self.world:get("level") % #levels + 1) end)
    self:startLevel(1)
end

function Game:spawn(kind, x, y, speedX)
    return self.world:spawn(kind, {
        Body = Body(self.simulation, x, y, speedX, 0),
        [kind == "ball" and "Circle" or "Box"] = kind == "ball" and Circle(3) or Box(8),
        Life = Life(kind == "ball" and 4 or 2, kind == "crate"),
    })
end

function Game:startLevel(number)
    self.world:set("level", number)
    for _, each in ipairs(levels[number]) do self:spawn(unpack(each)) end
end

function Game:onBounced(thing)
    local life = self.world:part(thing, "Life")
    if not life then return end
    life.bounces = life.bounces - 1
    self.world:set("score", self.world:get("score") + 1)
    if life.bounces == 1 and life.hasBall then self:spawn("ball", self.world:random(10, 90), 0, self.world:random(-9, 9)) end
    if life.bounces == 0 then self.world:kill(thing) end
end

function Game:update(dt)
    local isPlaying = self.world:begin(dt)
    if not isPlaying then return end
    self.simulation:step(dt, function(body) self.world:post("bounced", body.part.thing) end)
    local isEmpty = true
    for _ in self.world:each("Life") do isEmpty = false end
    if isEmpty and not self.world:isBusy() then self.world:post("levelDone") end
end

function Game:draw()
    local canvas = { "level " .. self.world:get("level") .. " score " .. self.world:get("score") }
    for drawable, thing in self.world:each("Drawable") do drawable:draw(canvas, self.world:part(thing, "Body").handle) end
    return table.concat(canvas, "\n")
end

return { Game = Game, Simulation = Simulation, Body = Body, Drawable = Drawable, Circle = Circle, Box = Box, Life = Life, Colour = Colour }
