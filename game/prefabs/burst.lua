-- Bursts of particles. Each is an entity that is rewound like all others: run time backwards, and the
-- dust goes back to where it came from.

local level = require "level"
local palette = require "art.palette"

local burst = {}

function burst.define(world)
    world:definePrefab("particle", { components = {
        TransformCMP = true, VelocityCMP = true, ParticleCMP = true, LifetimeCMP = true,
    } })
end

local function color(letter)
    return palette.numbers[letter]
end

-- options: letters of colours, least and most speed, gravity, drag, seconds, size, up (how far upwards it
-- goes), width.
local function scatter(world, x, y, count, options)
    for _ = 1, count do
        local angle = world:random() * 2 * math.pi
        local speed = options.least + (options.most - options.least) * world:random()
        local seconds = options.seconds * (0.5 + 0.5 * world:random())
        local letter = options.letters[world:random(#options.letters)]
        level.spawn(world, "particle", {
            TransformCMP = { x = x + (world:random() - 0.5) * (options.width or 4), y = y + (world:random() - 0.5) * (options.height or 4) },
            VelocityCMP = { x = math.cos(angle) * speed, y = math.sin(angle) * speed * (options.flat or 1) - (options.up or 0) },
            ParticleCMP = { color = color(letter), gravity = options.gravity or 0, drag = options.drag or 0,
                seconds = seconds, size = options.size or 2 },
            LifetimeCMP = { seconds = seconds },
        })
    end
end

function burst.dust(world, x, y, count)
    scatter(world, x, y, count, { letters = { "p", "l", "f" }, least = 8, most = 40, up = 10, flat = 0.3, drag = 4,
        seconds = 0.45, width = 8, height = 1 })
end

function burst.sparkle(world, x, y, count)
    scatter(world, x, y, count, { letters = { "y", "c", "y", "o" }, least = 20, most = 80, drag = 3, seconds = 0.5, size = 2 })
end

function burst.chips(world, x, y, count)
    scatter(world, x, y, count, { letters = { "v", "i", "l" }, least = 10, most = 55, up = 30, gravity = 420, seconds = 0.7,
        size = 3, width = 12, height = 8 })
end

function burst.splash(world, x, y, count, letters)
    scatter(world, x, y, count, { letters = letters, least = 30, most = 120, up = 40, gravity = 360, drag = 1.5,
        seconds = 0.8, size = 3, width = 8, height = 8 })
end

-- The player comes apart.
function burst.soul(world, x, y)
    scatter(world, x, y, 26, { letters = { "w", "p", "p", "r", "l" }, least = 20, most = 150, drag = 3.5, seconds = 1.2,
        size = 3, width = 8, height = 12 })
end

return burst
