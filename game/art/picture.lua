-- Pictures: rectangles of letters, and how they become bytes for the canvas.

local palette = require "art.palette"

local picture = {}

-- From text, one line per row; all rows become as wide as the widest.
function picture.parse(text)
    local rows, width = {}, 0
    for line in text:gmatch("[^\n]+") do
        local row = line:gsub("%s", "")
        if row ~= "" then
            rows[#rows + 1] = row
            width = math.max(width, #row)
        end
    end
    for i, row in ipairs(rows) do rows[i] = row .. ("."):rep(width - #row) end
    return { rows = rows, width = width, height = #rows }
end

-- The same picture at another size, by nearest pixels: squashed, stretched.
function picture.scale(of, width, height)
    local rows = {}
    for y = 0, height - 1 do
        local source, row = of.rows[math.floor((y + 0.5) * of.height / height) + 1], {}
        for x = 0, width - 1 do
            local at = math.floor((x + 0.5) * of.width / width) + 1
            row[#row + 1] = source:sub(at, at)
        end
        rows[#rows + 1] = table.concat(row)
    end
    return { rows = rows, width = width, height = height }
end

-- One picture over another, at an offset.
function picture.over(below, above, dx, dy)
    local rows = {}
    for y = 1, below.height do
        local line, source = below.rows[y], above.rows[y - dy]
        if source then
            local row = {}
            for x = 1, below.width do
                local letter = x - dx >= 1 and source:sub(x - dx, x - dx) or "."
                row[x] = (letter == "." or letter == "") and line:sub(x, x) or letter
            end
            line = table.concat(row)
        end
        rows[y] = line
    end
    return { rows = rows, width = below.width, height = below.height }
end

-- Pictures side by side in one image of the canvas. Returns the image and each picture's rectangle.
function picture.atlas(canvas, pictures)
    local width, height = 0, 1
    local places = {}
    for i, each in ipairs(pictures) do
        places[i] = { x = width, y = 0, w = each.width, h = each.height }
        width, height = width + each.width, math.max(height, each.height)
    end
    local bytes, rows = palette.bytes, {}
    for y = 1, height do
        local row = {}
        for _, each in ipairs(pictures) do
            local line = each.rows[y] or ("."):rep(each.width)
            row[#row + 1] = line:gsub(".", bytes)
        end
        rows[y] = table.concat(row)
    end
    return canvas:newImage(math.max(1, width), height, table.concat(rows)), places
end

return picture
