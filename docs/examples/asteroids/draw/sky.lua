-- Nebulae and three layers of stars, which drift with the world's time: backwards, too.

local pen = require "draw.pen"
local world = require "world"

local dice = love.math.newRandomGenerator(7)
local stars, clouds = {}, {}
for i = 1, 160 do stars[i] = { x = dice:random(960), y = dice:random(640), depth = dice:random(3), phase = dice:random() * 6 } end
for i = 1, 7 do clouds[i] = { x = dice:random(960), y = dice:random(640), radius = dice:random(200, 380), hue = 0.5 + 0.3 * dice:random() } end

return function()
    local time = world:getTime()
    for _, cloud in ipairs(clouds) do
        local red, green, blue = pen.hue(cloud.hue)
        pen.light(cloud.x, cloud.y, cloud.radius, red, green, blue, 0.1)
    end
    for _, star in ipairs(stars) do
        local x = (star.x - time * 4 * star.depth) % 960
        love.graphics.setColor(0.8, 0.9, 1, (0.25 + 0.2 * star.depth) * (0.8 + 0.2 * math.sin(time * 2 + star.phase)))
        love.graphics.circle("fill", x, star.y, star.depth * 0.45)
    end
end
