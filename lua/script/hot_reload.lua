-- HotReload: re-reads the files of systems and classes when they change, with the world kept.
--
--     local reload = HotReload:new()
--     local MovementSys = reload:load("systems/movement.lua")   -- the file returns the class
--     ...
--     reload:update()                                           -- now and then: once a second will do
--
-- Functions and values of the class are taken over, for systems and components that are there already, too. A reloaded
-- file may define components, classes and prefabs again. What cannot be taken over goes to onNotice and getNotice. A
-- file with an error keeps the old code running; the message goes to onError and getError.

local core = ...
local describe = core.describe

local HotReload = {}
HotReload.__index = HotReload
core.HotReload = HotReload
local stores = core.privateStore()

local dataOf = core.dataReader(stores, "a HotReload", "reload")

local function write(message) io.stderr:write("revenant: ", message, "\n") end

-- options: read(path) -> text or nil and why; onError(message, path) and onNotice(message, path), default: they write to
-- stderr.
function HotReload:new(options)
    core.requireColon(self, HotReload, "HotReload:new")
    options = core.expectOptions(options, { "read", "onError", "onNotice" }, "HotReload:new", 2)
    core.expect(options.read or core.readFile, "function", "HotReload:new", "read")
    core.expect(options.onError or print, "function", "HotReload:new", "onError")
    core.expect(options.onNotice or print, "function", "HotReload:new", "onNotice")
    local reload = setmetatable({}, HotReload)
    core.attach(stores, reload, {
        read = options.read or core.readFile,
        onError = options.onError or write,
        onNotice = options.onNotice or write,
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
    if type(class) ~= "table" then
        return nil, path .. ": the file must return a class, of systems (BaseSystem:extend) or of components, not "
            .. describe(class)
    end
    return class
end

local function runAgain(path, text)
    core.isReloading = true
    local class, message = run(path, text)
    core.isReloading = false
    return class, message
end

-- Gives the old class what the new one has. Returns a sentence on what cannot be taken over, nil for nothing.
local function takeOver(path, class, newer)
    if core.isSystemClass(class) ~= core.isSystemClass(newer) then
        return path .. ": it returns " .. (core.isSystemClass(newer) and "a class of systems now" or "no class of systems any more")
            .. "; nothing was taken over: load it anew"
    elseif core.isSystemClass(class) then
        local left = core.replaceClass(class, newer)
        return left and path .. ": " .. left
    end
    core.updateClass(class, newer)
    return nil
end

-- Runs the file and returns its class. Errors go to the caller.
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

-- Re-reads files that have changed. Returns how many run new code. Errors of onError and onNotice are raised at the end.
function HotReload:update()
    local data = dataOf(self, "update")
    local count, raised = 0, nil
    local function call(callback, message, path, name)
        local ok, why = pcall(callback, message, path)
        if not ok then raised = raised or why or name .. " raised an error without a message" end
    end
    local function fail(file, path, message)
        file.error = message
        call(data.onError, message, path, "onError")
    end
    for _, path in ipairs(data.order) do
        local file = data.files[path]
        local text, why = data.read(path)
        if type(text) ~= "string" then
            -- Reported once: an editor may be about to write it.
            local message = path .. ": cannot be read: " .. tostring(why or "no text")
            if file.error ~= message then fail(file, path, message) end
        elseif text ~= file.text then
            file.text = text
            local class, message = runAgain(path, text)
            if class then
                file.notice = takeOver(path, file.class, class)
                file.error = nil
                count = count + 1
                if file.notice then call(data.onNotice, file.notice, path, "onNotice") end
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

-- What the last reload of a file could not take over, nil if it took over everything.
function HotReload:getNotice(path)
    local data = dataOf(self, "getNotice")
    core.expect(path, "string", "getNotice", "the path")
    local file = data.files[path]
    return file and file.notice or nil
end
