-- While time runs backwards: the player's path as ghosts that fade. Those of the future that is being undone are
-- cold; a dotted line leads back into the past.

local gallery = require "art.gallery"
local sprites = require "drawing.sprites"

local every, most = 5, 26  -- frames between two ghosts; how many

return function(canvas, world, x, y, strength)
    local rewind, trace, player = world:getSystem("TimeRewindSys"), world:getSystem("TraceSys"), world:getMainCharacter()
    local frame = rewind:getFrame()
    if not trace or not frame or not player or strength <= 0 then return end
    local art = gallery.get(canvas, "player")
    local newest, oldest = rewind:getNewestFrame(), rewind:getOldestFrame()
    for i = most, 1, -1 do
        -- Ghosts stand still: they are bound to frames whose number divides.
        local at = (math.floor(frame / every) + i) * every
        local entry = at <= newest and trace:at(at, player)
        if entry and not entry.isHidden then
            local place = gallery.frame(art, entry.clip, entry.time - entry.start)
            local alpha = math.floor(230 * strength * (1 - i / (most + 1)))
            sprites.put(canvas, art, place, entry.x - x, entry.y - y, entry.isFlipped, 0xa4ecff00 + alpha)
        end
    end
    for i = 1, 60 do
        local at = (math.floor(frame / 3) - i) * 3
        local entry = at >= oldest and trace:at(at, player)
        if entry then
            canvas:rect(math.floor(entry.x - x), math.floor(entry.y - 7 - y), 1, 1,
                0xfff1b800 + math.floor(200 * strength * (1 - i / 61)))
        end
    end
end
