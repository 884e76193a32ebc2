-- Glints on things that are immune to time. They come and go in whatever direction time runs.

local seconds, count = 1.5, 3  -- how long a glint is there; how many at once

local function cross(canvas, x, y, light)
    local alpha = math.floor(255 * light)
    canvas:rect(x, y, 1, 1, 0xfaf4ff00 + alpha)
    if light < 0.35 then return end
    local arms = 0x86e8c400 + math.floor(alpha * 0.8)
    local reach = light > 0.75 and 2 or 1
    canvas:rect(x - reach, y, reach, 1, arms)
    canvas:rect(x + 1, y, reach, 1, arms)
    canvas:rect(x, y - reach, 1, reach, arms)
    canvas:rect(x, y + 1, 1, reach, arms)
end

return function(canvas, scene, x, y, frames)
    for i = 1, scene.count do
        local entry = scene.sprites[i]
        if entry.isImmune then
            for k = 1, count do
                local clock = frames / 60 / seconds + k / count + i * 0.37
                -- Each time at another place, by a rule that looks random.
                local turn = math.floor(clock) * 7 + k * 3
                local across, up = (turn * 0.618) % 1, (turn * 0.382 + k * 0.21) % 1
                cross(canvas, math.floor(entry.x - x + (across - 0.5) * (entry.place.w + 4)),
                    math.floor(entry.y - y - up * (entry.place.h + 2)), math.sin(clock % 1 * math.pi) ^ 2)
            end
        end
    end
end
