-- Draws the parts of the HUD. Each is an entity that is not rewound, and its value glides towards the true one.

local gallery = require "art.gallery"
local lettering = require "drawing.lettering"
local level = require "level"
local timeline = require "drawing.timeline"

local hud = {}

local draw = {}

function draw.coins(canvas, world, part)
    local session = level.session(world)
    if not session then return end
    local art = gallery.get(canvas, "coin")
    -- The number hops when it changes.
    local hop = part.clock > 0 and math.floor(3 * math.sin(part.clock / 0.25 * math.pi)) or 0
    local place = gallery.frame(art, "idle", part.clock > 0 and part.clock * 4 or 0)
    canvas:draw(art.image, part.x, part.y - hop, place.x, place.y, place.w, place.h)
    lettering.outlined(canvas, part.x + 14, part.y + 2 - hop, ("×%d"):format(session.coins), 0xfff1b8ff)
end

function draw.keys(canvas, world, part)
    local at, art = part.x, gallery.get(canvas, "key")
    for _, key in ipairs(world:query():with("KeyCMP"):entities()) do
        if key:getComponent("KeyCMP").isHeld then
            canvas:draw(art.image, at, part.y + 1, art.places[1].x, art.places[1].y, art.places[1].w, art.places[1].h)
            at = at + 16
        end
    end
end

-- The name of the game, and then that of the level, at its beginning.
function draw.title(canvas, world, part, width, height)
    local map, clock = level.find(world), level.only(world, "TimeCMP")
    if not map or not clock or clock:getComponent("TimeCMP").mode ~= "play" then return end
    local tiles = map:getComponent("TileMapCMP")
    local fade = math.max(0, math.min(1, part.shown))
    if fade <= 0 then return end
    local alpha = math.floor(255 * fade)
    local function with(color) return color * 256 + alpha end
    if tiles.hasLogo then
        local word, scale = "REVENANT", 5
        local x, y = math.floor((width - canvas:textWidth(word, scale)) / 2), 46
        canvas:text(x + 3, y + 4, word, with(0x0e0b1c), scale)
        canvas:text(x, y, word, with(0xd9415d), scale)
        canvas:text(x, y - 2, word, with(0xfff1b8), scale)
        local line = "time is a door that opens both ways"
        canvas:text(math.floor((width - canvas:textWidth(line)) / 2) + 1, y + 49, line, with(0x0e0b1c))
        canvas:text(math.floor((width - canvas:textWidth(line)) / 2), y + 48, line, with(0xd2b8e2))
        lettering.centred(canvas, width / 2, height - 17,
            "[←] [→] walk    [SPACE] jump    [X] throw a spark    [SHIFT] turn back time", with(0xfaf4ff))
    else
        local x = math.floor((width - canvas:textWidth(tiles.title, 2)) / 2)
        canvas:text(x + 2, 62, tiles.title, with(0x0e0b1c), 2)
        canvas:text(x, 60, tiles.title, with(0xfff1b8), 2)
    end
end

function draw.timeline(canvas, world, part, width)
    local clock = level.only(world, "TimeCMP")
    if not clock then return end
    timeline(canvas, world, clock:getComponent("TimeCMP"), part.x, part.y, width - 2 * part.x, part.shown, part.clock % 1 < 0.6)
end

local function panel(canvas, width, y, height)
    canvas:rect(0, y, width, height, 0x0e0b1c90)
    canvas:rect(0, y, width, 1, 0x65528fc0)
    canvas:rect(0, y + height - 1, width, 1, 0x65528fc0)
end

function draw.message(canvas, world, part, width)
    local clock, session = level.only(world, "TimeCMP"), level.session(world)
    if not clock or not session then return end
    local time = clock:getComponent("TimeCMP")
    local middle, y = width / 2, part.y
    if time.mode == "dead" then
        panel(canvas, width, y - 10, 80)
        lettering.centred(canvas, middle, y, "YOUR TIME IS UP", 0xd9415dff, 3)
        if part.clock % 1 < 0.7 then lettering.centred(canvas, middle, y + 36, "…unless you hold [SHIFT] to turn it back", 0xfff1b8ff) end
        if world:getSystem("TimeRewindSys"):getCheckpoint("checkpoint") then
            lettering.centred(canvas, middle, y + 53, "[ENTER] back to the hourglass", 0xd2b8e2ff)
        end
    elseif time.mode == "pause" then
        lettering.centred(canvas, middle, 64, "[◀ ,] [. ▶] step frame by frame    [P] play on from here", 0xd2b8e2ff)
    elseif session.state == "won" then
        panel(canvas, width, y - 44, 114)
        lettering.centred(canvas, middle, y - 34, "THE END", 0xfff1b8ff, 4)
        lettering.centred(canvas, middle, y + 14, ("%d coins   ·   %d deaths undone"):format(session.coins, time.deaths), 0xd2b8e2ff)
        if part.clock % 1 < 0.7 then lettering.centred(canvas, middle, y + 32, "hold [SHIFT] to see it all again, backwards", 0x86e8c4ff) end
        lettering.centred(canvas, middle, y + 49, "[ENTER] from the beginning", 0x9a80bdff)
    end
end

function hud.draw(canvas, world, view, width, height)
    for i = 1, view.count do
        local part = view.HudCMP[i]
        local act = draw[part.kind]
        if act then act(canvas, world, part, width, height) end
    end
end

return hud
