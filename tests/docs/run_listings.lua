-- Runs the Lua listings of a page, put together to one program, and fails unless it prints what the page says:
--
--     luajit tests/docs/run_listings.lua MODULE_FOLDER PAGE
--
-- What is printed stands behind `-->`, in the order in which it is. A listing that begins with
-- `-- file: NAME` is no part of the program: it is a file that the program reads from the current folder.

local modules, path = arg[1], arg[2]
package.cpath = modules .. "/?.so;" .. package.cpath

local program, expected, file = {}, {}, nil
local language, number = nil, 0
for line in io.lines(path) do
    number = number + 1
    local fence = line:match("^```(.*)")
    program[number] = ""  -- so that errors tell the page's line
    if fence and language then
        if file then file:close() end
        language, file = nil, nil
    elseif fence then
        language = fence
    elseif language == "lua" then
        local name = line:match("^%-%- file: (%S+)$")
        if name then
            local folder = name:match("^(.*)/")
            if folder then assert(os.execute("mkdir -p '" .. folder .. "'") == 0) end
            file = assert(io.open(name, "w"))
        elseif file then
            file:write(line, "\n")
        else
            program[number] = line
            expected[#expected + 1] = line:match("%-%-> (.*)$")
        end
    end
end
assert(not language, path .. ": a listing does not end")

local globals, printed = dofile((arg[0]:gsub("docs/[^/]*$", "lua/printed.lua")))()
local chunk = assert(loadstring(table.concat(program, "\n"), "@" .. path))
setfenv(chunk, globals)
local ok, message = xpcall(chunk, debug.traceback)
if not ok then
    io.stderr:write(message, "\n")
    os.exit(1)
end
for i = 1, math.max(#printed, #expected) do
    if printed[i] ~= expected[i] then
        io.stderr:write(path, ": it prints '", tostring(printed[i]), "', but says '", tostring(expected[i]), "'\n")
        os.exit(1)
    end
end
print(path .. ": " .. #expected .. " lines as it says")
