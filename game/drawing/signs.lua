-- What signs say, over them, when the player is near.

local hud = require "drawing.hud"

return function(canvas, view, player, x, y)
    if not player then return end
    local at = player:getComponent("TransformCMP")
    for i = 1, view.count do
        local transform = view.TransformCMP[i]
        if math.abs(at.x - transform.x) < 44 and math.abs(at.y - transform.y) < 60 then
            local line = 0
            local text = view.SignCMP[i].text
            local _, breaks = text:gsub("|", "")
            for part in text:gmatch("[^|]+") do
                local half = canvas:textWidth(part) / 2
                local middle = math.max(half + 6, math.min(474 - half, transform.x + 7 - x))
                hud.centred(canvas, middle, math.floor(transform.y - y - 34 - 11 * (breaks - line)), part, 0xfaf4ffff)
                line = line + 1
            end
        end
    end
end
