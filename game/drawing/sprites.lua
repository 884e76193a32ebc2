-- Draws the sprites and particles of a scene.

local palette = require "art.palette"

local sprites = {}

-- An entry with its feet at (x, y) of the picture.
function sprites.put(canvas, art, place, x, y, isFlipped, tint)
    canvas:draw(art.image, math.floor(x - place.w / 2 + 0.5), math.floor(y - place.h + 0.5), place.x, place.y, place.w, place.h,
        isFlipped, tint or 0xffffffff)
end

local function between(from, to, alpha)
    -- A jump is no motion: it is a respawn, or a new level.
    if math.abs(to - from) > 40 then return to end
    return from + (to - from) * alpha
end

-- The entries of a layer. `which`: nil for all, true for those that are immune to time, false for the others.
function sprites.layer(canvas, scene, layer, x, y, alpha, which)
    for i = 1, scene.count do
        local entry = scene.sprites[i]
        if entry.layer == layer and (which == nil or which == entry.isImmune) then
            sprites.put(canvas, entry.art, entry.place, between(entry.fromX, entry.x, alpha) - x,
                between(entry.fromY, entry.y, alpha) - y, entry.isFlipped)
        end
    end
end

function sprites.particles(canvas, scene, x, y)
    for i = 1, scene.particleCount do
        local entry = scene.particles[i]
        local half = entry.size / 2
        canvas:rect(math.floor(entry.x - x - half + 0.5), math.floor(entry.y - y - half + 0.5), entry.size, entry.size,
            palette.fade(entry.color, entry.alpha))
    end
end

return sprites
