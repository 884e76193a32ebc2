-- Swept boxes: how far a box comes along one axis before tiles or solids stop it. A box that is inside
-- of something already is not stopped by it, so that nothing is ever flung about or stuck.

local floor, min, max = math.floor, math.min, math.max

local size = 16
local epsilon = 0.02
local solid, ledge = 1, 2

local sweep = {}

-- Returns the new x, on which side it was stopped (-1, 0, 1), and the number of the solid that did it, or
-- -1. `solids` is the array of physics/solids.lua.
function sweep.x(grid, solids, count, x, y, w, h, dx)
    local cells, width, height = grid.cells, grid.width, grid.height
    local top, bottom = max(floor(y / size), 0), min(floor((y + h - epsilon) / size), height - 1)
    local target, side, by = x + dx, 0, -1
    if dx > 0 then
        local first, last = floor((x + w - epsilon) / size) + 1, floor((x + w + dx - epsilon) / size)
        for column = first, last do
            local isStopped = column >= width
            for row = top, bottom do
                if isStopped or cells[row * width + column] == solid then
                    isStopped = true
                    break
                end
            end
            if isStopped then
                target, side = column * size - w, 1
                break
            end
        end
    elseif dx < 0 then
        local first, last = floor((x + epsilon) / size) - 1, floor((x + dx + epsilon) / size)
        for column = first, last, -1 do
            local isStopped = column < 0
            for row = top, bottom do
                if isStopped or cells[row * width + column] == solid then
                    isStopped = true
                    break
                end
            end
            if isStopped then
                target, side = (column + 1) * size, -1
                break
            end
        end
    end
    for i = 0, count - 1 do
        local s = solids[i]
        if s.isLedge == 0 and y < s.y + s.h - epsilon and y + h > s.y + epsilon then
            if dx > 0 and x + w <= s.x + epsilon and target + w > s.x then
                target, side, by = s.x - w, 1, i
            elseif dx < 0 and x >= s.x + s.w - epsilon and target < s.x + s.w then
                target, side, by = s.x + s.w, -1, i
            end
        end
    end
    return target, side, by
end

-- Returns the new y, on which side it was stopped (-1 above, 1 below), and by which solid. Ledges stop
-- what comes from above, unless it wants to drop.
function sweep.y(grid, solids, count, x, y, w, h, dy, drops)
    local cells, width, height = grid.cells, grid.width, grid.height
    local left, right = max(floor((x + epsilon) / size), 0), min(floor((x + w - epsilon) / size), width - 1)
    local target, side, by = y + dy, 0, -1
    if dy > 0 then
        local first, last = max(floor((y + h - epsilon) / size) + 1, 0), min(floor((y + h + dy - epsilon) / size), height - 1)
        for row = first, last do
            local isStopped = false
            for column = left, right do
                local kind = cells[row * width + column]
                if kind == solid or (kind == ledge and not drops) then
                    isStopped = true
                    break
                end
            end
            if isStopped then
                target, side = row * size - h, 1
                break
            end
        end
    elseif dy < 0 then
        local first, last = min(floor((y + epsilon) / size) - 1, height - 1), max(floor((y + dy + epsilon) / size), 0)
        for row = first, last, -1 do
            local isStopped = false
            for column = left, right do
                if cells[row * width + column] == solid then
                    isStopped = true
                    break
                end
            end
            if isStopped then
                target, side = (row + 1) * size, -1
                break
            end
        end
    end
    for i = 0, count - 1 do
        local s = solids[i]
        if x < s.x + s.w - epsilon and x + w > s.x + epsilon then
            if dy > 0 and y + h <= s.y + epsilon and target + h > s.y and not (drops and s.isLedge ~= 0) then
                target, side, by = s.y - h, 1, i
            elseif dy < 0 and s.isLedge == 0 and y >= s.y + s.h - epsilon and target < s.y + s.h then
                target, side, by = s.y + s.h, -1, i
            end
        end
    end
    return target, side, by
end

-- Whether a box is free of tiles and solids.
function sweep.isFree(grid, solids, count, x, y, w, h)
    local cells, width, height = grid.cells, grid.width, grid.height
    local left, right = floor((x + epsilon) / size), floor((x + w - epsilon) / size)
    if left < 0 or right >= width then return false end
    for row = max(floor((y + epsilon) / size), 0), min(floor((y + h - epsilon) / size), height - 1) do
        for column = left, right do
            if cells[row * width + column] == solid then return false end
        end
    end
    for i = 0, count - 1 do
        local s = solids[i]
        if s.isLedge == 0 and x < s.x + s.w - epsilon and x + w > s.x + epsilon
            and y < s.y + s.h - epsilon and y + h > s.y + epsilon then
            return false
        end
    end
    return true
end

return sweep
