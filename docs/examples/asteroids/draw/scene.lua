-- What is in the world, as glowing lines. Drawing only reads; it asks for views once.

local revenant = require "revenant"
local pen = require "draw.pen"
local shapes = require "draw.shapes"
local world = require "world"

local need = revenant.ComponentRequirementDesc
local read = need:new(true, true)
local rocks = world:getComponentsView { BodyCMP = read, RockCMP = read, IronCMP = need:new(false, true) }
local bullets = world:getComponentsView { BodyCMP = read, BulletCMP = read }
local sparks = world:getComponentsView { BodyCMP = read, SparkCMP = read, LifetimeCMP = read }
local ships = world:getComponentsView { BodyCMP = read, ShipCMP = read, FlightCMP = read }
local shields = world:getComponentsView { ShieldCMP = read }
local ghosts = world:getComponentsView { GhostCMP = read, FlightCMP = read }

local function drawRocks()
    for i = 1, rocks.count do
        local body, rock, iron = rocks.BodyCMP[i], rocks.RockCMP[i], rocks.IronCMP[i]
        local outline = shapes.rock(rock.shape)
        pen.light(body.x, body.y, body.radius * 1.15, 0.9, 0.5, 0.25, 0.22)
        if iron == revenant.ComponentsView.EMPTY then
            pen.outline(outline, body.x, body.y, body.angle, body.radius, 1, 0.72, 0.42)
        else
            pen.outline(outline, body.x, body.y, body.angle, body.radius, 0.6, 0.75, 1)
            for ring = 1, iron.hits - 1 do
                pen.outline(outline, body.x, body.y, body.angle, body.radius * (1 - 0.2 * ring), 0.4, 0.55, 0.9, 0.5)
            end
        end
    end
end

local function drawBullets()
    for i = 1, bullets.count do
        local body = bullets.BodyCMP[i]
        pen.light(body.x, body.y, 16, 0.4, 1, 0.8, 0.7)
        pen.line(0.7, 1, 0.9, 1, body.x, body.y, body.x - math.cos(body.angle) * 10, body.y - math.sin(body.angle) * 10)
    end
end

local function drawSparks()
    for i = 1, sparks.count do
        local body, lifetime = sparks.BodyCMP[i], sparks.LifetimeCMP[i]
        local red, green, blue, alpha = pen.hue(sparks.SparkCMP[i].hue, lifetime.left / lifetime.of)
        pen.light(body.x, body.y, 7, red, green, blue, alpha)
        love.graphics.setLineWidth(1.5)
        love.graphics.line(body.x, body.y, body.x - body.speedX * 0.04, body.y - body.speedY * 0.04)
    end
end

local function drawShips()
    for i = 1, ships.count do
        local body, ship = ships.BodyCMP[i], ships.ShipCMP[i]
        pen.light(body.x, body.y, 46, 0.3, 0.7, 1, 0.25)
        pen.outline(shapes.ship, body.x, body.y, body.angle, body.radius, 0.55, 0.9, 1)
        if ship.isThrusting then
            local x, y = math.cos(body.angle), math.sin(body.angle)
            local reach = 24 + 6 * math.sin(world:getTime() * 60)
            pen.line(1, 0.6, 0.2, 1, body.x - x * 9 - y * 4, body.y - y * 9 + x * 4, body.x - x * reach, body.y - y * reach,
                body.x - x * 9 + y * 4, body.y - y * 9 - x * 4)
            pen.light(body.x - x * 16, body.y - y * 16, 22, 1, 0.5, 0.1, 0.6)
        end
    end
end

local function drawShields()
    for i = 1, shields.count do
        local body = shields.entities[i]:getParent():getComponent("BodyCMP")
        local pulse = 0.6 + 0.25 * math.sin(world:getTime() * 14)
        pen.light(body.x, body.y, 36, 0.3, 0.5, 1, 0.35)
        pen.ring(body.x, body.y, 24, 0.45, 0.6, 1, pulse)
    end
end

-- The lost ship, as old as this one is now, its path, and where it ended.
local function drawGhosts()
    local now = ships.count > 0 and ships.FlightCMP[1].count or 0
    for i = 1, ghosts.count do
        local flight = ghosts.FlightCMP[i]
        for k = math.max(1, now - 60), math.min(now, flight.count), 3 do
            pen.light(flight.x[k], flight.y[k], 7, 0.8, 0.5, 1, 0.6 * (1 - (now - k) / 61))
        end
        if now >= 1 and now <= flight.count then
            pen.outline(shapes.ship, flight.x[now], flight.y[now], flight.angle[now], 13, 0.85, 0.55, 1, 0.75)
        end
        local x, y = flight.x[flight.count], flight.y[flight.count]
        pen.line(1, 0.35, 0.6, 0.6, x - 6, y - 6, x + 6, y + 6)
        pen.line(1, 0.35, 0.6, 0.6, x - 6, y + 6, x + 6, y - 6)
    end
end

return function()
    drawGhosts()
    drawRocks()
    drawSparks()
    drawBullets()
    drawShips()
    drawShields()
end
