-- The tiles of a map, as bytes. A grid follows from the map's text alone, so it is no state: it is
-- made once per text and shared.

local ffi = require "ffi"

local grid = { size = 16, empty = 0, solid = 1, ledge = 2, hazard = 3 }

-- What stops or hurts; all other characters are places for things, or air.
local kinds = { ["#"] = grid.solid, ["="] = grid.solid, ["-"] = grid.ledge, ["^"] = grid.hazard }

local made = {}

local function parse(text)
    local rows, width = {}, 0
    for row in (text:gsub("^\n", "")):gmatch("([^\n]*)\n?") do
        rows[#rows + 1] = row
        width = math.max(width, #row)
    end
    while #rows > 0 and rows[#rows]:match("^%s*$") do rows[#rows] = nil end
    local parsed = { rows = rows, width = width, height = #rows, text = text }
    parsed.cells = ffi.new("uint8_t[?]", math.max(1, width * #rows))
    for r, row in ipairs(rows) do
        for c = 1, #row do parsed.cells[(r - 1) * width + c - 1] = kinds[row:sub(c, c)] or grid.empty end
    end
    return parsed
end

function grid.of(text)
    local found = made[text]
    if not found then
        found = parse(text)
        made[text] = found
    end
    return found
end

-- The character at a cell, counted from 0.
function grid.letterAt(of, column, row)
    local line = of.rows[row + 1]
    if not line or column < 0 or column >= #line then return " " end
    return line:sub(column + 1, column + 1)
end

-- Beyond the sides there is rock, above and below there is air.
function grid.kindAt(of, column, row)
    if column < 0 or column >= of.width then return grid.solid end
    if row < 0 or row >= of.height then return grid.empty end
    return of.cells[row * of.width + column]
end

-- Calls visit(letter, column, row) for each character that is neither air nor tile, row by row.
function grid.eachLetter(of, visit)
    for r, line in ipairs(of.rows) do
        for c = 1, #line do
            local letter = line:sub(c, c)
            if letter ~= " " and letter ~= "." and not kinds[letter] then visit(letter, c - 1, r - 1) end
        end
    end
end

return grid
