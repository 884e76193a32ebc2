-- Score, ships, bombs, energy, charge, and what to do.

local only = require "only"
local pen = require "draw.pen"
local shapes = require "draw.shapes"

local graphics = love.graphics
local small, middle, large = graphics.newFont(14), graphics.newFont(24), graphics.newFont(64)
local keys = "arrows: fly    space: fire    S: shield    B: bomb    R: rewind    P: pause    F5: save    F9: load"

local function text(font, words, x, y, width, align, alpha)
    graphics.setFont(font)
    graphics.setColor(0.3, 0.6, 1, 0.1 * alpha)
    for turn = 0, 7 do
        graphics.printf(words, x + 4 * math.cos(turn * math.pi / 4), y + 4 * math.sin(turn * math.pi / 4), width, align)
    end
    graphics.setColor(0.7, 0.9, 1, alpha)
    graphics.printf(words, x, y, width, align)
end

local function centred(font, words, y, alpha)
    text(font, words, 0, y, 960, "center", alpha or 1)
end

local function bar(x, label, part, red, green, blue)
    graphics.setFont(small)
    graphics.setColor(red, green, blue, 0.8)
    graphics.print(label, x, 604)
    pen.line(red, green, blue, 0.15, x + 64, 613, x + 184, 613)
    if part > 0 then pen.line(red, green, blue, 0.9, x + 64, 613, x + 64 + 120 * part, 613) end
end

return function(isPaused, notice)
    local game, player, ship = only("GameCMP"), only("PlayerCMP"), only("ShipCMP")
    text(middle, string.format("%06d", game.score), 24, 16, 300, "left", 1)
    text(middle, "WAVE " .. game.wave, 636, 16, 300, "right", 1)
    for i = 1, game.lives do pen.outline(shapes.ship, 12 + i * 22, 62, -math.pi / 2, 8, 0.55, 0.9, 1, 0.8) end
    for i = 1, game.bombs do pen.ring(950 - i * 22, 62, 6, 1, 0.5, 1, 0.8) end
    bar(24, "SHIELD", ship and ship.energy or 0, 0.45, 0.6, 1)
    bar(752, "REWIND", player.charge / 6, 0.9, 0.5, 1)
    centred(small, notice, 556)
    if isPaused then
        centred(large, "PAUSED", 240)
    elseif game.lives == 0 then
        centred(large, game.score > 0 and "GAME OVER" or "ASTEROIDS", 200)
        centred(middle, "Enter: play" .. (game.score > 0 and "      hold R: take it back" or ""), 300)
        centred(small, keys, 350, 0.7)
    elseif game.rest < 2 then
        centred(large, "WAVE " .. game.wave + 1, 240, math.min(1, game.rest))
    end
end
