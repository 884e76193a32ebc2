-- Reads the game's files; with a window open, systems whose files change run the new code at once.

local revenant = require "revenant"
local host = require "host"

local reload = {}

-- Of the game's folder, or else a path as it stands.
function reload.read(path)
    local ok, text = pcall(host.readFile, path)
    if ok and text then return text end
    local file, message = io.open(path, "rb")
    if not file then return nil, ok and message or tostring(text) end
    text = file:read("*a")
    file:close()
    return text
end

local mistake
local hot = revenant.HotReload:new { read = reload.read, onError = function(message) mistake = message end }
local sinceLook = 0

function reload.load(path)
    return hot:load(path)
end

-- Looks once a second. A file with a mistake keeps the old code running; the mistake is raised once, so
-- that the host shows it.
function reload.step(dt)
    if host.headless then return end
    sinceLook = sinceLook + dt
    if sinceLook < 1 then return end
    sinceLook = 0
    hot:update()
    if mistake then
        local message = mistake
        mistake = nil
        error(message, 0)
    end
end

return reload
