-- Outlines, as points around (0, 0), of radius 1.

local shapes = { ship = { 1.25, 0, -0.95, 0.8, -0.55, 0, -0.95, -0.8 } }

local rocks = {}

-- The same number gives the same rock, in every run.
function shapes.rock(number)
    if rocks[number] then return rocks[number] end
    local points = {}
    for corner = 0, 11 do
        local noise = math.sin(number * 12.9898 + corner * 78.233) * 43758.5453
        local reach = 0.72 + 0.36 * (noise - math.floor(noise))
        points[#points + 1] = math.cos(corner * math.pi / 6) * reach
        points[#points + 1] = math.sin(corner * math.pi / 6) * reach
    end
    rocks[number] = points
    return points
end

return shapes
