-- One picture: the sky and what is in the world, shaken, or torn apart while rewinding; the text over it.

local only = require "only"
local world = require "world"
local sky, scene, rewinding, hud = require "draw.sky", require "draw.scene", require "draw.rewinding", require "draw.hud"

local graphics = love.graphics
local canvas = graphics.newCanvas(960, 640, { msaa = 4 })

return function(rewind, isPaused, notice)
    local shake, time = 14 * only("GameCMP").shake, world:getTime()
    graphics.setCanvas(canvas)
    graphics.clear(0.012, 0.012, 0.04)
    graphics.setBlendMode("add")
    graphics.push()
    graphics.translate(shake * math.sin(time * 91), shake * math.sin(time * 73))
    sky()
    scene()
    graphics.pop()
    graphics.setCanvas()
    if rewind:isRewinding() then
        rewinding(rewind, canvas)
    else
        graphics.setBlendMode("replace", "premultiplied")
        graphics.setColor(1, 1, 1)
        graphics.draw(canvas)
    end
    graphics.setBlendMode("add")
    hud(isPaused, notice)
    graphics.setBlendMode("alpha")
end
