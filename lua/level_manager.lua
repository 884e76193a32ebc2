-- LevelManager: loads levels from Lua data files, run in an empty sandbox.
--
--     local levels = LevelManager:new(world, { folder = "levels" })
--     levels:load("forest")                          -- levels/forest.lua, at the next tick
--     levels:load("cave", { history = "clear" })     -- default: "keep"
--     levels:unload()
--
-- A file returns { prefabs = { name = template }, entities = { template, ... } }; templates are those of
-- prefabs (prefab.lua). A broken file leaves the running level untouched; the error says file, line and
-- field. The level and its roots are rewound with the world. Events: levelLoaded, levelUnloaded (name).

local core = ...
local native, describe = core.native, core.describe

local LevelManager = core.BaseSystem:extend("LevelManager")
core.LevelManager = LevelManager
LevelManager.priority = 2 ^ 30  -- before all but the history

local managers = core.privateStore()
local levelResource, rootsResource = "LevelManager.level", "LevelManager.roots"
-- A request is part of the world, too: who rewinds past it has never asked. What is asked for while the
-- past is on show waits beside it (data.request) until play goes on.
local requestResource = "LevelManager.request"
local mostInstructions = 50 * 1000 * 1000

local function dataOf(manager, call)
    local data = managers[manager]
    if not data then
        error(call .. ": called on " .. describe(manager) .. ", not on a LevelManager; write levels:" .. call .. "(...)", 3)
    end
    return data
end

local function readFile(path)
    local file, message = io.open(path, "rb")
    if not file then return nil, message end
    local text = file:read("*a")
    file:close()
    return text
end

-- ---- where in a file a field stands ------------------------------------------------------------

-- Words of Lua source with their lines; enough to follow table constructors.
local function words(source)
    local line, at = 1, 1
    return function()
        while true do
            local from, to = source:find("^%s+", at)
            if from then
                line = line + select(2, source:sub(from, to):gsub("\n", ""))
                at = to + 1
            elseif source:find("^%-%-%[=*%[", at) then
                local equals = source:match("^%-%-%[(=*)%[", at)
                local _, stop = source:find("]" .. equals .. "]", at, true)
                stop = stop or #source
                line = line + select(2, source:sub(at, stop):gsub("\n", ""))
                at = stop + 1
            elseif source:find("^%-%-", at) then
                at = source:find("\n", at, true) or #source + 1
            else
                break
            end
        end
        if at > #source then return nil end
        local start = line
        local quote = source:match("^[\"']", at)
        if quote then
            local stop = at + 1
            while stop <= #source and source:sub(stop, stop) ~= quote do
                stop = stop + (source:sub(stop, stop) == "\\" and 2 or 1)
            end
            local text = source:sub(at + 1, stop - 1)
            at = stop + 1
            return "string", text, start
        end
        local equals = source:match("^%[(=*)%[", at)
        if equals then
            local _, stop = source:find("]" .. equals .. "]", at, true)
            stop = stop or #source
            line = line + select(2, source:sub(at, stop):gsub("\n", ""))
            at = stop + 1
            return "string", "", start
        end
        local word = source:match("^[%a_][%w_]*", at) or source:match("^[%d.]+[%w.]*", at) or source:sub(at, at)
        at = at + #word
        return "word", word, start
    end
end

-- The line at which the value at `keys` in the table that the source returns begins; the line of the
-- deepest table on the way, where it is not written out.
local function lineOf(source, keys)
    local found = 1
    local stack = {}       -- of open tables: {count, key}
    local matched = 0      -- how many of `keys` lead to the innermost open table
    local pendingKey, bracket
    local previousKind, previous
    local inReturn = false
    for kind, word, line in words(source) do
        if not inReturn then
            inReturn = kind == "word" and word == "return" and #stack == 0
        elseif kind == "word" and word == "{" then
            local top = stack[#stack]
            local key = pendingKey
            if top and key == nil then
                top.count = top.count + 1
                key = top.count
            end
            local isOnPath = not top or (top.isOnPath and matched == #stack - 1 and key == keys[matched + 1])
            if top and isOnPath then
                matched = matched + 1
                found = line
                if matched == #keys then return found end
            elseif not top then
                found = line
            end
            stack[#stack + 1] = { count = 0, isOnPath = isOnPath }
            pendingKey = nil
        elseif kind == "word" and word == "}" then
            local top = table.remove(stack)
            if top and top.isOnPath and #stack > 0 then matched = matched - 1 end
            if #stack == 0 then return found end
            pendingKey = nil
        elseif kind == "word" and word == "[" then
            bracket = true
        elseif kind == "word" and word == "=" then
            if previousKind == "string" or previous ~= "]" then
                pendingKey = previous
            else
                pendingKey = bracket
            end
            bracket = nil
            local top = stack[#stack]
            if top and top.isOnPath and matched == #stack - 1 and pendingKey == keys[matched + 1] then
                found = line
                if matched + 1 == #keys then return line end
            end
        elseif kind == "word" and (word == "," or word == ";") then
            pendingKey = nil
        else
            if bracket == true then bracket = kind == "string" and word or tonumber(word) or word end
        end
        previousKind, previous = kind, word
    end
    return found
end

-- ---- reading a file ------------------------------------------------------------------------------

local function runSandboxed(source, path)
    if source:sub(1, 1) == "\27" then error(path .. ":1: a level is Lua source, not bytecode", 0) end
    local chunk, message = loadstring(source, "@" .. path)
    if not chunk then error(message, 0) end
    setfenv(chunk, {})
    jit.off(chunk, true)
    local run = coroutine.create(chunk)
    debug.sethook(run, function()
        error(path .. ": takes too long; a level is data, it does not compute", 0)
    end, "", mostInstructions)
    local ok, result = coroutine.resume(run)
    debug.sethook(run)
    if not ok then error(tostring(result), 0) end
    if coroutine.status(run) ~= "dead" then error(path .. ": a level does not yield", 0) end
    return result
end

local fields = { name = "string", prefabs = "table", entities = "table" }

local function readLevel(data, name)
    local path = data.folder .. name .. ".lua"
    local source, message = data.read(path)
    if type(source) ~= "string" then
        error("LevelManager: level '" .. name .. "' cannot be read: " .. tostring(message or path), 0)
    end
    local level = runSandboxed(source, path)
    local function bad(keys, text)
        local shown = {}
        for _, key in ipairs(keys) do
            shown[#shown + 1] = type(key) == "number" and "[" .. key .. "]" or (#shown > 0 and "." or "") .. tostring(key)
        end
        error(path .. ":" .. lineOf(source, keys) .. ": " .. table.concat(shown) .. (#shown > 0 and ": " or "") .. text, 0)
    end
    if type(level) ~= "table" then
        error(path .. ":1: a level returns a table { entities = { ... } }, not " .. describe(level), 0)
    end
    for key, value in pairs(level) do
        local kind = fields[key]
        if not kind then bad({ key }, "is not a field of a level; those are name, prefabs, entities") end
        if type(value) ~= kind then bad({ key }, "must be a " .. kind .. ", not " .. describe(value)) end
    end
    return level, path, bad
end

-- Everything is made, detached, before the running level is touched.
local function buildLevel(data, name)
    local level, path, bad = readLevel(data, name)
    local link = data.link
    local before = {}
    for key, prefab in pairs(link.prefabs) do before[key] = prefab end
    local roots = {}
    local function make(template, keys, defaultName)
        local ok, made = pcall(core.makePrefab, link, template, keys, defaultName)
        if not ok then
            if getmetatable(made) == core.BadTemplate then bad(made.keys, made.text) end
            error(path .. ": " .. tostring(made), 0)
        end
        return made
    end
    local ok, message = pcall(function()
        local names = {}
        for prefabName in pairs(level.prefabs or {}) do
            if type(prefabName) ~= "string" then bad({ "prefabs" }, "is keyed by name, not by " .. describe(prefabName)) end
            names[#names + 1] = prefabName
        end
        table.sort(names)
        for _, prefabName in ipairs(names) do
            link.prefabs[prefabName] = make(level.prefabs[prefabName], { "prefabs", prefabName }, prefabName)
        end
        for i, template in ipairs(level.entities or {}) do
            local prefab = make(template, { "entities", i })
            roots[i] = prefab:instantiate()
        end
    end)
    if not ok then
        link.prefabs = before
        for _, root in pairs(roots) do root:destroy() end
        error(message, 0)
    end
    return roots
end

-- ---- the manager ---------------------------------------------------------------------------------

local function removeRoots(data)
    local world = data.link.world
    for _, root in ipairs(world:getResource(rootsResource) or {}) do
        if root:isValid() then world:removeEntity(root) end
    end
end

local function clearHistory(data)
    local rewind = core.rewindOf(data.link)
    if rewind then rewind:clear() end
end

local function carryOut(data, request)
    local world = data.link.world
    local roots = request.name and buildLevel(data, request.name)
    local old = world:getResource(levelResource)
    removeRoots(data)
    if old then table.insert(data.events, { "levelUnloaded", old }) end
    if request.history == "clear" then clearHistory(data) end
    for _, root in ipairs(roots or {}) do world:addEntity(root) end
    world:setResource(levelResource, request.name, { rewind = true })
    world:setResource(rootsResource, roots or nil, { rewind = true })
    if request.name then table.insert(data.events, { "levelLoaded", request.name }) end
end

-- options: folder (default: the current one), read(path) -> text or nil and why, history ("keep" or
-- "clear": what a change of level does with the history unless it says so itself).
function LevelManager:init(options)
    if not core.isSystem(self) then
        error("init: called on " .. describe(self) .. ", not on a LevelManager; it is called by new", 2)
    end
    if options == nil then options = {} end
    if type(options) ~= "table" then
        error("LevelManager:new: the options must be a table, not " .. describe(options), 3)
    end
    local folder = options.folder or ""
    core.expect(folder, "string", "LevelManager:new", "folder")
    core.expect(options.read or readFile, "function", "LevelManager:new", "read")
    local history = options.history or "keep"
    if history ~= "keep" and history ~= "clear" then
        error("LevelManager:new: history is \"keep\" or \"clear\", not " .. describe(history), 3)
    end
    if folder ~= "" and folder:sub(-1) ~= "/" then folder = folder .. "/" end
    local data = { link = core.linkOf(self:getWorld(), "LevelManager:new", 3), folder = folder,
        read = options.read or readFile, history = history, events = {} }
    managers[self] = data
end

-- Registers itself with the world.
function LevelManager:new(world, options)
    local manager = core.BaseSystem.new(self, world, options)
    local data = managers[manager]
    if not data then error("LevelManager:new: a class of its own must call LevelManager.init", 2) end
    for _, event in ipairs { "levelLoaded", "levelUnloaded" } do pcall(native.defineEvent, data.link.number, event) end
    data.link.world:registerSystem(manager)
    table.insert(data.link.beforeReconcile, function()
        local world = data.link.world
        local request = data.request or world:getResource(requestResource)
        if not request or native.isPastOnShow(data.link.number) or not manager:isRegistered() then return end
        data.request = nil
        world:setResource(requestResource, nil, { rewind = true })
        core.forgetSyncSteps(data.link)
        carryOut(data, request)
    end)
    return manager
end

-- The entities are in the world by now.
function LevelManager:tick()
    local data = dataOf(self, "tick")
    local events = data.events
    data.events = {}
    for _, event in ipairs(events) do data.link.world:emit(event[1], event[2]) end
end

local function request(self, call, name, options)
    local data = dataOf(self, call)
    if options ~= nil and type(options) ~= "table" then
        error(call .. ": the options must be a table {history = \"keep\" or \"clear\"}, not " .. describe(options), 3)
    end
    local history = options and options.history or data.history
    if history ~= "keep" and history ~= "clear" then
        error(call .. ": history is \"keep\" or \"clear\", not " .. describe(history), 3)
    end
    local asked = { name = name, history = history }
    if native.isPastOnShow(data.link.number) then
        data.request = asked
    else
        data.link.world:setResource(requestResource, asked, { rewind = true })
    end
end

-- Requests; the last one before the tick holds.
function LevelManager:load(name, options)
    core.expect(name, "string", "load", "the name of a level")
    if name == "" or name:find("%z") then error("load: a level needs a name without zero bytes", 2) end
    request(self, "load", name, options)
end

function LevelManager:unload(options)
    request(self, "unload", nil, options)
end

function LevelManager:reload(options)
    local data = dataOf(self, "reload")
    local level = data.link.world:getResource(levelResource)
    if not level then error("reload: no level is loaded", 2) end
    request(self, "reload", level, options)
end

-- The name of the running level, or nil.
function LevelManager:getLevel()
    return dataOf(self, "getLevel").link.world:getResource(levelResource)
end

-- The roots of the running level, as they were loaded.
function LevelManager:getRoots()
    return dataOf(self, "getRoots").link.world:getResource(rootsResource) or {}
end

-- Whether a request is waiting for the next tick.
function LevelManager:isPending()
    local data = dataOf(self, "isPending")
    return data.request ~= nil or data.link.world:getResource(requestResource) ~= nil
end
