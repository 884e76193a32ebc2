-- Text on the picture. What stands in brackets is drawn as a key: "hold [SHIFT] to turn it back".

local lettering = {}

local dark = 0x0e0b1c
local keyHeight, keyPadding = 11, 4

-- Calls visit(part, isKey) for each piece of plain text and each key.
local function eachPart(text, visit)
    local at = 1
    while at <= #text do
        local from, to, key = text:find("%[(.-)%]", at)
        if from ~= at then visit(text:sub(at, (from or 0) - 1), false) end
        if from then visit(key, true) end
        at = (to or #text) + 1
    end
end

local function keyWidth(canvas, key)
    return canvas:textWidth(key) + 2 * keyPadding - 1
end

function lettering.width(canvas, text, scale)
    local width = 0
    eachPart(text, function(part, isKey)
        width = width + (isKey and keyWidth(canvas, part) or canvas:textWidth(part, scale or 1))
    end)
    return width
end

local function drawKey(canvas, x, y, key, alpha)
    local width = keyWidth(canvas, key)
    canvas:rect(x + 1, y - 3, width - 2, keyHeight + 3, dark * 256 + alpha)
    canvas:rect(x, y - 2, width, keyHeight + 1, dark * 256 + alpha)
    canvas:rect(x + 1, y - 2, width - 2, keyHeight + 1, 0x9a80bd00 + alpha)
    canvas:rect(x + 1, y - 2, width - 2, keyHeight - 1, 0xfaf4ff00 + alpha)
    canvas:text(x + keyPadding, y, key, 0x2a234900 + alpha)
end

-- An outlined text reads on anything; a key is as opaque as the text's colour.
local function write(canvas, x, y, text, color, scale, isOutlined)
    scale = scale or 1
    local alpha = color % 256
    eachPart(text, function(part, isKey)
        if isKey then
            drawKey(canvas, x, y, part, alpha)
            x = x + keyWidth(canvas, part)
            return
        end
        if isOutlined then
            for _, step in ipairs { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 } } do
                canvas:text(x + step[1] * scale, y + step[2] * scale, part, dark * 256 + alpha, scale)
            end
        end
        canvas:text(x, y, part, color, scale)
        x = x + canvas:textWidth(part, scale)
    end)
end

function lettering.plain(canvas, x, y, text, color, scale)
    write(canvas, x, y, text, color, scale, false)
end

function lettering.outlined(canvas, x, y, text, color, scale)
    write(canvas, x, y, text, color, scale, true)
end

-- Outlined, around a middle.
function lettering.centred(canvas, middle, y, text, color, scale)
    write(canvas, math.floor(middle - lettering.width(canvas, text, scale) / 2), y, text, color, scale, true)
end

return lettering
