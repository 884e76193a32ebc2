-- The picture while time runs backwards: colours come apart, scan lines, and how far back we are.

local graphics = love.graphics
local font = graphics.newFont(24)

return function(rewind, picture)
    local frame, oldest, newest = rewind:getFrame(), rewind:getOldestFrame(), rewind:getNewestFrame()
    local spread = 3 + 2 * math.sin(frame * 0.7)
    graphics.setBlendMode("add", "premultiplied")
    graphics.setColor(1, 0.25, 0.5)
    graphics.draw(picture, -spread, 0)
    graphics.setColor(0.2, 0.9, 0.4)
    graphics.draw(picture, 0, 0)
    graphics.setColor(0.4, 0.35, 1)
    graphics.draw(picture, spread, 0)
    graphics.setBlendMode("alpha")
    graphics.setColor(0, 0, 0.05, 0.3)
    for y = frame % 4, 640, 4 do graphics.rectangle("fill", 0, y, 960, 1.5) end
    local band = (frame * 9) % 760 - 60
    graphics.setColor(0.6, 0.5, 1, 0.08)
    graphics.rectangle("fill", 0, 640 - band, 960, 60)
    graphics.setColor(0.9, 0.8, 1)
    graphics.setFont(font)
    graphics.printf(string.format("<<  %.1f s", (newest - frame) / 60), 0, 16, 960, "center")
    graphics.setColor(0.6, 0.5, 1, 0.3)
    graphics.rectangle("fill", 240, 52, 480, 3)
    graphics.setColor(0.9, 0.7, 1)
    graphics.rectangle("fill", 240, 52, 480 * (frame - oldest) / math.max(1, newest - oldest), 3)
end
