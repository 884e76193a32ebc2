-- HotReload: re-reads the files of systems when they change, with the world kept.
--
--     local reload = HotReload:new()
--     local MovementSys = reload:load("systems/movement.lua")   -- the file returns the class
--     ...
--     reload:update()                                           -- now and then: once a second will do
--
-- A file with an error keeps the old code running; the message goes to onError and getError.

local core = ...
local describe = core.describe

local HotReload = {}
HotReload.__index = HotReload
core.HotReload = HotReload
local stores = core.privateStore()

local dataOf = core.dataReader(stores, "a HotReload", "reload")

-- options: read(path) -> text or nil and why; onError(message, path), default: writes to stderr.
function HotReload:new(options)
    if self ~= HotReload then error("HotReload:new: write it with a colon", 2) end
    options = core.expectOptions(options, { "read", "onError" }, "HotReload:new", 2)
    core.expect(options.read or core.readFile, "function", "HotReload:new", "read")
    core.expect(options.onError or print, "function", "HotReload:new", "onError")
    local reload = setmetatable({}, HotReload)
    core.attach(stores, reload, {
        read = options.read or core.readFile,
        onError = options.onError or function(message) io.stderr:write("revenant: ", message, "\n") end,
        files = {},
        order = {},
    })
    return reload
end

local function run(path, text)
    local chunk, message = loadstring(text, "@" .. path)
    if not chunk then return nil, message end
    local ok, class = xpcall(chunk, debug.traceback)
    if not ok then return nil, class end
    if not core.isSystemClass(class) then
        return nil, path .. ": the file must return a class made by BaseSystem:extend, not " .. describe(class)
    end
    return class
end

-- Runs the file and returns its class. An error here is the caller's.
function HotReload:load(path)
    local data = dataOf(self, "load")
    core.expect(path, "string", "load", "the path")
    if data.files[path] then return data.files[path].class end
    local text, message = data.read(path)
    if type(text) ~= "string" then error("HotReload: " .. tostring(message or path), 2) end
    local class
    class, message = run(path, text)
    if not class then error(message, 0) end
    data.files[path] = { text = text, class = class }
    table.insert(data.order, path)
    return class
end

-- Re-reads what has changed. Returns how many files run new code. What onError raises is raised, after all were looked at.
function HotReload:update()
    local data = dataOf(self, "update")
    local count, raised = 0, nil
    local function fail(file, path, message)
        file.error = message
        local ok, why = pcall(data.onError, message, path)
        if not ok then raised = raised or why or "onError raised an error without a message" end
    end
    for _, path in ipairs(data.order) do
        local file = data.files[path]
        local text, why = data.read(path)
        if type(text) ~= "string" then
            -- Told once: an editor may be about to write it.
            local message = path .. ": cannot be read: " .. tostring(why or "no text")
            if file.error ~= message then fail(file, path, message) end
        elseif text ~= file.text then
            file.text = text
            local class, message = run(path, text)
            if class then
                core.replaceClass(file.class, class)
                file.error = nil
                count = count + 1
            else
                fail(file, path, message)
            end
        elseif file.isUnread then
            file.error = nil
        end
        file.isUnread = type(text) ~= "string"
    end
    if raised then error(raised, 0) end
    return count
end

-- The message of the last reload of a file, nil if it went well.
function HotReload:getError(path)
    local data = dataOf(self, "getError")
    core.expect(path, "string", "getError", "the path")
    local file = data.files[path]
    return file and file.error or nil
end
