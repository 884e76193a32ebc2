-- What signs say, on a board over them, when the player is near. The bars part the lines.

local lettering = require "drawing.lettering"

local reach, fadeOver = 48, 12  -- pixels sideways, from which on it is faint
local lineHeight = 13

local function linesOf(text)
    local lines = {}
    for line in text:gmatch("[^|]+") do lines[#lines + 1] = line end
    return lines
end

local function board(canvas, lines, middle, bottom, strength, screen)
    local width = 0
    for _, line in ipairs(lines) do width = math.max(width, lettering.width(canvas, line)) end
    width = width + 14
    local height = #lines * lineHeight + 7
    local left = math.floor(math.max(4, math.min(screen - 4 - width, middle - width / 2)))
    local top = bottom - height
    local function with(color, alpha) return color * 256 + math.floor(alpha * strength) end
    canvas:rect(left, top, width, height, with(0x0e0b1c, 190))
    canvas:rect(left + 1, top - 1, width - 2, 1, with(0x65528f, 255))
    canvas:rect(left + 1, bottom, width - 2, 1, with(0x65528f, 255))
    canvas:rect(left - 1, top + 1, 1, height - 2, with(0x65528f, 255))
    canvas:rect(left + width, top + 1, 1, height - 2, with(0x65528f, 255))
    for i, line in ipairs(lines) do
        lettering.plain(canvas, math.floor(left + (width - lettering.width(canvas, line)) / 2), top + 5 + (i - 1) * lineHeight, line,
            with(0xfaf4ff, 255))
    end
end

return function(canvas, view, player, x, y, width)
    if not player then return end
    local at = player:getComponent("TransformCMP")
    for i = 1, view.count do
        local transform = view.TransformCMP[i]
        local away = math.abs(at.x - transform.x)
        if away < reach and math.abs(at.y - transform.y) < 60 then
            board(canvas, linesOf(view.SignCMP[i].text), transform.x + 7 - x, math.floor(transform.y - y - 50),
                math.min(1, (reach - away) / fadeOver), width)
        end
    end
end
