-- Draws figures against sizes as one SVG of several panels: both axes logarithmic, each line labelled on
-- the right. It suits light and dark pages.
--
--     plot.draw { { title =, x =, y =, lines = { { name =, points = { { size, cost }, ... } }, ... } }, ... }

local plot = {}

local width, height, columns = 460, 300, 2              -- of a panel, in pixels; panels side by side
local left, right, top, bottom = 58, 128, 44, 46        -- around its axes
local colours = { "a", "b", "c", "d" }                  -- as the style says

local style = [[
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #1f2937 }
.title { font-size: 15px; font-weight: bold } .faint { fill: #6b7280 } .card { fill: #ffffff }
.grid { stroke: #e2e5ea } .line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
.a { stroke: #2563c9 } .b { stroke: #c2410c } .c { stroke: #8a8f98 } .d { stroke: #2b8150 }
text.a, circle.a { fill: #2563c9; stroke: none } text.b, circle.b { fill: #c2410c; stroke: none }
text.c, circle.c { fill: #7b808a; stroke: none } text.d, circle.d { fill: #2b8150; stroke: none }
@media (prefers-color-scheme: dark) {
text { fill: #e6e9ee } .faint { fill: #9aa3b0 } .card { fill: #0d1117 } .grid { stroke: #2a313b }
.a { stroke: #6ea8fe } .b { stroke: #ff9a62 } .c { stroke: #8b949e } .d { stroke: #5cc98b }
text.a, circle.a { fill: #6ea8fe } text.b, circle.b { fill: #ff9a62 } text.c, circle.c { fill: #8b949e }
text.d, circle.d { fill: #5cc98b }
}]]

local function log10(x) return math.log(x) / math.log(10) end

-- 1000 -> "1k", 0.1 -> "0.1"
local function short(number)
    if number >= 1e6 then return ("%gM"):format(number / 1e6) end
    if number >= 1e3 then return ("%gk"):format(number / 1e3) end
    return ("%g"):format(number)
end

-- The places for marks on an axis: powers of ten, and what lies between where there are few of these.
local function ticks(low, high)
    local found = {}
    local steps = log10(high / low) > 2 and { 1 } or { 1, 2, 5 }
    for power = math.floor(log10(low)), math.ceil(log10(high)) do
        for _, step in ipairs(steps) do
            local at = step * 10 ^ power
            if at >= low * 0.999 and at <= high * 1.001 then found[#found + 1] = at end
        end
    end
    return found
end

local function bounds(panel, which)
    local low, high = math.huge, 0
    for _, line in ipairs(panel.lines) do
        for _, point in ipairs(line.points) do
            low, high = math.min(low, point[which]), math.max(high, point[which])
        end
    end
    return low, high
end

local function drawPanel(panel, x0, y0, out)
    local function add(text, ...) out[#out + 1] = text:format(...) end
    local xLow, xHigh = bounds(panel, 1)
    local yLow, yHigh = bounds(panel, 2)
    yLow, yHigh = yLow / 1.5, yHigh * 1.5
    local function xOf(value) return x0 + left + (width - left - right) * log10(value / xLow) / log10(xHigh / xLow) end
    local function yOf(value) return y0 + height - bottom - (height - top - bottom) * log10(value / yLow) / log10(yHigh / yLow) end

    add('<text class="title" x="%d" y="%d">%s</text>', x0 + 16, y0 + 26, panel.title)
    for _, at in ipairs(ticks(yLow, yHigh)) do
        add('<path class="grid" d="M%d %.1f H%d"/>', x0 + left, yOf(at), x0 + width - right)
        add('<text class="faint" x="%d" y="%.1f" text-anchor="end">%s</text>', x0 + left - 8, yOf(at) + 4, short(at))
    end
    local sizes = {}
    for _, point in ipairs(panel.lines[1].points) do sizes[#sizes + 1] = point[1] end
    for _, at in ipairs(sizes) do
        add('<text class="faint" x="%.1f" y="%d" text-anchor="middle">%s</text>', xOf(at), y0 + height - bottom + 18, short(at))
    end
    add('<text class="faint" x="%.1f" y="%d" text-anchor="middle">%s</text>', (xOf(xLow) + xOf(xHigh)) / 2,
        y0 + height - 10, panel.x)
    add('<text class="faint" x="%d" y="%d">%s</text>', x0 + left - 8, y0 + top - 2, panel.y)

    -- Labels keep their distance, from the bottom up.
    local labels = {}
    for i, line in ipairs(panel.lines) do
        local path = {}
        for _, point in ipairs(line.points) do path[#path + 1] = ("%.1f %.1f"):format(xOf(point[1]), yOf(point[2])) end
        add('<path class="line %s" d="M%s"/>', colours[i], table.concat(path, " L"))
        for _, point in ipairs(line.points) do
            add('<circle class="%s" cx="%.1f" cy="%.1f" r="3.5"/>', colours[i], xOf(point[1]), yOf(point[2]))
        end
        local last = line.points[#line.points]
        labels[i] = { x = xOf(xHigh) + 10, y = yOf(last[2]) + 4, text = line.name, class = colours[i] }
    end
    table.sort(labels, function(a, b) return a.y > b.y end)
    for i, label in ipairs(labels) do
        if i > 1 then label.y = math.min(label.y, labels[i - 1].y - 15) end
        add('<text class="%s" x="%.1f" y="%.1f">%s</text>', label.class, label.x, label.y, label.text)
    end
end

function plot.draw(panels)
    local rows = math.ceil(#panels / columns)
    local out = {
        ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d">'):format(columns * width,
            rows * height, columns * width, rows * height),
        "<title>Cost against size</title>", "<style>" .. style .. "</style>",
        '<rect class="card" width="100%" height="100%" rx="8"/>',
    }
    for i, panel in ipairs(panels) do
        drawPanel(panel, (i - 1) % columns * width, math.floor((i - 1) / columns) * height, out)
    end
    out[#out + 1] = "</svg>\n"
    return table.concat(out, "\n")
end

return plot
