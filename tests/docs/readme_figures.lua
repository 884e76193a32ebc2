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
local figures = rows("README.md", "Figures")
for i = 3, #figures do check(figures[i]) end  -- behind the head
os.exit(#figures > 2 and wrong == 0)
