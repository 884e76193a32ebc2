-- Runs the Lua specs in whatever host this is: stock luajit, LÖVE, or the embedded one.
--
--     luajit tests/lua/run.lua MODULE_FOLDER SPEC_FOLDER [NAME ...]
--
-- A spec file is run with `test`, `check`, `equal`, `raises` and `hasSaves` in its environment.

local runner = {}

local current = {}

local function fail(message, level)
    error(message, (level or 1) + 1)
end

local environment = setmetatable({}, { __index = _G })

-- Keeps the specs' own loops clear of the compiler fault that lua/embed.cmake describes: with an iterator that is not
-- `next` itself they are ordinary loops.
local function step(table, key) return next(table, key) end
function environment.pairs(table)
    local iterator, state, first = pairs(table)
    return iterator == next and step or iterator, state, first
end

-- Builds without saves (REVENANT_SAVE=OFF) have the calls, which refuse.
function environment.hasSaves()
    local World = require("revenant").World
    return (pcall(World.saveToString, World:new()))
end

function environment.check(value, what)
    if not value then fail(what or "check failed", 2) end
    return value
end

function environment.equal(a, b, what)
    if a ~= b then
        fail((what and what .. ": " or "") .. tostring(a) .. " is not " .. tostring(b), 2)
    end
end

-- The call must raise a string that has each of the given pieces in it.
function environment.raises(call, ...)
    local ok, message = pcall(call)
    if ok then fail("no error was raised", 2) end
    if type(message) ~= "string" then fail("the error is a " .. type(message) .. ", not a sentence", 2) end
    for i = 1, select("#", ...) do
        local piece = select(i, ...)
        if not message:find(piece, 1, true) then
            fail("the error does not say '" .. piece .. "': " .. message, 2)
        end
    end
    return message
end

function environment.same(a, b, what)
    local function text(list)
        local texts = {}
        for i = 1, #list do texts[i] = tostring(list[i]) end
        return "{" .. table.concat(texts, ", ") .. "}"
    end
    local differs = #a ~= #b
    for i = 1, #a do differs = differs or a[i] ~= b[i] end
    if differs then fail((what and what .. ": " or "") .. text(a) .. " is not " .. text(b), 2) end
end

function environment.test(name, body)
    current[#current + 1] = { name = name, body = body }
end

function runner.run(specFolder, names, say)
    environment.specFolder = specFolder
    local failed, count = 0, 0
    for _, name in ipairs(names) do
        current = {}
        local chunk, message = loadfile(specFolder .. "/" .. name .. ".lua")
        if not chunk then
            say("cannot read " .. name .. ": " .. message)
            return 1
        end
        setfenv(chunk, environment)
        chunk()
        for _, each in ipairs(current) do
            count = count + 1
            local ok, text = xpcall(each.body, function(error) return debug.traceback(tostring(error), 2) end)
            if not ok then
                failed = failed + 1
                say(name .. ": " .. each.name .. "\n    " .. text:gsub("\n", "\n    "))
            end
        end
        if #current == 0 then
            failed = failed + 1
            say(name .. ": has no tests")
        end
    end
    say(count .. " claims, " .. failed .. " broken")
    return failed
end

function runner.main(arguments, say)
    local moduleFolder, specFolder = arguments[1], arguments[2]
    if moduleFolder ~= "-" then package.cpath = moduleFolder .. "/?.so;" .. moduleFolder .. "/?.dll;" .. package.cpath end
    package.path = specFolder .. "/?.lua;" .. specFolder .. "/../?.lua;" .. package.path
    if jit.os == "Windows" then -- whose own answer lies in the root of the drive
        local folder, count = os.getenv("TEMP") or ".", 0
        function os.tmpname()
            count = count + 1
            return ("%s/revenant_%d_%s_%d"):format((folder:gsub("\\", "/")), os.time(), tostring({}):match("0x(%x+)"), count)
        end
    end
    local names = {}
    for i = 3, #arguments do names[#names + 1] = arguments[i] end
    return runner.run(specFolder, names, say)
end

if arg and arg[0] and arg[0]:find("run%.lua$") and not package.loaded.revenant_host then
    os.exit(runner.main(arg, print) == 0, true)
end

return runner
