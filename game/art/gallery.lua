-- The pictures of all actors and things, made into images when first asked for. An art file returns
--
--     { frames = { [[...]], { of = 1, width = 18, height = 13 }, ... },
--       clips = { run = { 3, 4, 5, rate = 12 }, die = { 6, 7, rate = 8, once = true } } }

local picture = require "art.picture"

local gallery = {}

local made = {}

local function make(canvas, name)
    local art = require("art." .. name)
    local pictures = {}
    for i, frame in ipairs(art.frames) do
        pictures[i] = type(frame) == "string" and picture.parse(frame)
            or picture.scale(pictures[frame.of], frame.width, frame.height)
    end
    local image, places = picture.atlas(canvas, pictures)
    return { image = image, places = places, clips = art.clips or {} }
end

function gallery.get(canvas, name)
    local known = made[canvas]
    if not known then
        known = {}
        made[canvas] = known
    end
    local found = known[name]
    if not found then
        found = make(canvas, name)
        known[name] = found
    end
    return found
end

-- The rectangle of the frame that a clip shows after some seconds.
function gallery.frame(art, clip, seconds)
    local frames = art.clips[clip] or art.clips.idle
    if not frames then return art.places[1] end
    local i = math.max(0, math.floor(seconds * (frames.rate or 1)))
    if frames.once then i = math.min(i, #frames - 1) else i = i % #frames end
    return art.places[frames[i + 1]]
end

return gallery
