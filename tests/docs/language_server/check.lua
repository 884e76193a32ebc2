-- Has the Lua language server read lua/api, the examples and two small games with lua/api as their library.
--
--     luajit tests/docs/language_server/check.lua SERVER WORK_FOLDER      -- in the project's root

local server, work = arg[1], arg[2]
local root = io.popen("pwd"):read("*l")
local config = work .. "/luarc.json"
local file = assert(io.open(config, "w"))
file:write(([[{ "runtime.version": "LuaJIT", "workspace.library": ["%s/lua/api"], "workspace.checkThirdParty": false,
    "diagnostics.globals": ["love"] }]]):format(root))
file:close()

-- What the server says of a folder: "path:line code" -> message.
local function problemsOf(folder)
    local log = work .. "/log"
    os.remove(log .. "/check.json")
    local command = ("'%s' --check='%s/%s' --configpath='%s' --logpath='%s' --checklevel=Warning --check_format=json >/dev/null 2>&1")
        :format(server, root, folder, config, log)
    os.execute(command)
    local report = assert(io.open(log .. "/check.json"), "the language server wrote no report"):read("*a")
    local problems, path = {}, nil
    local code, message
    for line in report:gmatch("[^\n]+") do
        path = line:match('"file://(.-)": %[') or path
        code, message = line:match('"code": "(.-)"') or code, line:match('"message": "(.*)"') or message
        -- Of a range the end comes first; both are in the same line here.
        local number = line:match('"line": (%d+)')
        if number then problems[path:gsub("^.*/", "") .. ":" .. number + 1 .. " " .. code] = message end
    end
    return problems
end

local expected = {}
local number = 0
for line in io.lines("tests/docs/language_server/annotated.lua") do
    number = number + 1
    local code = line:match("%-%-> ([%w-]+)$")
    if code then expected["annotated.lua:" .. number .. " " .. code] = true end
end
assert(next(expected), "no mistakes are marked")

local failures = {}
local function compare(folder, wanted)
    local problems = problemsOf(folder)
    for where, message in pairs(problems) do
        if not wanted[where] then failures[#failures + 1] = folder .. "/" .. where .. ": " .. message end
    end
    for where in pairs(wanted) do
        if not problems[where] then failures[#failures + 1] = folder .. "/" .. where .. ": the mistake was not found" end
    end
end

compare("lua/api", {})
for _, example in ipairs { "asteroids", "love_physics", "love_rewind" } do compare("docs/examples/" .. example, {}) end
compare("tests/docs/language_server", expected)
table.sort(failures)
for _, failure in ipairs(failures) do io.stderr:write(failure, "\n") end
os.exit(#failures == 0 and 0 or 1)
