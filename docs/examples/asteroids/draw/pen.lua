-- Glowing lines and lights: each line is drawn three times, wide and faint to narrow and bright.

local graphics = love.graphics
local pen = {}

local disc = love.image.newImageData(64, 64)
disc:mapPixel(function(x, y)
    local light = math.max(0, 1 - math.sqrt((x - 31.5) ^ 2 + (y - 31.5) ^ 2) / 32)
    return 1, 1, 1, light * light
end)
local glow = graphics.newImage(disc)

function pen.hue(hue, alpha)
    local function channel(offset) return 0.6 + 0.4 * math.cos(2 * math.pi * (hue + offset)) end
    return channel(0), channel(-1 / 3), channel(-2 / 3), alpha or 1
end

function pen.light(x, y, radius, red, green, blue, alpha)
    graphics.setColor(red, green, blue, alpha)
    graphics.draw(glow, x, y, 0, radius / 32, radius / 32, 32, 32)
end

local layers = { { width = 9, share = 0.07 }, { width = 4.5, share = 0.2 }, { width = 1.6, share = 1 } }

local function stroke(draw, red, green, blue, alpha)
    for _, layer in ipairs(layers) do
        graphics.setLineWidth(layer.width)
        graphics.setColor(red, green, blue, alpha * layer.share)
        draw()
    end
end

-- A closed outline of points around (0, 0), placed and turned.
function pen.outline(points, x, y, angle, scale, red, green, blue, alpha)
    graphics.push()
    graphics.translate(x, y)
    graphics.rotate(angle)
    local placed = {}
    for i, each in ipairs(points) do placed[i] = each * scale end
    stroke(function() graphics.polygon("line", placed) end, red, green, blue, alpha or 1)
    graphics.pop()
end

function pen.ring(x, y, radius, red, green, blue, alpha)
    stroke(function() graphics.circle("line", x, y, radius) end, red, green, blue, alpha or 1)
end

function pen.line(red, green, blue, alpha, ...)
    local points = { ... }
    stroke(function() graphics.line(points) end, red, green, blue, alpha)
end

return pen
