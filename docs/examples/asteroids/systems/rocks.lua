-- A rock that is hit breaks in two, down to the smallest. One of iron takes some hits before.

local world = require "world"
local RockSys = require("revenant").BaseSystem:extend("RockSys")

local radius = { 15, 28, 52 }
local points = { 100, 50, 20 }

local function half(rock, body, angle)
    local size, speed = rock.size - 1, 50 + 60 * world:random()
    world:spawn("rock", {
        BodyCMP = {
            x = body.x, y = body.y, radius = radius[size], spin = world:random() * 3 - 1.5,
            speedX = body.speedX * 0.7 + math.cos(angle) * speed, speedY = body.speedY * 0.7 + math.sin(angle) * speed,
        },
        RockCMP = { size = size, shape = world:random(1000) },
    })
end

local function hit(entity)
    if entity:getState() ~= "managed" then return end  -- by another one in this tick, and broken
    local rock, body, iron = entity:getComponent("RockCMP"), entity:getComponent("BodyCMP"), entity:getComponent("IronCMP")
    if iron and iron.hits > 1 then
        iron.hits = iron.hits - 1
        return
    end
    world:removeEntity(entity)
    if rock.size > 1 then
        local angle = world:random() * 2 * math.pi
        half(rock, body, angle)
        half(rock, body, angle + math.pi)
    end
    world:emit("rockBroken", entity, points[rock.size] * (iron and 3 or 1))
end

function RockSys:init()
    self:listen("rockHit", hit)
end

return RockSys
