-- Runs the Lua specs as run.lua does, and reports which lines of the Lua half they run:
--
--     revenant_lua_host tests/lua/coverage.lua LUA_FOLDER REPORT SPEC_FOLDER [NAME ...]
--
-- Lines are counted by a hook, so nothing is compiled. Fails when a file is below 90 % of its lines.

local folder = debug.getinfo(1, "S").source:match("^@(.*)/") or "."
local util = require "jit.util"
local least = 0.9

-- The lines that have code, of a function and those inside it.
local function addLines(prototype, lines)
    local info = util.funcinfo(prototype)
    for at = 1, info.bytecodes - 1 do lines[util.funcinfo(prototype, at).currentline] = true end
    for i = 1, info.gcconsts or 0 do
        local inside = util.funck(prototype, -i)
        if type(inside) == "proto" then addLines(inside, lines) end
    end
end

-- 3, 4, 5, 9 as "3-5,9".
local function ranges(numbers)
    local texts, from = {}, nil
    for i, number in ipairs(numbers) do
        from = from or number
        if numbers[i + 1] ~= number + 1 then
            texts[#texts + 1] = from == number and from or from .. "-" .. number
            from = nil
        end
    end
    return table.concat(texts, ",")
end

local ran = {}  -- file -> line -> true
local getinfo, match = debug.getinfo, string.match  -- whatever specs make of them
local function count(_, line)
    local file = match(getinfo(2, "S").source or "", "^@revenant/(.*)")
    if not file then return end
    ran[file] = ran[file] or {}
    ran[file][line] = true
end

local function measure(path, file)
    local lines, missing, all = {}, {}, 0
    addLines(assert(loadfile(path)), lines)
    for line in pairs(lines) do
        all = all + 1
        if not ran[file][line] then missing[#missing + 1] = line end
    end
    table.sort(missing)
    return { file = file, all = all, run = all - #missing, missing = ranges(missing) }
end

local function report(luaFolder, out)
    local rows, all, run, low = {}, 0, 0, 0
    for file in pairs(ran) do rows[#rows + 1] = measure(luaFolder .. "/" .. file, file) end
    table.sort(rows, function(a, b)
        if a.run * b.all ~= b.run * a.all then return a.run * b.all < b.run * a.all end
        return a.file < b.file
    end)
    local function write(name, row)
        out:write(("%-42s %6d %6d %5d%%   %s\n"):format(name, row.all, row.run, row.run * 100 / row.all, row.missing))
    end
    for _, row in ipairs(rows) do
        write("lua/" .. row.file, row)
        all, run = all + row.all, run + row.run
        if row.run < row.all * least then low = low + 1 end
    end
    write("TOTAL", { all = all, run = run, missing = "" })
    return low
end

local runner = dofile(folder .. "/run.lua")
local coverage = {}

function coverage.main(arguments, say)
    jit.off()
    debug.sethook(count, "l")
    local failed = runner.main({ "-", unpack(arguments, 3) }, say)
    debug.sethook()
    local out = assert(io.open(arguments[2], "w"))
    local low = report(arguments[1], out)
    out:close()
    if low > 0 then say(low .. " files are below " .. least * 100 .. " % of their lines; see " .. arguments[2]) end
    return failed + low
end

return coverage
