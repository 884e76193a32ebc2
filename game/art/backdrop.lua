-- The backdrop: pictures made once per sky, by rule. A dithered gradient, a disc with the face of a
-- clock, two ridges, towers with wheels, and firs; all but the sky repeat from side to side.

local palette = require "art.palette"
local skies = require "art.skies"

local backdrop = {}

local floor = math.floor
local bayer = { { 0, 8, 2, 10 }, { 12, 4, 14, 6 }, { 3, 11, 1, 9 }, { 15, 7, 13, 5 } }

local function bytesOf(rgb, alpha)
    return string.char(floor(rgb / 65536), floor(rgb / 256) % 256, rgb % 256, alpha or 255)
end

-- The same numbers each time; looks only, so the world's own random numbers are left alone.
local function dice(seed)
    return function()
        seed = (seed * 16807) % 2147483647
        return seed / 2147483647
    end
end

local function paint(canvas, width, height, colorAt)
    local rows = {}
    for y = 0, height - 1 do
        local row = {}
        for x = 0, width - 1 do row[x + 1] = colorAt(x, y) or "\0\0\0\0" end
        rows[y + 1] = table.concat(row)
    end
    return canvas:newImage(width, height, table.concat(rows))
end

local function sky(canvas, width, height, bands)
    local colors = {}
    for i, rgb in ipairs(bands) do colors[i] = bytesOf(rgb) end
    -- The gradient repeats every four pixels, so four columns are enough.
    local strips = {}
    for y = 0, height - 1 do
        local place = (y / height) ^ 1.15 * (#bands - 1)
        local band, part = floor(place), place % 1
        local row = {}
        for x = 0, 3 do
            local isNext = part * 16 > bayer[y % 4 + 1][x + 1] + 0.5
            row[x + 1] = colors[math.min(#colors, band + (isNext and 2 or 1))]
        end
        strips[y + 1] = table.concat(row):rep(width / 4)
    end
    return canvas:newImage(width, height, table.concat(strips))
end

local function disc(canvas, color)
    local radius, face = 34, palette.mix(color, 0xffffff, 0.35)
    return paint(canvas, 96, 96, function(x, y)
        local dx, dy = x - 47.5, y - 47.5
        local distance = math.sqrt(dx * dx + dy * dy)
        if distance > radius then
            -- A halo of dithered light.
            local light = 1 - (distance - radius) / 13
            return light > 0 and light * 9 > bayer[y % 4 + 1][x % 4 + 1] + 1 and bytesOf(color, 70) or nil
        end
        local angle = math.atan2(dy, dx) / (2 * math.pi) * 12
        local isMark = distance > 27 and distance < 31 and math.abs(angle - floor(angle + 0.5)) < 0.09
        local isRim = distance > radius - 1.5
        local shade = isMark and palette.mix(color, 0x9a80bd, 0.75)
            or (isRim and palette.mix(color, 0x9a80bd, 0.35)) or (dx + dy < -12 and face or color)
        return bytesOf(shade)
    end)
end

-- A ridge that closes upon itself: sums of waves that fit the width.
local function ridge(canvas, width, height, seed, roughness, color, light)
    local roll, waves = dice(seed), {}
    for i = 1, 7 do waves[i] = { i * (i > 3 and 2 or 1), roll() * 6.3, roughness / i } end
    local tops = {}
    for x = 0, width - 1 do
        local top = height * 0.42
        for _, wave in ipairs(waves) do
            top = top + wave[3] * (1 - 2 * math.abs(((wave[1] * x / width + wave[2]) % 1) - 0.5)) * 2 - wave[3]
        end
        tops[x] = floor(top)
    end
    local body, edge, deep = bytesOf(color), bytesOf(palette.mix(color, light, 0.35)), bytesOf(palette.mix(color, light, 0.16))
    return paint(canvas, width, height, function(x, y)
        local depth = y - tops[x]
        if depth < 0 then return nil end
        if depth < 2 then return edge end
        -- Towards its foot it fades into the mist.
        local fade = (y - height * 0.55) / (height * 0.5)
        return fade * 16 > bayer[y % 4 + 1][x % 4 + 1] and deep or body
    end)
end

local function towers(canvas, width, height, seed, color, light)
    local roll, body = dice(seed), bytesOf(color)
    local lit, rim = bytesOf(palette.mix(color, light, 0.85)), bytesOf(palette.mix(color, light, 0.22))
    local cells = {}
    local function put(x, y, what) if y >= 0 and y < height then cells[y * width + x % width] = what end end
    local x = 12
    while x < width - 40 do
        local half, top = 7 + floor(roll() * 7), floor(height * (0.15 + 0.45 * roll()))
        local middle = x + half
        for y = top, height - 1 do
            for dx = -half, half do put(middle + dx, y, dx == -half and rim or body) end
        end
        local kind = roll()
        for y = 1, half + 6 do  -- a roof
            local reach = floor((half + 3) * (1 - y / (half + 7)))
            for dx = -reach, reach do put(middle + dx, top - y, dx == -reach and rim or body) end
        end
        if kind < 0.5 then  -- a clock
            for dy = -4, 4 do
                for dx = -4, 4 do
                    local far = dx * dx + dy * dy
                    if far <= 18 then put(middle + dx, top + 8 + dy, (dx == 0 and dy <= 0 or dy == 0 and dx >= 0 and dx < 3) and body or lit) end
                end
            end
        else
            for row = 0, 3 do
                if roll() < 0.7 then
                    for dy = 0, 2 do put(middle - 2 + floor(roll() * 1.9) * 4, top + 6 + row * 12 + dy, lit) end
                end
            end
        end
        if roll() < 0.55 then  -- a wheel that stands half in the ground
            local radius, at = 10 + floor(roll() * 9), middle + half + 16
            for dy = -radius - 2, radius + 2 do
                for dx = -radius - 2, radius + 2 do
                    local far, angle = math.sqrt(dx * dx + dy * dy), math.atan2(dy, dx)
                    local isTooth = far < radius + 2.5 and far > radius - 1 and math.cos(angle * 10) > 0
                    local isSpoke = far < radius and math.abs(math.sin(angle * 2)) < 2 / math.max(far, 1)
                    if (far < radius and far > radius - 3.5) or isTooth or isSpoke or far < 3.5 then
                        put(at + dx, height - 8 + dy, body)
                    end
                end
            end
        end
        x = x + half * 2 + 16 + floor(roll() * 46)
    end
    return paint(canvas, width, height, function(px, py) return cells[py * width + px] end)
end

local function firs(canvas, width, height, seed, color, light)
    local roll, body, rim = dice(seed), bytesOf(color), bytesOf(palette.mix(color, light, 0.16))
    local cells = {}
    for _ = 1, 34 do
        local at, tall = floor(roll() * width), 22 + floor(roll() * (height - 30))
        for y = 0, tall - 1 do
            local tier = (y % 9) / 9
            local reach = floor((1.5 + y * 0.2) * (0.55 + 0.6 * tier))
            for dx = -reach, reach do
                local key = (height - tall + y) * width + (at + dx) % width
                cells[key] = dx == -reach and rim or cells[key] or body
            end
        end
    end
    return paint(canvas, width, height, function(x, y)
        return cells[y * width + x] or (y > height - 12 - 3 * math.sin(x / width * 18.85) and body or nil)
    end)
end

local made = {}

-- The pictures of a sky, by name.
function backdrop.get(canvas, name, width, height)
    local found = made[name]
    if found and found.canvas == canvas then return found end
    local mood = skies[name] or skies.dusk
    local roll, stars = dice(77), {}
    for i = 1, mood.stars do stars[i] = { x = floor(roll() * width), y = floor(roll() ^ 1.6 * height * 0.6), phase = roll() * 6 } end
    found = {
        canvas = canvas, mood = mood, stars = stars,
        sky = sky(canvas, width, height, mood.bands),
        disc = disc(canvas, mood.glow),
        far = ridge(canvas, width, 150, 11, 26, mood.far, mood.mist),
        middle = ridge(canvas, width, 120, 5, 20, palette.mix(mood.far, mood.middle, 0.6), mood.mist),
        towers = towers(canvas, 640, 150, 9, mood.middle, mood.glow),
        firs = firs(canvas, width, 80, 21, mood.near, mood.mist),
    }
    made[name] = found
    return found
end

return backdrop
