-- Draws the tiles of a map that are in the picture. Which picture a cell gets follows from the map alone
-- and is worked out once per map.

local gridOf = require "physics.grid"
local tiles = require "art.tiles"

local sets, plans = {}, setmetatable({}, { __mode = "k" })

local plain = { ["="] = "brick", ["-"] = "ledge", ["^"] = "spikes", [","] = "grass", [";"] = "flowers" }

local function isRock(grid, column, row)
    if row >= grid.height then return true end
    column = math.max(0, math.min(grid.width - 1, column))
    if row < 0 then row = 0 end
    local letter = gridOf.letterAt(grid, column, row)
    return letter == "#" or letter == "="
end

local function planOf(grid, set)
    local plan = {}
    for row = 0, grid.height - 1 do
        for column = 0, grid.width - 1 do
            local letter = gridOf.letterAt(grid, column, row)
            local place
            if letter == "#" then
                local edges = (isRock(grid, column, row - 1) and 0 or 1) + (isRock(grid, column + 1, row) and 0 or 2)
                    + (isRock(grid, column, row + 1) and 0 or 4) + (isRock(grid, column - 1, row) and 0 or 8)
                place = set.stone[edges][(column * 7 + row * 13 + column * row) % 3 + 1]
            else
                place = set.named[plain[letter]]
            end
            plan[row * grid.width + column] = place
        end
    end
    return plan
end

return function(canvas, grid, x, y, width, height)
    local set = sets[canvas]
    if not set then
        set = tiles.make(canvas)
        sets[canvas] = set
    end
    local plan = plans[grid]
    if not plan then
        plan = planOf(grid, set)
        plans[grid] = plan
    end
    x, y = math.floor(x), math.floor(y)
    local image = set.image
    for row = math.max(0, math.floor(y / 16)), math.min(grid.height - 1, math.floor((y + height) / 16)) do
        for column = math.max(0, math.floor(x / 16)), math.min(grid.width - 1, math.floor((x + width) / 16)) do
            local place = plan[row * grid.width + column]
            if place then canvas:draw(image, column * 16 - x, row * 16 - y, place.x, place.y, 16, 16) end
        end
    end
end
