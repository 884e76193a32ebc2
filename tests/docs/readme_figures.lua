-- Fails when a figure in the README is not one of bench/RESULTS.md.
--
--     luajit tests/docs/readme_figures.lua     -- in the project's root

-- Those of one section, if one is named.
local function rows(path, section)
    local found, isIn = {}, not section
    for line in io.lines(path) do
        if section and line:find("^## ") then isIn = line == "## " .. section end
        local cells = {}
        for cell in line:gmatch("|([^|]*)") do cells[#cells + 1] = cell:match("^%s*(.-)%s*$") end
        if isIn and #cells >= 4 then found[#found + 1] = cells end
    end
    return found
end

local measured, wrong = {}, 0
for _, row in ipairs(rows("bench/RESULTS.md")) do measured[row[1]] = table.concat(row, " | ", 2, 4) end
local function check(row)
    if measured[row[1]] == table.concat(row, " | ", 2, 4) then return end
    print(("README: '%s' is %s in bench/RESULTS.md; bench/run brings it up to date"):format(row[1],
        measured[row[1]] or "no row"))
    wrong = wrong + 1
end
-- The headline's figure is the one of the row it speaks of.
local headline, slowest
for line in io.lines("README.md") do
    headline = headline or line:match("An hour of every tick of a 300%-entity level in ([%d.]+ MB) of memory")
    slowest = slowest or line:match("any frame of it back within ([%d.]+) ms")
end
local size = measured["60 minutes of a level of 300 entities, every frame"] or ""
if not headline or size:sub(1, #headline + 1) ~= headline .. " " then
    print(("README: the headline says %s, bench/RESULTS.md %s"):format(headline or "nothing", size))
    wrong = wrong + 1
end
local seek
for name, figure in pairs(measured) do
    if name:find("^seek to any frame of it") then seek = tonumber(figure:match("^([%d.]+) ms")) end
end
if not (slowest and seek and seek <= tonumber(slowest)) then
    print(("README: the headline says within %s ms, bench/RESULTS.md %s"):format(slowest, seek))
    wrong = wrong + 1
end

local figures = rows("README.md", "Figures")
for i = 3, #figures do check(figures[i]) end  -- behind the head
os.exit(#figures > 2 and wrong == 0)
