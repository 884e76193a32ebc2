-- Draws the backdrop, layer by layer from back to front, each faster than the one before it.

local backdrop = require "art.backdrop"

-- Once, and again to the right of it where it ends.
local function across(canvas, image, width, x, y, screen)
    local at = -math.floor(x % width)
    while at < screen do
        canvas:draw(image, at, math.floor(y))
        at = at + width
    end
end

-- The clock in the sky shows the world's time: it runs backwards when the world does.
local function hand(canvas, x, y, length, turns, color)
    local angle = turns * 2 * math.pi
    local toX, toY = x + length * math.sin(angle), y - length * math.cos(angle)
    for dx = 0, 1 do
        for dy = 0, 1 do canvas:line(x + dx, y + dy, toX + dx, toY + dy, color) end
    end
end

return function(canvas, width, height, name, x, y, time)
    local of = backdrop.get(canvas, name, width, height)
    canvas:draw(of.sky, 0, 0)
    for _, star in ipairs(of.stars) do
        local light = 0.55 + 0.45 * math.sin(time * 1.5 + star.phase)
        local at = (star.x - math.floor(x * 0.02)) % width
        canvas:rect(at, star.y, 1, 1, 0xfff4d800 + math.floor(230 * light))
    end
    local discX, discY = math.floor(width * 0.77 - x * 0.03), math.floor(34 - y * 0.03)
    canvas:draw(of.disc, discX, discY)
    hand(canvas, discX + 47, discY + 47, 14, time / 144 + 0.15, 0x65528fff)
    hand(canvas, discX + 47, discY + 47, 24, time / 12, 0x65528fff)
    across(canvas, of.far, width, x * 0.1, height - 156 - y * 0.06, width)
    across(canvas, of.middle, width, x * 0.2, height - 112 - y * 0.1, width)
    across(canvas, of.towers, 640, x * 0.34, height - 146 - y * 0.16, width)
    across(canvas, of.firs, width, x * 0.55, height - 70 - y * 0.26, width)
    local foot = math.floor(height + 10 - y * 0.26)
    if foot < height then
        canvas:rect(0, foot, width, height - foot, of.mood.near * 256 + 255)
    end
end
